/// Where in a text a value could not be decoded: the `underlyingError` of every `DecodingError`
/// that `DocumentDecoder` throws.
public struct DecodingLocation: Error, Sendable {
    /// The value's path in the document, such as `$.users[3].age`.
    public let path: String
    /// The byte at which the value begins, or the fault's.
    public let offset: Int
    /// That byte's line and column.
    public let position: TextPosition
    /// The value; nil in a text that is broken.
    public let node: NodeIndex?
    /// The error that the type itself gave, when it gave one.
    public let reason: (any Error)?
}
