import Apus
import ArgumentParser
import FoundationEssentials
import Terminal

/// `apus cache show KEY|URL`: one entry.
struct CacheShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an entry: its key's recipe, its life, its header fields, its body.",
        discussion: """
            --json prints one object: version (1), the members of `apus cache list`, recipe [line, \
            …], headers [[name, value], …], body or bodyBase64.

            Exit status: 0 shown, 2 more than one entry fits, 24 none does.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A key or its first digits (4 at least), or a URL in which * stands for any text.",
            valueName: "key-or-url"
        )
    )
    var name: String

    @OptionGroup var folder: CacheFolderOptions

    @Flag(help: "Print the body alone, byte for byte.")
    var body = false

    @Flag(help: "With --body: print on a terminal also what it obeys or does not show.")
    var force = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        if body && json { throw ValidationError("--body and --json exclude each other.") }
        if force, !body { throw ValidationError("--force goes with --body.") }
    }

    func run() throws {
        let (cache, name) = (folder.cache, name)
        let form: CacheEntryPrinter.Form = body ? .body(force: force) : json ? .json : .text
        try CommandRun.untilEnd {
            try await cache.open()
            let found = await EntryName(name).entries(in: cache)
            guard let entry = found.first else {
                StandardError.write("apus: the cache has no entry of \(name)")
                return ExitStatus.cacheMiss
            }
            guard found.count == 1 else {
                let few = CacheEntryTable(Array(found.prefix(8)), now: Date()).lines
                let text = ["\(found.count) entries fit \(name):"] + few
                throw CommandFailure(text.joined(separator: "\n"))
            }
            let response = await cache.storedResponse(of: entry)
            await cache.close()
            try CacheEntryPrinter(form: form).print(entry, response)
            return 0
        }
    }
}
