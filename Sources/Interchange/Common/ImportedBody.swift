package import Documents
package import Workspaces

extension JSON {
    /// The value as a text, as people mean it who write a number or a Boolean for one; nil for everything else.
    package var looseText: String? {
        switch kind {
        case .string: string
        case .integer, .decimal: numberText
        case .true: "true"
        case .false: "false"
        default: nil
        }
    }

    /// A text that says something: not empty.
    package var filledText: String? { looseText.flatMap { $0.isEmpty ? nil : $0 } }
}

/// Bodies of other programs as values of a workspace.
package enum ImportedBody {
    /// More levels are kept as text.
    private static let maximumLevels = 48
    /// The largest text that becomes a value.
    private static let maximumBytes = 4 << 20

    /// A JSON text as a value whose strings went through `template`; nil if the text would not be the same request:
    /// it is no JSON object or array, has a name twice, or a variable outside of a string or in a name.
    package static func json(_ text: String, _ template: (String) -> String) -> Value? {
        guard text.utf8.count <= maximumBytes,
            let first = text.utf8.first(where: { !" \t\r\n".utf8.contains($0) }),
            first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
            let json = try? JSON(parsing: text)
        else { return nil }
        return value(json, template)
    }

    /// A JSON value with its strings as templates; nil as above.
    package static func value(
        _ json: JSON,
        levels: Int = maximumLevels,
        _ template: (String) -> String
    ) -> Value? {
        guard levels > 0 else { return nil }
        switch json.kind {
        case nil: return nil
        case .null: return .null
        case .false: return .boolean(false)
        case .true: return .boolean(true)
        case .integer, .decimal: return .number(json.numberText ?? "0")
        case .string: return .string(template(json.string ?? ""))
        case .array:
            var elements: [Value] = []
            for element in json.elements {
                guard let value = value(element, levels: levels - 1, template) else { return nil }
                elements.append(value)
            }
            return .array(elements)
        case .object:
            var members: [Value.Member] = []
            var names: Set<String> = []
            for (name, element) in json.members {
                guard names.insert(name).inserted, !name.contains("{{"), name != "<<",
                    let value = value(element, levels: levels - 1, template)
                else { return nil }
                members.append(Value.Member(name, value))
            }
            return .object(members)
        }
    }

    /// A response as a `sample`; nil if it is too large for one.
    package static func sample(
        status: Int,
        headers: [(name: String, value: String)],
        body: String
    ) -> Value? {
        guard body.utf8.count <= maximumSample else { return nil }
        var members = [Value.Member("status", .number("\(min(max(status, 100), 599))"))]
        var fields: [Value.Member] = []
        for (name, value) in headers where !connectionFields.contains(name.lowercased()) {
            guard isFieldName(name), !name.hasPrefix(":") else { continue }
            fields.appendField(name, ImportNames.literal(value.inOneLine.trimmingBlanks))
        }
        if !fields.isEmpty { members.append(Value.Member("headers", .object(fields))) }
        if let json = json(body, { ImportNames.literal($0) }) {
            members.append(Value.Member("json", json))
        } else if !body.isEmpty {
            members.append(Value.Member("body", .string(ImportNames.literal(body))))
        }
        return .object(members)
    }

    /// The largest body of a sample, in bytes.
    package static let maximumSample = 64 << 10

    /// Fields that describe the transfer rather than the response.
    private static let connectionFields: Set<String> = [
        "content-length", "content-encoding", "transfer-encoding", "connection", "keep-alive",
        "set-cookie",
    ]

    /// Whether a text can be a field's name (RFC 9110, section 5.1).
    package static func isFieldName(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }

    /// The beginning of a long text, with what was left out.
    package static func shortened(_ text: String, to limit: Int = 16 << 10) -> String {
        guard text.utf8.count > limit else { return text }
        return "\(text.prefix(limit))\n… \(text.utf8.count - limit) more bytes"
    }
}

extension [Value.Member] {
    /// Adds a field; a second one of the name, in whatever case, makes a list.
    package mutating func appendField(_ name: String, _ template: String) {
        let same = first { $0.name.lowercased() == name.lowercased() }?.name ?? name
        append(.string(template), for: same)
    }

    /// The first value of a field by its name in small letters, in whatever case it stands.
    package func field(_ name: String) -> String? {
        switch first(where: { $0.name.lowercased() == name })?.value {
        case .string(let text)?: return text
        case .array(let values)?:
            guard case .string(let text)? = values.first else { return nil }
            return text
        default: return nil
        }
    }
}

extension ImportedTarget {
    /// Sets the request; a method that a request line cannot have stands under `method`.
    package mutating func setRequest(_ method: String, _ url: String) {
        let known = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
        let upper = method.uppercased()
        let url = url.inOneLine
        if known.contains(upper) {
            request = "\(upper) \(url)"
        } else if ImportedBody.isFieldName(method) {
            request = url
            self["method"] = .string(method)
        } else {
            request = "GET \(url)"
            losses.append(ImportLoss("a method", "it is none that can be sent", text: method))
        }
    }

    /// Adds a paragraph to the note.
    package mutating func appendNote(_ text: String) {
        guard !text.trimmingBlanks.isEmpty else { return }
        note = note.map { "\($0)\n\n\(text)" } ?? text
    }
}

extension ImportedGroup {
    /// Adds a paragraph to the note.
    mutating func appendNote(_ text: String) {
        guard !text.trimmingBlanks.isEmpty else { return }
        note = note.map { "\($0)\n\n\(text)" } ?? text
    }
}
