/// Names an entry of the cache: SHA-256 over what makes requests the same.
public struct CacheKey: Sendable, Hashable, Codable, CustomStringConvertible {
    private enum CodingKeys: CodingKey {
        case digest, recipe
    }

    let name: KeyName
    /// What went into the digest, readable, a line for each part; credentials
    /// stand in it only as digests.
    public let recipe: String

    /// Makes a key from its parts.
    public init(digest: String, recipe: String) {
        self.init(KeyName(digest), recipe: recipe)
    }

    init(_ name: KeyName, recipe: String) {
        self.name = name
        self.recipe = recipe
    }

    /// Reads what `encode(to:)` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            digest: try container.decode(String.self, forKey: .digest),
            recipe: try container.decode(String.self, forKey: .recipe)
        )
    }

    /// Writes the digest and the recipe.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(digest, forKey: .digest)
        try container.encode(recipe, forKey: .recipe)
    }

    /// The digest, 64 hexadecimal digits.
    public var digest: String { name.text }

    /// The digest.
    public var description: String { digest }

    /// The row of the key's entry on disk; another key may have the same.
    var row: Int64 { name.row }

    /// Equal digests are equal keys.
    public static func == (a: CacheKey, b: CacheKey) -> Bool { a.name == b.name }
    /// Hashes the digest.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
