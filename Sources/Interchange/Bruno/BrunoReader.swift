import Documents
import HTTPTypes
import Workspaces

/// What requests of a folder have from their collection and their folders.
struct BrunoScope {
    var headers: [BruText.Entry] = []
    var authorization = "none"
    var credentials: [String: String] = [:]
    /// Variables by their names, and what they are called if others have the name.
    var aliases: [String: String] = [:]
}

/// What a name in `{{ … }}` stands for, which changes from request to request.
final class BrunoNames {
    var aliases: [String: String] = [:]
    var processNames: [String] = []
    var dotenv: [String: String] = [:]
    /// Values that stand for those of dynamic variables.
    var fixed: [(name: String, value: String)] = []

    func expression(_ text: String, _ names: inout ImportNames) -> String? {
        guard !text.isEmpty else { return nil }
        if text.hasPrefix("process.env.") {
            let name = String(text.dropFirst(12))
            if !processNames.contains(name) { processNames.append(name) }
            return "{{ \(names.use(text)) }}"
        }
        guard text.hasPrefix("$") else { return names.reference(to: aliases[text] ?? text) }
        if let template = DynamicValues.template(text) { return template }
        let name = String(text.dropFirst())
        guard !name.isEmpty else { return nil }
        if let value = DynamicValues.fixed(text), !fixed.contains(where: { $0.name == name }) {
            fixed.append((name, value))
        }
        return names.reference(to: name)
    }
}

/// Makes a workspace of a collection of Bruno.
struct BrunoReader {
    var workspace = ImportedWorkspace(format: "Bruno")
    private(set) var root = BrunoScope()
    private let scoped: BrunoNames
    let translation: TextTranslation
    var captured: [ResponseVariable] = []
    var count = 0
    private var definitions: [String: String] = [:]
    private var environmentNames: Set<String> = []

    init(_ source: ImportSource) {
        let scoped = BrunoNames()
        self.scoped = scoped
        translation = TextTranslation { names, text in scoped.expression(text, &names) }
    }

    mutating func finished() -> ImportedWorkspace {
        for name in scoped.processNames {
            let member = translation.names.name(of: "process.env." + name)
            let value: Value =
                scoped.dotenv[name].map { .string(ImportNames.literal($0)) }
                ?? .object([Value.Member("env", .string(name))])
            workspace.variables.append(Value.Member(member, value))
        }
        for (name, value) in scoped.fixed {
            let member = translation.names.name(of: name)
            if workspace.variables[member] == nil, !environmentNames.contains(member) {
                workspace.variables.append(Value.Member(member, .string(value)))
                workspace.losses.append(
                    ImportLoss(
                        "a dynamic variable",
                        "no function makes such values, so the same one stands for all",
                        text: "$\(name): \(value)"
                    )
                )
            }
        }
        let unused = scoped.dotenv.keys.filter { !scoped.processNames.contains($0) }.sorted()
        if !unused.isEmpty {
            workspace.losses.append(
                ImportLoss(
                    "variables of .env",
                    "no request names them",
                    text: unused.joined(separator: "\n")
                )
            )
        }
        workspace.names = translation.names
        workspace.losses += translation.takeLosses()
        workspace.complete(captured)
        return workspace
    }

    // MARK: The collection

    mutating func readDotenv(_ bytes: [UInt8]) {
        for line in SourceText.lines(SourceText.decoded(bytes)) {
            let text = line.trimmingBlanks
            guard !text.hasPrefix("#"), let sign = text.firstIndex(of: "=") else { continue }
            let value = text[sign...].dropFirst().trimmingBlanks
            scoped.dotenv[text[..<sign].trimmingBlanks] = value.filter { $0 != "\"" }
        }
    }

    mutating func readConfiguration(_ json: JSON) {
        workspace.name = json["name"].string
        let known = ["version", "name", "type", "ignore", "size", "filesCount"]
        for (name, value) in json.members where !known.contains(name) && value.text() != "{}" {
            let text = value.text(.pretty) ?? ""
            workspace.losses.append(
                ImportLoss(
                    "a setting of the collection",
                    "a workspace has no such setting",
                    text: "\(name): \(text)"
                )
            )
        }
    }

    mutating func readCollection(_ json: JSON) {
        workspace.format = "Bruno (OpenCollection)"
        workspace.name = json["info"]["name"].string ?? workspace.name
        readCollection(BrunoRequest(json))
        let environments =
            json["config"]["environments"].exists
            ? json["config"]["environments"] : json["environments"]
        for environment in environments.elements {
            readEnvironment(environment, named: environment["name"].string ?? "environment")
        }
    }

    mutating func readCollection(_ request: BrunoRequest) {
        workspace.note = request.docs
        var group = ImportedGroup(name: "")
        root = enter(request, BrunoScope(), &group)
        workspace.losses += group.losses
    }

