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
    /// What all parts send, and where to; of a chain every step, whatever was recorded of it.
    var sent: [ApusError.RequestLine] = []
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
        for line in sent where !Self.isSafe(line.method) {
            let host = RecordedURL(line.url)?.host ?? "a server that is not known"
            guard !Self.isOwn(host) else { continue }
            methods[line.method, default: 0] += 1
            hosts.insert(host)
        }
        guard !methods.isEmpty else { return }
        let what = methods.sorted { $0.key < $1.key }.map { "\($1) \($0)" }
        let who = hosts.sorted().prefix(3).joined(separator: ", ") + (hosts.count > 3 ? " …" : "")
        throw CommandFailure(
            """
            nothing is sent: \(what.joined(separator: ", ")) would go to \(who) again. Name the server \
            by --environment or --base-url, leave them out by --only (of a chain all or nothing is \
            sent), or send them by --unsafe.
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
