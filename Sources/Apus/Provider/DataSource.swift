public import HTTPTypes

/// Where the answers to a request come from, and in which order.
///
/// | source | reads the cache | asks the server | answers |
/// |---|---|---|---|
/// | `server` | no | always | 1 |
/// | `cache` | yes | never | 1, or the error `cacheMiss` |
/// | `cacheIfPossible` | yes | on a miss | 1 |
/// | `cacheAndServer` | yes | always | 1 on a miss, else 2, the cache's first |
/// | `cacheThenRefresh` | yes | always; after a hit only the cache gets it | 1 |
/// | `cacheOnFirstUse` | for a key's first use in this process | always | 1 or 2 |
/// | `custom` | yes | if the rule says so | the cache's, then maybe the server's |
///
/// With `CachePolicy.http` the cache is that of RFC 9111, and the sources ask it so:
///
/// | source | answer |
/// |---|---|
/// | `server` | the server's, to the request as it is; it is stored |
/// | `cache` | what may be served without asking, else the error `cacheMiss` |
/// | `cacheIfPossible` | what may be served without asking, else validated or fetched |
/// | `cacheAndServer` | what is stored, however old; then validated |
/// | `cacheThenRefresh` | what is stored, however old; validated unseen |
/// | `cacheOnFirstUse` | as `cacheAndServer` for a URL's first use, then validated |
/// | `custom` | what is stored, however old; then validated if the rule says so |
///
/// Validated means that the server is asked whether what is stored is current: after a 304 the
/// answer's `source` is the cache's and its `decision` says `updated`.
public enum DataSource: Sendable {
    /// The server only. The default.
    case server
    /// The cache only.
    case cache
    /// The cache, and the server when it has none.
    case cacheIfPossible
    /// The cache at once, and the server after it.
    case cacheAndServer
    /// The cache, while the server's answer refreshes it unseen.
    case cacheThenRefresh
    /// The cache the first time a key is used in this process, and the server always.
    case cacheOnFirstUse
    /// As a rule of one's own says.
    case custom(any DataSourceRule)
}

/// The name of a source on the command line, in a workspace and in a line of JSON.
package enum SourceName: String, CaseIterable {
    case server, cache, cacheIfPossible, cacheAndServer, cacheThenRefresh, cacheOnFirstUse

    /// The source that it names.
    package var source: DataSource {
        switch self {
        case .server: .server
        case .cache: .cache
        case .cacheIfPossible: .cacheIfPossible
        case .cacheAndServer: .cacheAndServer
        case .cacheThenRefresh: .cacheThenRefresh
        case .cacheOnFirstUse: .cacheOnFirstUse
        }
    }
}

/// Decides, knowing the cached answer, whether the server is asked and whether
/// its answer is stored.
public protocol DataSourceRule: Sendable {
    /// Whether to ask the server; `cached` is nil on a miss.
    func shouldSendRequest(_ target: any TargetType, cached: Response?) -> Bool
    /// Whether the server's answer takes the place of the cached one.
    func shouldUpdateCache(_ target: any TargetType, cached: Response?, fresh: Response) -> Bool
}

/// Which equal requests in flight share one transfer.
public enum Coalescing: Sendable, Hashable, ExpressibleByBooleanLiteral {
    /// None; the default.
    case none
    /// Those with a safe method (RFC 9110 section 9.2.1).
    case safeMethods
    /// All, also those that change something on the server.
    case all

    /// `true` is `safeMethods`.
    public init(booleanLiteral value: Bool) { self = value ? .safeMethods : .none }

    /// Whether requests of a method share.
    public func shares(_ method: HTTPRequest.Method) -> Bool {
        switch self {
        case .none: false
        case .safeMethods: [.get, .head, .options, .trace].contains(method)
        case .all: true
        }
    }
}