    mutating func readEnvironment(_ bru: BruText, named name: String) {
        var values = variables(bru.entries("vars"))
        for entry in bru.entries("vars:secret") where !entry.name.isEmpty {
            values[translation.names.name(of: entry.name)] = Self.secret(entry.name)
        }
        add(values, named: name)
    }

    mutating func readEnvironment(_ json: JSON, named name: String) {
        var values = variables(json["variables"].rows)
        for row in json["variables"].elements where row["secret"].bool == true {
            let name = row["name"].string ?? ""
            values[translation.names.name(of: name)] = Self.secret(name)
        }
        add(values, named: json["name"].string ?? name)
    }

    private static func secret(_ name: String) -> Value {
        .object([Value.Member("ask", .string(name)), Value.Member("secret", .boolean(true))])
    }

    private mutating func add(_ values: [Value.Member], named name: String) {
        environmentNames.formUnion(values.map(\.name))
        let members = values.isEmpty ? [] : [Value.Member("variables", .object(values))]
        workspace.environments[name] = .object(members)
    }

    private mutating func variables(_ entries: [BruText.Entry]) -> [Value.Member] {
        var members: [Value.Member] = []
        for entry in entries where !entry.name.isEmpty {
            guard entry.isEnabled else {
                workspace.losses.append(Self.disabled("a variable", entry))
                continue
            }
            members[translation.names.name(of: entry.name)] = .string(translation.text(entry.value))
        }
        return members
    }

    static func disabled(_ kind: String, _ entry: BruText.Entry) -> ImportLoss {
        let line = entry.line > 0 ? entry.line : nil
        return ImportLoss(
            "\(kind) that is disabled",
            "a workspace has only what is sent",
            text: "\(entry.name): \(entry.value)",
            line: line
        )
    }

    /// The scope of a folder's requests.
    mutating func enter(_ folder: BrunoRequest, _ scope: BrunoScope, _ group: inout ImportedGroup)
        -> BrunoScope
    {
        var inner = scope
        scoped.aliases = scope.aliases
        if group.name.isEmpty == false { group.note = folder.docs }
        for entry in folder.headers {
            guard entry.isEnabled else {
                group.losses.append(Self.disabled("a header field", entry))
                continue
            }
            inner.headers.removeAll { $0.name.asciiLowercased == entry.name.asciiLowercased }
            inner.headers.append(entry)
        }
        if folder.authorization != "inherit" {
            inner.authorization = folder.authorization
            inner.credentials = folder.credentials
        }
        let isCollection = group.name.isEmpty
        inner.aliases = define(folder.before, scope.aliases, &group.losses, isWeak: isCollection)
        for script in folder.scripts {
            group.losses.append(
                ImportLoss("a script", "a workspace runs no JavaScript", text: script.text)
            )
        }
        for other in folder.others {
            group.losses.append(
                ImportLoss(other.name, "a group has no such thing", text: other.text)
            )
        }
        for entry in folder.after + folder.assertions {
            group.losses.append(
                ImportLoss(
                    "a test of a folder",
                    "a workspace has it at its targets",
                    text: "\(entry.name): \(entry.value)"
                )
            )
        }
        return inner
    }

    /// Defines variables that are of a request or a folder alone; one whose name has another value gets another name.
    private mutating func define(
        _ entries: [BruText.Entry],
        _ aliases: [String: String],
        _ losses: inout [ImportLoss],
        isWeak: Bool = false
    ) -> [String: String] {
        var aliases = aliases
        for entry in entries where !entry.name.isEmpty {
            guard entry.isEnabled else {
                losses.append(Self.disabled("a variable", entry))
                continue
            }
            let text = translation.text(entry.value)
            var original = entry.name
            var number = 1
            while true {
                let member = translation.names.name(of: original)
                let isFree =
                    definitions[member] == nil && (isWeak || !environmentNames.contains(member))
                if isFree || definitions[member] == text { break }
                number += 1
                original = "\(entry.name) \(number)"
            }
            let member = translation.names.name(of: original)
            definitions[member] = text
            aliases[entry.name] = original
            if workspace.variables[member] == nil {
                workspace.variables.append(Value.Member(member, .string(text)))
            }
        }
        scoped.aliases = aliases
        return aliases
    }

    // MARK: A request

