import Apus
import ArgumentParser
import Documents
import FoundationEssentials
import Secrets
import Terminal

/// `apus cache list`: lists the entries, most recently used first.
struct CacheListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the entries, most recently used first.",
        discussion: """
            Each line has the first digits of the key, the status, the size, the age, the \
            remaining lifetime, the number of hits, and the request.

            --json prints one object: version (1) and entries [{key, method, url, status, size, \
            storage, stored, expires, freshUntil, lastAccess, hits, path}, …]; times are ISO 8601, \
            expires is null for never.
            """
    )

    @Option(help: "List only entries for this URL, in which * stands for any text.")
    var url: String?

    @OptionGroup var folder: CacheFolderOptions
    @OptionGroup var sharing: SharedCacheOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() throws {
        if sharing.shared { return try listShared() }
        let (cache, url, isJSON) = (folder.cache, url, json)
        try CommandRun.untilEnd {
            try await cache.open()
            let entries =
                if let url { await cache.entries(matching: url) } else { await cache.entries() }
            await cache.close()
            let list = { JSON(entries.map { CacheEntryJSON.value(of: $0) }) }
            try StandardOutput.print(
                asJSON: isJSON,
                JSON(members: [("version", 1), ("entries", list())]),
                or: CacheEntryTable(entries, now: Date()).lines
            )
            return 0
        }
    }

    private func listShared() throws {
        let (cache, isJSON) = (try sharing.cache(), json)
        let pattern = url.map { CacheEntryPattern.url($0) }
        try CommandRun.untilEnd {
            let entries = try await cache.sharedEntries().map(\.entry)
                .filter { pattern?.matches($0) ?? true }
            let list = { JSON(entries.map { CacheEntryJSON.value(of: $0) }) }
            try StandardOutput.print(
                asJSON: isJSON,
                JSON(members: [("version", 1), ("entries", list())]),
                or: CacheEntryTable(entries, now: Date()).lines
            )
            return 0
        }
    }
}

/// Entries of the cache in lines with aligned columns.
struct CacheEntryTable {
    /// Enough digits to identify a key, except for variants of one URL.
    static let keyLength = 12

    private let rows: [[String]]
    private let requests: [String]

    init(_ entries: [CacheEntry], now: Date) {
        rows = zip(entries, Self.shortKeys(of: entries)).map { entry, key in
            [
                String(key), String(entry.status),
                Readable.bytes(entry.size), Self.age(of: entry, now), Self.rest(of: entry, now),
                entry.hits == 1 ? "1 hit" : "\(entry.hits) hits",
            ]
        }
        requests = entries.map { CredentialMask().masking(line: $0.request.description) }
    }

    /// A line for each entry.
    var lines: [String] { AlignedColumns.lines(rows, endingWith: requests) }

    /// The first digits of each key, as many as distinguish it from the others.
    private static func shortKeys(of entries: [CacheEntry]) -> [Substring] {
        let keys = entries.map(\.key.digest)
        var lengths: [String: Int] = [:]
        // In sorted order, each key has the longest common prefix with a neighbor.
        let sorted = keys.sorted()
        for (a, b) in zip(sorted, sorted.dropFirst()) {
            let length = 1 + zip(a.utf8, b.utf8).prefix { $0 == $1 }.count
            for key in [a, b] { lengths[key] = max(length, lengths[key] ?? 0) }
        }
        return keys.map { $0.prefix(max(keyLength, lengths[$0] ?? 0)) }
    }

    /// How old an entry is.
    static func age(of entry: CacheEntry, _ now: Date) -> String {
        "\(text(now.timeIntervalSince(entry.stored))) old"
    }

    /// How long an entry is still served or fresh, or for how long it has not been.
    static func rest(of entry: CacheEntry, _ now: Date) -> String {
        let end = entry.freshUntil ?? entry.expires
        guard let end else { return entry.freshUntil == nil ? "forever" : "" }
        let rest = end.timeIntervalSince(now)
        let isOver = entry.freshUntil == nil ? "expired" : "stale"
        let lasts = entry.freshUntil == nil ? "for" : "fresh for"
        return rest > 0 ? "\(lasts) \(text(rest))" : "\(isOver) for \(text(-rest))"
    }

    private static func text(_ seconds: Double) -> String {
        Readable.duration(.seconds(max(0, seconds)))
    }
}
