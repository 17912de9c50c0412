/// A rule of the HTTP caching specifications, or of a data source.
public enum CacheRule: String, Sendable, Hashable, CaseIterable {
    // Which stored response
    /// Only GET and HEAD are answered from the cache.
    case methodNotCacheable
    /// The URL alone does not say what a GET or HEAD with content asks for.
    case requestHasContent
    /// The origin must evaluate the precondition.
    case preconditionForOrigin
    /// Nothing is stored for the URL.
    case nothingStored
    /// The stored responses are for other accounts, or for requests that were sent by another route.
    case otherAccount
    /// The stored responses are for requests with other field values.
    case variantMismatch
    /// `Vary: *` matches no request.
    case variesOnEverything
    /// No stored response contains the requested bytes.
    case rangeNotStored
    /// Only the missing bytes of a stored part are requested.
    case partCompleted
    /// A stored response contains the requested bytes.
    case rangeStored

    // Whether it may be used
    /// The stored response is fresh.
    case fresh
    /// The stored response is stale.
    case stale
    /// It was invalidated by a later request that may have changed it.
    case unsafeRequestSince
    /// The response says `no-cache`.
    case responseNoCache
    /// The request says `no-cache`.
    case requestNoCache
    /// The request says `Pragma: no-cache`.
    case pragmaNoCache
    /// It is older than the request's `max-age`.
    case requestMaxAge
    /// It is not fresh for the request's `min-fresh`.
    case minFresh
    /// It is within the request's `max-stale`.
    case maxStale
    /// The response says `must-revalidate`.
    case mustRevalidate
    /// A fresh `immutable` response is not validated.
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
    /// The data source asks the server, whatever is stored.
    case sourceAsks
    /// The data source accepts what is stored, however old.
    case sourceTakesStale

    // What is stored
    /// Responses to this method are not stored.
    case methodNotStored
    /// A response to POST is stored if it gives its lifetime and says that it is the target's content.
    case postAnswersGet
    /// An interim response is not stored.
    case statusNotFinal
    /// A part is not stored instead of the whole.
    case partialContent
    /// An incomplete response is not stored.
    case incomplete
    /// A 304 only updates what is stored.
    case notModifiedOnly
    /// The response says `must-understand`, and its status is not understood.
    case mustUnderstand
    /// The request says `no-store`.
    case requestNoStore
    /// The response says `no-store`.
    case responseNoStore
    /// The response says `private`, and the cache is shared.
    case responsePrivate
    /// The request has credentials, and nothing allows a shared cache to serve the response to others.
    case requestHasCredentials
    /// The response says that it may be stored.
    case explicitlyCacheable
    /// The status is cacheable by default.
    case heuristicallyCacheable
    /// Nothing says that it may be stored.
    case notCacheable
    /// It has neither lifetime nor validator, so it could never be used.
    case neverUsable

    // What a response does to what is stored
    /// A 304 updates the stored response.
    case notModified
    /// A 304 matches no stored response.
    case notModifiedUnmatched
    /// A 304 would make the stored head larger than allowed.
    case headTooLarge
    /// A full response replaces the stored one.
    case fullResponse
    /// An error during validation is delivered to the caller.
    case serverError
    /// A response to HEAD updates the stored response.
    case headUpdates
    /// A response to HEAD shows that the stored response is not current.
    case headDiffers
    /// The method is safe, or the response is an error.
    case nothingChanged
    /// An unsafe method succeeded.
    case unsafeMethod
}

