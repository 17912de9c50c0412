public import FoundationEssentials

/// What there is to know of an entry without reading its body.
public struct CacheEntry: Sendable, Hashable {
    /// The key, with its recipe.
    public var key: CacheKey
    /// The method and URL.
    public var request: ApusError.RequestLine
    /// The status.
    public var status: Int
    /// Bytes of the body.
    public var size: Int
    /// Where it is.
    public var storage: CachePolicy.Storage
    /// When it was stored.
    public var stored: Date
    /// When it stops being served; nil for never.
    public var expires: Date?
    /// When it was last served.
    public var lastAccess: Date
    /// How often it was served.
    public var hits: Int

    /// Makes a description of an entry.
    public init(
        key: CacheKey,
        request: ApusError.RequestLine,
        status: Int,
        size: Int,
        storage: CachePolicy.Storage,
        stored: Date,
        expires: Date?,
        lastAccess: Date,
        hits: Int
    ) {
        self.key = key
        self.request = request
        self.status = status
        self.size = size
        self.storage = storage
        self.stored = stored
        self.expires = expires
        self.lastAccess = lastAccess
        self.hits = hits
    }
}
