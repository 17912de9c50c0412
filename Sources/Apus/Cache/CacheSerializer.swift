/// Encodes what the cache writes to disk: encrypted, compressed, or in any other reversible form.
///
/// ```swift
/// struct Sealing: CacheSerializer {
///     let key: SymmetricKey
///     var name: String { "aes-gcm/2026-11" }
///
///     func encode(_ bytes: [UInt8], _ part: CachePart) throws -> [UInt8] {
///         Array(try AES.GCM.seal(bytes, using: key, authenticating: part.label).combined ?? Data())
///     }
///
///     func decode(_ bytes: [UInt8], _ part: CachePart) throws -> [UInt8] {
///         Array(try AES.GCM.open(.init(combined: bytes), using: key, authenticating: part.label))
///     }
/// }
/// let cache = ResponseCache(serializer: Sealing(key: key))
/// ```
/// A cache without a serializer writes responses unchanged, at no cost. Memory always holds them unchanged.
///
/// The head (status, fields, measurements) and the body of a response are encoded separately. What is needed
/// to find and list entries is not encoded: the key's recipe (with credentials as digests only), the method
/// and URL, sizes, dates, and the request's fields that `Vary` names.
///
/// Both functions are called on the cache's threads, concurrently. If `encode` throws, the entry is not
/// stored. If `decode` throws, or returns a body of another length than was written, the lookup is a miss.
public protocol CacheSerializer: Sendable {
    /// A name for the encoding and its parameters, such as the number of an encryption key.
    ///
    /// The name is stored with each entry. An entry with another name, or without one, is a miss with the
    /// reason `.otherForm`, and the response that is then fetched replaces it.
    var name: String { get }

    /// Returns the bytes to write instead of the given ones.
    func encode(_ bytes: [UInt8], _ part: CachePart) throws -> [UInt8]

    /// Returns the bytes that `encode` was given.
    func decode(_ bytes: [UInt8], _ part: CachePart) throws -> [UInt8]
}

/// Identifies the bytes that a `CacheSerializer` is given.
public struct CachePart: Sendable, Hashable {
    /// A part of a response.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The status, the fields and the measurements.
        case head
        /// The bytes of the body.
        case body
    }

    /// Which part of the response the bytes are.
    public let kind: Kind
    /// The digest of the entry's key.
    public let digest: String

    /// Identifies a part of an entry.
    public init(_ kind: Kind, digest: String) {
        self.kind = kind
        self.digest = digest
    }

    /// Kind and digest as bytes, unique to this part.
    ///
    /// As the authenticated data of an encryption they keep one entry's bytes from passing for another's.
    public var label: [UInt8] { Array("\(kind.rawValue) \(digest)".utf8) }
}
