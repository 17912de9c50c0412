import Apus
import Recordings

/// What a replay sends, in order.
struct ReplayPlan: Sendable {
    /// A request, or a chain.
    enum Part: Sendable {
        case request(RecordedExchange, PreparedRequest)
        case chain(ChainGraph, RecordedRun, [RecordedExchange])

        /// The recorded exchanges that are sent again: one, or those of a chain.
        var exchanges: [RecordedExchange] {
            switch self {
            case .request(let exchange, _): [exchange]
            case .chain(_, _, let exchanges): exchanges
            }
        }
    }

    var parts: [Part] = []
    /// The requests of all parts; for a chain those of every step, even if it was not recorded.
    var sent: [ApusError.RequestLine] = []
    /// The secrets that were restored.
    var secrets: Set<String> = []
    /// Whether there is a filter.
    var isFiltered = false

    var count: Int { parts.reduce(0) { $0 + $1.exchanges.count } }
    var largestNumber: Int64 { parts.flatMap(\.exchanges).map(\.id).max() ?? 0 }

    /// Throws if a request that is not safe would go to another machine that the user has not named.
    func checkServers(isNamed: Bool) throws(CommandFailure) {
        guard !isNamed else { return }
        var (methods, hosts) = ([String: Int](), Set<String>())
        for line in sent where !Self.isSafe(line.method) {
            let host = RecordedURL(line.url)?.host ?? "an unknown server"
            guard !Self.isOwn(host) else { continue }
            methods[line.method, default: 0] += 1
            hosts.insert(host)
        }
        guard !methods.isEmpty else { return }
        let what = methods.sorted { $0.key < $1.key }.map { "\($1) \($0)" }
        let who = hosts.sorted().prefix(3).joined(separator: ", ") + (hosts.count > 3 ? " …" : "")
        throw CommandFailure(
            """
            nothing is sent: \(what.joined(separator: ", ")) would go to \(who) again. Name a server \
            with --environment or --base-url, exclude them with --only (a chain is sent whole or not \
            at all), or send them with --unsafe.
            """
        )
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
