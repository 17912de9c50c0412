/// A text is no query: why, and where.
public struct JSONPathError: Error, Equatable, Sendable {
    /// Why a text is no query; `found` is what stands there, empty at the end of the text.
    public enum Reason: Equatable, Sendable {
        /// Something else was expected, in words.
        case unexpected(found: String, expected: String)
        /// The query does not begin with `$`.
        case missingRoot(found: String)
        /// A blank where there may be none.
        case blank(Place)
        /// `=` and the like, which are operators elsewhere.
        case badOperator(found: String, instead: String)
        /// An integer of another form than `0`, `12` and `-12`.
        case badInteger(String)
        /// An integer beyond ±(2^53 - 1).
        case integerTooLarge(String)
        /// A number in a filter that is not written as JSON writes them.
        case badNumber(String)
        /// A string without its closing quote.
        case unclosedString
        /// A raw control character in a string.
        case controlCharacter(UInt32)
        /// A backslash with something after it that is no escape.
        case badEscape(String)
        /// Half a surrogate pair.
        case loneSurrogate
        /// A query in a comparison that may find more than one value.
        case notSingular
        /// A literal that is not compared with anything.
        case literalNotCompared(String)
        /// A function that RFC 9535 does not have.
        case unknownFunction(String)
        /// `match` or `search` where the library of regular expressions is missing.
        case functionUnavailable(function: String, detail: String)
        /// A function with too few or too many arguments.
        case argumentCount(function: String, expected: Int, found: Int)
        /// A function was given what it does not take.
        case argumentType(function: String, expected: String)
        /// A function whose result is a value and must be compared.
        case resultNotCompared(function: String)
        /// `match` or `search` in a comparison.
        case resultCompared(function: String)
        /// `!` before a comparison, which needs parentheses.
        case negatedComparison
        /// More expressions inside each other than allowed.
        case nestedTooDeeply(limit: Int)
    }

    /// Where a blank may not be.
    public enum Place: Equatable, Sendable {
        /// Before the `$`.
        case beforeQuery
        /// Behind the last segment.
        case afterQuery
        /// Behind `.` or `..`.
        case afterDot
        /// Between a function's name and its parenthesis.
        case beforeParenthesis
        /// Inside the brackets of a query that is compared.
        case inSingularBrackets
    }

    /// Why the text is no query.
    public let reason: Reason
    /// The byte of the text's UTF-8 at which it was seen.
    public let utf8Offset: Int
    /// The character, from 1, counted in Unicode scalars.
    public let column: Int

    /// Says why a text is no query and where it was seen.
    public init(_ reason: Reason, utf8Offset: Int, column: Int) {
        self.reason = reason
        self.utf8Offset = utf8Offset
        self.column = column
    }
}

extension JSONPathError: CustomStringConvertible {
    /// The column and one sentence for people.
    public var description: String { "column \(column): \(message)" }

    /// One sentence for people, without the place.
    public var message: String {
        switch reason {
        case .unexpected(let found, let expected):
            "\(Self.named(found)) where \(expected) was expected"
        case .missingRoot(let found): "a query begins with $, not with \(Self.named(found))"
        case .blank(let place): Self.words(for: place)
        case .badOperator(let found, let instead): Self.words(for: found, instead: instead)
        case .badInteger(let text):
            "'\(text)' is no index; it takes digits without leading zeros, and - only before 1 to 9"
        case .integerTooLarge(let text):
            "\(text) is beyond ±9007199254740991, the largest integer of a query"
        case .badNumber(let text): "'\(text)' is not how JSON writes a number"
        case .unclosedString: "this text has no closing quote"
        case .controlCharacter(let code):
            "a control character in quotes must be escaped, here as \(Self.escape(code))"
        case .badEscape(let text): "'\(text)' is no escape here"
        case .loneSurrogate: "half a surrogate pair; it takes \\ud83d\\ude00, both halves in order"
        case .notSingular: "only a query that finds one value at most can be compared"
        case .literalNotCompared(let text): "\(text) alone is no condition; compare it"
        case .unknownFunction(let name):
            "there is no function \(name)(); there are length, count, value, match and search"
        case .functionUnavailable(let function, let detail):
            "\(function)() needs libpcre2-8, which is not installed (\(detail))"
        case .argumentCount(let function, let expected, let found):
            "\(function)() takes \(expected == 1 ? "one argument" : "two arguments"), not \(found)"
        case .argumentType(let function, let expected): "\(function)() takes \(expected) here"
        case .resultNotCompared(let function):
            "\(function)() gives a value, which is no condition; compare it"
        case .resultCompared(let function):
            "\(function)() gives true or false, which is not compared; write it alone or behind !"
        case .negatedComparison: "! before a comparison needs parentheses: !(a == b)"
        case .nestedTooDeeply(let limit): "more than \(limit) expressions inside each other"
        }
    }

    private static func named(_ found: String) -> String {
        found.isEmpty ? "the end of the text" : "'\(found)'"
    }

    private static func words(for place: Place) -> String {
        switch place {
        case .beforeQuery: "no blank may stand before $"
        case .afterQuery: "no blank may stand behind the query"
        case .afterDot: "no blank may stand between . and the name"
        case .beforeParenthesis: "no blank may stand between a function's name and ("
        case .inSingularBrackets: "no blank may stand inside the brackets of a compared query"
        }
    }

    private static func words(for found: String, instead: String) -> String {
        switch instead {
        case "==", "!=", "<", ">", "<=", ">=":
            "'\(found)' is not an operator; \(instead) compares"
        case "&&", "||": "'\(found)' is not an operator; \(instead) joins conditions"
        default: "'\(found)' is not an operator; use \(instead)"
        }
    }

    private static func escape(_ code: UInt32) -> String {
        let digits = String(code, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
