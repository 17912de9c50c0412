import Apus

/// What a person calls entries of the cache by.
enum EntryName: Sendable {
    /// The first digits of a key.
    case key(String)
    /// A URL, or a pattern of the shell's for URLs.
    case url(String)

    /// Tells a key, or its first digits, four at least, from a URL.
    init(_ text: String) {
        // What HTTP lets a cache keep has a second number, behind a hyphen: the variant's.
        let isKey =
            text.count >= 4 && text.allSatisfy { $0.isASCII && $0.isHexDigit || $0 == "-" }
        self = isKey ? .key(text.lowercased()) : .url(text)
    }

    /// The entries of that name, last used first.
    func entries(in cache: ResponseCache) async -> [CacheEntry] {
        switch self {
        case .key(let start): await cache.entries().filter { $0.key.digest.hasPrefix(start) }
        case .url(let pattern): await cache.entries(matching: pattern)
        }
    }
}
