extension Value {
    /// The value as JSON (RFC 8259), members in their order, without white space.
    package var json: String {
        var text = ""
        write(to: &text, indent: nil)
        return text
    }

    /// The value as JSON, each member on its own line.
    package var prettyJSON: String {
        var text = ""
        write(to: &text, indent: 0)
        return text
    }

    private func write(to text: inout String, indent: Int?) {
        switch self {
        case .string(let string): Self.quote(string, to: &text)
        case .number(let number): text += number
        case .boolean(let flag): text += flag ? "true" : "false"
        case .null: text += "null"
        case .array(let elements):
            Self.write("[", elements, "]", to: &text, indent: indent) { element, text, indent in
                element.write(to: &text, indent: indent)
            }
        case .object(let members):
            Self.write("{", members, "}", to: &text, indent: indent) { member, text, indent in
                Self.quote(member.name, to: &text)
                text += indent == nil ? ":" : ": "
                member.value.write(to: &text, indent: indent)
            }
        }
    }

    private static func write<Part>(
        _ open: String,
        _ parts: [Part],
        _ close: String,
        to text: inout String,
        indent: Int?,
        part: (Part, inout String, Int?) -> Void
    ) {
        text += open
        let inner = indent.map { $0 + 2 }
        for (index, each) in parts.enumerated() {
            if index > 0 { text += "," }
            if let inner { text += "\n" + String(repeating: " ", count: inner) }
            part(each, &text, inner)
        }
        if let indent, !parts.isEmpty { text += "\n" + String(repeating: " ", count: indent) }
        text += close
    }

    private static func quote(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
