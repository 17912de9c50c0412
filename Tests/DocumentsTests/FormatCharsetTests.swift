import Testing

@testable import Documents

@Suite struct FormatCharsetTests {
    @Test(
        "texts are converted from the encoding of their mark, their type or their look",
        arguments: [
            ([0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00], nil),
            ([0xFE, 0xFF, 0x00, 0x5B, 0x00, 0x5D], nil),
            ([0x5B, 0x00, 0x5D, 0x00], nil), ([0x00, 0x5B, 0x00, 0x5D], nil),
            ([0x5B, 0x00, 0x5D, 0x00], "utf-16"), ([0x00, 0x5B, 0x00, 0x5D], "UTF-16BE"),
            ([0xFF, 0xFE, 0, 0, 0x5B, 0, 0, 0, 0x5D, 0, 0, 0], nil), ([0x5B, 0x5D], "utf8"),
        ] as [([UInt8], String?)]
    )
    func converts(bytes: [UInt8], charset: String?) {
        let opened = FormattedDocument.opening(DocumentBytes(bytes), as: .json, charset: charset)
        #expect(opened.json == "[]")
        #expect(opened.original.count == bytes.count)
    }

    @Test("Latin-1 is Windows-1252, as in browsers")
    func readsLatin1() {
        let bytes = DocumentBytes([0x80, 0xE9])
        let decoded = DecodedText(bytes, format: nil, charset: "ISO-8859-1")
        #expect(decoded.text.string(in: 0..<decoded.text.count) == "€é")
        let controls = DecodedText(
            DocumentBytes([0x81, 0x93, 0x9D]),
            format: nil,
            charset: "cp1252"
        )
        #expect(controls.text.string(in: 0..<controls.text.count) == "\u{81}“\u{9D}")
        #expect(controls.faults == [])
    }

    @Test("what is not of the encoding is replaced, and an unknown encoding is a fault")
    func reportsFaults() {
        let broken = DecodedText(
            DocumentBytes([0x61, 0xFF, 0x0A, 0x62]),
            format: nil,
            charset: "shift_jis"
        )
        #expect(broken.text.string(in: 0..<broken.text.count) == "a\u{FFFD}\nb")
        #expect(broken.faults.first?.kind == .badEncoding("SHIFT_JIS"))
        let unknown = DecodedText(.make("x"), format: nil, charset: "no-such")
        #expect(unknown.faults.first?.kind == .unknownEncoding("NO-SUCH"))
        #expect(unknown.text.count == 1)
    }

    @Test("an empty name of an encoding is none: the text is UTF-8 unless it declares another one")
    func ignoresEmptyNames() {
        let decoded = DecodedText(.make("é"), format: nil, charset: "")
        #expect(decoded.text.string(in: 0..<decoded.text.count) == "é")
        #expect(decoded.faults == [])
        let page = DocumentBytes(Array("<meta charset=latin1>".utf8) + [0xE9])
        let declared = DecodedText(page, format: .html, charset: "")
        #expect(declared.text.string(in: 0..<declared.text.count).hasSuffix(">é"))
    }

    @Test("long texts are converted piece by piece")
    func convertsLong() {
        let text = String(repeating: "日本語😀x", count: 50_000)
        let bytes = text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        let decoded = DecodedText(DocumentBytes(bytes), format: nil, charset: "utf-16le")
        #expect(decoded.text.string(in: 0..<decoded.text.count) == text)
    }
}
