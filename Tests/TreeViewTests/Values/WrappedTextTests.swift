import Testing

@testable import TreeView

@Suite("A long text in rows")
struct WrappedTextTests {
    enum Sample: CaseIterable {
        case oneWord, words, linesAndALongOne, onlyNewlines, exactPieces

        var text: String {
            switch self {
            case .oneWord: String(repeating: "x", count: 9000)
            case .words: String(repeating: "wörter und 日本語 ", count: 300)
            case .linesAndALongOne:
                String(repeating: "line\n", count: 500) + String(repeating: "é", count: 3000)
            case .onlyNewlines: "\n\n\n"
            case .exactPieces: "a\n" + String(repeating: "b", count: 8192) + "\nc"
            }
        }
    }

    private func rows(_ string: String, _ columns: Int) -> [String] {
        let text = WrappedText(string)
        var rows: [String] = []
        var place: WrappedText.Place? = .start
        while let current = place {
            rows.append(text.text(of: text.row(at: current, columns: columns)))
            place = text.place(after: current, columns: columns)
        }
        return rows
    }

    @Test(
        "breaks at newlines, behind blanks, and within words that are too long",
        arguments: [
            ("", [""]), ("one", ["one"]), ("one\ntwo", ["one", "two"]), ("a\n\nb", ["a", "", "b"]),
            ("ends\n", ["ends", ""]), ("the quick fox", ["the ", "quick ", "fox"]),
            ("abcdefghij", ["abcdef", "ghij"]), ("日本語です", ["日本語", "です"]),
            ("abcd ef gh", ["abcd ", "ef gh"]),
            // A blank after the edge would make the row wider than the pane.
            ("abcdef gh", ["abcdef", "gh"]), ("abcdef \ng", ["abcdef", "g"]),
            ("abcdef ", ["abcdef"]),
        ]
    )
    func breaks(text: String, expected: [String]) {
        #expect(rows(text, 6) == expected)
    }

    @Test(
        "no text is lost at any width, but for a blank at the edge",
        arguments: [1, 2, 3, 7, 40, 5000]
    )
    func whole(columns: Int) {
        let string = String(repeating: "Ada \u{1F680} said: \"wörtlich\" 日本\n", count: 200)
        let bytes = Array(string.utf8)
        let text = WrappedText(string)
        var end = 0
        var place: WrappedText.Place? = .start
        while let current = place {
            let row = text.row(at: current, columns: columns)
            let between = String(decoding: bytes[end..<row.bytes.lowerBound], as: UTF8.self)
            #expect(["", " ", "\n", " \n"].contains(between))
            end = row.bytes.upperBound
            place = text.place(after: current, columns: columns)
        }
        #expect(end == bytes.count)
    }

    @Test(
        "backwards the rows are the same as forwards",
        arguments: Sample.allCases,
        [3, 80]
    )
    func backwards(sample: Sample, columns: Int) {
        let text = WrappedText(sample.text)
        var forwards: [WrappedText.Place] = []
        var place: WrappedText.Place? = .start
        while let current = place {
            forwards.append(current)
            place = text.place(after: current, columns: columns)
        }
        #expect(text.lastPlace(columns: columns) == forwards.last)
        var backwards: [WrappedText.Place] = []
        place = forwards.last
        while let current = place {
            backwards.append(current)
            place = text.place(before: current, columns: columns)
        }
        #expect(backwards.reversed() == forwards)
    }
}
