/// Why and where a text is not a valid query.
public struct JSONPathError: Error, Equatable, Sendable {
    /// The kinds of errors; `found` is the text at the error's offset, empty at the end.
    public enum Reason: Equatable, Sendable {
        /// Something else was expected; `expected` says what.
        case unexpected(found: String, expected: String)
        /// The query does not begin with `$`.
        case missingRoot(found: String)
        /// White space where none is allowed.
        case blank(Place)
        /// `=` and the like, which are operators in other languages.
        case badOperator(found: String, instead: String)
        /// An integer in a form other than `0`, `12` or `-12`.
        case badInteger(String)
        /// An integer beyond ±(2^53 - 1).
        case integerTooLarge(String)
        /// A number in a filter that is not in JSON's syntax.
        case badNumber(String)
        /// A string without its closing quote.
        case unclosedString
        /// A raw control character in a string.
        case controlCharacter(UInt32)
        /// A backslash and a character that are not an escape.
        case badEscape(String)
        /// Half a surrogate pair.
        case loneSurrogate
        /// A query in a comparison that may find more than one value.
        case notSingular
        /// A literal that is not compared.
        case literalNotCompared(String)
        /// A function that RFC 9535 does not define.
        case unknownFunction(String)
        /// `match` or `search` without the regular expression library.
        case functionUnavailable(function: String, detail: String)
        /// A function with too few or too many arguments.
        case argumentCount(function: String, expected: Int, found: Int)
        /// A function with an argument of the wrong type.
        case argumentType(function: String, expected: String)
        /// A function whose result is a value and must be compared.
        case resultNotCompared(function: String)
        /// `match` or `search` in a comparison.
        case resultCompared(function: String)
        /// `!` before a comparison, which needs parentheses.
        case negatedComparison
        /// More nested expressions than allowed.
        case nestedTooDeeply(limit: Int)
    }

    /// Where white space is not allowed.
    public enum Place: Equatable, Sendable {
        /// Before the `$`.
        case beforeQuery
        /// After the last segment.
        case afterQuery
        /// After `.` or `..`.
        case afterDot
        /// Between a function's name and its parenthesis.
        case beforeParenthesis
        /// Inside the brackets of a query that is compared.
        case inSingularBrackets
    }

    /// What is wrong with the query.
    public let reason: Reason
    /// The offset in the text's UTF-8 at which the error was noticed.
    public let utf8Offset: Int
    /// The column of the error, from 1, in Unicode scalars.
    public let column: Int

    /// Creates an error at an offset and its column.
    public init(_ reason: Reason, utf8Offset: Int, column: Int) {
        self.reason = reason
        self.utf8Offset = utf8Offset
        self.column = column
    }
}

extension JSONPathError {
    /// The error with its position in a text with this many more ASCII characters before the query.
    func moved(by count: Int) -> JSONPathError {
        JSONPathError(reason, utf8Offset: utf8Offset + count, column: column + count)
    }
}

extension JSONPathError: CustomStringConvertible {
    /// The column and one sentence for people.
    public var description: String { "column \(column): \(message)" }

    /// One sentence for people, without the position.
    public var message: String {
        switch reason {
        case .unexpected(let found, let expected):
            "\(Self.named(found)) where \(expected) was expected"
        case .missingRoot(let found): "a query begins with $, not with \(Self.named(found))"
        case .blank(let place): Self.words(for: place)
        case .badOperator(let found, let instead): Self.words(for: found, instead: instead)
        case .badInteger(let text):
            "'\(text)' is not a valid index: use digits without leading zeros, and - only before 1 to 9"
        case .integerTooLarge(let text):
            "\(text) is out of range; integers go from -9007199254740991 to 9007199254740991"
        case .badNumber(let text): "'\(text)' is not a valid JSON number"
        case .unclosedString: "this string has no closing quote"
        case .controlCharacter(let code):
            "a control character in quotes must be escaped, here as \(Self.escape(code))"
        case .badEscape(let text): "'\(text)' is not a valid escape here"
        case .loneSurrogate:
            "half a surrogate pair; write both halves in order, as in \\ud83d\\ude00"
        case .notSingular: "only a query that finds at most one value can be compared"
        case .literalNotCompared(let text):
            "\(text) alone is not a condition; compare it with something"
        case .unknownFunction(let name):
            "unknown function \(name)(); the functions are length, count, value, match and search"
        case .functionUnavailable(let function, let detail):
            "\(function)() needs libpcre2-8, which is not installed (\(detail))"
        case .argumentCount(let function, let expected, let found):
            "\(function)() takes \(expected == 1 ? "one argument" : "two arguments"), not \(found)"
        case .argumentType(let function, let expected): "\(function)() takes \(expected) here"
        case .resultNotCompared(let function):
            "\(function)() returns a value, which is not a condition; compare it with something"
        case .resultCompared(let function):
            "\(function)() returns true or false and cannot be compared; use it alone or after !"
        case .negatedComparison: "! before a comparison needs parentheses: !(a == b)"
        case .nestedTooDeeply(let limit): "more than \(limit) nested expressions"
        }
    }

    private static func named(_ found: String) -> String {
        found.isEmpty ? "the end of the text" : "'\(found)'"
    }

    private static func words(for place: Place) -> String {
        switch place {
        case .beforeQuery: "no white space is allowed before $"
        case .afterQuery: "no white space is allowed after the query"
        case .afterDot: "no white space is allowed between . and the name"
        case .beforeParenthesis: "no white space is allowed between a function's name and ("
        case .inSingularBrackets:
            "no white space is allowed inside the brackets of a compared query"
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
