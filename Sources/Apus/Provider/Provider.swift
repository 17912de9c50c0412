/// Sends targets: the way into the engine.
///
/// ```swift
/// let provider = Provider<GitHub>()
/// let response = try await provider.response(for: .user("ada"), from: .cacheIfPossible)
/// ```
public final class Provider<Target: TargetType>: Sendable {
    /// What carries the requests.
    public let transport: any Transport
    /// Where answers are kept.
    public let cache: ResponseCache

    private let refreshes = OwnedTasks()
    private let revalidations = HTTPRevalidations()

    /// Makes a provider; nothing is opened or started before the first request.
    public init(transport: any Transport = CurlTransport(), cache: ResponseCache = ResponseCache())
    {
        self.transport = transport
        self.cache = cache
    }

    /// What happens from here to the answer, or the two, with one `finished` at the end.
    ///
    /// All else that sends requests is built on this.
    public func events(for target: Target, from source: DataSource = .server) -> ExchangeEvents {
        ExchangeEvents(exchange(target, source))
    }

    /// The last answer to a target.
    ///
    /// With `.cacheThenRefresh` a cached answer is returned at once; the refresh
    /// belongs to the provider and is cancelled when the provider goes away.
    ///
    /// - Throws: `ApusError`; cancelling the task ends the transfer with `.cancelled`.
    public func response(
        for target: Target,
        from source: DataSource = .server
    ) async throws(ApusError) -> Response {
        let exchange = exchange(target, source)
        guard case .cacheThenRefresh = source else {
            return try await exchange.run { _ in }.result.get()
        }
        return try await firstResponse(of: ExchangeEvents(exchange))
    }

    /// What the cache holds for a target, however old, without counting as a
    /// use of it.
    ///
    /// - Throws: `ApusError` with the reason `.invalidRequest`.
    public func cachedResponse(for target: Target) async throws(ApusError) -> Response? {
        let endpoint = try Endpoint(target)
        let key = cache.key(for: endpoint.request, policy: endpoint.cachePolicy)
        return await cache.peek(key, for: endpoint.request)
    }

    func exchange(_ target: any TargetType, _ source: DataSource) -> Exchange {
        Exchange(
            target: (target as? MultiTarget)?.target ?? target,
            source: source,
            transport: transport,
            cache: cache,
            revalidations: revalidations
        )
    }

    private func firstResponse(of events: ExchangeEvents) async throws(ApusError) -> Response {
        let produced = events.produced()
        while let event = await produced.next() {
            switch event {
            case .response(let response):
                refreshes.add { while await produced.next() != nil {} }
                return response
            case .finished(let summary):
                return try summary.result.get()
            default: continue
            }
        }
        throw ApusError(.cancelled)
    }
}
