import TestSupport
import Testing

@testable import Documents

@Suite struct FormatWriterTests {
    private func written(_ bytes: [UInt8]) -> String {
        var writer = JSONTokenWriter(limit: 1 << 20)
        bytes.withUnsafeBufferPointer { writer.string($0) }
        let text = UnsafeBufferPointer(start: writer.base, count: writer.count)
        return String(decoding: text, as: UTF8.self)
    }

    @Test("strings are escaped, and read back as they were")
    func escapes() {
        let text =
            "plain \"quoted\" \\ \u{0}\u{1F}\n\r\t\u{8}\u{C} é日😀 "
            + String(repeating: "x", count: 20)
        let document = Document.make(written(Array(text.utf8)))
        #expect(document.string(of: .root) == text)
        #expect(written([]) == "\"\"")
    }

    @Test("broken UTF-8 becomes what String makes of it")
    func replacesBrokenBytes() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0..<12, using: &generator)).map { _ in
                [0x61, 0x80, 0xBF, 0xC2, 0xE0, 0xA0, 0xED, 0x9F, 0xF0, 0x90, 0xF4, 0x8F, 0xFF]
                    .randomElement(using: &generator) ?? UInt8(0)
            }
            #expect(written(bytes) == "\"" + String(decoding: bytes, as: UTF8.self) + "\"")
        }
    }

    @Test(
        "numbers are those of RFC 8259",
        arguments: [
            ("0", true), ("-0", true), ("10", true), ("1.5e-7", true), ("1E+2", true), ("", false),
            ("-", false), ("01", false), ("1.", false), (".5", false), ("+1", false), ("1e", false),
            ("1 ", false), ("0x1", false), ("NaN", false),
        ]
    )
    func knowsNumbers(text: String, isNumber: Bool) {
        #expect(Array(text.utf8).withUnsafeBytes { NumberParts($0) != nil } == isNumber)
    }
}
