import Apus
import ArgumentParser

/// `apus cache show KEY`: one entry.
struct CacheShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an entry: its key's recipe, its life, its header fields, its body.",
        discussion: """
            --json prints one object: version (1), the members of `apus cache list`, recipe [line, \
            …], headers [[name, value], …], body or bodyBase64.

            Exit status: 0 shown, 2 the key is not clear, 24 there is no such entry.
            """
    )

    @Argument(help: "A key, or its first digits (4 at least).")
    var key: String

    @OptionGroup var folder: CacheFolderOptions

    @Flag(help: "Print the body alone, byte for byte.")
    var body = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        if key.count < 4 { throw ValidationError("A key has 4 digits at least.") }
        if body && json { throw ValidationError("--body and --json exclude each other.") }
    }

    func run() throws {
        let (cache, key) = (folder.cache, key)
        let form: CacheEntryPrinter.Form = body ? .body : json ? .json : .text
        try CommandRun.untilEnd {
            let found = await cache.entries().filter { $0.key.digest.hasPrefix(key.lowercased()) }
            guard let entry = found.first else {
                StandardError.write("apus: no entry has a key that begins with \(key)")
                return ExitStatus.cacheMiss
            }
            guard found.count == 1 else {
                throw CommandFailure("\(found.count) entries have keys that begin with \(key)")
            }
            let response = await cache.storedResponse(of: entry)
            await cache.close()
            try CacheEntryPrinter(form: form).print(entry, response)
            return 0
        }
    }
}
