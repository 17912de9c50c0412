public import FoundationEssentials
public import HTTPTypes

/// Sends requests by URL, without a target.
///
/// ```swift
/// let answer = try await Requests.shared.get("https://api.test/users", parameters: ["page": 2])
/// ```
/// A URL is absolute if it begins with a scheme. Anything else is a path on the base of the current
/// environment, and an error without one. A `task` can send a body of any kind:
///
/// ```swift
/// try await Requests.shared.put(url, task: .uploadFile(path: "/tmp/film.mp4"))
/// ```
public struct Requests: Sendable {
    /// The provider that sends the requests.
    public let provider: Provider<MultiTarget>
    /// Where the shared base, header fields and parameters come from; nil for nowhere.
    public let environments: EnvironmentStore?

    /// Makes a sender whose requests share the provider's connections.
    public init(
        provider: Provider<MultiTarget> = Provider(),
        environments: EnvironmentStore? = nil
    ) {
        self.provider = provider
        self.environments = environments
    }

    /// A sender without environments, shared by the whole process.
    public static let shared = Requests()

    /// A method of any name, called like a function: `requests.verb(.options)(url)`.
    public func verb(_ method: HTTPRequest.Method) -> Verb {
        Verb(requests: self, method: method)
    }

    /// GET, with the parameters in the query unless `encoding` says otherwise.
    public var get: Verb { verb(.get) }
    /// HEAD, with the parameters in the query unless `encoding` says otherwise.
    public var head: Verb { verb(.head) }
    /// DELETE, with the parameters in the query unless `encoding` says otherwise.
    public var delete: Verb { verb(.delete) }
    /// POST, with the parameters as JSON unless `encoding` says otherwise.
    public var post: Verb { verb(.post) }
    /// PUT, with the parameters as JSON unless `encoding` says otherwise.
    public var put: Verb { verb(.put) }
    /// PATCH, with the parameters as JSON unless `encoding` says otherwise.
    public var patch: Verb { verb(.patch) }
}

extension Requests {
    /// A method, called like a function: `requests.get(url, parameters: ["page": 2])`.
    public struct Verb: Sendable {
        let requests: Requests
        let method: HTTPRequest.Method

        /// Sends a request with this method.
        ///
        /// - Parameters:
        ///   - url: an absolute URL, or a path on the environment's base.
        ///   - parameters: replace the environment's parameters of the same name.
        ///   - encoding: how the parameters are written; nil for the query or JSON, by method.
        ///   - task: what the request carries besides the parameters, which then go to the query.
        ///   - headerFields: replace the environment's fields of the same name.
        ///   - options: how the request travels.
        ///   - source: where the response comes from.
        ///   - caching: where the response is cached; nil for nowhere with the source `.server`, and for 5
        ///     minutes in memory and on disk with any other source.
        ///   - progress: called with the progress of the transfer.
        /// - Returns: the response, whatever its status.
        /// - Throws: ``ApusError``; a status is never an error.
        public func callAsFunction(
            _ url: String,
            parameters: ParameterList = [],
            encoding: ParameterEncoding? = nil,
            task: RequestTask = .plain,
            headerFields: HTTPFields = [:],
            options: TransportOptions = TransportOptions(),
            from source: DataSource = .server,
            caching: CachePolicy? = nil,
            progress: (@Sendable (TransferProgress) -> Void)? = nil
        ) async throws(ApusError) -> Response {
            let target = target(url, parameters, encoding, task, headerFields, options)
                .keeping(by: caching, for: source)
            if let fault = target.fault { throw fault }
            let provider = requests.provider
            guard let progress else {
                return try await provider.response(for: target, from: source)
            }
            let summary = await provider.exchange(target, source).run { event in
                if case .progress(let step) = event { progress(step) }
            }
            return try summary.result.get()
        }

        /// Sends a request with this method and calls back.
        ///
        /// - Parameters:
        ///   - url: an absolute URL, or a path on the environment's base.
        ///   - parameters: replace the environment's parameters of the same name.
        ///   - encoding: how the parameters are written; nil for the query or JSON, by method.
        ///   - task: what the request carries besides the parameters, which then go to the query.
        ///   - headerFields: replace the environment's fields of the same name.
        ///   - options: how the request travels.
        ///   - source: where responses come from.
        ///   - caching: where responses are cached; nil as for the async call.
        ///   - executor: where the callbacks are called, one after the other.
        ///   - progress: called with the progress of the transfer.
        ///   - completion: called once for each response, so twice with `.cacheAndServer`, and once for a
        ///     failure.
        /// - Returns: a token that cancels the request.
        @discardableResult
        public func callAsFunction(
            _ url: String,
            parameters: ParameterList = [],
            encoding: ParameterEncoding? = nil,
            task: RequestTask = .plain,
            headerFields: HTTPFields = [:],
            options: TransportOptions = TransportOptions(),
            from source: DataSource = .server,
            caching: CachePolicy? = nil,
            on executor: CallbackExecutor = .pool,
            progress: (@Sendable (TransferProgress) -> Void)? = nil,
            completion: @escaping @Sendable (Result<Response, ApusError>) -> Void
        ) -> RequestToken {
            let target = target(url, parameters, encoding, task, headerFields, options)
                .keeping(by: caching, for: source)
            return requests.provider.request(
                target,
                from: source,
                on: executor,
                progress: progress
            ) { [fault = target.fault] result in
                completion(fault.map { .failure($0) } ?? result)
            }
        }

