/// One place where lenient decoding took something else than the type wants.
public struct DecodingCoercion: Sendable, Equatable {
    /// What was done.
    public enum Kind: Sendable {
        /// A scalar was read as another type.
        case converted
        /// Nothing was there, or null: a default stands in.
        case defaulted
        /// An element was left out.
        case skipped
    }

    /// What was done.
    public let kind: Kind
    /// The value's path, such as `$.users[3].age`.
    public let path: String
    /// The byte at which the value begins; that of the object when a member is missing.
    public let offset: Int
    /// The value as written, cut when long; empty when it is missing.
    public let source: String
    /// The type that was wanted.
    public let type: String
    /// What it became; empty when it was left out.
    public let result: String
}
