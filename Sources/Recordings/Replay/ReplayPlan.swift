package import Apus

/// What a replay sends, in order.
package struct ReplayPlan: Sendable {
    /// A request, or a chain.
    package enum Part: Sendable {
        /// A recorded exchange, its request as it is sent now, and what adds credentials to it while it is sent.
        case request(RecordedExchange, PreparedRequest, (any RequestCredentials)?)
        /// A chain as it is defined now, its recorded run, and the exchanges of that run.
        case chain(ChainGraph, RecordedRun, [RecordedExchange])

        /// The recorded exchanges that are sent again: one, or those of a chain.
        package var exchanges: [RecordedExchange] {
            switch self {
            case .request(let exchange, _, _): [exchange]
            case .chain(_, _, let exchanges): exchanges
            }
        }
    }

    /// The requests and chains.
    package var parts: [Part] = []
    /// The requests of all parts; for a chain those of every step, even if it was not recorded.
    package var sent: [ApusError.RequestLine] = []
    /// The secrets that were restored.
    package var secrets: Set<String> = []
    /// Whether there is a filter.
    package var isFiltered = false

    /// The number of recorded exchanges.
    package var count: Int { parts.reduce(0) { $0 + $1.exchanges.count } }
    /// The largest number of an exchange in the history; 0 if there is none.
    package var largestNumber: Int64 { parts.flatMap(\.exchanges).map(\.id).max() ?? 0 }

    /// Throws if a request that is not safe would go to another machine that the user has not named.
    package func checkServers(isNamed: Bool) throws(ReplayError) {
        guard !isNamed else { return }
        var (methods, hosts) = ([String: Int](), Set<String>())
        for line in sent where !Self.isSafe(line.method) {
            let host = RecordedURL(line.url)?.host ?? "an unknown server"
            guard !Self.isOwn(host) else { continue }
            methods[line.method, default: 0] += 1
            hosts.insert(host)
        }
        guard methods.isEmpty else { throw .unsafe(methods: methods, hosts: hosts) }
    }

    /// Whether a method is safe (RFC 9110, section 9.2.1).
    private static func isSafe(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method)
    }

    /// Whether a host is this machine.
    private static func isOwn(_ host: String) -> Bool {
        if host.hasPrefix("[") { return host.hasPrefix("[::1]") }
        let name = host.prefix { $0 != ":" }
        let isAddress = name.hasPrefix("127.") && name.allSatisfy { $0.isNumber || $0 == "." }
        return isAddress || name == "localhost" || name.hasSuffix(".localhost")
    }
}
