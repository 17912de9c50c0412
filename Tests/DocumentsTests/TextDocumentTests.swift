import TestSupport
import Testing

@testable import Documents

@Suite struct TextDocumentTests {
    private func lines(_ document: TextDocument) -> [String] {
        (0..<document.rowCount).compactMap { document.row(at: $0, textLimit: .max)?.text }
    }

    @Test(
        "lines end with a line feed, and the last one need not",
        arguments: [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\n\n", ["a", ""]), ("\n", [""]),
            ("a\r\nb\r\n", ["a", "b"]), ("a\rb\n", ["a\rb"]), ("a\nb", ["a", "b"]), ("\r\n", [""]),
        ]
    )
    func splitsLines(text: String, expected: [String]) {
        #expect(lines(TextDocument(.make(text))) == expected)
    }

    @Test("every line is found, short or long, in chunks of any size", arguments: 0..<12)
    func findsLines(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let expected = (0..<1000).map { number in
            let isLong = Int.random(in: 0..<60, using: &generator) == 0
            let length = isLong ? 150_000 : Int.random(in: 0..<40, using: &generator)
            return "\(number)" + String(repeating: "x", count: length)
        }
        let document = TextDocument(.make(expected.joined(separator: "\n")))
        var before = 0
        repeat {
            #expect(document.rowCount >= before)
            before = document.rowCount
            let row = document.row(at: before - 2, textLimit: .max)
            if before > 1 { #expect(row?.text == expected[before - 2]) }
        } while document.scan(length: Int.random(in: 1..<300_000, using: &generator))
        #expect(document.isFinished)
        #expect(lines(document) == expected)
    }

    @Test("the background finds what the first look did not")
    func finishes() async {
        let document = TextDocument(.make(String(repeating: "0123456789\n", count: 1_000_000)))
        #expect(!document.isFinished)
        #expect(document.rowCount > 5000)
        await document.finish()
        #expect(document.rowCount == 1_000_000)
        #expect(document.range(ofRow: 999_999) == 10_999_989..<10_999_999)
    }

    @Test("a line is cut at both sides between characters")
    func cutsLines() {
        let document = TextDocument(.make("aé日本語z"))
        let row = document.row(at: 0, textLimit: 4, textOffset: 2)
        #expect(row == TextRow(number: 1, range: 0..<13, text: "日", isCut: true))
        #expect(document.row(at: 0, textLimit: 4, textOffset: 99)?.text == "")
        #expect(document.row(at: 1, textLimit: 4) == nil)
    }

    @Test("bytes that are not UTF-8 show as U+FFFD")
    func repairsText() {
        let document = TextDocument(DocumentBytes([0x61, 0xFF, 0x62, 0x0A, 0xC3]))
        #expect(lines(document) == ["a\u{FFFD}b", "\u{FFFD}"])
    }
}
