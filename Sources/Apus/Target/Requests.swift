public import FoundationEssentials
public import HTTPTypes

/// Requests by URL, without a target: the short way.
///
/// ```swift
/// let answer = try await Requests.shared.get("https://api.test/users", parameters: ["page": 2])
/// ```
/// A URL is absolute if it begins with a scheme; anything else is a path on the
/// base of the environment in use, and without one an error. Bodies of any kind go as a `task`:
///
/// ```swift
/// try await Requests.shared.put(url, task: .uploadFile(path: "/tmp/film.mp4"))
/// ```
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
        ///   - parameters: they win over the environment's by name.
        ///   - encoding: how they are written; nil for the query or JSON, by method.
        ///   - task: what the request carries beside the parameters, which then go to the query.
        ///   - headers: they win over the environment's by name.
        ///   - options: how the request travels.
        ///   - source: where the answer comes from.
        ///   - caching: where it is kept; nil for nowhere with the source `.server`, and else in
        ///     memory and on disk for 5 minutes.
        ///   - progress: hears of the transfer's progress.
        /// - Returns: the answer, whatever its status.
        /// - Throws: ``ApusError``; a status is never an error.
        public func callAsFunction(
            _ url: String,
            parameters: ParameterList = [],
            encoding: ParameterEncoding? = nil,
            task: RequestTask = .plain,
            headers: HTTPFields = [:],
            options: TransportOptions = TransportOptions(),
            from source: DataSource = .server,
            caching: CachePolicy? = nil,
            progress: (@Sendable (TransferProgress) -> Void)? = nil
        ) async throws(ApusError) -> Response {
            let target = target(url, parameters, encoding, task, headers, options)
                .keeping(by: caching, for: source)
            if let fault = target.fault { throw fault }
            let provider = requests.provider
            guard let progress else {
                return try await provider.response(for: MultiTarget(target), from: source)
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
        ///   - parameters: they win over the environment's by name.
        ///   - encoding: how they are written; nil for the query or JSON, by method.
        ///   - task: what the request carries beside the parameters, which then go to the query.
        ///   - headers: they win over the environment's by name.
        ///   - options: how the request travels.
        ///   - source: where answers come from.
        ///   - caching: where they are kept; nil as for the call that is awaited.
        ///   - executor: where the callbacks are called, one after the other.
        ///   - progress: hears of the transfer's progress.
        ///   - completion: gets each answer once, so two from `.cacheAndServer`, and a failure once.
        /// - Returns: what cancels it.
        @discardableResult
        public func callAsFunction(
            _ url: String,
            parameters: ParameterList = [],
            encoding: ParameterEncoding? = nil,
            task: RequestTask = .plain,
            headers: HTTPFields = [:],
            options: TransportOptions = TransportOptions(),
            from source: DataSource = .server,
            caching: CachePolicy? = nil,
            on executor: CallbackExecutor = .pool,
            progress: (@Sendable (TransferProgress) -> Void)? = nil,
            completion: @escaping @Sendable (Result<Response, ApusError>) -> Void
        ) -> RequestToken {
            let target = target(url, parameters, encoding, task, headers, options)
                .keeping(by: caching, for: source)
            return requests.provider.request(
                MultiTarget(target),
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
        /// The rest is as with the other executors; the callbacks may touch what lives there.
        @discardableResult
        public func callAsFunction(
            _ url: String,
            parameters: ParameterList = [],
            encoding: ParameterEncoding? = nil,
            task: RequestTask = .plain,
            headers: HTTPFields = [:],
            options: TransportOptions = TransportOptions(),
            from source: DataSource = .server,
            caching: CachePolicy? = nil,
            on executor: CallbackExecutor.Main,
            progress: (@MainActor (TransferProgress) -> Void)? = nil,
            completion: @escaping @MainActor (Result<Response, ApusError>) -> Void
        ) -> RequestToken {
            let target = target(url, parameters, encoding, task, headers, options)
                .keeping(by: caching, for: source)
            return requests.provider.request(
                MultiTarget(target),
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
            _ headers: HTTPFields,
            _ options: TransportOptions
        ) -> QuickTarget {
            QuickTarget(
                method,
                url,
                parameters: parameters,
                encoding: encoding,
                task: task,
                headers: headers,
                options: options,
                environments: requests.environments
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
    /// a JSON body for any other method, unless `encoding` says otherwise. Beside a
    /// task of another kind they go to the query.
    public init(
        _ method: HTTPRequest.Method,
        _ url: String,
        parameters: ParameterList = [],
        encoding: ParameterEncoding? = nil,
        task: RequestTask = .plain,
        headers: HTTPFields = [:],
        options: TransportOptions = TransportOptions(),
        environments: EnvironmentStore? = nil
    ) {
        self.method = method
        path = url
        self.task = task.adding(parameters.items, encoding ?? .methodDependentJSON)
        headerFields = headers
        validation = .none
        cachePolicy = .none
        self.options = options
        self.environments = environments
    }

    /// The one in use now.
    public var environment: TargetEnvironment? { environments?.current }

    /// With the choice of where answers are kept: who reads the cache means it to be filled.
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

    /// What is wrong with a path that has no base; nil for what can be sent.
    var fault: ApusError? {
        environment?.effectiveBaseURL != nil || RequestURL.isAbsolute(path)
            ? nil : ApusError(.invalidRequest(.url(path)))
    }

    /// No base of its own: a path without an environment is no URL.
    public var baseURL: URL { Self.noBase }

    private static let noBase = URL(filePath: "/")
}

extension RequestTask {
    /// With parameters: beside a body of another kind they are the query.
    fileprivate func adding(
        _ parameters: [Parameter],
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
