/// An exchange that a hook sent, and how it ended.
public struct ChildExchange: Sendable {
    /// What was sent.
    public let target: any TargetType
    /// How it ended; its own children are in it.
    public let summary: ExchangeSummary
}
