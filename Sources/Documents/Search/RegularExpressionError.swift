/// Why a regular expression could not be compiled, or a match was given up.
package struct RegularExpressionError: Error, Equatable, Sendable {
    /// What is wrong.
    package enum Reason: Equatable, Sendable {
        /// libpcre2-8 is not on this system; the loader's words.
        case libraryMissing(String)
        /// The pattern is wrong; PCRE2's words.
        case syntax(String)
        /// A match would take too many steps or too much memory.
        case tooComplex
        /// PCRE2 failed otherwise, with its error number.
        case matchFailed(code: Int)
        /// The system gave no memory.
        case outOfMemory
    }

    /// What is wrong.
    package let reason: Reason
    /// The pattern.
    package let pattern: String
    /// The byte of the pattern's UTF-8 at which it was noticed.
    package let offset: Int

    init(_ reason: Reason, at offset: Int = 0, in pattern: String) {
        self.reason = reason
        self.pattern = pattern
        self.offset = offset
    }

    /// The character of the pattern at which it was noticed, from 1.
    package var column: Int {
        1 + pattern.utf8.prefix(offset).reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
    }
}
