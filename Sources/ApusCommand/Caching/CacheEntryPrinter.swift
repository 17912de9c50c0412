import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Terminal

/// Prints an entry of the cache.
struct CacheEntryPrinter {
    /// What is printed.
    enum Form {
        case text, json
        /// The body alone; `force` if a terminal is to have it whatever it is.
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

    /// Prints an entry and, as far as it is still there, what it keeps.
    func print(_ entry: CacheEntry, _ response: Response?) throws {
        var output = StandardOutput(content)
        switch form {
        case .text:
            for line in Self.lines(of: entry, response) {
                try output.write(line + "\n")
            }
        case .json: return try OutputLine.print(Self.json(of: entry, response))
        case .body:
            switch response?.body {
            case .bytes(let bytes)?: try output.write(bytes)
            case .file(let file)?: try FileCopy.copy(file.path, to: &output)
            case nil: break
            }
        }
        try output.flush()
    }

    private static func lines(of entry: CacheEntry, _ response: Response?) -> [String] {
        let now = Date()
        var lines = [
            "\(entry.request)",
            "status   \(entry.status)",
            "body     \(Readable.bytes(entry.size))",
            "kept in  \(entry.storage.rawValue)",
            "stored   \(entry.stored.formatted(.iso8601)), \(CacheEntryTable.age(of: entry, now))",
            "served   \(CacheEntryTable.rest(of: entry, now))",
            "used     \(entry.hits) times, last \(entry.lastAccess.formatted(.iso8601))",
        ]
        if let path = entry.path { lines.append("file     \(path)") }
        lines.append("key      \(entry.key.digest)")
        lines += recipe(of: entry).map { "         \($0)" }
        guard let response else { return lines }
        lines.append("")
        return lines
            + CredentialMask().masking(response.head.headerFields).map {
                "\($0.name.rawName): \(FieldText.text(of: $0))"
            }
    }

    /// The lines that the key is made of, without the credentials of an HTTP cache's URLs.
    private static func recipe(of entry: CacheEntry) -> [String] {
        entry.key.recipe.split(separator: "\n").map { CredentialMask().masking(line: String($0)) }
    }

    private static func json(of entry: CacheEntry, _ response: Response?) throws -> AnswerObject {
        var members: AnswerJSON.Members = [("version", 1)]
        members += CacheEntryJSON.members(of: entry)
        members.append(("recipe", JSON(recipe(of: entry).map { JSON($0) })))
        guard var response else { return AnswerObject(members) }
        response.head.headerFields = CredentialMask().masking(response.head.headerFields)
        return try members + AnswerJSON.content(of: response)
    }
}
