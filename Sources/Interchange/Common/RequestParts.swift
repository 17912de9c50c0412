import Documents
import HTTPTypes
import Secrets
import Workspaces

/// A request as a text has it, on its way to a target.
///
/// All of its texts are templates of a workspace.
struct RequestParts {
    /// A header field or a parameter.
    struct Row {
        let name: String
        let value: String
    }

    /// The body, as the key of a target and its value.
    struct Body {
        let key: String
        let value: Value
        /// The `Content-Type` that the key sends by itself; nil for none.
        let type: String?
    }

    var method = "GET"
    var url = ""
    var headers: [Row] = []
    /// Parameters that are not part of the URL.
    var query: [Row] = []
    var body: Body?
    var auth: Value?
    /// Further keys of the target.
    var settings: [Value.Member] = []
    var losses: [ImportLoss] = []

    /// A name for a request that has none: `GET users 7`, or `GET api.example.com`.
    static func name(_ method: String, _ url: String) -> String {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let parts = rest.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").map { part in
            part.filter { !"{}".contains($0) }.trimmingBlanks
        }
        let path = parts.dropFirst(url.hasPrefix("/") ? 0 : 1).suffix(4).joined(separator: " ")
        return "\(method) \(path.isEmpty ? parts.first ?? "request" : path)"
    }

    /// The value of a header field; nil if there is none.
    func header(_ name: String) -> String? {
        headers.first { $0.name.asciiLowercased == name }?.value
    }

    /// Removes header fields of a name, in lowercase.
    mutating func removeHeader(_ name: String) {
        headers.removeAll { $0.name.asciiLowercased == name }
    }

    /// The target; nil if the URL is of a protocol that a workspace does not speak, for which there is a loss.
    func target(named name: String) -> ImportedTarget? {
        guard let line = Self.line(url) else { return nil }
        var target = ImportedTarget(name: name, request: line)
        target.losses = losses
        if let verb = HTTPRequest.Method(method), Self.methods.contains(method) {
            target.request = "\(verb.rawValue) \(line)"
        } else if let verb = HTTPRequest.Method(method) {
            target["method"] = .string(verb.rawValue)
        } else {
            target.request = "GET \(line)"
            let reason = "it cannot be a method (RFC 9110, 5.6.2); GET stands for it"
            target.losses.append(ImportLoss("a method", reason, text: method))
        }
        setHeaders(of: &target)
        if let auth { target["auth"] = auth }
        var rows: [Value.Member] = []
        for row in query { rows.append(.string(row.value), for: row.name) }
        if !rows.isEmpty { target["query"] = .object(rows) }
        if let body { target[body.key] = body.value }
        for setting in settings { target[setting.name] = setting.value }
        return target
    }

    private static let methods: Set<String> = [
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE",
    ]

    private func setHeaders(of target: inout ImportedTarget) {
        var rows: [Value.Member] = []
        var names: [String: String] = [:]
        for row in headers {
            let value = row.value.trimmingBlanks
            guard HTTPField.Name(row.name) != nil,
                !value.unicodeScalars.contains(where: Self.isControl)
            else {
                target.losses.append(
                    ImportLoss(
                        "a header field",
                        "a field cannot have this name or value",
                        text: "\(row.name): \(row.value)"
                    )
                )
                continue
            }
            // The body's own key sends the same type.
            if row.name.asciiLowercased == "content-type", let type = body?.type,
                type == value.asciiLowercased.replacing(" ", with: "")
            {
                continue
            }
            let name = names[row.name.asciiLowercased] ?? row.name
            names[row.name.asciiLowercased] = name
            rows.append(.string(value), for: name)
        }
        if !rows.isEmpty { target["headers"] = .object(rows) }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 && scalar != "\t" || scalar.value == 0x7F
    }

    /// A URL as a target has it: without blanks, and with a scheme if it has a host; nil for another protocol.
    static func line(_ url: String) -> String? {
        let url = TemplateScan.escapingBlanks(url.trimmingBlanks)
        guard !url.isEmpty else { return nil }
        if url.hasPrefix("{{") || url.hasPrefix("/") { return url }
        if url.hasPrefix("?") || url.hasPrefix("#") { return "/" + url }
        guard let mark = url.firstRange(of: "://") else {
            return url.hasPrefix("mailto:") ? nil : "http://" + url
        }
        let scheme = url[..<mark.lowerBound]
        if scheme.contains("{{") || scheme.contains("/") || scheme.contains("?") {
            return scheme.hasPrefix("{{") ? url : "http://" + url
        }
        let lowered = scheme.asciiLowercased
        guard lowered == "http" || lowered == "https" else { return nil }
        return lowered + url[mark.lowerBound...]
    }
}

