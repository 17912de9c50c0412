import Apus
import FoundationEssentials
import Terminal

extension ErrorMessages {
    /// Why the cache had nothing, in a few words.
    static func phrase(for reason: CacheMissReason, now: Date) -> String {
        switch reason {
        case .notFound: "not cached yet"
        case .expired(let since):
            "expired \(Readable.duration(.seconds(max(0, now.timeIntervalSince(since))))) ago"
        case .corrupt: "was damaged, removed"
        case .otherForm: "cached in another form"
        case .policyNone: "never cached"
        case .notFirstUse: "already used once"
        case .mustAsk(let rule): rule.summary
        case .refused: "refused by a plugin"
        case .unavailable: "cache cannot be read"
        }
    }

    /// Why the cache had nothing, as a sentence.
    static func sentence(for reason: CacheMissReason) -> String {
        switch reason {
        case .notFound: "Nothing cached yet."
        case .expired: "The cached answer's time is over."
        case .corrupt(let detail): "The cached answer was damaged and has been removed: \(detail)"
        case .otherForm(nil): "What is cached was written without a serializer."
        case .otherForm(let name?): "What is cached was written by another serializer, \(name)."
        case .policyNone: "This target keeps nothing in the cache."
        case .notFirstUse: "The cache was already used once for this target."
        case .mustAsk(let rule):
            "What is cached may not be shown without asking: \(rule.summary) (\(rule.section))."
        case .refused: "A plugin did not let the cached answer pass."
        case .unavailable(let detail): "The cache cannot be read: \(detail)"
        }
    }

    /// What to do about it.
    static func advice(for reason: CacheMissReason) -> String {
        switch reason {
        case .notFound, .expired, .mustAsk, .refused:
            "Enter sends; s chooses where answers come from."
        case .corrupt, .otherForm: "Enter fetches it anew."
        case .policyNone: "Its cache policy in the workspace can change that."
        case .notFirstUse: "From the second time on the server is asked; s chooses otherwise."
        case .unavailable: "Answers come from the server as long as it is so."
        }
    }

    /// What became of an answer in the cache, in a few words.
    static func phrase(for outcome: CacheStoreOutcome, now: Date) -> String {
        switch outcome {
        case .stored(let storage, let expires):
            "stored \(place(storage))\(lifetime(until: expires, now: now))"
        case .notStored(let reason): "not stored: \(phrase(for: reason))"
        }
    }

    /// Why an answer was not stored, in a few words.
    static func phrase(for reason: NotStoredReason) -> String {
        switch reason {
        case .policyNone: "target keeps nothing"
        case .expired: "time over at once"
        case .status(let status): "status \(status)"
        case .predicate: "the target's rule"
        case .rule: "the source's rule"
        case .tooLarge(let bytes, let limit):
            "\(Readable.bytes(bytes)), limit \(Readable.bytes(limit))"
        case .incomplete: "incomplete"
        case .notFromServer: "not from the server"
        case .downloaded: "saved to a file"
        case .unknownAccount: "an interceptor's credentials"
        case .http(let rule): rule.summary
        case .failed(let detail): detail
        case .credential: "sends on with a credential"
        }
    }

    private static func place(_ storage: CachePolicy.Storage) -> String {
        switch storage {
        case .memory: "in memory"
        case .disk: "on disk"
        case .memoryAndDisk: "in memory, on disk"
        }
    }

    private static func lifetime(until expires: Date?, now: Date) -> String {
        guard let expires else { return " for ever" }
        let seconds = expires.timeIntervalSince(now)
        guard seconds > 0 else { return ", now stale" }
        return ""
    }
}
