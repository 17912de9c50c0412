/// The certificates of open connections: libcurl tells them only to the transfer that made the
/// connection.
///
/// Equal chains are one, also in the answers that have them: a server that closes each connection
/// shows its chain with each answer, and the text of one takes 20 KB, or what a hostile server likes.
/// When a limit is reached all are forgotten: what comes over connections that are open then has none.
struct CertificateChains {
    typealias Chain = [TransferMetrics.Certificate]

    private let costLimit: Int
    private let connectionLimit: Int
    private var known: Set<Chain> = []
    private var connections: [String: Chain] = [:]
    /// About what the chains take in memory.
    private(set) var cost = 0

    /// Knows none; `costLimit` is in bytes.
    init(costLimit: Int = 4 << 20, connectionLimit: Int = 512) {
        self.costLimit = costLimit
        self.connectionLimit = connectionLimit
    }

    /// The chain of a connection; empty if it is not known.
    subscript(connection: String) -> Chain { connections[connection] ?? [] }

    /// Notes the chain of a new connection; gives the one that answers are to have.
    mutating func add(_ chain: Chain, of connection: String) -> Chain {
        // An earlier connection may have had the same port.
        connections[connection] = nil
        let isKnown = known.contains(chain)
        let added = isKnown ? 0 : chain.reduce(0) { $0 + $1.cost }
        guard added <= costLimit else { return chain }
        if cost + added > costLimit || connections.count >= connectionLimit {
            self = CertificateChains(costLimit: costLimit, connectionLimit: connectionLimit)
            return add(chain, of: connection)
        }
        cost += added
        let shared = known.insert(chain).memberAfterInsert
        connections[connection] = shared
        return shared
    }
}
