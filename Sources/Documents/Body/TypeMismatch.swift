/// A body that is not what its Content-Type says.
package struct TypeMismatch: Sendable, Equatable, CustomStringConvertible {
    /// The media type as sent, without parameters.
    package let declared: String
    /// What the bytes look like.
    package let looksLike: String

    /// A sentence for people.
    package var description: String { "Content-Type says \(declared), looks like \(looksLike)" }
}
