/// Says what bytes are that a `CacheSerializer` is given.
public struct CachePart: Sendable, Hashable {
    /// Which part of an answer.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The status, the fields, and what was measured.
        case head
        /// The body.
        case body
    }

    /// Which part it is.
    public let kind: Kind
    /// The digest of the entry's key.
    public let digest: String

    /// Names a part of an entry.
    public init(_ kind: Kind, digest: String) {
        self.kind = kind
        self.digest = digest
    }

    /// Kind and digest as bytes that no other part has: authenticated together with what is
    /// encrypted, they keep an entry's bytes from passing for another's.
    public var label: [UInt8] { Array("\(kind.rawValue) \(digest)".utf8) }
}
