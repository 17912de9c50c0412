import Apus
import ArgumentParser
import Documents
import Glibc

/// `apus cache clear`: removes entries.
struct CacheClearCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove entries: all, the expired ones, by key or by URL.",
        discussion: """
            Prints how many entries were removed; with --json {"version": 1, "removed": n}.

            Examples:
              apus cache clear --expired
              apus cache clear 'https://example.com/users/*'
              apus cache clear 1b2c3d4e5f6a
              apus cache clear --all --shared

            Exit status: 0 done, even if there was nothing to remove, 2 something could not be \
            removed.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A URL in which * stands for any text, or a key or its first digits (4 at least).",
            valueName: "pattern-or-key"
        )
    )
    var pattern: String?

    @Flag(help: "Remove everything.")
    var all = false

    @Flag(help: "Remove expired entries.")
    var expired = false

    @OptionGroup var folder: CacheFolderOptions
    @OptionGroup var sharing: SharedCacheOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        guard [all, expired, pattern != nil].filter(\.self).count == 1 else {
            throw ValidationError("Say what to remove: --all, --expired, a URL or a key.")
        }
        if sharing.shared, expired {
            throw ValidationError(
                "The server of a shared cache removes expired entries itself; leave out --expired."
            )
        }
    }

    func run() throws {
        if sharing.shared { return try clearShared() }
        let (cache, selection, isJSON) = (folder.cache, selection, json)
        try CommandRun.untilEnd {
            do throws(ApusError) {
                try await cache.open()
            } catch {
                // SQLite needs disk space to open the cache, but everything can be removed without it.
                guard case (.all, .file(_, ENOSPC)) = (selection, error.reason) else { throw error }
            }
            let count = try await selection.clear(cache)
            await cache.close()
            return try Self.report(count, asJSON: isJSON)
        }
    }

    private func clearShared() throws {
        let (cache, pattern, isJSON) = (try sharing.cache(), pattern, json)
        try CommandRun.untilEnd {
            var isUnwanted: (@Sendable (CacheEntry) -> Bool)?
            if let pattern {
                let named = CacheEntryPattern(pattern)
                isUnwanted = { named.matches($0) }
            }
            let count = try await cache.removeShared(where: isUnwanted)
            return try Self.report(count, asJSON: isJSON)
        }
    }

    private static func report(_ count: Int, asJSON isJSON: Bool) throws -> Int32 {
        let json = JSON(members: [("version", 1), ("removed", JSON(count))])
        let text = count == 1 ? "1 entry removed" : "\(count) entries removed"
        try StandardOutput.print(asJSON: isJSON, json, or: [text])
        return 0
    }

    private var selection: CacheSelection {
        if all { return .all }
        return pattern.map { .named(CacheEntryPattern($0)) } ?? .expired
    }
}
