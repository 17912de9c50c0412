package import Apus

/// The result of sending an exchange again.
package struct ReplayResult: Sendable {
    /// How the response compares with the recorded one.
    package enum Outcome: String, Sendable, CaseIterable {
        /// The response is the same as recorded.
        case same
        case different
        /// It could not be sent or compared.
        case trouble
    }

    /// The method and URL, as sent now.
    package let request: ApusError.RequestLine
    /// The recorded exchange; nil if the request was not sent then.
    package let exchange: RecordedExchange?
    /// The name of its step; nil outside of a chain.
    package let step: String?
    /// The name of its chain; nil outside of one.
    package let chain: String?
    /// How the response compares with the recorded one.
    package internal(set) var outcome = Outcome.different
    /// Where they differ; empty if they are the same, or were not compared.
    package internal(set) var differences: [ResponseDifference] = []
    /// Why it could not be sent or compared.
    package internal(set) var message: String?
    /// The status of the new response; nil if there is none.
    package internal(set) var status: Int?
    /// How long it took; nil if it was not sent.
    package internal(set) var duration: Duration?

    init(_ request: ApusError.RequestLine, of exchange: RecordedExchange, chain: String?) {
        (self.request, self.exchange, self.chain) = (request, exchange, chain)
        step = exchange.origin.step
    }

    init(_ request: ApusError.RequestLine, step: String, chain: String) {
        (self.request, self.step, self.chain) = (request, step, chain)
        exchange = nil
    }
}

/// The member of bodies that differs most often in the results of a replay.
package struct FrequentDifference: Sendable, Hashable {
    /// The member's name.
    package let name: String
    /// How many differences are at a member of this name.
    package let count: Int
    /// How many differences there are in all.
    package let total: Int

    /// Looks through all differences; nil if no member differs three times.
    package init?(in results: [ReplayResult]) {
        var counts: [Substring: Int] = [:]
        var total = 0
        for difference in results.flatMap(\.differences) {
            total += 1
            guard case .body(let path?) = difference.subject, difference.sign == "~",
                let dot = path.lastIndex(of: "."),
                !path[dot...].contains(where: { "[]'".contains($0) })
            else { continue }
            counts[path[dot...].dropFirst(), default: 0] += 1
        }
        let most = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
        guard let (name, count) = most, count >= 3 else { return nil }
        (self.name, self.count, self.total) = (String(name), count, total)
    }
}
