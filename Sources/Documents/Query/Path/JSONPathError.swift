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
