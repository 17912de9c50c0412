/// A rule of the HTTP caching specifications.
public enum CacheRule: String, Sendable, Hashable, CaseIterable {
    // Which stored response
    /// Only GET and HEAD are answered from the cache.
    case methodNotCacheable
    /// A precondition is for the origin to judge.
    case preconditionForOrigin
    /// Nothing is stored for the URL.
    case nothingStored
    /// What is stored is for requests with other fields.
    case variantMismatch
    /// `Vary: *` fits no request.
    case variesOnEverything
    /// A part does not answer this request.
    case rangeNotStored
    /// The origin is asked only for what a stored part lacks.
    case partCompleted
    /// A stored response holds the bytes that are asked for.
    case rangeStored

    // Whether it may be used
    /// It is fresh.
    case fresh
    /// It is stale.
    case stale
    /// It was invalidated by a request that may have changed it.
    case unsafeRequestSince
    /// The response says `no-cache`.
    case responseNoCache
    /// The request says `no-cache`.
    case requestNoCache
    /// The request says `Pragma: no-cache`.
    case pragmaNoCache
    /// It is older than the request's `max-age`.
    case requestMaxAge
    /// It is not fresh for as long as the request's `min-fresh`.
    case minFresh
    /// It is within the request's `max-stale`.
    case maxStale
    /// The response says `must-revalidate`.
    case mustRevalidate
    /// A fresh `immutable` response is not asked about.
    case immutable
    /// It is within `stale-while-revalidate`.
    case staleWhileRevalidate
    /// It is within `stale-if-error`.
    case staleIfError
    /// The origin cannot be reached.
    case disconnected
    /// The request says `only-if-cached`.
    case onlyIfCached
    /// The caller already has this version.
    case callerHasCurrent

    // What the data source says
    /// The data source asks the server whatever is stored.
    case sourceAsks
    /// The data source takes what is stored, however old.
    case sourceTakesStale

    // What is stored
    /// The method's answers are not stored.
    case methodNotStored
    /// An answer to POST is stored if it says for how long and that it is the target's content.
    case postAnswersGet
    /// An interim answer is not stored.
    case statusNotFinal
    /// A part is not stored for the whole.
    case partialContent
    /// An answer that was cut short is not stored.
    case incomplete
    /// A 304 only updates.
    case notModifiedOnly
    /// `must-understand` with a status that is not understood.
    case mustUnderstand
    /// The request says `no-store`.
    case requestNoStore
    /// The response says `no-store`.
    case responseNoStore
    /// The response says that it may be stored.
    case explicitlyCacheable
    /// The status is cacheable by default.
    case heuristicallyCacheable
    /// Nothing says that it may be stored.
    case notCacheable
    /// It could never be used: no lifetime, no validator.
    case neverUsable

    // What an answer does to what is stored
    /// A 304 updates the stored response.
    case notModified
    /// A 304 fits no stored response.
    case notModifiedUnmatched
    /// A full answer takes the stored one's place.
    case fullAnswer
    /// An error during validation goes to the caller.
    case serverError
    /// An answer to HEAD updates the stored response.
    case headUpdates
    /// An answer to HEAD tells that the stored response is not the current one.
    case headDiffers
    /// The method is safe, or the answer an error.
    case nothingChanged
    /// An unsafe method was answered without an error.
    case unsafeMethod
}
