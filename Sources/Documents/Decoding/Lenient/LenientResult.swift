/// A value that was decoded leniently, and what was forgiven.
public struct LenientResult<Value> {
    /// The value.
    public let value: Value
    /// What is not in the text as the type wants it, in the order in which it was decoded.
    public let coercions: [DecodingCoercion]
}

extension LenientResult: Sendable where Value: Sendable {}
