import ArgumentParser

/// `apus cache`: what is kept, and why.
struct CacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "List, show, explain, clear and verify what the cache keeps.",
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
