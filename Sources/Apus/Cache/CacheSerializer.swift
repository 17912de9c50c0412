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

/// An entry whose head and body are in the form of a serializer, as they were read.
struct SealedEntry: Sendable {
    let facts: EntryRecord
    let head: [UInt8]
    /// Empty if it is in the file.
    let body: [UInt8]
    let life: EntryLifetime
    let use: PendingUses

    /// The entry as it was stored.
    func opened(by serializer: any CacheSerializer) -> DiskRow.Found {
        let digest = facts.key.digest
        let head: ResponseRecord?
        let body: [UInt8]
        do {
            body =
                facts.file == nil
                ? try serializer.decode(self.body, CachePart(.body, digest: digest)) : []
            head = try serializer.decode(self.head, CachePart(.head, digest: digest))
                .withUnsafeBytes { ResponseRecord($0, body: body) }
        } catch {
            return .corrupt(detail: "its form \(serializer.name) cannot be read: \(error)")
        }
        guard let head, facts.file != nil || body.count == facts.size else {
            return .corrupt(detail: "it is not what the form \(serializer.name) was given")
        }
        let entry = StoredResponse(
            origin: facts.origin,
            answer: CopyOnWriteBox(head.answer),
            life: life,
            lastAccess: use.lastAccess,
            hits: use.hits
        )
        return .entry(entry, file: facts.reference)
    }
}

/// The bytes of an entry as they go to disk: in a serializer's form, or as they are.
struct SealedParts: Sendable {
    /// The serializer's name; nil for none.
    var form: String?
    /// The entry's record; nil to take it as it is.
    var head: [UInt8]?
    /// The bytes for the row; nil to take them as they are, or for none.
    var body: [UInt8]?
    /// The file of a body that is too large for a row.
    var staged: BodyFolder.Staged?
}
