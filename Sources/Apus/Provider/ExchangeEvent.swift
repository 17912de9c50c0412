/// What happens in an exchange, in order.
///
/// The last event is always
/// `finished`, and there is never a second one.
public enum ExchangeEvent: Sendable {
    /// The cache was asked.
    case lookedUp(CacheLookup)
    /// A private HTTP cache decided something (`CachePolicy.http`).
    case decided(CacheDecision)
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
