import FoundationEssentials
import HTTPTypes

/// One of the answers that are kept for a URL.
struct CachedVariant: Sendable {
    /// Where it was found.
    enum Place: Sendable {
        case memory
        case disk
    }

    var entry: StoredResponse
    let place: Place
    /// How many bytes the body has in its file on disk; nil if the entry has it.
    let fileCount: Int?
    /// What the rules look at.
    var head: StoredHead

    /// Nil if the entry is not one of an HTTP cache.
    init?(_ entry: StoredResponse, in place: Place, fileCount: Int? = nil) {
        guard let head = entry.storedHead else { return nil }
        self.entry = entry
        self.place = place
        self.fileCount = fileCount
        self.head = head
    }
}
