public import Documents
public import HTTPTypes

/// Sends targets of any type.
///
/// ```swift
/// let provider = AnyProvider()
/// let response = try await provider.response(for: QuickTarget(.get, "https://api.test/users"))
/// ```
/// A ``Provider`` can do the same, and names targets of one type with a leading dot.
public class AnyProvider: @unchecked Sendable {
    // Unchecked only because it is not final: what it stores is constant and sendable, and `Provider`, its only
    // subclass, stores nothing.

    /// The transport that sends requests.
    public let transport: any Transport
    /// The cache that stores responses.
    public let cache: ResponseCache
    /// Header fields of every request; a field of the same name in a target or its environment replaces them.
    public let headerFields: HTTPFields
    /// How the API wraps its data, unless a target or a call says otherwise.
    public let envelope: ResponseEnvelope?
    /// Decodes the values of `.decodable` and `.lenient`, unless a call or a typed target names a decoder.
    public let decoder: DocumentDecoder?

    private let modifier: RequestModifier?
    private let refreshes: BackgroundTasks
    private let revalidations: BackgroundTasks

    /// Nil if it would be empty, so that exchanges need not run it.
    let pipeline: Pipeline?
    /// The plugins, in the order in which they are called.
    package var plugins: [any Plugin] { pipeline?.plugins ?? [] }

