/// The certificates of open connections, which libcurl reports only to the transfer that opened the connection.
///
/// Equal chains share storage, also in the responses that hold them. A server that closes each connection sends
/// its chain with each response, and the text of a chain takes 20 KB, or much more from a hostile server. When a
/// limit is reached, all chains are forgotten: later responses on connections that are already open have none.
struct CertificateCache {
    typealias Chain = [TransferMetrics.Certificate]

    private let costLimit: Int
    private let connectionLimit: Int
    private var known: Set<Chain> = []
    private var connections: [String: Chain] = [:]
    /// The approximate size of the chains in memory, in bytes.
    private(set) var cost = 0

    /// Makes an empty store; `costLimit` is in bytes.
    init(costLimit: Int = 4 << 20, connectionLimit: Int = 512) {
        self.costLimit = costLimit
        self.connectionLimit = connectionLimit
    }

    /// The chain of a connection; empty if it is not known.
    subscript(connection: String) -> Chain { connections[connection] ?? [] }

    /// Adds the chain of a new connection; returns the shared copy for responses.
    mutating func add(_ chain: Chain, of connection: String) -> Chain {
        // An earlier connection may have used the same port.
        connections[connection] = nil
        let isKnown = known.contains(chain)
        let added = isKnown ? 0 : chain.reduce(0) { $0 + $1.cost }
        guard added <= costLimit else { return chain }
        if cost + added > costLimit || connections.count >= connectionLimit {
            self = CertificateCache(costLimit: costLimit, connectionLimit: connectionLimit)
            return add(chain, of: connection)
        }
        cost += added
        let shared = known.insert(chain).memberAfterInsert
        connections[connection] = shared
        return shared
    }
}
