import Apus
import FoundationEssentials
import Terminal

/// Entries of the cache in lines with aligned columns.
struct CacheEntryTable {
    /// So many digits of a key tell it from others.
    static let keyLength = 12

    private let rows: [[String]]
    private let requests: [String]

    init(_ entries: [CacheEntry], now: Date) {
        rows = entries.map { entry in
            [
                String(entry.key.digest.prefix(Self.keyLength)), String(entry.status),
                Readable.bytes(entry.size), Self.age(of: entry, now), Self.rest(of: entry, now),
                entry.hits == 1 ? "1 hit" : "\(entry.hits) hits",
            ]
        }
        requests = entries.map(\.request.description)
    }

    /// A line for each entry.
    var lines: [String] {
        let widths = (0..<(rows.first?.count ?? 0)).map { column in
            rows.map { $0[column].count }.max() ?? 0
        }
        return zip(rows, requests).map { row, request in
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            return (cells + [request]).joined(separator: "  ")
        }
    }

    /// How old an entry is.
    static func age(of entry: CacheEntry, _ now: Date) -> String {
        "\(text(now.timeIntervalSince(entry.stored))) old"
    }

    /// For how long it is served, or why not.
    static func rest(of entry: CacheEntry, _ now: Date) -> String {
        let end = entry.freshUntil ?? entry.expires
        guard let end else { return entry.freshUntil == nil ? "for ever" : "" }
        let rest = end.timeIntervalSince(now)
        let isOver = entry.freshUntil == nil ? "expired" : "stale"
        let lasts = entry.freshUntil == nil ? "for" : "fresh for"
        return rest > 0 ? "\(lasts) \(text(rest))" : "\(isOver) for \(text(-rest))"
    }

    private static func text(_ seconds: Double) -> String {
        Readable.duration(.seconds(max(0, seconds)))
    }
}
