/// What happens in a batch.
///
/// The last event is always `finished`. A target that is never begun, because the
/// batch was cancelled or failed, has no event.
public enum BatchEvent: Sendable {
    /// A target's turn has come; `index` is its place in the batch.
    case started(index: Int)
    /// Something happened to one target, other than its end.
    case exchange(index: Int, ExchangeEvent)
    /// Bytes moved; a reader that is late gets the newest figures only.
    case moved(BatchProgress)
    /// A target has ended, well or not.
    case ended(index: Int, ExchangeSummary, BatchProgress)
    /// The end.
    case finished(BatchSummary)
}
