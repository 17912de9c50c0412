import Apus
import ArgumentParser
import Documents
import FoundationEssentials
import HTTPTypes
import Secrets
import Terminal

/// `apus cache show KEY|URL`: shows one entry.
struct CacheShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show an entry: its key, lifetime, header fields and body.",
        discussion: """
            --json prints one object: version (1), the members of `apus cache list`, recipe [line, \
            …], headers [[name, value], …], body or bodyBase64.

            Exit status: 0 shown, 2 several entries match, or the entry is damaged, 24 no entry \
            matches.
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

    @Flag(help: "With --body: print control characters even to a terminal.")
    var force = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        if body && json { throw ValidationError("--body and --json cannot be combined.") }
        if force, !body { throw ValidationError("--force needs --body.") }
    }

    func run() throws {
        let (cache, name, body) = (folder.cache, name, body)
        let form: CacheEntryPrinter.Form = body ? .body(force: force) : json ? .json : .text
        try CommandRun.untilEnd {
            try await cache.open()
            let found = await CacheEntryPattern(name).entries(in: cache)
            guard let entry = found.first else { return Self.noEntry(name) }
            guard found.count == 1 else {
                let few = CacheEntryTable(Array(found.prefix(8)), now: Date()).lines
                let text =
                    ["\(found.count) entries match \(CredentialMask().masking(argument: name)):"]
                    + few
                throw CommandError(text.joined(separator: "\n"))
            }
            let response = await cache.storedResponse(of: entry)
            if response == nil, let status = try await Self.absence(of: entry, name, cache, body) {
                return status
            }
            await cache.close()
            return try await DamagedResponse.removing(entry.key, from: cache) {
                try CacheEntryPrinter(form: form).print(entry, response)
                return 0
            }
        }
    }

    /// Reports why the response of a listed entry cannot be read, and returns the exit status; nil if the entry
    /// can be shown without it.
    private static func absence(
        of entry: CacheEntry,
        _ name: String,
        _ cache: ResponseCache,
        _ wantsBody: Bool
    ) async throws -> Int32? {
        if await cache.statistics().damaged > 0 {
            throw CommandError(
                "the cached response for \(name) is damaged on disk: it has been removed from the "
                    + "cache, send the request again"
            )
        }
        guard await cache.entries().contains(where: { $0.key == entry.key }) else {
            return noEntry(name)
        }
        guard wantsBody else { return nil }
        throw CommandError(
            "the body for \(name) cannot be read: the program that stored it used its own "
                + "format"
        )
    }

    private static func noEntry(_ name: String) -> Int32 {
        let shown = CredentialMask().masking(argument: name)
        StandardError.write("apus: the cache has no entry for \(shown)")
        return ExitStatus.cacheMiss
    }
}

/// Prints an entry of the cache.
struct CacheEntryPrinter {
    enum Form {
        case text, json
        /// The body alone; `force` writes it to a terminal whatever it contains.
        case body(force: Bool)
    }

    let form: Form

    private var content: StandardOutput.Content {
        switch form {
        case .text: .text
        case .json: .json
        case .body(let force): .bytes(force: force)
        }
    }

    /// Prints an entry, and its response if there is one.
    func print(_ entry: CacheEntry, _ response: Response?) throws {
        var output = StandardOutput(content)
        switch form {
        case .text:
            for line in Self.lines(of: entry, response) {
                try output.write(line + "\n")
            }
        case .json: return try OutputLine.print(Self.json(of: entry, response))
        case .body:
            if let response { try FileCopy.copy(response.body, to: &output) }
        }
        try output.flush()
    }

    private static func lines(of entry: CacheEntry, _ response: Response?) -> [String] {
        let now = Date()
        let times = entry.hits == 1 ? "once" : "\(entry.hits) times"
        var lines = [
            "\(entry.request)",
            "status   \(entry.status)",
            "body     \(Readable.bytes(entry.size))",
            "storage  \(entry.storage.rawValue)",
            "stored   \(entry.stored.formatted(.iso8601)), \(CacheEntryTable.age(of: entry, now))",
            "lifetime \(CacheEntryTable.rest(of: entry, now))",
            "used     \(times), last \(entry.lastAccess.formatted(.iso8601))",
        ]
        if let path = entry.path { lines.append("file     \(path)") }
        lines.append("key      \(entry.key.digest)")
        lines += recipe(of: entry).map { "         \($0)" }
        guard let response else { return lines }
        lines.append("")
        return lines
            + CredentialMask().masking(response.head.headerFields).map {
                "\($0.name.rawName): \($0.text)"
            }
    }

    /// The lines from which the key is made, with credentials masked.
    private static func recipe(of entry: CacheEntry) -> [String] {
        entry.key.recipe.split(separator: "\n").map { CredentialMask().masking(line: String($0)) }
    }

    private static func json(of entry: CacheEntry, _ response: Response?) throws -> ResponseObject {
        var members: ResponseJSON.Members = [("version", 1)]
        members += CacheEntryJSON.members(of: entry)
        members.append(("recipe", JSON(recipe(of: entry).map { JSON($0) })))
        guard var response else { return ResponseObject(members) }
        response.head.headerFields = CredentialMask().masking(response.head.headerFields)
        return try members + ResponseJSON.content(of: response)
    }
}

/// An entry of the cache as a JSON object, version 1.
enum CacheEntryJSON {
    static func value(of entry: CacheEntry) -> JSON {
        JSON(members: members(of: entry))
    }

    static func members(of entry: CacheEntry) -> ResponseJSON.Members {
        [
            ("key", JSON(entry.key.digest)),
            ("method", JSON(entry.request.method)),
            ("url", JSON(CredentialMask().masking(url: entry.request.url))),
            ("status", JSON(entry.status)),
            ("size", JSON(entry.size)),
            ("storage", JSON(entry.storage.rawValue)),
            ("stored", time(entry.stored)),
            ("expires", time(entry.expires)),
            ("freshUntil", time(entry.freshUntil)),
            ("lastAccess", time(entry.lastAccess)),
            ("hits", JSON(entry.hits)),
            ("path", entry.path.map { JSON($0) } ?? .null),
        ]
    }

    private static func time(_ date: Date?) -> JSON {
        date.map { JSON($0.formatted(.iso8601)) } ?? .null
    }
}
