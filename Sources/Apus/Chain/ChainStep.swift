/// A step of a chain that has ended.
public struct ChainStep: Sendable {
    /// Its place, from 0.
    public let index: Int
    /// What was sent.
    public let target: any TargetType
    /// The answer, or why there is none.
    public let result: Result<Response, ApusError>
    /// From the step's begin to its end.
    public let duration: Duration
}
