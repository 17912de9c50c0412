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

extension ValueKind {
    /// The kind's part of a node; `rawValue` would be a call per value.
    @inline(__always) var nodeBits: UInt64 {
        switch self {
        case .null: 0
        case .false: 1 &<< 56
        case .true: 2 &<< 56
        case .integer: 3 &<< 56
        case .decimal: 4 &<< 56
        case .string: 5 &<< 56
        case .array: 6 &<< 56
        case .object: 7 &<< 56
        }
    }
}
