/// Tells the exchanges of one provider apart, in logs and in what belongs together.
public struct ExchangeID: Sendable, Hashable, CustomStringConvertible {
    /// The exchange's number, from 1.
    public let number: UInt64

    /// Makes an identity.
    public init(_ number: UInt64) { self.number = number }

    /// "#17".
    public var description: String { "#\(number)" }
}
