import Apus
import ArgumentParser
import HTTPTypes
import Terminal

/// `apus cache`: what is kept, and why.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "List, show, explain, clear and verify cached answers.",
        discussion: """
            It is the explorer's cache, $XDG_CACHE_HOME/apus or ~/.cache/apus, unless \
            --cache-folder names another one.
            """,
        subcommands: [
            CacheListCommand.self, CacheShowCommand.self, CacheExplainCommand.self,
            CacheClearCommand.self, CacheVerifyCommand.self,
        ],
        defaultSubcommand: CacheListCommand.self
    )
}

/// Which cache.
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
    /// The cache of a command; it says on standard error if it has to be done without, or if what
    /// was in it cannot be read.
    static func forCommand(_ configuration: Configuration = Configuration()) -> ResponseCache {
        ResponseCache(
            configuration: configuration,
            notice: { notice in
                switch notice {
                case .held, .setAside: StandardError.write("apus: \(notice)")
                // One for each answer would bury the answers.
                case .writeFailed, .readFailed, .cleaned, .removedCorrupt: break
                }
            }
        )
    }
}

/// What a person calls entries of the cache by.
enum CacheEntryPattern: Sendable {
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

/// Entries to remove.
enum CacheSelection: Sendable {
    case all
    case expired
    case named(CacheEntryPattern)

    /// Removes them; how many there were.
    ///
    /// - Throws: `ApusError` with the reason `.file` if not all could be.
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
    /// The answer that an entry keeps, without counting as a use; nil if it has gone meanwhile.
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
