/// What a query found.
public struct QueryMatches: Equatable, Sendable {
    /// The values, in the order of RFC 9535.
    public let nodes: [NodeIndex]
    /// False when the search was cancelled before its end.
    public let isComplete: Bool

    /// Says what a query found.
    public init(nodes: [NodeIndex], isComplete: Bool) {
        self.nodes = nodes
        self.isComplete = isComplete
    }
}
