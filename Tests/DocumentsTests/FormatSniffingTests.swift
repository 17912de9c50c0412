import Testing

@testable import Documents

@Suite struct FormatSniffingTests {
    @Test(
        "the text says what it is",
        arguments: [
            ("{\"a\":1}", .json), (" [1", .json), ("true", .json), ("12\n", .json),
            ("{\"a\":1}\n{\"a\":2}", .jsonLines), ("1\n2\n", .jsonLines),
            ("\u{1E}{}\n", .jsonLines), ("<?xml version='1.0'?>", .xml), ("<!doctype html>", .html),
            ("data: 1\n\n", .eventStream), ("---\na: 1", .yaml),
            ("a: 1\nb:\n  - x\n", .yaml), ("# words\nname: x\nport: 80\n", .yaml),
            ("- a\n- b\n", .yaml), ("id,name\n1,Ann\n2,Bob\n", .csv()),
            ("a;b\n1;\"x;\ny\"\n", .csv()),
            ("a\tb\n1\t2\n", .csv()),
        ] as [(String, DocumentFormat)]
    )
    func tellsFormats(text: String, format: DocumentFormat) {
        #expect(DocumentFormat(sniffing: .make(text)) == format)
    }

    @Test(
        "what may be anything is nothing",
        arguments: [
            "", "words", "words\nand more\n", "Hello, world\nand, so on\n", "{a: 1}",
            "[section]\nx=1\n",
            "note: this\nis: it: not\n", "a,b\n1,2,3\n", "1,2\n3,4\n", "- a", "a=1&b=2",
            "a\0b\n,\n",
            "INFO started: yes\n", "[1]\ntext",
        ]
    )
    func staysSilent(text: String) {
        #expect(DocumentFormat(sniffing: .make(text)) == nil)
    }

    @Test("the first 64 KiB are enough, in any encoding")
    func looksAtTheStart() {
        let rows = "id,name\n" + String(repeating: "1,\"a b\"\n", count: 20_000)
        #expect(DocumentFormat(sniffing: .make(rows)) == .csv())
        let list = "items:\n" + String(repeating: "  - name: é\n", count: 10_000)
        #expect(DocumentFormat(sniffing: .make(list)) == .yaml)
        let array = "[" + String(repeating: "1,", count: 100_000)
        #expect(DocumentFormat(sniffing: .make(array)) == .json)
        let wide = "{\"a\":1}\n{}".utf16.flatMap {
            [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)]
        }
        #expect(DocumentFormat(sniffing: DocumentBytes(wide)) == .jsonLines)
    }
}
