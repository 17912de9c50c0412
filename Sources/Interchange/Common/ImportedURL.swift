import Documents
import Workspaces

/// A URL of another program, in which variables may stand anywhere, as the URL of a request line.
struct ImportedURL {
    /// What stands before `?` and `#`.
    let base: String
    /// The parameters as they stand, without `?`; nil if there is none.
    let query: String?
    /// What stands after `#`, which is not sent; nil if there is nothing.
    let fragment: String?

    init(_ text: String) {
        let text = text.trimmingBlanks
        var end = text.endIndex
        var start: String.Index?
        var depth = 0
        var index = text.startIndex
        // A `?` or `#` within `{{ … }}` is none of the URL's.
        while index < text.endIndex {
            let character = text[index]
            if character == "{" { depth += 1 }
            if character == "}" { depth = max(0, depth - 1) }
            if depth < 2 {
                if character == "?", start == nil { start = index }
                if character == "#" {
                    end = index
                    break
                }
            }
            index = text.index(after: index)
        }
        base = String(text[..<(start ?? end)])
        query = start.map { String(text[text.index(after: $0)..<end]) }
        let rest = text[end...].dropFirst()
        fragment = rest.isEmpty ? nil : String(rest)
    }

    /// The parameters, which may have no `=`.
    var pairs: [(name: String, value: String?)] {
        (query ?? "").split(separator: "&").map { part in
            guard let equals = part.firstIndex(of: "=") else { return (String(part), nil) }
            return (String(part[..<equals]), String(part[part.index(after: equals)...]))
        }
    }

    /// Whether parameters can stand under `query` and are sent as they were: `query` escapes its values.
    static func isPlain(_ pairs: [(name: String, value: String?)]) -> Bool {
        var last = ""
        var names: Set<String> = []
        for (name, value) in pairs {
            guard let value, !name.isEmpty,
                !(name + value).contains(where: { "%+#\n".contains($0) }),
                !name.contains("{{"), name != "<<"
            else { return false }
            if name != last, !names.insert(name).inserted { return false }
            last = name
        }
        return true
    }

    /// Parameters as the text after `?`.
    static func text(_ pairs: [(name: String, value: String?)]) -> String {
        pairs.map { pair in pair.value.map { "\(pair.name)=\($0)" } ?? pair.name }
            .joined(separator: "&")
    }
}

extension ImportedTarget {
    /// Sets parameters, under `query` where they can be said so; otherwise they are what is to follow the URL.
    mutating func setQuery(
        _ pairs: [(name: String, value: String?)],
        _ template: (String) -> String
    ) -> String {
        guard !pairs.isEmpty else { return "" }
        guard ImportedURL.isPlain(pairs) else { return "?" + template(ImportedURL.text(pairs)) }
        var members: [Value.Member] = []
        for (name, value) in pairs { members.append(.string(template(value ?? "")), for: name) }
        self["query"] = .object(members)
        return ""
    }
}
