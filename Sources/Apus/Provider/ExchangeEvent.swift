/// What happens in an exchange, in order.
///
/// The last event is always
/// `finished`, and there is never a second one.
public enum ExchangeEvent: Sendable {
    /// The cache was asked.
    case lookedUp(CacheLookup)
    /// The request is about to be sent; attempts count from 1.
    case willSend(PreparedRequest, attempt: Int)
    /// The transfer moved.
    case progress(TransferProgress)
    /// An answer; its `source` says where from.
    case response(Response)
    /// The server failed, but a cached answer was delivered and stands.
    case serverFailed(ApusError)
    /// What became of the server's answer in the cache.
    case storage(CacheStoreOutcome)
    /// The end.
    case finished(ExchangeSummary)
}

/// How an exchange ended.
public struct ExchangeSummary: Sendable {
    /// The last answer delivered, or why there is none.
    public let result: Result<Response, ApusError>
    /// How many answers were delivered.
    public let responseCount: Int
    /// How often the request was sent.
    public let attempts: Int
    /// From the call to the end.
    public let duration: Duration

    /// Makes a summary.
    public init(
        result: Result<Response, ApusError>,
        responseCount: Int,
        attempts: Int,
        duration: Duration
    ) {
        self.result = result
        self.responseCount = responseCount
        self.attempts = attempts
        self.duration = duration
    }
}