    mutating func item(
        _ request: BrunoRequest,
        named file: String,
        _ scope: BrunoScope,
        _ folder: String
    ) -> ImportedItem? {
        var parts = RequestParts()
        let name = request.name ?? file
        scoped.aliases = scope.aliases
        _ = define(request.before, scope.aliases, &parts.losses)
        guard
            !["grpc", "grpc-request", "ws", "websocket", "ws-request", "app"].contains(
                request.type
            ), !["GRPC", "WS"].contains(request.method)
        else {
            let text = ["\(request.method) \(request.url)", request.bodyText].joined(
                separator: "\n\n"
            ).trimmingBlanks
            workspace.losses.append(
                ImportLoss(
                    "a request of another protocol",
                    "a workspace sends HTTP requests only",
                    text: "\(name)\n\(text)"
                )
            )
            return nil
        }
        parts.method = request.method
        setURL(request, &parts)
        for entry in scope.headers
        where !request.headers.contains(where: {
            $0.name.asciiLowercased == entry.name.asciiLowercased && $0.isEnabled
        }) {
            parts.headers.append(
                RequestParts.Row(
                    name: translation.text(entry.name),
                    value: translation.text(entry.value)
                )
            )
        }
        var notes: [String] = []
        for entry in request.headers {
            if let description = entry.description {
                notes.append("`\(entry.name)`: \(description)")
            }
            guard entry.isEnabled else {
                parts.losses.append(Self.disabled("a header field", entry))
                continue
            }
            parts.headers.append(
                RequestParts.Row(
                    name: translation.text(entry.name),
                    value: translation.text(entry.value)
                )
            )
        }
        BrunoBody(request: request, translation: translation).set(&parts)
        let inherits = request.authorization == "inherit"
        let authorization = BrunoAuthorization(
            mode: inherits ? scope.authorization : request.authorization,
            fields: (inherits ? scope.credentials : request.credentials).mapValues {
                translation.text($0)
            }
        )
        authorization.set(&parts)
        readSettings(request, &parts)
        readTests(request, &parts)
        for other in request.others {
            parts.losses.append(
                ImportLoss(other.name, "a target has no such thing", text: other.text)
            )
        }
        if !request.tags.isEmpty {
            parts.settings["tags"] = .array(request.tags.map { .string($0) })
        }
        parts.losses += translation.takeLosses()
        if let docs = request.docs { notes.insert(docs, at: 0) }
        if let tests = ScriptTests.note(of: request.scripts.map(\.text)) { notes.append(tests) }
        if request.url.trimmingBlanks.isEmpty {
            parts.url = "http://localhost"
            parts.losses.append(ImportLoss("a request without a URL", "this machine stands for it"))
        }
        guard var target = parts.target(named: name) else {
            workspace.losses.append(
                ImportLoss(
                    "a request of another protocol",
                    "a workspace sends HTTP requests only",
                    text: "\(name)\n\(request.method) \(request.url)"
                )
            )
            return nil
        }
        if !notes.isEmpty { target.note = notes.joined(separator: "\n\n") }
        count += 1
        return .target(target)
    }

    private mutating func setURL(_ request: BrunoRequest, _ parts: inout RequestParts) {
        var url = request.url.trimmingBlanks
        let hasQuery = url.contains("?")
        var values: [String: String] = [:]
        for (entry, isPath) in request.parameters {
            guard entry.isEnabled else {
                parts.losses.append(Self.disabled("a parameter", entry))
                continue
            }
            if isPath {
                values[entry.name] = entry.value
            } else if hasQuery, !entry.name.isEmpty {
                // The URL is what is sent; both say the same, unless somebody edited one.
                let pair = "\(entry.name)=\(entry.value)"
                if !url.contains(pair),
                    !url.contains(entry.name + "=")
                        || !url.contains(PercentEncoding.component(entry.value))
                {
                    parts.losses.append(
                        ImportLoss("a parameter", "the URL has another value or none", text: pair)
                    )
                }
            } else if !entry.name.isEmpty {
                parts.query.append(
                    RequestParts.Row(name: entry.name, value: translation.text(entry.value))
                )
            }
        }
        if !values.isEmpty {
            let end = url.firstIndex(of: "?") ?? url.endIndex
            let path = url[..<end].split(separator: "/", omittingEmptySubsequences: false).map {
                segment -> String in
                guard segment.first == ":", let value = values[String(segment.dropFirst())] else {
                    return String(segment)
                }
                return value.contains("{{") ? value : PercentEncoding.component(value)
            }
            url = path.joined(separator: "/") + url[end...]
        }
        parts.url = translation.text(url)
    }

    private func readSettings(_ request: BrunoRequest, _ parts: inout RequestParts) {
        for entry in request.settings where entry.isEnabled {
            switch entry.name {
            case "encodeUrl": break
            case "timeout":
                if let time = Int(entry.value), time > 0 {
                    parts.settings["timeout"] = .string("\(time) ms")
                }
            case "followRedirects" where entry.value == "false":
                parts.settings["redirects"] = .number("0")
            case "followRedirects": break
            case "maxRedirects":
                if let number = Int(entry.value), 0...1000 ~= number,
                    parts.settings["redirects"] == nil
                {
                    parts.settings["redirects"] = .number("\(number)")
                }
            default:
                parts.losses.append(
                    ImportLoss(
                        "a setting",
                        "a target has no such setting",
                        text: "\(entry.name): \(entry.value)"
                    )
                )
            }
        }
    }
}
