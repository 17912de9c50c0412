public import FoundationEssentials
public import HTTPTypes

/// One endpoint of an API, described as a value.
///
/// Only `baseURL` and `path` have to be given; an enum with a case for each
/// endpoint is the usual form.
public protocol TargetType: Sendable {
    /// The URL that `path` is appended to; its query, if any, is kept.
    var baseURL: URL { get }

    /// The base of a content delivery network that is asked first; nil for none,
    /// which is the default.
    ///
    /// When the network fails, `baseURL` is asked (`CDNFallback` says when). Both
    /// share one entry of the cache.
    var cdn: URL? { get }

    /// What the target shares with others; nil for nothing, which is the default.
    ///
    /// It is read once for each request.
    var environment: TargetEnvironment? { get }

    /// The path after the base, as one would type it: `users/7`, `/search?q=a`.
    ///
    /// Legal percent escapes stay as written, everything that may not stand
    /// in a URL is escaped, and a `?` begins the query (RFC 3986 section 3).
    /// What begins with a scheme (`https://…`) is the whole URL.
    var path: String { get }

    /// The request method (RFC 9110 section 9). The default is `GET`.
    var method: HTTPRequest.Method { get }

    /// What the request carries. The default is nothing.
    var task: RequestTask { get }

    /// The header fields of this request. The default is none.
    var headerFields: HTTPFields { get }

    /// Which statuses are an answer rather than an error. The default is all.
    var validation: Validation { get }

    /// Where answers are kept, for how long and under which key. The default
    /// keeps nothing.
    var cachePolicy: CachePolicy { get }

    /// How the request travels: time limits, redirects, TLS, HTTP version.
    var options: TransportOptions { get }

    /// How the API wraps its data. The default is the environment's envelope, else the provider's.
    var envelope: ResponseEnvelope? { get }

    /// What stubs answer in the server's place. The default is an empty 200.
    var sample: StubAnswer { get }
}

extension TargetType {
    /// None.
    public var cdn: URL? { nil }
    /// None.
    public var environment: TargetEnvironment? { nil }
    /// `GET`.
    public var method: HTTPRequest.Method { .get }
    /// Nothing.
    public var task: RequestTask { .plain }
    /// None.
    public var headerFields: HTTPFields { [:] }
    /// Every status is an answer.
    public var validation: Validation { .none }
    /// Nothing is kept.
    public var cachePolicy: CachePolicy { .none }
    /// The defaults.
    public var options: TransportOptions { TransportOptions() }
    /// The environment's.
    public var envelope: ResponseEnvelope? { environment?.envelope }
    /// 200 without a body.
    public var sample: StubAnswer { StubAnswer() }
}

/// Any target, so that targets of many kinds can stand in one provider or batch.
public struct MultiTarget: TargetType {
    /// The target inside, never itself a `MultiTarget`.
    public let target: any TargetType

    /// Wraps a target; one that is already wrapped is taken out first.
    public init(_ target: any TargetType) { self.target = Self.unwrapped(target) }

    /// The target inside, or the target itself.
    static func unwrapped(_ target: any TargetType) -> any TargetType {
        // The comparison comes first, for a cast looks at more: this runs for every request.
        guard type(of: target) == MultiTarget.self, let outer = target as? MultiTarget else {
            return target
        }
        return outer.target
    }

    /// The target's own.
    public var baseURL: URL { target.baseURL }
    /// The target's own.
    public var cdn: URL? { target.cdn }
    /// The target's own.
    public var environment: TargetEnvironment? { target.environment }
    /// The target's own.
    public var path: String { target.path }
    /// The target's own.
    public var method: HTTPRequest.Method { target.method }
    /// The target's own.
    public var task: RequestTask { target.task }
    /// The target's own.
    public var headerFields: HTTPFields { target.headerFields }
    /// The target's own.
    public var validation: Validation { target.validation }
    /// The target's own.
    public var cachePolicy: CachePolicy { target.cachePolicy }
    /// The target's own.
    public var options: TransportOptions { target.options }
    /// The target's own.
    public var envelope: ResponseEnvelope? { target.envelope }
    /// The target's own.
    public var sample: StubAnswer { target.sample }
}
