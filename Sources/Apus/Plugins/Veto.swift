/// A plugin's refusal to send a request: thrown from a hook, it ends the exchange
/// with the error `.vetoed`.
public struct Veto: Error, Sendable, Hashable {
    /// Why, for people.
    public let reason: String

    /// Makes a veto.
    public init(_ reason: String) { self.reason = reason }
}
