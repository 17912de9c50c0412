/// Why an answer was not stored.
public enum NotStoredReason: Sendable, Hashable {
    /// The policy keeps nothing.
    case policyNone
    /// The policy's time is over before it begins.
    case expired
    /// Only successes are stored.
    case status(Int)
    /// The target's own rule said no.
    case predicate
    /// The data source's rule said no.
    case rule
    /// The body is larger than the store's limit.
    case tooLarge(bytes: Int, limit: Int)
    /// The answer did not arrive whole.
    case incomplete
    /// It did not come from the server.
    case notFromServer
    /// The body went to a file of the user's.
    case downloaded
    /// An interceptor added credentials and did not say whose (`Interceptor.account`).
    case unknownAccount
    /// This rule of HTTP forbids it, or nothing allows it.
    case http(CacheRule)
    /// The store could not be written, for example because the disk is full.
    case failed(detail: String)
    /// It sends on to a URL with a credential, which the disk does not keep.
    case credential
}
