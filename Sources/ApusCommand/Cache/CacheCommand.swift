import Apus
import ArgumentParser
import HTTPTypes
import Terminal

/// `apus cache`: shows and removes cached responses.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "List, show, explain, clear and verify cached responses.",
        discussion: """
            These commands use the explorer's cache, $XDG_CACHE_HOME/apus or ~/.cache/apus, unless \
            --cache-folder names another. With --shared, list and clear are about the cache that a team \
            shares.
            """,
        subcommands: [
            CacheListCommand.self, CacheShowCommand.self, CacheExplainCommand.self,
            CacheClearCommand.self, CacheVerifyCommand.self,
        ],
        defaultSubcommand: CacheListCommand.self
    )
}

/// The cache to use.
struct CacheFolderOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The cache's folder. Default: the explorer's.", valueName: "folder"),
        completion: .directory
    )
    var cacheFolder: String?

    /// The cache, not yet opened.
    var cache: ResponseCache {
        .forCommand(.named(folder: cacheFolder))
    }
}

extension ResponseCache.Configuration {
    /// The explorer's cache, or one in a folder that the user names.
    static func named(folder: String?) -> ResponseCache.Configuration {
        var configuration = ResponseCache.Configuration(directory: folder)
        configuration.isForeign = folder != nil
        return configuration
    }
}

extension ResponseCache {
    /// The cache of a command, which reports on standard error if it cannot be used, or if its old content
    /// cannot be read.
    static func forCommand(_ configuration: Configuration = Configuration()) -> ResponseCache {
        ResponseCache(
            configuration: configuration,
            notice: { notice in
                switch notice {
                case .held, .setAside, .shared: StandardError.write("apus: \(notice)")
                // A notice for each response would bury the responses.
                case .writeFailed, .readFailed, .cleaned, .removedCorrupt: break
                }
            }
        )
    }
}

/// How the user names entries of the cache.
enum CacheEntryPattern: Sendable {
    /// The first digits of a key.
    case key(String)
    /// A URL, or a shell pattern for URLs.
    case url(String)

    /// Takes four or more hexadecimal digits for the beginning of a key, and any other text for a URL.
    init(_ text: String) {
        // The keys of HTTP caching have a second number after a hyphen, the variant's.
        let isKey =
            text.count >= 4 && text.allSatisfy { $0.isASCII && $0.isHexDigit || $0 == "-" }
        self = isKey ? .key(text.lowercased()) : .url(text)
    }

    /// Whether it names this entry.
    func matches(_ entry: CacheEntry) -> Bool {
        switch self {
        case .key(let start): entry.key.digest.hasPrefix(start)
        case .url(let pattern): entry.fits(pattern)
        }
    }

    /// The matching entries, last used first.
    func entries(in cache: ResponseCache) async -> [CacheEntry] {
        switch self {
        case .key(let start): await cache.entries().filter { $0.key.digest.hasPrefix(start) }
        case .url(let pattern): await cache.entries(matching: pattern)
        }
    }
}

/// Entries to remove.
enum CacheSelection: Sendable {
    case all
    case expired
    case named(CacheEntryPattern)

    /// Removes the entries; returns how many there were.
    ///
    /// - Throws: `ApusError` with the reason `.file` if not all could be removed.
    func clear(_ cache: ResponseCache) async throws(ApusError) -> Int {
        switch self {
        case .all: return try await cache.tryRemoveAll()
        case .expired: return try await cache.tryRemoveExpired()
        case .named(let name):
            var count = 0
            for entry in await name.entries(in: cache) {
                count += try await cache.tryRemove(entry.key) ? 1 : 0
            }
            return count
        }
    }
}

extension ResponseCache {
    /// An entry's response, without counting this as a use; nil if it cannot be read any more.
    func storedResponse(of entry: CacheEntry) async -> Response? {
        let request = PreparedRequest(
            head: HTTPRequest(
                method: HTTPRequest.Method(entry.request.method) ?? .get,
                scheme: nil,
                authority: nil,
                path: entry.request.url
            )
        )
        return await peek(entry.key, for: request)
    }
}
