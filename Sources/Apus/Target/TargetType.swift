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
    /// When the network fails, `baseURL` is asked (``CDNFallback`` says when). Both
    /// share one entry of the cache.
    var cdn: URL? { get }

    /// What the target shares with others; nil for nothing, which is the default.
    ///
    /// It is read once for each request.
    var environment: TargetEnvironment? { get }

    /// The path after the base, as one would type it: `users/7`, `/search?q=a`.
    ///
    /// A `%` stays as written, whether it begins an escape or not; everything that
    /// may not stand in a URL is escaped, and a `?` begins the query (RFC 3986 section 3).
    /// What begins with a scheme (`https://…`) is the whole URL.
    var path: String { get }

    /// The request method (RFC 9110 section 9). The default is `GET`.
    var method: HTTPRequest.Method { get }

    /// Parameters, for a target that does not say its ``task``. The default is none.
    var parameters: ParameterList { get }

    /// What the request carries. The default is the ``parameters``: in the query, or with a method
    /// that changes something as JSON (`ParameterEncoding.methodDependentJSON`).
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

    /// Whether something answers in the server's place, and what: at once, late, or with a failure. The
    /// default is nothing.
    ///
    /// It counts in a provider whose stubs are `Stubs.targets`.
    var stub: Stub { get }
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
    /// The parameters, as the method has it; nothing without any.
    public var task: RequestTask {
        let parameters = parameters
        return parameters.isEmpty
            ? .plain : .parameters(parameters.items, encoding: .methodDependentJSON)
    }
    /// No header fields.
    public var headerFields: HTTPFields { [:] }
    /// Every status is an answer.
    public var validation: Validation { .none }
    /// Nothing is kept.
    public var cachePolicy: CachePolicy { .none }
    /// The defaults of ``TransportOptions``.
    public var options: TransportOptions { TransportOptions() }
    /// The environment's.
    public var envelope: ResponseEnvelope? { environment?.envelope }
    /// 200 without a body.
    public var sample: StubAnswer { StubAnswer() }
    /// The server answers.
    public var stub: Stub { .never }
}

/// A target around another one, for which it stands in all that it does not say itself.
///
/// Hooks, stubs and rules are told of the target inside: `context.target as? GitHub` finds it in a
/// ``MultiTarget``, in an ``EnvironmentTarget``, and in a wrapper of your own.
public protocol TargetWrapper: TargetType {
    /// The target inside.
    var wrapped: any TargetType { get }
}

extension TargetWrapper {
    /// As the target inside says.
    public var baseURL: URL { wrapped.baseURL }
    /// As the target inside says.
    public var cdn: URL? { wrapped.cdn }
    /// As the target inside says.
    public var environment: TargetEnvironment? { wrapped.environment }
    /// As the target inside says.
    public var path: String { wrapped.path }
    /// As the target inside says.
    public var method: HTTPRequest.Method { wrapped.method }
    /// As the target inside says.
    public var parameters: ParameterList { wrapped.parameters }
    /// As the target inside says.
    public var task: RequestTask { wrapped.task }
    /// As the target inside says.
    public var headerFields: HTTPFields { wrapped.headerFields }
    /// As the target inside says.
    public var validation: Validation { wrapped.validation }
    /// As the target inside says.
    public var cachePolicy: CachePolicy { wrapped.cachePolicy }
    /// As the target inside says.
    public var options: TransportOptions { wrapped.options }
    /// As the target inside says.
    public var envelope: ResponseEnvelope? { wrapped.envelope }
    /// As the target inside says.
    public var sample: StubAnswer { wrapped.sample }
    /// As the target inside says.
    public var stub: Stub { wrapped.stub }
}

extension TargetType {
    /// The target inside of all wrappers, or the target itself.
    var unwrapped: any TargetType {
        var target: any TargetType = self
        while let wrapper = target as? any TargetWrapper { target = wrapper.wrapped }
        return target
    }
}

/// Any target, so that targets of many kinds can stand in one ``Provider``.
///
/// A ``Batch``, a ``Chain`` and a ``ChainGraph`` need none: they take targets of any kinds, whatever
/// the kind of the provider that sends them.
public struct MultiTarget: TargetWrapper {
    /// The target inside, never itself a `MultiTarget`.
    public let wrapped: any TargetType

    /// Wraps a target; one that is already wrapped is taken out first.
    public init(_ target: any TargetType) {
        wrapped = (target as? MultiTarget)?.wrapped ?? target
    }
}
