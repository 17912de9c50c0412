/// Why a value could not be written, and where it is.
public struct WriteFault: Error, Equatable, Sendable {
    /// What was wrong.
    public enum Kind: Sendable, CaseIterable {
        /// The value is still being read, or was left open by a fault.
        case incomplete
        /// RFC 8785 allows a key only once in an object.
        case duplicateKey
        /// Half of a surrogate pair, which is no character.
        case loneSurrogate
        /// A number that no double can hold.
        case numberTooLarge
    }

    /// What was wrong.
    public let kind: Kind
    /// The value, or the member whose key it is.
    public let node: NodeIndex
    /// The byte of the text where the value or the key begins.
    public let offset: Int

    /// Says what was wrong and where.
    public init(_ kind: Kind, node: NodeIndex, at offset: Int) {
        self.kind = kind
        self.node = node
        self.offset = offset
    }
}
