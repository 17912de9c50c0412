/// What a value is, as it is written.
public enum ValueKind: UInt8, Sendable {
    /// The literal `null`.
    case null
    /// The literal `false`.
    case `false`
    /// The literal `true`.
    case `true`
    /// A number without fraction and exponent.
    case integer
    /// A number with a fraction or an exponent.
    case decimal
    /// A string.
    case string
    /// An array.
    case array
    /// An object.
    case object

    /// Whether it is an array or an object.
    public var isContainer: Bool { rawValue >= Self.array.rawValue }
}
