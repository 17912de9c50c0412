/// What a query found.
public struct QueryMatches: Equatable, Sendable {
    /// The values, in the order of RFC 9535.
    public let nodes: [NodeIndex]
    /// False when the search was cancelled before its end.
    public let isComplete: Bool

    /// Why values may be missing although it came to its end: a pattern that was too costly for a
    /// text, or that the library of regular expressions does not take; nil otherwise.
    public let problem: String?

    /// Says what a query found.
    public init(nodes: [NodeIndex], isComplete: Bool, problem: String? = nil) {
        self.nodes = nodes
        self.isComplete = isComplete
        self.problem = problem
    }
}
