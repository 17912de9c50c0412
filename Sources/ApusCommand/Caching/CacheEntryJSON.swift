import Apus
import Documents
import FoundationEssentials

/// An entry of the cache as a JSON object, version 1.
enum CacheEntryJSON {
    static func value(of entry: CacheEntry) -> JSON {
        JSON(members: members(of: entry))
    }

    static func members(of entry: CacheEntry) -> AnswerJSON.Members {
        [
            ("key", JSON(entry.key.digest)),
            ("method", JSON(entry.request.method)),
            ("url", JSON(CredentialMask().masking(url: entry.request.url))),
            ("status", JSON(entry.status)),
            ("size", JSON(entry.size)),
            ("storage", JSON(entry.storage.rawValue)),
            ("stored", time(entry.stored)),
            ("expires", time(entry.expires)),
            ("freshUntil", time(entry.freshUntil)),
            ("lastAccess", time(entry.lastAccess)),
            ("hits", JSON(entry.hits)),
            ("path", entry.path.map { JSON($0) } ?? .null),
        ]
    }

    private static func time(_ date: Date?) -> JSON {
        date.map { JSON($0.formatted(.iso8601)) } ?? .null
    }
}
