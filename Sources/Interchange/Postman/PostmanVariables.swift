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

    /// What names mean in the part of the file that is read: a folder may have a value of its own for one.
    var aliases: [String: String] = [:]
    /// Values that stand for those of dynamic variables, by the names in the file.
    private(set) var fixed: [(name: String, value: String)] = []
    /// What stands for the names that a reader has made up.
    private var expressions: [String: Expression] = [:]

    /// Makes a template when a text is read; it is given what it needs, so that nothing holds what holds it.
    typealias Expression = (PostmanVariables, inout ImportNames) -> String

    /// A name that stands for an expression of a workspace: `{{name}}` in a text becomes that.
    func name(of expression: @escaping Expression) -> String {
        let name = "$expression:\(expressions.count)"
        expressions[name] = expression
        return name
    }

    /// The name that a variable has in the file, or in the folder that is read.
    func meaning(of name: String) -> String { aliases[name] ?? name }

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
            if let expression = expressions[name] { return expression(self, &names) }
            if let template = DynamicValues.template(name) { return template }
            let own = String(name.dropFirst())
            guard !own.isEmpty else { return nil }
            if let value = DynamicValues.fixed(name) {
                if !fixed.contains(where: { $0.name == own }) { fixed.append((own, value)) }
            } else if !unknown.contains(name) {
                unknown.append(name)
            }
            return names.reference(to: own)
        }
        let meaning = meaning(of: name)
        return isRaw ? "{{ \(names.use(meaning)) | raw }}" : names.reference(to: meaning)
    }

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
            let name = meaning(of: text[..<end.lowerBound].dropFirst(2).trimmingBlanks)
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
            let name = meaning(of: text[..<end.lowerBound].dropFirst(2).trimmingBlanks)
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
                && self.values[self.meaning(of: name)]?.contains(where: {
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
