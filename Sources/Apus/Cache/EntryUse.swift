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

extension EntryUse {
    /// A number of hits that a column has; more than a count can be is none.
    static func hits(_ number: Int64) -> Int { 0 <= number && number < 1 << 53 ? Int(number) : 0 }

    /// A date that a column has, as near as dates come: others cannot be written or subtracted.
    static func date(_ seconds: Double) -> Date {
        min(max(Date(timeIntervalSinceReferenceDate: seconds), .distantPast), .distantFuture)
    }
}
