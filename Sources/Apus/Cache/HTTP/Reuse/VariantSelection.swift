import FoundationEssentials
import HTTPTypes

/// Which of the responses stored for a URL fits a request (RFC 9111, 4.1).
struct VariantSelection: Sendable, Equatable {
    /// The whole responses that fit, the best first.
    let matching: [StoredHead]
    /// The parts that fit.
    let parts: [StoredHead]

    init(of stored: [StoredHead], for request: HTTPFields) {
        let fitting = stored.filter { Vary($0.fields).matches(request, $0.selecting) }
        matching = fitting.filter(\.isWhole).sorted(by: Self.isBetter)
        parts = fitting.filter { !$0.isWhole }.sorted(by: Self.isBetter)
    }

    /// A response with `Vary` first: one without may be a default that should have had it;
    /// then the most recent, by `Date` and then by when it was received.
    private static func isBetter(_ one: StoredHead, _ other: StoredHead) -> Bool {
        let ones = Vary(one.fields) != .nothing
        let others = Vary(other.fields) != .nothing
        if ones != others { return ones }
        return (one.date, one.responseTime) > (other.date, other.responseTime)
    }
}
