package import Apus

/// How many requests of a batch failed, and how long the others took.
package struct BatchTally: Sendable {
    /// How long each response took.
    private var durations: [Duration] = []
    /// The number of requests without a response, or with one that is not as expected.
    package private(set) var failed = 0

    /// Makes a tally of nothing.
    package init() {}

    /// Counts a request that has ended.
    package mutating func count(_ summary: ExchangeSummary, isFailure: Bool) {
        let hasResponse = (try? summary.result.get()) != nil
        count(hasResponse ? summary.duration : nil, isFailure: isFailure)
    }

    /// Counts a request of which only this is known; the duration is nil if there was no response.
    package mutating func count(_ duration: Duration?, isFailure: Bool) {
        if let duration { durations.append(duration) }
        if isFailure { failed += 1 }
    }

    /// Counts a request that could not be sent.
    mutating func countUnsent() { failed += 1 }

    /// The longest time; nil if there was no response.
    var longest: Duration? { durations.max() }

    /// What came of the expectations of a batch as a whole.
    package func check(_ expectations: [Expectation]) -> [CheckedResponse.Item] {
        let sorted = durations.sorted()
        return expectations.compactMap { expectation in
            guard case .quantity(let comparison, let limit) = expectation.requirement else {
                return nil
            }
            let number: Int? =
                switch expectation.subject {
                case .percentile(let percent): Self.percentile(percent, of: sorted)
                default: failed
                }
            let isMet = number.map { comparison.holds($0, limit) } ?? false
            return CheckedResponse.Item(
                subject: expectation.subject.description,
                expected: expectation.expected,
                isMet: isMet,
                actual: isMet ? nil : number.map(expectation.subject.words) ?? "no response",
                location: expectation.location,
                node: nil,
                differences: [],
                expectation: expectation
            )
        }
    }

    /// The time in microseconds within which that many of a hundred responses came; nil if there was none.
    private static func percentile(_ percent: Int, of sorted: [Duration]) -> Int? {
        guard !sorted.isEmpty else { return nil }
        let rank = (sorted.count * percent + 99) / 100
        return Int(sorted[max(0, rank - 1)] / .microseconds(1))
    }
}