/// Looks for `{{ name }}` in templates of a workspace.
enum TemplateScan {
    /// The text with blanks outside of templates as `%20`.
    static func escapingBlanks(_ text: String) -> String {
        guard text.contains(" ") else { return text }
        var result = ""
        var rest = text[...]
        while let open = rest.firstRange(of: "{{") {
            result += rest[..<open.lowerBound].replacing(" ", with: "%20")
            guard let close = rest[open.upperBound...].firstRange(of: "}}") else {
                return result + rest[open.lowerBound...].replacing(" ", with: "%20")
            }
            result += rest[open.lowerBound..<close.upperBound]
            rest = rest[close.upperBound...]
        }
        return result + rest.replacing(" ", with: "%20")
    }

    /// The expression of a text that is only `{{ expression }}`; nil for any other text.
    static func only(_ text: String) -> String? {
        guard text.hasPrefix("{{"), text.hasSuffix("}}"), text.utf8.count >= 4 else { return nil }
        let inner = String(text.dropFirst(2).dropLast(2))
        return inner.contains("{{") || inner.contains("}}") ? nil : inner.trimmingBlanks
    }

    /// The words of all expressions, among which are the names of variables.
    static func words(_ text: String) -> [String] {
        guard text.contains("{{") else { return [] }
        var words: [String] = []
        var rest = text[...]
        while let open = rest.firstRange(of: "{{"),
            let close = rest[open.upperBound...].firstRange(of: "}}")
        {
            let inner = rest[open.upperBound..<close.lowerBound]
            words += inner.split { !($0.isLetter || $0.isNumber || "_-".contains($0)) }.map(
                String.init
            )
            rest = rest[close.upperBound...]
        }
        return words
    }

    /// The words of all texts of a value.
    static func words(_ value: Value) -> [String] {
        switch value {
        case .string(let text): words(text)
        case .array(let elements): elements.flatMap { words($0) }
        case .object(let members): members.flatMap { words($0.value) }
        case .number, .boolean, .null: []
        }
    }
}

extension Value {
    /// A JSON value with its texts changed; nil if it cannot be kept as values: a member occurs twice, it is nested too
    /// deep, or `text` refuses one of its texts.
    init?(_ json: JSON, levels: Int = 50, text: (String) -> String?) {
        guard levels > 0 else { return nil }
        switch json.kind {
        case nil: return nil
        case .null: self = .null
        case .false: self = .boolean(false)
        case .true: self = .boolean(true)
        case .integer, .decimal: self = .number(json.numberText ?? "0")
        case .string:
            guard let changed = text(json.string ?? "") else { return nil }
            self = .string(changed)
        case .array:
            var elements: [Value] = []
            for element in json.elements {
                guard let value = Value(element, levels: levels - 1, text: text) else { return nil }
                elements.append(value)
            }
            self = .array(elements)
        case .object:
            var members: [Member] = []
            var names: Set<String> = []
            for (name, element) in json.members {
                guard names.insert(name).inserted, !name.contains("{{"),
                    let value = Value(element, levels: levels - 1, text: text)
                else { return nil }
                members.append(Member(name, value))
            }
            self = .object(members)
        }
    }

    /// The text of a scalar, as a variable has it; JSON for a list or an object.
    var variableText: String {
        switch self {
        case .string(let text), .number(let text): text
        case .boolean(let flag): flag ? "true" : "false"
        case .null: ""
        case .array, .object: json
        }
    }
}