        /// Sends a request with this method and calls back on the main actor:
        /// `requests.get(url, on: .main) { result in … }`.
        ///
        /// It works as with other executors, but the callbacks may use the state of the main actor.
        @discardableResult
        public func callAsFunction(
            _ url: String,
            parameters: ParameterList = [],
            encoding: ParameterEncoding? = nil,
            task: RequestTask = .plain,
            headerFields: HTTPFields = [:],
            options: TransportOptions = TransportOptions(),
            from source: DataSource = .server,
            caching: CachePolicy? = nil,
            on executor: CallbackExecutor.Main,
            progress: (@MainActor (TransferProgress) -> Void)? = nil,
            completion: @escaping @MainActor (Result<Response, ApusError>) -> Void
        ) -> RequestToken {
            let target = target(url, parameters, encoding, task, headerFields, options)
                .keeping(by: caching, for: source)
            return requests.provider.request(
                target,
                from: source,
                on: executor,
                progress: progress
            ) { [fault = target.fault] result in
                completion(fault.map { .failure($0) } ?? result)
            }
        }

        private func target(
            _ url: String,
            _ parameters: ParameterList,
            _ encoding: ParameterEncoding?,
            _ task: RequestTask,
            _ headerFields: HTTPFields,
            _ options: TransportOptions
        ) -> QuickTarget {
            QuickTarget(
                method,
                url,
                parameters: parameters,
                encoding: encoding,
                task: task,
                headerFields: headerFields,
                options: options,
                environments: requests.environments
            )
        }
    }
}

/// A request that needs no target type of its own: a method, a URL and parameters.
public struct QuickTarget: TargetType {
    /// The request method, such as GET.
    public var method: HTTPRequest.Method
    /// An absolute URL, or a path on the environment's base.
    public var path: String
    /// What the request carries: nothing, parameters, a form, a file and the like.
    public var task: RequestTask
    /// The header fields; they replace the environment's fields of the same name.
    public var headerFields: HTTPFields
    /// Which responses are accepted; all by default.
    public var validation: Validation
    /// Where responses are cached; nowhere by default.
    public var cachePolicy: CachePolicy
    /// How the request is sent: time limits, redirects, TLS and the like.
    public var options: TransportOptions
    /// Where the environment comes from; nil for none.
    public var environments: EnvironmentStore?

    /// Makes a request of a method to a URL.
    ///
    /// Parameters go to the query for GET, HEAD, DELETE, OPTIONS and TRACE, and to a JSON body for any
    /// other method, unless `encoding` says otherwise. With a task of another kind they go to the query.
    public init(
        _ method: HTTPRequest.Method,
        _ url: String,
        parameters: ParameterList = [],
        encoding: ParameterEncoding? = nil,
        task: RequestTask = .plain,
        headerFields: HTTPFields = [:],
        options: TransportOptions = TransportOptions(),
        environments: EnvironmentStore? = nil
    ) {
        self.method = method
        path = url
        self.task = task.adding(parameters, encoding ?? .methodDependentJSON)
        self.headerFields = headerFields
        validation = .none
        cachePolicy = .none
        self.options = options
        self.environments = environments
    }

    /// The environment that is in use now.
    public var environment: TargetEnvironment? { environments?.current }

    /// Returns the target with its cache policy: by default, a call that reads the cache also fills it.
    func keeping(by policy: CachePolicy?, for source: DataSource) -> QuickTarget {
        var target = self
        if let policy {
            target.cachePolicy = policy
        } else if case .server = source {
            target.cachePolicy = .none
        } else {
            target.cachePolicy = .keep()
        }
        return target
    }

    /// The error of a path without a base; nil if the request can be sent.
    var fault: ApusError? {
        environment?.effectiveBaseURL != nil || RequestURL.isAbsolute(path)
            ? nil : ApusError(.invalidRequest(.url(path)))
    }

    /// A placeholder: there is no base of its own, so a path without an environment is not a URL.
    public var baseURL: URL { Self.noBase }

    private static let noBase = URL(filePath: "/")
}

extension RequestTask {
    /// Adds parameters; with a body of another kind they go to the query.
    fileprivate func adding(
        _ parameters: ParameterList,
        _ encoding: ParameterEncoding
    ) -> RequestTask {
        guard !parameters.isEmpty else { return self }
        switch self {
        case .plain: return .parameters(parameters, encoding: encoding)
        case .download(let destination, let task):
            return .download(to: destination, sending: task.adding(parameters, encoding))
        default:
            var query = encoding
            query.destination = .query
            return .composite(body: self, query: parameters, encoding: query)
        }
    }
}
