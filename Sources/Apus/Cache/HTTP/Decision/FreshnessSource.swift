/// What says how long a response is fresh (RFC 9111, 4.2.1).
public enum FreshnessSource: String, Sendable, Hashable, CaseIterable {
    /// `max-age`.
    case maxAge
    /// A `max-age` that is no number: stale.
    case invalidMaxAge
    /// `Expires` minus `Date`.
    case expires
    /// An `Expires` that is no date: stale.
    case invalidExpires
    /// A tenth of the time since `Last-Modified` (RFC 9111, 4.2.2).
    case heuristic
    /// Nothing: stale.
    case nothing

    /// In a few words.
    public var text: String {
        switch self {
        case .maxAge: "max-age"
        case .invalidMaxAge: "a max-age that cannot be read"
        case .expires: "Expires"
        case .invalidExpires: "an Expires that is no date"
        case .heuristic: "Last-Modified"
        case .nothing: "nothing"
        }
    }
}
