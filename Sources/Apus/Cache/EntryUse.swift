import FoundationEssentials

/// Uses of an entry that its row on disk does not know of yet.
struct EntryUse: Sendable, Hashable {
    /// How many.
    var hits = 0
    /// The last of them.
    var lastAccess: Date
    /// The end that they gave the entry; nil if they left it.
    var expires: Date?

    /// Takes in later uses.
    mutating func merge(_ later: EntryUse) {
        hits += later.hits
        lastAccess = max(lastAccess, later.lastAccess)
        expires = later.expires ?? expires
    }
}
