/// Gives what the cache writes to disk a form of its own: encrypted, compressed, whatever can be
/// undone.
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
/// A cache without one writes answers as they are, and pays nothing for those that have one.
/// Memory always has answers as they are.
///
/// An answer's head (status, fields, what was measured) and its body go through it, each by
/// itself. What entries are found and listed by does not: the key's recipe, which has credentials
/// only as digests, the method and URL, sizes and times, and the request's fields that `Vary`
/// names.
///
/// Both functions are called on threads of the cache's, several at a time. Whatever they throw
/// makes the entry one that was not stored, or a miss; so does an answer that is not as long as
/// the one that was written.
public protocol CacheSerializer: Sendable {
    /// Names the form and what it depends on, such as the number of an encryption key.
    ///
    /// It is written beside each entry. One of another name, or of none, is a miss with the reason
    /// `.otherForm`; the answer that is then fetched takes its place.
    var name: String { get }

    /// The bytes to write in the place of these.
    func encode(_ bytes: [UInt8], _ part: CachePart) throws -> [UInt8]

    /// The bytes that `encode` was given when it made these.
    func decode(_ bytes: [UInt8], _ part: CachePart) throws -> [UInt8]
}
