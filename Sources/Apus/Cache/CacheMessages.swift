import Documents
package import FoundationEssentials

extension CacheMissReason {
    /// Why the cache had no response, in a few words.
    package var shortName: String {
        switch self {
        case .notFound: "miss"
        case .expired: "expired"
        case .corrupt: "damaged, removed"
        case .otherForm: "other serializer"
        case .policyNone: "not cached"
        case .notFirstUse: "already used once"
        case .mustAsk(let rule): rule.summary
        case .refused: "refused by a plugin"
        case .unavailable: "cache cannot be read"
        }
    }

    /// Why the cache had no response, as a sentence without a capital letter and a period.
    package var text: String {
        switch self {
        case .notFound: "nothing cached yet"
        case .expired(let date): "the cached response expired at \(date.formatted(.iso8601))"
        case .corrupt(let detail): "the cached response was damaged and has been removed: \(detail)"
        case .otherForm(nil): "the cached response was written without a serializer"
        case .otherForm(let name?): "the cached response was written by another serializer, \(name)"
        case .policyNone: "this target is not cached"
        case .notFirstUse: "the cache was already used once for this request"
        case .mustAsk(let rule): "\(rule.summary) (\(rule.section))"
        case .refused: "a plugin refused the cached response"
        case .unavailable(let detail): "the cache cannot be read: \(detail)"
        }
    }
}

extension CacheStoreOutcome {
    /// What happened to a response in the cache, in a few words.
    package func text(now: Date) -> String {
        switch self {
        case .notStored(let reason): return "not stored: \(reason.text)"
        case .stored(let storage, let expires):
            let place =
                switch storage {
                case .memory: "in memory"
                case .disk: "on disk"
                case .memoryAndDisk: "in memory and on disk"
                }
            guard let expires else { return "stored \(place) forever" }
            return "stored \(place)\(expires > now ? "" : ", already stale")"
        }
    }
}

extension NotStoredReason {
    /// Why a response was not stored, in a few words.
    package var text: String {
        switch self {
        case .policyNone: "this target is not cached"
        case .expired: "already expired"
        case .status(let status): "status \(status)"
        case .predicate: "the target's rule"
        case .rule: "the source's rule"
        case .tooLarge(let bytes, let limit):
            "\(Readable.bytes(bytes)), limit \(Readable.bytes(limit))"
        case .incomplete: "incomplete"
        case .notFromServer: "not from the server"
        case .downloaded: "saved to a file"
        case .unknownAccount: "credentials of an unknown account"
        case .http(let rule): rule.summary
        case .failed(let detail): detail
        case .credential: "a redirect with a credential"
        case .unknownWay: "an interceptor changed how it was sent"
        case .invalidated: "another request invalidated it in the meantime"
        case .outdated: "a newer response is stored"
        case .unreadable: "the expected value cannot be read from it"
        }
    }
}
