import Documents
import Workspaces

/// The variables of a collection and the files beside it, and the texts that use them.
final class PostmanVariables {
    var names = ImportNames()
    /// The values that are known of each variable, by the name in the file.
    private var values: [String: [String]] = [:]
    /// The dynamic variables without a counterpart.
    private(set) var unknown: [String] = []
    /// The variables at the beginning of URLs that need a value.
    private(set) var origins: Set<String> = []

    /// The variables of the URLs of OAuth 2 that have no value.
    private(set) var unset: [String] = []

    /// Notes a value that a variable has somewhere.
    func addValue(_ value: String, of name: String) { values[name, default: []].append(value) }

    /// Whether a variable has a value somewhere.
    func isKnown(_ name: String) -> Bool { values[name] != nil }

    /// A text as a template.
    func template(_ text: String) -> String {
        names.template(text) { names, name in self.expression(name, &names) }
    }

    private func expression(
        _ name: String,
        _ names: inout ImportNames,
        isRaw: Bool = false
    ) -> String? {
        guard !name.isEmpty, name.utf8.count <= 120,
            !name.contains(where: { "{}\"\n\r,;<>".contains($0) })
        else { return nil }
        if name.first == "$" {
            if let function = Self.functions[name] { return "{{ \(function) }}" }
            if !unknown.contains(name) { unknown.append(name) }
            return names.reference(to: String(name.dropFirst()))
        }
        return isRaw ? "{{ \(names.use(name)) | raw }}" : names.reference(to: name)
    }

    private static let functions = [
        "$guid": "uuid", "$randomUUID": "uuid", "$timestamp": "now('unix')",
        "$isoTimestamp": "now", "$randomInt": "random(0, 1000)",
        "$timestampMilliseconds": "now('unixms')",
    ]

    /// What stands before the parameters of a URL, as a template of a whole URL.
    ///
    /// A value is escaped in a path, which Postman does not do: one that has a slash is said to be raw.
    func urlTemplate(_ text: String) -> String {
        var text = text
        let lowered = text.lowercased()
        if lowered.hasPrefix("ws://") || lowered.hasPrefix("wss://") {
            text = "http" + text.dropFirst(2)
        }
        if text.hasPrefix("//") { text = "http:" + text }
        if text.isEmpty || text.hasPrefix("/") || text.hasPrefix("?") {
            origins.insert("baseURL")
            return names.reference(to: "baseURL") + pathTemplate(text)
        }
        if text.hasPrefix("{{"), let end = text.firstRange(of: "}}") {
            let name = String(text[..<end.lowerBound].dropFirst(2)).trimmingBlanks
            let rest = String(text[end.upperBound...])
            if !rest.hasPrefix("://") {
                origins.insert(name)
                let known = values[name]?.filter { !$0.isEmpty } ?? []
                if !known.isEmpty, known.allSatisfy({ !isWhole($0) }) {
                    return "http://" + pathTemplate(text)
                }
            }
            return pathTemplate(text)
        }
        return text.contains("://") ? pathTemplate(text) : "http://" + pathTemplate(text)
    }

    /// The template of a URL that must be known before anything is sent: a variable at its beginning that has no value
    /// anywhere is listed in `unset`.
    func knownURLTemplate(_ text: String) -> String {
        if text.hasPrefix("{{"), let end = text.firstRange(of: "}}") {
            let name = String(text[..<end.lowerBound].dropFirst(2)).trimmingBlanks
            let hasValue = values[name]?.contains { !$0.isEmpty } == true
            if !hasValue, !unset.contains(name) { unset.append(name) }
        }
        return template(text)
    }

    private func pathTemplate(_ text: String) -> String {
        var isFirst = text.hasPrefix("{{")
        return names.template(text) { names, name in
            defer { isFirst = false }
            let isRaw =
                !isFirst
                && self.values[name]?.contains(where: {
                    $0.contains(where: { "/?&=%".contains($0) })
                })
                    == true
            return self.expression(name, &names, isRaw: isRaw)
        }
    }

    /// Whether a value begins with a scheme; another variable at its beginning may have one.
    private func isWhole(_ value: String, depth: Int = 0) -> Bool {
        let value = value.trimmingBlanks
        guard value.hasPrefix("{{"), depth < 5, let end = value.firstRange(of: "}}") else {
            return value.lowercased().hasPrefix("http://")
                || value.lowercased().hasPrefix("https://")
        }
        if value[end.upperBound...].hasPrefix("://") { return true }
        let name = String(value[..<end.lowerBound].dropFirst(2)).trimmingBlanks
        return values[name]?.contains { isWhole($0, depth: depth + 1) } ?? true
    }
}
