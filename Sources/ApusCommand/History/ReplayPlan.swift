import Apus
import Recordings

/// What a replay sends, in its order.
struct ReplayPlan: Sendable {
    /// A request, or a chain.
    enum Part: Sendable {
        case request(RecordedExchange, PreparedRequest)
        case chain(ChainGraph, RecordedRun, [RecordedExchange])

        /// What was recorded of it.
        var exchanges: [RecordedExchange] {
            switch self {
            case .request(let exchange, _): [exchange]
            case .chain(_, _, let exchanges): exchanges
            }
        }
    }

    var parts: [Part] = []
    /// The secrets that were put back.
    var secrets: Set<String> = []
    /// Whether a filter leaves something out.
    var isFiltered = false

    var count: Int { parts.reduce(0) { $0 + $1.exchanges.count } }
    var largestNumber: Int64 { parts.flatMap(\.exchanges).map(\.id).max() ?? 0 }

    /// Checks that nothing that changes something goes to a server that nobody has named.
    func checkServers(isNamed: Bool) throws(CommandFailure) {
        guard !isNamed else { return }
        var (methods, hosts) = ([String: Int](), Set<String>())
        for part in parts {
            for exchange in part.exchanges where !Self.isSafe(exchange.request.method) {
                let url = exchange.request.url
                let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
                let host = String(
                    rest.prefix { !"/?#".contains($0) }.split(separator: "@").last ?? ""
                )
                guard !Self.isOwn(host) else { continue }
                methods[exchange.request.method, default: 0] += 1
                hosts.insert(host)
            }
        }
        guard !methods.isEmpty else { return }
        let what = methods.sorted { $0.key < $1.key }.map { "\($1) \($0)" }
        let who = hosts.sorted().prefix(3).joined(separator: ", ") + (hosts.count > 3 ? " …" : "")
        throw CommandFailure(
            """
            nothing is sent: \(what.joined(separator: ", ")) would go to \(who) again. Name the server \
            by --environment or --base-url, leave them out by --only method:get, or send them by --unsafe.
            """
        )
    }

    /// RFC 9110, section 9.2.1.
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
