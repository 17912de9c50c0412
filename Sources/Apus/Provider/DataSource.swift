public import HTTPTypes

/// Where the responses to a request come from, and in which order.
///
/// | source | reads the cache | asks the server | responses |
/// |---|---|---|---|
/// | `server` | no | always | 1 |
/// | `cache` | yes | never | 1, or the error `cacheMiss` |
/// | `cacheIfPossible` | yes | on a miss | 1 |
/// | `cacheAndServer` | yes | always | 1 on a miss, else 2, the cache's first |
/// | `cacheThenRefresh` | yes | always; after a hit only the cache gets it | 1 |
/// | `cacheOnFirstUse` | for a key's first use in this process | always | 1 or 2 |
/// | `custom` | yes | if the rule says so | the cache's, then maybe the server's |
///
/// With `CachePolicy.http` the cache follows RFC 9111, and the sources use it like this:
///
/// | source | response |
/// |---|---|
/// | `server` | the server's, to the request as it is; it is stored |
/// | `cache` | what may be served without asking, else the error `cacheMiss` |
/// | `cacheIfPossible` | what may be served without asking, else validated or fetched |
/// | `cacheAndServer` | what is stored, however old; then validated |
/// | `cacheThenRefresh` | what is stored, however old; then validated without delivering the result |
/// | `cacheOnFirstUse` | as `cacheAndServer` for a URL's first use, then validated |
/// | `custom` | what is stored, however old; then validated if the rule says so |
///
/// "Validated" means that the server is asked whether the stored response is current. After a 304 the
/// response's `source` is the cache and its `decision` is `updated`.
public enum DataSource: Sendable, Equatable {
    /// The server only, which is the default.
    case server
    /// The cache only; nothing is sent, and a miss is an error.
    case cache
    /// The cache, or the server if the cache has no response.
    case cacheIfPossible
    /// The cache at once, and then the server.
    case cacheAndServer
    /// The cache, which the server's response then refreshes without being delivered.
    case cacheThenRefresh
    /// The cache the first time a key is used in this process, and always the server.
    case cacheOnFirstUse
    /// What a rule of your own decides.
    case custom(any DataSourceRule)

    /// Whether they are the same source; two rules of your own must be of one type and equal.
    public static func == (a: DataSource, b: DataSource) -> Bool {
        switch (a, b) {
        case (.server, .server), (.cache, .cache), (.cacheIfPossible, .cacheIfPossible),
            (.cacheAndServer, .cacheAndServer), (.cacheThenRefresh, .cacheThenRefresh),
            (.cacheOnFirstUse, .cacheOnFirstUse):
            true
        case (.custom(let a), .custom(let b)): a.isEqual(to: b)
        case (.server, _), (.cache, _), (.cacheIfPossible, _), (.cacheAndServer, _),
            (.cacheThenRefresh, _), (.cacheOnFirstUse, _), (.custom, _):
            false
        }
    }
}

/// The name of a source on the command line, in a workspace and in JSON output.
package enum SourceName: String, CaseIterable {
    case server, cache, cacheIfPossible, cacheAndServer, cacheThenRefresh, cacheOnFirstUse

    /// The source with this name.
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

/// Decides, from the cached response, whether to ask the server and whether to store its response.
///
/// A struct or enum whose properties are `Equatable` needs no `==` of its own.
public protocol DataSourceRule: Sendable, Equatable {
    /// Whether to ask the server; `cached` is nil on a miss.
    func shouldSendRequest(_ target: any TargetType, cached: Response?) -> Bool
    /// Whether the server's response replaces the cached one.
    func shouldUpdateCache(_ target: any TargetType, cached: Response?, fresh: Response) -> Bool
}

extension DataSourceRule {
    fileprivate func isEqual(to other: any DataSourceRule) -> Bool { (other as? Self) == self }
}

/// Which equal requests that run at once share one transfer.
public enum Coalescing: Sendable, Hashable, ExpressibleByBooleanLiteral {
    /// None, which is the default.
    case none
    /// Those with a safe method (RFC 9110 section 9.2.1).
    case safeMethods
    /// All, including those that change something on the server.
    case all

    /// `true` is `safeMethods`, `false` is `none`.
    public init(booleanLiteral value: Bool) { self = value ? .safeMethods : .none }

    /// Whether requests with this method share a transfer.
    public func shares(_ method: HTTPRequest.Method) -> Bool {
        switch self {
        case .none: false
        case .safeMethods: [.get, .head, .options, .trace].contains(method)
        case .all: true
        }
    }
}
