import Apus
import ArgumentParser
import Documents
import Synchronization
import Terminal

/// `apus cache verify`: whether what is kept is what was written.
struct CacheVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read every entry with its body, and remove what is damaged.",
        discussion: """
            Every body is compared with the digest that it was written with. An entry that is \
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
                    progress.withLock { $0.draw("\(now.checked) entries checked") }
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
        let entries = found.checked == 1 ? "1 entry" : "\(found.checked) entries"
        let removed = found.damaged - found.notRemoved
        var results = found.damaged == 0 ? ["no damage"] : []
        if removed > 0 { results.append("\(removed) damaged and removed") }
        if found.notRemoved > 0 {
            results.append("\(found.notRemoved) damaged, could not be removed")
        }
        let result = results.joined(separator: ", ")
        var lines = ["\(entries) checked, \(Readable.bytes(found.bytes)): \(result)"]
        lines += found.damagedKeys.map { "damaged  \($0)" }
        if found.orphans > 0 { lines.append("\(found.orphans) files without an entry removed") }
        return lines
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
