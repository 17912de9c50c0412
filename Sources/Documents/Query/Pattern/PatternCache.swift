/// The patterns of `match` and `search` of one evaluation, each compiled once.
final class PatternCache {
    /// A document may bring a pattern with every value.
    static let capacity = 256

    private struct Key: Hashable {
        let pattern: [UInt8]
        let isWhole: Bool
    }

    private final class CompiledPattern {
        private let matcher: RegularExpression.Matcher

        /// Nil for what is no I-Regexp; it matches nothing (RFC 9535, 2.4.6).
        init?(
            _ pattern: UnsafeBufferPointer<UInt8>,
            isWhole: Bool
        ) throws(RegularExpressionError) {
            guard let regexp = InteroperableRegexp(pattern) else { return nil }
            do throws(RegularExpressionError) {
                let options: RegularExpression.Options = isWhole ? [.wholeText] : []
                matcher = try RegularExpression(regexp.translation, options: options).makeMatcher()
            } catch {
                // The translation is nobody's writing.
                throw RegularExpressionError(
                    error.reason,
                    at: regexp.offset(ofTranslated: error.offset),
                    in: String(decoding: pattern, as: UTF8.self)
                )
            }
        }

        func matches(
            _ text: UnsafeBufferPointer<UInt8>
        ) throws(RegularExpressionError) -> Bool {
            try matcher.firstMatch(in: text.baseAddress, count: text.count) != nil
        }
    }

    /// The first pattern that could not be compiled, or attempt that took too many steps: then
    /// matches may be missing.
    private(set) var error: RegularExpressionError?
    private var givenUp = 0

    private var patterns: [Key: CompiledPattern?] = [:]
    private var latest: (key: Key, pattern: CompiledPattern?)?

    /// Whether a text, or a part of it, matches an I-Regexp; false when that is invalid.
    func matches(
        _ text: UnsafeBufferPointer<UInt8>,
        pattern: UnsafeBufferPointer<UInt8>,
        isWhole: Bool
    ) -> Bool {
        if let latest, latest.key.isWhole == isWhole, latest.key.pattern.elementsEqual(pattern) {
            return attempt(latest.pattern, text)
        }
        let key = Key(pattern: Array(pattern), isWhole: isWhole)
        let compiled: CompiledPattern?
        if let known = patterns[key] {
            compiled = known
        } else {
            if patterns.count >= Self.capacity { patterns.removeAll(keepingCapacity: true) }
            compiled = compile(pattern, isWhole: isWhole)
            patterns[key] = .some(compiled)
        }
        latest = (key, compiled)
        return attempt(compiled, text)
    }

    /// What is an I-Regexp but more than the library takes matches nothing, and is not silent.
    private func compile(
        _ pattern: UnsafeBufferPointer<UInt8>,
        isWhole: Bool
    ) -> CompiledPattern? {
        do {
            return try CompiledPattern(pattern, isWhole: isWhole)
        } catch {
            self.error = self.error ?? error
            return nil
        }
    }

    /// What takes too many steps is no match, for a filter has no other answer.
    private func attempt(
        _ pattern: CompiledPattern?,
        _ text: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard let pattern, givenUp < ExpressionScan.mostGivenUp else { return false }
        do {
            return try pattern.matches(text)
        } catch {
            givenUp += 1
            self.error = self.error ?? error
            return false
        }
    }
}
