import Apus
import ArgumentParser
import Documents
import Synchronization
import Terminal

/// `apus cache verify`: checks every entry for damage.
struct CacheVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check every entry and its body, and remove damaged ones.",
        discussion: """
            Each body is compared with the digest that was stored with it. An entry that is \
            damaged, or whose body is missing, is removed: the next request fetches it anew.

            --json prints one object: version (1), checked, damaged and notRemoved (entries; the \
            last are damaged and could not be removed), bytes (read), orphans (files without an \
            entry, removed), damagedKeys [key, …].

            Exit status: 0 nothing was damaged, 1 something was, 2 the cache cannot be read.
            """
    )

    @OptionGroup var folder: CacheFolderOptions

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() throws {
        let (cache, isJSON) = (folder.cache, json)
        try CommandRun.untilEnd {
            let progress = Mutex(ProgressLine())
            let found: CacheVerification
            do {
                found = try await cache.verify { now in
                    progress.withLock { $0.draw("\(Self.entries(now.checked)) checked") }
                }
            } catch is CancellationError {
                progress.withLock { $0.clear() }
                return ExitStatus.interrupted
            }
            progress.withLock { $0.clear() }
            await cache.close()
            try StandardOutput.print(
                asJSON: isJSON,
                Self.json(of: found),
                or: Self.lines(of: found)
            )
            return found.damaged > 0 ? ExitStatus.negative : 0
        }
    }

    private static func lines(of found: CacheVerification) -> [String] {
        let removed = found.damaged - found.notRemoved
        var results = found.damaged == 0 ? ["no damage"] : []
        if removed > 0 { results.append("\(removed) damaged and removed") }
        if found.notRemoved > 0 {
            results.append("\(found.notRemoved) damaged, could not be removed")
        }
        let result = results.joined(separator: ", ")
        var lines = ["\(entries(found.checked)) checked, \(Readable.bytes(found.bytes)): \(result)"]
        lines += found.damagedKeys.map { "damaged  \($0)" }
        if found.orphans > 0 {
            let files = found.orphans == 1 ? "1 file" : "\(found.orphans) files"
            lines.append("\(files) without an entry removed")
        }
        return lines
    }

    private static func entries(_ count: Int) -> String {
        count == 1 ? "1 entry" : "\(count) entries"
    }

    private static func json(of found: CacheVerification) -> JSON {
        JSON(members: [
            ("version", 1), ("checked", JSON(found.checked)), ("damaged", JSON(found.damaged)),
            ("notRemoved", JSON(found.notRemoved)),
            ("bytes", JSON(found.bytes)), ("orphans", JSON(found.orphans)),
            ("damagedKeys", JSON(found.damagedKeys.map { JSON($0) })),
        ])
    }
}
