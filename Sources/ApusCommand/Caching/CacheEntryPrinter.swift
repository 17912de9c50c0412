import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Terminal

/// Prints an entry of the cache.
struct CacheEntryPrinter {
    /// What is printed.
    enum Form {
        case text, json, body
    }

    let form: Form

    /// Prints an entry and, as far as it is still there, what it keeps.
    func print(_ entry: CacheEntry, _ response: Response?) throws {
        var output = StandardOutput()
        switch form {
        case .text:
            for line in Self.lines(of: entry, response) {
                try output.write(Sanitizer.clean(line) + "\n")
            }
        case .json: try output.write(try Self.json(of: entry, response).bytes() + [0x0A])
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
        lines += entry.key.recipe.split(separator: "\n").map { "         \($0)" }
        guard let response else { return lines }
        lines.append("")
        return lines
            + response.head.headerFields.map { "\($0.name.rawName): \(FieldText.text(of: $0))" }
    }

    private static func json(of entry: CacheEntry, _ response: Response?) throws -> JSON {
        var members: AnswerJSON.Members = [("version", 1)]
        members += CacheEntryJSON.members(of: entry)
        let recipe = entry.key.recipe.split(separator: "\n").map { JSON(String($0)) }
        members.append(("recipe", JSON(recipe)))
        if let response {
            let wanted: Set = ["headers", "body", "bodyBase64"]
            members += try AnswerJSON.members(of: response).filter { wanted.contains($0.key) }
        }
        return JSON(members: members)
    }
}
