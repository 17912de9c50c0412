import Documents
import Secrets

/// A credential that stands in the text of a workspace itself.
struct FoundCredential {
    /// The number of the text, from 0.
    let number: Int
    /// Where its scalar stands in the text, in Unicode scalars.
    let scalar: Range<Int>
    /// How the scalar is written, and its text.
    let style: YAMLValue.Style
    let text: String
    /// Where it is in the scalar's text, in Unicode scalars; all of it, if the scalar is nothing else.
    let part: Range<Int>
    /// The credential, as it is sent.
    let value: String
    /// What kind of thing it is: the name of the field, the parameter or the variable.
    let kind: String
    /// The target, the environment or the chain that it is in; empty outside of those.
    let owner: String
    /// Whether it is the value of an environment's variable.
    let isOfEnvironment: Bool
    /// The name of the workspace's variable whose value it is, and the place of its entry; nil if it is none.
    let variable: String?
    let entry: Range<Int>?

    /// Tells it from all others of the texts.
    struct Key: Hashable {
        let number: Int
        let scalar: Int
        let part: Int
    }

    var key: Key { Key(number: number, scalar: scalar.lowerBound, part: part.lowerBound) }

    /// Whether the scalar is nothing else.
    let isWhole: Bool
}

extension FoundCredential {
    /// Names that many values have which are no credentials, unless they are long.
    static let weakNames: Set = ["key", "code", "signature"]

    /// A value that is being looked at.
    private struct Visit {
        let value: YAMLValue
        var key = ""
        var kind = ""
        var owner = ""
        var schema = WorkspaceSchema.root
        var isInAuth = false
        var isOfRoot = false
        var isOfEnvironments = false
        /// The entry of a variable of the workspace.
        var entry: Range<Int>?
    }

    /// The keys whose texts are for people.
    private static let words: Set = ["note", "description", "name", "summary"]

    /// All credentials of a text in their order; none if it is no YAML.
    static func all(in text: String, number: Int) -> [FoundCredential] {
        // The loader reports what is wrong.
        guard let root = try? YAMLValue.parse(text, maximumValues: 2 * YAMLTreeBuilder.maximumNodes)
        else { return [] }
        var found: [FoundCredential] = []
        var waiting = [Visit(value: root, isOfRoot: true)]
        while let visit = waiting.popLast() {
            // What an alias stands for is another's too.
            guard visit.value.alias == nil, visit.value.anchor == nil, visit.value.tag.isEmpty
            else { continue }
            switch visit.value.content {
            case .scalar(let text, let style):
                found += credentials(in: text, style, visit, number: number)
            case .sequence(let values):
                waiting += values.map { value in
                    Visit(
                        value: value,
                        key: visit.key,
                        kind: visit.kind,
                        owner: visit.owner,
                        schema: visit.schema,
                        isInAuth: visit.isInAuth
                    )
                }
            case .mapping(let members):
                waiting += visits(members, of: visit)
            case .unknown: break
            }
        }
        return found.sorted {
            ($0.scalar.lowerBound, $0.part.lowerBound) < ($1.scalar.lowerBound, $1.part.lowerBound)
        }
    }

    private static func visits(
        _ members: [(key: YAMLValue, value: YAMLValue)],
        of visit: Visit
    ) -> [Visit] {
        let siblingName = members.first { $0.key.text == "name" }?.value.text
        return members.compactMap { key, value in
            guard let name = key.text, name != "<<", key.alias == nil, key.anchor == nil else {
                return nil
            }
            var inner = Visit(value: value, key: name, kind: name, owner: visit.owner)
            inner.schema = visit.schema.member(name, value)
            inner.isInAuth = visit.isInAuth || inner.schema == .authorization
            if visit.isInAuth {
                switch name {
                case "bearer": inner.kind = "bearer_token"
                case "value": inner.kind = siblingName ?? "api_key"
                default: break
                }
            }
            if visit.schema == .credential { inner.kind = visit.kind }
            if visit.schema == .items || visit.schema == .names,
                inner.schema == .settings || inner.schema == .items
            {
                inner.owner = name
            }
            inner.isOfEnvironments =
                visit.isOfRoot ? name == "environments" : visit.isOfEnvironments
            if visit.isOfRoot, name == "variables" {
                inner.isOfRoot = true
            } else if visit.isOfRoot, visit.key == "variables", visit.value.isFlow == false {
                inner.entry = key.place.index..<value.end.index
            }
            return inner
        }
    }

    private static func credentials(
        in text: String,
        _ style: YAMLValue.Style,
        _ visit: Visit,
        number: Int
    ) -> [FoundCredential] {
        guard !words.contains(visit.key), !visit.value.isSwitch else { return [] }
        let isCredential = visit.schema.isCredential(text)
        guard isCredential || CredentialPart.mayBe(in: text) else { return [] }
        // Once for all parts of a text, which may be long and have many.
        let scalars = Array(text.unicodeScalars)
        func credential(_ part: Range<Int>, _ kind: String) -> FoundCredential? {
            let written = String(String.UnicodeScalarView(scalars[part]))
            guard !written.contains("{{"), written.utf8.count >= (weakNames.contains(kind) ? 8 : 4)
            else { return nil }
            let isWhole = part == 0..<scalars.count
            return FoundCredential(
                number: number,
                scalar: visit.value.place.index..<visit.value.end.index,
                style: style,
                text: text,
                part: part,
                value: written.replacing("\\${", with: "${"),
                kind: kind,
                owner: visit.owner,
                isOfEnvironment: visit.isOfEnvironments && visit.schema == .credential,
                variable: isWhole && visit.entry != nil ? visit.key : nil,
                entry: isWhole ? visit.entry : nil,
                isWhole: isWhole
            )
        }
        if isCredential {
            // A number that becomes a text is another value in JSON.
            guard visit.isInAuth || style != .plain || Double(text) == nil else { return [] }
            return [credential(0..<scalars.count, visit.kind)].compactMap(\.self)
        }
        return CredentialPart.all(in: scalars).compactMap { credential($0.range, $0.kind) }
    }

