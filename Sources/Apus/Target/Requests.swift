public import FoundationEssentials
public import HTTPTypes

/// Requests by URL, without a target: the short way.
///
/// ```swift
/// let answer = try await Requests.shared.get("https://api.test/users", parameters: ["page": 2])
/// ```
/// A URL is absolute if it begins with a scheme; anything else is a path on the
/// base of the environment in use, and without one an error.
public struct Requests: Sendable {
    /// What sends them.
    public let provider: Provider<MultiTarget>
    /// Where the base, header fields and parameters that all share come from.
    public let environments: EnvironmentStore?

    /// Makes a sender; all of its requests share the provider's connections.
    public init(
        provider: Provider<MultiTarget> = Provider(),
        environments: EnvironmentStore? = nil
    ) {
        self.provider = provider
        self.environments = environments
    }

    /// A sender without environments, one for the process.
    public static let shared = Requests()

    /// Sends a request of any method.
    ///
    /// - Parameters:
    ///   - method: the method.
    ///   - url: an absolute URL, or a path on the environment's base.
    ///   - parameters: they win over the environment's by name.
    ///   - encoding: how they are written; nil for the query or JSON, by method.
    ///   - headers: they win over the environment's by name.
    ///   - options: how the request travels.
    ///   - source: where the answer comes from.
    /// - Returns: the answer, whatever its status.
    /// - Throws: ``ApusError``; a status is never an error.
    public func send(
        _ method: HTTPRequest.Method,
        _ url: String,
        parameters: ParameterList = [],
        encoding: ParameterEncoding? = nil,
        headers: HTTPFields = [:],
        options: TransportOptions = TransportOptions(),
        from source: DataSource = .server
    ) async throws(ApusError) -> Response {
        let hasBase = environments?.current.effectiveBaseURL != nil
        guard hasBase || RequestURL.isAbsolute(url) else {
            throw ApusError(.invalidRequest(.url(url)))
        }
        let target = QuickTarget(
            method,
            url,
            parameters: parameters,
            encoding: encoding,
            headers: headers,
            options: options,
            environments: environments
        )
        return try await provider.response(for: MultiTarget(target), from: source)
    }
}

extension Requests {
    /// GET, with the parameters in the query unless `encoding` says otherwise.
    public var get: Verb { Verb(requests: self, method: .get) }
    /// HEAD, with the parameters in the query unless `encoding` says otherwise.
    public var head: Verb { Verb(requests: self, method: .head) }
    /// DELETE, with the parameters in the query unless `encoding` says otherwise.
    public var delete: Verb { Verb(requests: self, method: .delete) }
    /// POST, with the parameters as JSON unless `encoding` says otherwise.
    public var post: Verb { Verb(requests: self, method: .post) }
    /// PUT, with the parameters as JSON unless `encoding` says otherwise.
    public var put: Verb { Verb(requests: self, method: .put) }
    /// PATCH, with the parameters as JSON unless `encoding` says otherwise.
    public var patch: Verb { Verb(requests: self, method: .patch) }

    /// A method, called like a function: `requests.get(url, parameters: ["page": 2])`.
    public struct Verb: Sendable {
        let requests: Requests
        let method: HTTPRequest.Method

        /// Sends a request with this method, as ``Requests`` does with any.
        public func callAsFunction(
            _ url: String,
            parameters: ParameterList = [],
            encoding: ParameterEncoding? = nil,
            headers: HTTPFields = [:],
            options: TransportOptions = TransportOptions(),
            from source: DataSource = .server
        ) async throws(ApusError) -> Response {
            try await requests.send(
                method,
                url,
                parameters: parameters,
                encoding: encoding,
                headers: headers,
                options: options,
                from: source
            )
        }
    }
}

/// A request that needs no target of its own: a method, a URL, parameters.
public struct QuickTarget: TargetType {
    /// The method.
    public var method: HTTPRequest.Method
    /// An absolute URL, or a path on the environment's base.
    public var path: String
    /// What it carries.
    public var task: RequestTask
    /// The header fields; they win over the environment's by name.
    public var headerFields: HTTPFields
    /// Which statuses are an answer; at first all.
    public var validation: Validation
    /// Where answers are kept; at first nowhere.
    public var cachePolicy: CachePolicy
    /// How it travels.
    public var options: TransportOptions
    /// Where its environment comes from.
    public var environments: EnvironmentStore?

    /// A request of a method to a URL.
    ///
    /// Parameters go to the query for GET, HEAD, DELETE, OPTIONS and TRACE, and to
    /// a JSON body for any other method, unless `encoding` says otherwise.
    public init(
        _ method: HTTPRequest.Method,
        _ url: String,
        parameters: ParameterList = [],
        encoding: ParameterEncoding? = nil,
        headers: HTTPFields = [:],
        options: TransportOptions = TransportOptions(),
        environments: EnvironmentStore? = nil
    ) {
        self.method = method
        path = url
        task =
            parameters.isEmpty
            ? .plain
            : .parameters(parameters.items, encoding: encoding ?? .methodDependentJSON)
        headerFields = headers
        validation = .none
        cachePolicy = .none
        self.options = options
        self.environments = environments
    }

    /// The one in use now.
    public var environment: TargetEnvironment? { environments?.current }

    /// No base of its own: a path without an environment is no URL.
    public var baseURL: URL { Self.noBase }

    private static let noBase = URL(filePath: "/")
}
