import Apus
import ArgumentParser
import Documents
import FoundationEssentials

/// `apus cache list`: all entries, last used first.
struct CacheListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the entries, last used first; all, or those of a URL.",
        discussion: """
            A line has the first digits of the key, the status, the size, the age, how long it is \
            served, how often it was, and the request.

            --json prints one object: version (1) and entries [{key, method, url, status, size, \
            storage, stored, expires, freshUntil, lastAccess, hits, path}, …]; times are ISO 8601, \
            expires is null for never.
            """
    )

    @Option(help: "List those of a URL only, in which * stands for any text.")
    var url: String?

    @OptionGroup var folder: CacheFolderOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() throws {
        let (cache, url, isJSON) = (folder.cache, url, json)
        try CommandRun.untilEnd {
            try await cache.open()
            let entries =
                if let url { await cache.entries(matching: url) } else { await cache.entries() }
            await cache.close()
            var output = StandardOutput(isJSON ? .json : .text)
            if isJSON {
                let list = JSON(entries.map { CacheEntryJSON.value(of: $0) })
                try output.write(
                    JSON(members: [("version", 1), ("entries", list)]).bytes() + [0x0A]
                )
            } else {
                for line in CacheEntryTable(entries, now: Date()).lines {
                    try output.write(line + "\n")
                }
            }
            try output.flush()
            return 0
        }
    }
}
