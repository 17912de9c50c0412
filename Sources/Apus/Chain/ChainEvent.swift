/// What happens in a chain.
///
/// The last event is always `finished`.
public enum ChainEvent: Sendable {
    /// A step begins.
    case started(index: Int, any TargetType)
    /// Something happened to the step, other than its end.
    case exchange(index: Int, ExchangeEvent)
    /// A step has ended, well or not.
    case ended(ChainStep)
    /// The end.
    case finished(ChainSummary)
}