    /// Where the notes of a text stand, in Unicode scalars.
    static func notes(of text: String) -> [Range<Int>] {
        guard let root = try? YAMLValue.parse(text, maximumValues: 2 * YAMLTreeBuilder.maximumNodes)
        else { return [] }
        var ranges: [Range<Int>] = []
        var waiting = [root]
        while let value = waiting.popLast() {
            switch value.content {
            case .scalar, .unknown: break
            case .sequence(let values): waiting += values
            case .mapping(let members):
                for (key, value) in members {
                    if key.text == "note", value.text != nil, value.alias == nil {
                        ranges.append(value.place.index..<value.end.index)
                    } else {
                        waiting.append(value)
                    }
                }
            }
        }
        return ranges
    }

    /// The names that the templates and the variables of a text have, and all that may be one.
    static func words(of text: String) -> Set<String> {
        guard let root = try? YAMLValue.parse(text, maximumValues: 2 * YAMLTreeBuilder.maximumNodes)
        else { return [] }
        var words: Set<String> = []
        var waiting = [(value: root, hasNames: false)]
        while let (value, hasNames) = waiting.popLast() {
            switch value.content {
            case .scalar(let text, _):
                if hasNames { words.insert(text) }
                var rest = text[...]
                while let open = rest.firstRange(of: "{{") {
                    rest = rest[open.upperBound...]
                    let end = rest.firstRange(of: "}}")?.lowerBound ?? rest.endIndex
                    words.formUnion(
                        rest[..<end].split { !($0.isLetter || $0.isNumber || "_-".contains($0)) }
                            .map(String.init)
                    )
                    rest = rest[end...]
                }
            case .sequence(let values): waiting += values.map { ($0, hasNames) }
            case .mapping(let members):
                for (key, value) in members {
                    let name = key.text ?? ""
                    if hasNames { words.insert(name) }
                    let areNames = [
                        "variables", "set", "capture", "batches", "chains", "rows", "matrix",
                    ].contains(name)
                    waiting.append((value, hasNames || areNames))
                }
            case .unknown: break
            }
        }
        return words
    }
}

/// A credential within a text that has more: in a URL, a form or JSON.
struct CredentialPart {
    /// Where it is, in Unicode scalars.
    let range: Range<Int>
    /// The name that it has there.
    let kind: String

    /// `https://user:password@host`, `?token=…&`, `"password": "…"`.
    static func all(in text: String) -> [CredentialPart] {
        mayBe(in: text) ? all(in: Array(text.unicodeScalars)) : []
    }

    /// Whether a text has any of the signs before a credential.
    static func mayBe(in text: String) -> Bool {
        text.utf8.contains { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "=") }
    }

    /// The same, each scalar being looked at a few times at most.
    static func all(in scalars: [Unicode.Scalar]) -> [CredentialPart] {
        var parts: [CredentialPart] = []
        var index = 0
        while index < scalars.count {
            switch scalars[index] {
            case ":" where scalars[index...].starts(with: "://".unicodeScalars):
                let start = index + 3
                let end = scalars[start...].firstIndex { "/?# \n\"'".unicodeScalars.contains($0) }
                let authority = start..<(end ?? scalars.count)
                if let at = scalars[authority].lastIndex(of: "@"),
                    let colon = scalars[start..<at].firstIndex(of: ":")
                {
                    parts.append(CredentialPart(range: colon + 1..<at, kind: "password"))
                }
                index = max(start, authority.upperBound)
            case "=":
                let name = name(before: index, in: scalars)
                guard CredentialText.isSecret(name) else {
                    index += 1
                    continue
                }
                let end =
                    scalars[index...].firstIndex { "&;#\"' \t\r\n".unicodeScalars.contains($0) }
                    ?? scalars.count
                if end > index + 1 {
                    parts.append(CredentialPart(range: index + 1..<end, kind: name))
                    index = end
                } else {
                    index += 1
                }
            case ":":
                let open = scalars[(index + 1)...].firstIndex { !" \t".unicodeScalars.contains($0) }
                guard let open, scalars[open] == "\"",
                    case let name = name(before: index, in: scalars), CredentialText.isSecret(name),
                    let close = scalars[(open + 1)...].firstIndex(where: {
                        "\"\\\n".unicodeScalars.contains($0)
                    }),
                    scalars[close] == "\""
                else {
                    index += 1
                    continue
                }
                parts.append(CredentialPart(range: open + 1..<close, kind: name))
                index = close + 1
            default: index += 1
            }
        }
        return parts
    }

    /// The name before a sign, with a quote or blanks between them: of `user[token]` the last part.
    private static func name(before index: Int, in scalars: [Unicode.Scalar]) -> String {
        let before = scalars[max(0, index - 80)..<index].reversed()
        let name = before.drop { " \t\"]".unicodeScalars.contains($0) }.prefix {
            $0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-" || $0 == "_"
        }
        return String(String.UnicodeScalarView(name.reversed()))
    }
}
