/// Names an entry of the cache: SHA-256 over what makes requests the same.
public struct CacheKey: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The digest, 64 hexadecimal digits.
    public let digest: String
    /// What went into the digest, readable, a line for each part; credentials
    /// stand in it only as digests.
    public let recipe: String

    /// Makes a key from its parts.
    public init(digest: String, recipe: String) {
        self.digest = digest
        self.recipe = recipe
    }

    /// The digest.
    public var description: String { digest }

    /// Equal digests are equal keys.
    public static func == (a: CacheKey, b: CacheKey) -> Bool { a.digest == b.digest }
    /// Hashes the digest.
    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}