    /// Creates a provider; nothing is opened or started before the first request.
    ///
    /// - Parameters:
    ///   - transport: sends the requests.
    ///   - cache: stores the responses; by default in memory and on disk, in a folder of the program's own, or,
    ///     with `stubs`, in memory alone.
    ///   - headerFields: fields of every request, unless a target sets them; by default
    ///     `Accept-Language` with the user's languages.
    ///   - plugins: the hooks, called in this order.
    ///   - interceptors: wrap the call to the server, the outermost first.
    ///   - stubs: respond instead of the server.
    ///   - coalesces: which equal requests in flight share one transfer.
    ///   - envelope: how the API wraps its data, unless a target or a call says otherwise.
    ///   - decoder: decodes values, unless a call or a typed target names another decoder.
    ///   - limits: bound how long a hook may take and how often it may ask for another attempt.
    ///   - clock: measures pauses and time limits.
    public init(
        transport: any Transport = CurlTransport(),
        cache: ResponseCache = .automatic,
        headerFields: HTTPFields = .standard,
        plugins: [any Plugin] = [],
        interceptors: [any Interceptor] = [],
        stubs: Stubs = .never,
        coalesces: Coalescing = .none,
        envelope: ResponseEnvelope? = nil,
        decoder: DocumentDecoder? = nil,
        limits: HookLimits = HookLimits(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.transport = transport
        self.cache = cache.isAutomatic && stubs.choice != nil ? .inMemory : cache
        self.headerFields = headerFields
        self.envelope = envelope
        self.decoder = decoder
        modifier = nil
        refreshes = BackgroundTasks()
        // No caller waits for revalidations, so they leave connections to other requests.
        revalidations = BackgroundTasks(
            limit: transport.backgroundLimit,
            timeLimit: .seconds(30),
            clock: clock
        )
        let isPlain =
            plugins.isEmpty && interceptors.isEmpty && stubs.choice == nil && coalesces == .none
        pipeline =
            isPlain
            ? nil
            : Pipeline(
                plugins: plugins,
                interceptors: interceptors,
                stubs: stubs,
                coalescing: coalesces,
                limits: limits,
                clock: clock
            )
    }

    /// Returns this provider with a change that is applied to each request after all plugins and before the
    /// cache is used, so that keys, logs and interceptors see the request that is sent.
    ///
    /// ```swift
    /// let image = try await provider
    ///     .modifying { $0.head.headerFields[.accept] = "image/webp" }
    ///     .response(for: .avatar(7))
    /// ```
    /// It shares connections, cache and hooks with this provider. Requests that hooks send are not changed.
    ///
    /// - Parameter change: changes the request, once for each attempt that starts at `prepare`. An error that
    ///   it throws ends the exchange, as in a hook.
    /// - Returns: a provider for such requests.
    public func modifying(
        _ change: @escaping @Sendable (inout PreparedRequest) throws -> Void
    ) -> Self {
        guard let first = modifier else { return Self(sharing: self, modifier: change) }
        return Self(sharing: self) { request in
            try first(&request)
            try change(&request)
        }
    }

    /// This provider with one more plugin after all others.
    package func adding(_ plugin: any Plugin) -> Self {
        Self(sharing: self, modifier: modifier, adding: plugin)
    }

    /// Creates a provider that shares everything with another, except for the change to its requests and one
    /// more plugin.
    required init(
        sharing other: AnyProvider,
        modifier: RequestModifier?,
        adding plugin: (any Plugin)? = nil
    ) {
        transport = other.transport
        cache = other.cache
        headerFields = other.headerFields
        envelope = other.envelope
        decoder = other.decoder
        self.modifier = modifier
        refreshes = other.refreshes
        revalidations = other.revalidations
        guard let plugin else {
            pipeline = other.pipeline
            return
        }
        let former = other.pipeline
        pipeline = Pipeline(
            plugins: (former?.plugins ?? []) + [plugin],
            interceptors: former?.interceptors ?? [],
            stubs: former?.stubs ?? .never,
            coalescing: former?.coalescing ?? .none,
            limits: former?.limits ?? HookLimits(),
            clock: former?.clock ?? ContinuousClock()
        )
    }

    /// The events of an exchange with one or two responses, ending with one `finished`.
    ///
    /// Everything else that sends requests is built on this.
    ///
    /// - Parameters:
    ///   - target: the target to request.
    ///   - source: where responses come from.
    ///   - caching: where to store them this time; nil for the target's policy.
    /// - Returns: the events; nothing is sent until they are read.
    public func events(
        for target: any TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) -> ExchangeEvents {
        ExchangeEvents(exchange(target, source, caching))
    }

    /// The events of an exchange that first reports what the cache holds, however old.
    package func events(
        for target: any TargetType,
        from source: DataSource,
        onHeld: @escaping @Sendable (Response?) -> Void
    ) -> ExchangeEvents {
        var exchange = exchange(target, source)
        exchange.onHeld = onHeld
        return ExchangeEvents(exchange)
    }

    /// The last response to a target.
    ///
    /// With `.cacheThenRefresh` a cached response is returned at once. The refresh belongs to the provider
    /// and is cancelled when the provider is released.
    ///
    /// - Parameters:
    ///   - target: the target to request.
    ///   - source: where the response comes from.
    ///   - caching: where to store it this time; nil for the target's policy.
    ///   - progress: is called with the transfer's progress, on no particular thread.
    /// - Returns: the last response.
    /// - Throws: ``ApusError``; cancelling the task ends the transfer with `.cancelled`.
    public func response(
        for target: any TargetType,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(ApusError) -> Response {
        try await response(for: target, source, caching, nil, progress)
    }

    /// The last response to a target, whose value `reader` reads.
    func response(
        for target: any TargetType,
        _ source: DataSource,
        _ caching: CachePolicy?,
        _ reader: (any ResponseReader)?,
        _ progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(ApusError) -> Response {
        switch source {
        case .server
        where progress == nil && pipeline == nil && modifier == nil
            && (caching ?? target.cachePolicy).storage == nil:
            return try await directResponse(for: target)
        case .cacheThenRefresh:
            let exchange = exchange(target, source, caching, reader)
            return try await firstResponse(of: ExchangeEvents(exchange), progress)
        default:
            let exchange = exchange(target, source, caching, reader)
            guard let progress else { return try await exchange.result().get() }
            let summary = await exchange.run { event in
                if case .progress(let step) = event { progress(step) }
            }
            return try summary.result.get()
        }
    }

    /// The server's response if neither hooks nor a cache are involved.
    ///
    /// Gives the same result as an exchange but skips its bookkeeping, which takes a tenth of the time of a
    /// small request.
    private func directResponse(for target: any TargetType) async throws(ApusError) -> Response {
        let endpoint = try Endpoint(target, defaults: headerFields)
        guard !Task.isCancelled else {
            throw ApusError(.cancelled, request: endpoint.request.line)
        }
        // Calls the transport directly, because each call in between costs a switch of executors.
        let response =
            endpoint.request.hasCDN
            ? try await transport.carry(endpoint.request, progress: nil)
            : try await transport.send(endpoint.request, progress: nil)
        try endpoint.validation.check(response)
        return response
    }

    /// The cached response to a target, however old; does not count as a use of it.
    ///
    /// The lookup works as with `.cache`: plugins prepare the request, and under HTTP's rules the request
    /// selects among the responses stored for its URL. Plugins do not process the response. A body in a file
    /// is read to its end, unless the task is cancelled.
    ///
    /// - Parameters:
    ///   - target: the target that would be requested.
    ///   - caching: the policy that its responses are stored with; nil for the target's.
    ///   - storage: where to look.
    /// - Returns: the response as it was stored; nil if there is none.
    /// - Throws: ``ApusError``: an error of a plugin, the reason `.invalidRequest`, or `.cancelled`.
    public func cachedResponse(
        for target: any TargetType,
        caching: CachePolicy? = nil,
        in storage: CachePolicy.Storage = .memoryAndDisk
    ) async throws(ApusError) -> Response? {
        try await exchange(target, .cache, caching).peek(in: storage)
    }

    /// The request that would be sent for a target, as plugins prepare it.
    ///
    /// Interceptors, which may change it further, are not called.
    ///
    /// ``ResponseCache/key(for:policy:)`` turns it into the key under which its responses are stored.
    ///
    /// - Throws: ``ApusError``: an error of a plugin, or the reason `.invalidRequest`.
    public func preparedRequest(for target: any TargetType) async throws(ApusError)
        -> PreparedRequest
    {
        try await exchange(target, .server).preparedRequest()
    }

    /// The number of revalidations that run in the background after a response was delivered.
    var revalidationCount: Int { revalidations.count }

    func exchange(
        _ target: any TargetType,
        _ source: DataSource,
        _ caching: CachePolicy? = nil,
        _ reader: (any ResponseReader)? = nil
    ) -> PlannedExchange {
        PlannedExchange(
            target: target,
            plan: CachePlan(source: source, policy: caching),
            headerFields: headerFields,
            envelope: envelope,
            modifier: modifier,
            transport: transport,
            cache: cache,
            pipeline: pipeline,
            revalidations: revalidations,
            reader: reader
        )
    }

    private func firstResponse(
        of events: ExchangeEvents,
        _ progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        let produced = events.produced()
        while let event = await produced.next() {
            switch event {
            case .response(let response):
                refreshes.run { while await produced.next() != nil {} }
                return response
            case .progress(let step): progress?(step)
            case .finished(let summary):
                return try summary.result.get()
            default: continue
            }
        }
        throw ApusError(.cancelled)
    }
}