extension CacheRule {
    /// The specification and section of the rule.
    public var section: String {
        switch self {
        case .methodNotCacheable, .nothingStored, .sourceAsks, .sourceTakesStale: "RFC 9111, 4"
        case .otherAccount: "RFC 9111, 7.3"
        case .variantMismatch, .variesOnEverything: "RFC 9111, 4.1"
        case .fresh, .stale: "RFC 9111, 4.2"
        case .heuristicallyCacheable: "RFC 9111, 4.2.2"
        case .disconnected: "RFC 9111, 4.2.4"
        case .preconditionForOrigin, .callerHasCurrent: "RFC 9111, 4.3.2"
        case .fullResponse, .serverError: "RFC 9111, 4.3.3"
        case .notModified, .notModifiedUnmatched, .headTooLarge: "RFC 9111, 4.3.4"
        case .headUpdates, .headDiffers: "RFC 9111, 4.3.5"
        case .unsafeMethod, .unsafeRequestSince, .nothingChanged: "RFC 9111, 4.4"
        case .requestMaxAge: "RFC 9111, 5.2.1.1"
        case .maxStale: "RFC 9111, 5.2.1.2"
        case .minFresh: "RFC 9111, 5.2.1.3"
        case .requestNoCache: "RFC 9111, 5.2.1.4"
        case .requestNoStore: "RFC 9111, 5.2.1.5"
        case .onlyIfCached: "RFC 9111, 5.2.1.7"
        case .mustRevalidate: "RFC 9111, 5.2.2.2"
        case .mustUnderstand: "RFC 9111, 5.2.2.3"
        case .responseNoCache: "RFC 9111, 5.2.2.4"
        case .responseNoStore: "RFC 9111, 5.2.2.5"
        case .responsePrivate: "RFC 9111, 5.2.2.7"
        case .requestHasCredentials: "RFC 9111, 3.5"
        case .pragmaNoCache: "RFC 9111, 5.4"
        case .immutable: "RFC 8246, 2"
        case .staleWhileRevalidate: "RFC 5861, 3"
        case .staleIfError: "RFC 5861, 4"
        case .requestHasContent: "RFC 9110, 9.3.1"
        case .postAnswersGet: "RFC 9110, 9.3.3"
        case .rangeNotStored, .rangeStored: "RFC 9110, 14.2"
        case .partialContent, .incomplete: "RFC 9111, 3.3"
        case .partCompleted: "RFC 9111, 3.4"
        case .methodNotStored, .statusNotFinal, .notModifiedOnly, .explicitlyCacheable,
            .notCacheable, .neverUsable:
            "RFC 9111, 3"
        }
    }

    /// The rule in a few words, in lower case.
    public var summary: String {
        switch self {
        case .methodNotCacheable: "only GET and HEAD are answered from the cache"
        case .requestHasContent: "a GET or HEAD with content is not cached"
        case .preconditionForOrigin: "only the origin can check the precondition"
        case .nothingStored: "nothing stored for this URL"
        case .otherAccount: "stored only for another account"
        case .variantMismatch: "stored for other request fields"
        case .variesOnEverything: "Vary: * matches no request"
        case .rangeNotStored: "the range is not in the cache"
        case .partCompleted: "only the rest of a stored part is requested"
        case .rangeStored: "the range is in the cache"
        case .fresh: "age is under the lifetime"
        case .stale: "age has reached the lifetime"
        case .unsafeRequestSince: "a later request may have changed it"
        case .responseNoCache: "response says no-cache"
        case .requestNoCache: "request says no-cache"
        case .pragmaNoCache: "request says Pragma: no-cache"
        case .requestMaxAge: "older than the request's max-age"
        case .minFresh: "not fresh long enough for the request's min-fresh"
        case .maxStale: "within the request's max-stale"
        case .mustRevalidate: "response says must-revalidate"
        case .immutable: "fresh and immutable"
        case .staleWhileRevalidate: "within stale-while-revalidate"
        case .staleIfError: "within stale-if-error"
        case .disconnected: "the origin cannot be reached"
        case .onlyIfCached: "request says only-if-cached"
        case .callerHasCurrent: "the caller has the current version"
        case .sourceAsks: "the data source asks the server"
        case .sourceTakesStale: "the data source accepts any stored response"
        case .methodNotStored: "responses to this method are not stored"
        case .postAnswersGet: "the response to the POST is the target's content"
        case .statusNotFinal: "an interim response"
        case .partialContent: "a partial response"
        case .incomplete: "the response is incomplete"
        case .notModifiedOnly: "a 304 has nothing to store"
        case .mustUnderstand: "must-understand, and the status is unknown"
        case .requestNoStore: "request says no-store"
        case .responseNoStore: "response says no-store"
        case .responsePrivate: "response says private, and this cache is shared"
        case .requestHasCredentials:
            "the request has credentials, and the response may not be shared"
        case .explicitlyCacheable: "the response says that it may be stored"
        case .heuristicallyCacheable: "the status is cacheable by default"
        case .notCacheable: "nothing says that it may be stored"
        case .neverUsable: "no lifetime and no validator"
        case .notModified: "not modified"
        case .notModifiedUnmatched: "not modified, but no stored response matches"
        case .headTooLarge: "the stored head would become too large"
        case .fullResponse: "a full response arrived"
        case .serverError: "the origin answered with an error"
        case .headUpdates: "HEAD confirms the stored response"
        case .headDiffers: "HEAD shows a different version"
        case .nothingChanged: "a safe method, or an error"
        case .unsafeMethod: "an unsafe method succeeded"
        }
    }
}
