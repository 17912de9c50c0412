internal import CPCRE2
import Synchronization

/// A PCRE2 regular expression over UTF-8, compiled once and usable from any thread.
///
/// Invalid UTF-8 matches nothing and does no harm. Limits on steps, heap and stack end an attempt that
/// would take too long, with the error `RegularExpressionError.Reason.tooComplex`.
package final class RegularExpression: Sendable {
    /// The pattern as given.
    package let pattern: String
    // Unsafe because compiled code is never changed, and is freed only in deinit.
    nonisolated(unsafe) private let code: OpaquePointer
    private let idle = Mutex(IdleMatchers())

    /// Why regular expressions are unavailable; nil if they are available.
    ///
    /// Opens libpcre2-8 on first use.
    static var missingLibrary: String? { cpcre2_missing().map { String(cString: $0) } }

    /// Compiles a pattern; opens libpcre2-8 on first use.
    init(_ pattern: String, options: Options = []) throws(RegularExpressionError) {
        if let missing = Self.missingLibrary {
            throw RegularExpressionError(.libraryMissing(missing), in: pattern)
        }
        var error: Int32 = 0
        var offset = 0
        var pattern = pattern
        let code = pattern.withUTF8 { bytes in
            cpcre2_compile(bytes.baseAddress, bytes.count, options.rawValue, &error, &offset)
        }
        guard let code else {
            throw RegularExpressionError(.syntax(Self.words(for: error)), at: offset, in: pattern)
        }
        self.pattern = pattern
        self.code = code
    }

    /// Compiles a case-sensitive pattern with Unicode classes; `^` and `$` also match at line ends.
    package convenience init(multiline pattern: String) throws(RegularExpressionError) {
        try self.init(pattern, options: [.unicodeClasses, .anchorsMatchLines])
    }

    deinit {
        for matcher in idle.withLock({ $0.matchers }) { cpcre2_matcher_free(matcher) }
        cpcre2_code_free(code)
    }

    /// The first match in a text, as offsets of its UTF-8; nil if there is none.
    package func firstMatch(in text: String) throws(RegularExpressionError) -> Range<Int>? {
        var text = text
        let matcher = try makeMatcher()
        let result = text.withUTF8 { bytes in
            Result { () throws(RegularExpressionError) in
                try matcher.firstMatch(in: bytes.baseAddress, count: bytes.count)
            }
        }
        return try result.get()
    }

    /// All nonempty matches in order, as offsets of the text's UTF-8.
    ///
    /// - Throws: `.tooComplex` also if there are more than `limit` matches, or if matching takes longer than one
    ///   second plus one for every 4 MiB of text.
    package func matches(
        in text: UnsafeBufferPointer<UInt8>,
        limit: Int
    ) throws(RegularExpressionError) -> [Range<Int>] {
        let matcher = try makeMatcher()
        let end = ContinuousClock.now + .seconds(1 + text.count >> 22)
        var (ranges, start, isLate) = ([Range<Int>](), 0, false)
        while start < text.count,
            let range = try matcher.firstMatch(
                in: text.baseAddress,
                count: text.count,
                from: start,
                while: {
                    isLate = isLate || ContinuousClock.now > end
                    return !isLate
                }
            )
        {
            guard ranges.count < limit else {
                throw RegularExpressionError(.tooComplex, in: pattern)
            }
            if !range.isEmpty { ranges.append(range) }
            start = max(range.upperBound, start + 1)
            // After an empty match before a character, do not match again inside that character.
            while range.isEmpty, start < text.count, text[start] & 0xC0 == 0x80 { start += 1 }
        }
        guard !isLate else { throw RegularExpressionError(.tooComplex, in: pattern) }
        return ranges
    }

    /// Whether a text has a match; with the option `wholeText`, whether all of it matches.
    func matches(_ text: String) throws(RegularExpressionError) -> Bool {
        try firstMatch(in: text) != nil
    }

    /// Returns a matcher for use on one thread; use one for many matches.
    func makeMatcher() throws(RegularExpressionError) -> Matcher {
        if let matcher = idle.withLock({ $0.matchers.popLast() }) {
            return Matcher(expression: self, code: code, handle: matcher)
        }
        guard let handle = cpcre2_matcher_make() else {
            throw RegularExpressionError(.outOfMemory, in: pattern)
        }
        return Matcher(expression: self, code: code, handle: handle)
    }

    fileprivate func putBack(_ matcher: OpaquePointer) {
        idle.withLock { $0.matchers.append(matcher) }
    }

    private static func words(for error: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
            guard let base = text.baseAddress else { return "" }
            cpcre2_error_text(error, base, text.count)
            return String(cString: base)
        }
    }

    /// The matchers that are not in use.
    private struct IdleMatchers: @unchecked Sendable {
        // Unchecked because a matcher is either in this list, under its lock, or has one user.
        var matchers: [OpaquePointer] = []
    }
}

extension RegularExpression {
    /// How a pattern is compiled.
    struct Options: OptionSet, Sendable {
        let rawValue: UInt32

        /// Letters match both cases, by simple case folding of Unicode.
        static let caseInsensitive = Options(rawValue: UInt32(CPCRE2_CASELESS))
        /// `^` and `$` match at line ends too.
        static let anchorsMatchLines = Options(rawValue: UInt32(CPCRE2_MULTILINE))
        /// `.` matches CR and LF too.
        static let dotMatchesLineEnds = Options(rawValue: UInt32(CPCRE2_DOTALL))
        /// Only a match of the whole text counts.
        static let wholeText = Options(rawValue: UInt32(CPCRE2_WHOLE))
        /// `\w`, `\d`, `\s` and `\b` use Unicode properties.
        static let unicodeClasses = Options(rawValue: UInt32(CPCRE2_UNICODE))
    }

