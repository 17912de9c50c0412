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
    ///
    /// What was stored later than now, because the clock has been set back since, has ended now.
    public var expires: Date?
    /// When it was last served.
    public var lastAccess: Date
    /// How often it was served.
    public var hits: Int
    /// Until when HTTP lets it be served unasked; nil for an entry of a policy of
    /// its own, or if it must always be asked about.
    public var freshUntil: Date?
    /// The file on disk that holds the body; nil for a small one, which is in the database.
    public var path: String?

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
        hits: Int,
        freshUntil: Date? = nil,
        path: String? = nil
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
        self.freshUntil = freshUntil
        self.path = path
    }

    /// How old it is at a moment.
    public func age(at now: Date) -> Duration {
        .seconds(max(0, now.timeIntervalSince(stored)))
    }
}
