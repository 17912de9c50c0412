public import FoundationEssentials
public import HTTPTypes

/// One endpoint of an API, described as a value.
///
/// Only `baseURL` and `path` are required. The usual form is an enum with a case for each endpoint.
///
/// The compiler warns of a target that has Moya's `headers`, `sampleData` or `validationType`, which are not read.
public protocol TargetType: Sendable, MoyaLeftovers {
    /// The URL that `path` is appended to; its query, if any, is kept.
    var baseURL: URL { get }

    /// The base of a content delivery network that is asked first; nil for none, which is the default.
    ///
    /// If the network fails, `baseURL` is asked (``CDNFallback`` says when). Both share one cache entry.
    var cdn: URL? { get }

    /// The settings shared with other targets; nil for none, which is the default.
    ///
    /// Each request reads it once.
    var environment: TargetEnvironment? { get }

    /// The path after the base, as one would type it: `users/7`, `/search?q=a`.
    ///
    /// A `%` stays as written, whether or not it begins an escape. Characters that a URL may not have are
    /// escaped, and a `?` begins the query (RFC 3986 section 3). A path that begins with a scheme
    /// (`https://…`) is the whole URL.
    var path: String { get }

    /// The request method (RFC 9110 section 9). The default is `GET`.
    var method: HTTPRequest.Method { get }

    /// Parameters, for a target that does not define its ``task``. The default is none.
    var parameters: ParameterList { get }

    /// What the request carries. The default is the ``parameters``, in the query or as JSON, depending on the
    /// method (`ParameterEncoding.methodDependentJSON`).
    var task: RequestTask { get }

    /// The header fields of this request. The default is none.
    var headerFields: HTTPFields { get }

    /// Which responses are accepted rather than an error. The default is all.
    var validation: Validation { get }

    /// Where responses are cached, for how long and under which key. The default caches nothing.
    var cachePolicy: CachePolicy { get }

    /// How the request travels: timeouts, redirects, TLS, HTTP version.
    var options: TransportOptions { get }

    /// How the API wraps its data. The default is the environment's envelope, else the provider's.
    var envelope: ResponseEnvelope? { get }

    /// The response of stubs. The default is an empty 200.
    var sample: StubResponse { get }

    /// Whether a stub responds instead of the server, and how: at once, late, or with a failure. The default
    /// is none.
    ///
    /// It is only used by a provider whose stubs are `Stubs.targets`.
    var stub: StubBehavior { get }
}

extension TargetType {
    /// No content delivery network.
    public var cdn: URL? { nil }
    /// No environment.
    public var environment: TargetEnvironment? { nil }
    /// `GET`.
    public var method: HTTPRequest.Method { .get }
    /// No parameters.
    public var parameters: ParameterList { [] }
    /// The parameters, placed by method; plain if there are none.
    public var task: RequestTask {
        let parameters = parameters
        return parameters.isEmpty
            ? .plain : .parameters(parameters, encoding: .methodDependentJSON)
    }
    /// No header fields.
    public var headerFields: HTTPFields { [:] }
    /// Every response is accepted.
    public var validation: Validation { .none }
    /// Nothing is cached.
    public var cachePolicy: CachePolicy { .none }
    /// The defaults of ``TransportOptions``.
    public var options: TransportOptions { TransportOptions() }
    /// The environment's envelope.
    public var envelope: ResponseEnvelope? { environment?.envelope }
    /// 200 without a body.
    public var sample: StubResponse { StubResponse() }
    /// No stub: the server responds.
    public var stub: StubBehavior { .never }
}

/// A target around another one, whose properties it has unless it defines its own.
///
/// Hooks, stubs and rules get the wrapped target: `context.target as? GitHub` finds it in a
/// ``MultiTarget``, in an ``EnvironmentTarget``, and in a wrapper of your own.
public protocol TargetWrapper: TargetType {
    /// The target inside, which may be a wrapper itself.
    var wrapped: any TargetType { get }
}

extension TargetWrapper {
    /// The wrapped target's base URL.
    public var baseURL: URL { wrapped.baseURL }
    /// The wrapped target's content delivery network.
    public var cdn: URL? { wrapped.cdn }
    /// The wrapped target's environment.
    public var environment: TargetEnvironment? { wrapped.environment }
    /// The wrapped target's path.
    public var path: String { wrapped.path }
    /// The wrapped target's method.
    public var method: HTTPRequest.Method { wrapped.method }
    /// The wrapped target's parameters.
    public var parameters: ParameterList { wrapped.parameters }
    /// The wrapped target's task.
    public var task: RequestTask { wrapped.task }
    /// The wrapped target's header fields.
    public var headerFields: HTTPFields { wrapped.headerFields }
    /// The wrapped target's validation.
    public var validation: Validation { wrapped.validation }
    /// The wrapped target's cache policy.
    public var cachePolicy: CachePolicy { wrapped.cachePolicy }
    /// The wrapped target's options.
    public var options: TransportOptions { wrapped.options }
    /// The wrapped target's envelope.
    public var envelope: ResponseEnvelope? { wrapped.envelope }
    /// The wrapped target's sample.
    public var sample: StubResponse { wrapped.sample }
    /// The wrapped target's stub.
    public var stub: StubBehavior { wrapped.stub }
}

extension TargetType {
    /// The target inside all wrappers, or the target itself.
    package var unwrapped: any TargetType {
        var target: any TargetType = self
        while let wrapper = target as? any TargetWrapper { target = wrapper.wrapped }
        return target
    }
}

/// Any target as a value of one type, for a collection or a property that needs one.
///
/// Sending does not need it: an ``AnyProvider``, a ``Batch``, a ``Chain`` and a ``ChainGraph`` take targets of any
/// type.
public struct MultiTarget: TargetWrapper {
    /// The wrapped target, which is never a `MultiTarget`.
    public let wrapped: any TargetType

    /// Wraps a target; the target inside a `MultiTarget` is taken out first.
    public init(_ target: any TargetType) {
        wrapped = (target as? MultiTarget)?.wrapped ?? target
    }
}
