import Documents
import Workspaces

/// A path of a description, in which parameters stand between braces.
struct OpenAPIPath {
    enum Part: Equatable {
        case text(String)
        case parameter(name: String, example: String?)
    }

    var parts: [Part] = []

    /// The path as a description has it.
    var text: String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .parameter(let name, _): "{\(name)}"
            }
        }.joined()
    }

    /// The path without the names of its parameters.
    var unnamed: String {
        parts.map { if case .text(let text) = $0 { text } else { "{}" } }.joined()
    }

    /// The path with the names of another that is the same but for them.
    func naming(as other: OpenAPIPath) -> OpenAPIPath {
        var path = self
        for (index, part) in other.parts.enumerated() where path.parts.indices.contains(index) {
            if case .parameter(let name, _) = part, case .parameter(_, let example) = parts[index] {
                path.parts[index] = .parameter(name: name, example: example)
            }
        }
        return path
    }

    /// The parameters, each once.
    var parameters: [Value] {
        var seen: Set<String> = []
        return parts.compactMap { part in
            guard case .parameter(let name, let example) = part, seen.insert(name).inserted else {
                return nil
            }
            return OpenAPIURL.parameter("path", name, example.map { [$0] } ?? [])
        }
    }
}

/// The servers, the path and the parameters of a request's URL.
struct OpenAPIURL {
    /// The servers, that of the chosen environment first.
    private(set) var servers: [Value] = []
    private(set) var path = OpenAPIPath()
    private var pairs: [(name: String, value: String)] = []

    init(_ url: ExportText, _ environments: [ExportedWorkspace.Environment], _ values: ExportValues)
    {
        var base = ExportText([], .url)
        var rest = url.pieces
        // A variable at the beginning is a base URL.
        if let first = rest.first, case .variable = first {
            base.append(rest.removeFirst())
        }
        // What stands before the path otherwise.
        while let piece = rest.first, Self.needsMore(values.shown(base)) {
            rest.removeFirst()
            guard case .text(let text) = piece else {
                base.append(piece)
                continue
            }
            let before = values.shown(base)
            let start =
                before.contains("://")
                ? text.startIndex
                : text.firstRange(of: "://")?.upperBound ?? text.startIndex
            let end = text[start...].firstIndex { "/?#".contains($0) }
            base.append(.text(String(text[..<(end ?? text.endIndex)])))
            if let end {
                rest.insert(.text(String(text[end...])), at: 0)
                break
            }
        }
        setServers(base, environments, values)
        setPath(rest, values)
    }

    /// Whether a base has no host yet.
    private static func needsMore(_ base: String) -> Bool {
        guard let mark = base.firstRange(of: "://") else { return true }
        return base[mark.upperBound...].isEmpty || base.hasSuffix(":")
            || !base[mark.upperBound...].contains("/") && base.hasSuffix("@")
    }

    private mutating func setServers(
        _ base: ExportText,
        _ environments: [ExportedWorkspace.Environment],
        _ values: ExportValues
    ) {
        let chosen = values.shown(base)
        var urls: [String] = [chosen]
        servers = [
            Self.server(chosen, environments.first { ExportValues($0).shown(base) == chosen })
        ]
        for environment in environments {
            let url = ExportValues(environment).shown(base)
            guard !urls.contains(url), !url.contains("<") else { continue }
            urls.append(url)
            servers.append(Self.server(url, environment))
        }
    }

    private static func server(_ url: String, _ environment: ExportedWorkspace.Environment?)
        -> Value
    {
        var url = url
        while url.hasSuffix("/") { url.removeLast() }
        var members = [Value.Member("url", .string(url))]
        if let environment {
            members.append(Value.Member("description", .string(environment.name)))
        }
        return .object(members)
    }

    private mutating func setPath(_ rest: [ExportText.Piece], _ values: ExportValues) {
        var query = ExportText([], .url)
        var isQuery = false
        for piece in rest {
            if isQuery {
                query.append(piece)
                continue
            }
            switch piece {
            case .text(let text):
                let end = text.firstIndex { "?#".contains($0) } ?? text.endIndex
                append(String(text[..<end]))
                if end < text.endIndex, text[end] == "?" {
                    isQuery = true
                    query.append(.text(String(text[text.index(after: end)...])))
                }
            case .variable(let variable):
                let value = values.text(ExportText([piece], .plain))
                path.parts.append(.parameter(name: variable.name, example: value))
            case .call: append(values.shown(ExportText([piece], .url)))
            }
        }
        if path.text.first != "/" { path.parts.insert(.text("/"), at: 0) }
        for part in values.shown(query).split(separator: "&") {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = PercentEncoding.decodedForm(sides[0])
            pairs.append((name, sides.count > 1 ? PercentEncoding.decodedForm(sides[1]) : ""))
        }
    }

    private mutating func append(_ text: String) {
        guard !text.isEmpty else { return }
        if case .text(let before)? = path.parts.last {
            path.parts[path.parts.count - 1] = .text(before + text)
        } else {
            path.parts.append(.text(text))
        }
    }

    /// The parameters after the path, without one that credentials add.
    func query(without key: String?) -> [Value] {
        var names: [String] = []
        var all: [String: [String]] = [:]
        for (name, value) in pairs where name != key {
            if all[name] == nil { names.append(name) }
            all[name, default: []].append(value)
        }
        return names.map { Self.parameter("query", $0, all[$0] ?? []) }
    }

    /// A parameter with what it is sent with as its example.
    static func parameter(_ place: String, _ name: String, _ examples: [String]) -> Value {
        let scalars = examples.map { OpenAPISchemaGuess.scalar($0) }
        let example: Value? = scalars.count > 1 ? .array(scalars) : scalars.first
        let schema =
            example.map { OpenAPISchemaGuess.schema(of: [$0]) }
            ?? .object([Value.Member("type", .string("string"))])
        var members = [
            Value.Member("name", .string(name)), Value.Member("in", .string(place)),
            Value.Member("required", .boolean(true)), Value.Member("schema", schema),
        ]
        if let example { members.append(Value.Member("example", example)) }
        return .object(members)
    }
}
