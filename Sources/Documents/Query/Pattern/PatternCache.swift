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

        init?(_ pattern: UnsafeBufferPointer<UInt8>, isWhole: Bool) {
            guard let regexp = InteroperableRegexp(pattern),
                // A pattern too large for the library is like an invalid one: it matches nothing.
                let expression = try? RegularExpression(
                    regexp.translation,
                    options: isWhole ? [.wholeText] : []
                ),
                let matcher = try? expression.makeMatcher()
            else { return nil }
            self.matcher = matcher
        }

        func matches(
            _ text: UnsafeBufferPointer<UInt8>
        ) throws(RegularExpressionError) -> Bool {
            try matcher.firstMatch(in: text.baseAddress, count: text.count) != nil
        }
    }

    /// The first attempt that took too many steps: then matches may be missing.
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
            compiled = CompiledPattern(pattern, isWhole: isWhole)
            patterns[key] = .some(compiled)
        }
        latest = (key, compiled)
        return attempt(compiled, text)
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