    /// Matches an expression on one thread, and keeps its memory between matches.
    struct Matcher: ~Copyable {
        /// The bytes that one call of PCRE2 may examine if it goes from each start to the end of the text.
        ///
        /// That takes some 0.3 s. PCRE2's own limit on steps starts again at each start.
        private static let bytesOfCall = 1 << 28
        private static let longestAtOnce = 1 << 14
        /// The least number of starts in a call, because a call takes 100 ns and some patterns run to the end
        /// of the text once in each call.
        private static let fewestStarts = 256

        private let expression: RegularExpression
        private let code: OpaquePointer
        private let handle: OpaquePointer

        fileprivate init(
            expression: RegularExpression,
            code: OpaquePointer,
            handle: OpaquePointer
        ) {
            self.expression = expression
            self.code = code
            self.handle = handle
        }

        deinit { expression.putBack(handle) }

        /// The first match that begins at or after `start`, as offsets from `base`; nil if there is none.
        ///
        /// For parts of a longer text, `isBegin` false keeps `^` from matching at offset 0, and `isEnd` false
        /// keeps `$` from matching at `count`. If the text is longer than 16 KiB, `shouldContinue` is called
        /// after every few starts; if it returns false, the result is nil.
        @inline(__always) func firstMatch(
            in base: UnsafePointer<UInt8>?,
            count: Int,
            from start: Int = 0,
            isBegin: Bool = true,
            isEnd: Bool = true,
            while shouldContinue: () -> Bool = { true }
        ) throws(RegularExpressionError) -> Range<Int>? {
            var options = isBegin ? 0 : UInt32(CPCRE2_NOT_BEGIN)
            if !isEnd { options |= UInt32(CPCRE2_NOT_END) }
            guard let base, count > Self.longestAtOnce, cpcre2_is_anchored(code) == 0 else {
                return try match(base, count, start, count, options)
            }
            let starts = max(Self.fewestStarts, Self.bytesOfCall / count)
            var at = start
            while count - at > starts {
                let next = Self.start(at + starts, in: base, count)
                if let range = try match(base, count, at, next - 1, options) { return range }
                guard shouldContinue() else { return nil }
                at = next
            }
            return try match(base, count, at, count, options)
        }

        /// The next offset at which PCRE2 itself would start: not inside a character or a CRLF.
        private static func start(_ at: Int, in base: UnsafePointer<UInt8>, _ count: Int) -> Int {
            var start = at
            while start < count, start < at + 3, base[start] & 0xC0 == 0x80 { start += 1 }
            let isInLineEnd = start < count && base[start] == 0x0A && base[start - 1] == 0x0D
            return isInLineEnd ? start + 1 : start
        }

        @inline(__always) private func match(
            _ base: UnsafePointer<UInt8>?,
            _ count: Int,
            _ start: Int,
            _ lastStart: Int,
            _ options: UInt32
        ) throws(RegularExpressionError) -> Range<Int>? {
            var from = 0
            var to = 0
            let result = cpcre2_match(
                code,
                handle,
                base,
                count,
                start,
                lastStart,
                options,
                &from,
                &to
            )
            if result == CPCRE2_NONE { return nil }
            if result == CPCRE2_FOUND { return from..<to }
            let isTooComplex = result == CPCRE2_TOO_COMPLEX
            throw RegularExpressionError(
                isTooComplex ? .tooComplex : .matchFailed(code: -from),
                in: expression.pattern
            )
        }
    }
}

/// Why a regular expression could not be compiled, or a match was given up.
package struct RegularExpressionError: Error, Equatable, Sendable {
    /// Why a regular expression cannot be used, or was stopped.
    package enum Reason: Equatable, Sendable {
        /// libpcre2-8 is not on this system; has the loader's message.
        case libraryMissing(String)
        /// The pattern is invalid; has PCRE2's message.
        case syntax(String)
        /// A match would take too many steps or too much memory.
        case tooComplex
        /// PCRE2 failed for another reason, with its error number.
        case matchFailed(code: Int)
        /// The system could not provide memory.
        case outOfMemory
    }

    /// Why the expression cannot be used, or was stopped.
    package let reason: Reason
    /// The pattern as it was written.
    package let pattern: String
    /// The offset in the pattern's UTF-8 at which the error was noticed.
    package let offset: Int

    init(_ reason: Reason, at offset: Int = 0, in pattern: String) {
        self.reason = reason
        self.pattern = pattern
        self.offset = offset
    }

    /// The character of the pattern at which the error was noticed, from 1.
    package var column: Int {
        1 + pattern.utf8.prefix(offset).reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
    }
}

extension RegularExpressionError: CustomStringConvertible {
    /// One sentence for people, without the position.
    package var description: String {
        switch reason {
        case .libraryMissing(let words):
            "regular expressions need libpcre2-8, which is not installed (\(words))"
        case .syntax(let words): words
        case .tooComplex:
            "the expression is too costly for this text, so matches may be missing"
        case .matchFailed(let code): "the regular expression failed (PCRE2 error \(code))"
        case .outOfMemory: "not enough memory for the regular expression"
        }
    }

    /// One sentence for people about a pattern in a query, with the offset of the error.
    var inQuery: String {
        guard case .syntax(let words) = reason else { return description }
        let excerpt = String(pattern.unicodeScalars.prefix(60))
        let isCut = excerpt.utf8.count < pattern.utf8.count
        return "the pattern '\(excerpt)\(isCut ? "…" : "")' is not valid: \(words) "
            + "(before character \(column))"
    }
}
