import Apus
import Documents
import Secrets

/// A value of a variable or a JSON body.
///
/// Numbers keep their notation, so that `1.00` and large integers are sent as they were written.
package indirect enum Value: Sendable, Hashable {
    /// A named value.
    package struct Member: Sendable, Hashable {
        /// The name.
        package let name: String
        /// The value.
        package let value: Value

        /// Makes a member.
        package init(_ name: String, _ value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// Text.
    case string(String)
    /// A number in JSON's form.
    case number(String)
    /// A Boolean.
    case boolean(Bool)
    /// Null.
    case null
    /// Values in order.
    case array([Value])
    /// Named values in order.
    case object([Member])

    /// The value of an unquoted YAML scalar.
    ///
    /// JSON's numbers, `true`, `false`, `null` and `~` have their types, and an empty scalar is null.
    /// Everything else is text, even `yes`, `007` and `1_000`.
    init(plain text: String) {
        switch text {
        case "", "~", "null": self = .null
        case "true": self = .boolean(true)
        case "false": self = .boolean(false)
        default: self = Self.isNumber(text) ? .number(text) : .string(text)
        }
    }

    /// The value as text in a URL, a field or a body; nil for null, a list or an object.
    var scalarText: String? {
        switch self {
        case .string(let text), .number(let text): text
        case .boolean(let flag): flag ? "true" : "false"
        case .null, .array, .object: nil
        }
    }

    /// The kind of value, in words for people.
    var kindName: String {
        switch self {
        case .string: "a string"
        case .number: "a number"
        case .boolean: "true or false"
        case .null: "null"
        case .array: "a list"
        case .object: "a mapping"
        }
    }

    /// Whether a text is a JSON number (RFC 8259, section 6).
    static func isNumber(_ text: String) -> Bool {
        var rest = Substring(text).utf8
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        let whole = rest.prefix(while: isDigit)
        guard !whole.isEmpty, whole.count == 1 || whole.first != UInt8(ascii: "0") else {
            return false
        }
        rest = rest[whole.endIndex...]
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix(while: isDigit)
            guard !fraction.isEmpty else { return false }
            rest = rest[fraction.endIndex...]
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
                rest.removeFirst()
            }
            return !rest.isEmpty && rest.allSatisfy(isDigit)
        }
        return rest.isEmpty
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension Value {
    /// The most levels of a value that is made from JSON; a scalar in a list is a level too.
    static let maximumLevels = 64

    /// A JSON value; nil if it is missing or has more than `levels` levels.
    init?(_ json: JSON, levels: Int = Value.maximumLevels) {
        guard levels > 0 else { return nil }
        switch json.kind {
        case nil: return nil
        case .null: self = .null
        case .false: self = .boolean(false)
        case .true: self = .boolean(true)
        case .integer, .decimal: self = .number(json.numberText ?? "0")
        case .string: self = .string(json.string ?? "")
        case .array:
            var elements: [Value] = []
            for element in json.elements {
                guard let value = Value(element, levels: levels - 1) else { return nil }
                elements.append(value)
            }
            self = .array(elements)
        case .object:
            var members: [Member] = []
            for (name, element) in json.members {
                guard let value = Value(element, levels: levels - 1) else { return nil }
                members.append(Member(name, value))
            }
            self = .object(members)
        }
    }
}

extension Value {
    /// Its texts and numbers, and the parts of them that may be a credential.
    func credentials(
        _ parts: (String) -> [String] = { CapturedCredentials.credentialParts(of: $0) }
    ) -> Set<String> {
        switch self {
        case .string(let text), .number(let text): Set(parts(text))
        case .boolean, .null: []
        case .array(let elements):
            elements.reduce(into: []) { $0.formUnion($1.credentials(parts)) }
        case .object(let members):
            members.reduce(into: []) { $0.formUnion($1.value.credentials(parts)) }
        }
    }

    /// The value with credentials masked; with `isCredential`, all of its texts and numbers.
    func masked(_ isCredential: Bool, _ secrets: ChainSecrets) -> Value {
        switch self {
        case .string(let text), .number(let text):
            isCredential || secrets.isCaptured(text) ? .string(CredentialMask.mask) : self
        case .boolean, .null: self
        case .array(let elements): .array(elements.map { $0.masked(isCredential, secrets) })
        case .object(let members):
            .object(
                members.map { member in
                    let isSecret = isCredential || CredentialMask.isSecret(parameter: member.name)
                    return Member(member.name, member.value.masked(isSecret, secrets))
                }
            )
        }
    }
}

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
