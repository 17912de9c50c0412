/// Targets sent one after the other, each made from what came before.
///
/// ```swift
/// let chain = Chain(startingWith: API.register) { step in
///     guard case .success(let response) = step.result else { return nil }
///     return step.index == 0 ? API.verify(id: try id(in: response)) : nil
/// }
/// ```
public struct Chain: Sendable {
    /// Given a step that has ended, well or not: the next target, or nil for the end.
    public typealias Next = @Sendable (ChainStep) async throws -> (any TargetType)?

    /// The first target.
    public var first: any TargetType
    /// Where the answers come from.
    public var source: DataSource
    /// How many steps there may be, so that a rule that never says nil ends.
    public var maximumSteps: Int
    /// What comes next.
    public var next: Next

    /// Makes a chain.
    public init(
        startingWith first: any TargetType,
        from source: DataSource = .server,
        maximumSteps: Int = 100,
        next: @escaping Next
    ) {
        self.first = first
        self.source = source
        self.maximumSteps = max(1, maximumSteps)
        self.next = next
    }
}
