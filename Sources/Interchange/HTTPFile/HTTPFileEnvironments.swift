import Documents
import Workspaces

/// The environments that stand in files beside an `.http` file.
struct HTTPFileEnvironments {
    private(set) var losses: [ImportLoss] = []
    /// The values of `.env`.
    private(set) var dotenv: [(name: String, value: String)] = []
    private var sharedValues: [(name: String, value: Value)] = []
    private var environments: [(name: String, values: [(name: String, value: Value)])] = []
    /// The fields of all requests, and those of the requests of an environment.
    private var sharedFields: [(name: String, value: String)] = []
    private var fields: [String: [(name: String, value: String)]] = [:]
    private var followsRedirects = true

    /// All names that an environment sets.
    var names: Set<String> {
        Set(environments.flatMap { $0.values.map(\.name) } + sharedValues.map(\.name))
    }

    init(_ source: ImportSource) {
        guard !source.isURL, !source.path.isEmpty else { return }
        // They stand in the folder of the file or above it.
        for level in 0..<5 {
            let up = String(repeating: "../", count: level)
            let before = environments.count
            read("\(up)http-client.env.json", source, key: nil)
            read("\(up)http-client.private.env.json", source, key: nil, isPrivate: true)
            read("\(up)http-client.env.json.user", source, key: nil, isPrivate: true)
            read("\(up).vscode/settings.json", source, key: "rest-client.environmentVariables")
            read("\(up).vscode/settings.json", source, key: "httpyac.environmentVariables")
            read("\(up).httpyac.json", source, key: "environments")
            if level < 2 {
                for folder in ["", "env/"] { readDotenv(up + folder, source) }
            }
            if environments.count > before { break }
        }
    }

    private mutating func readDotenv(_ folder: String, _ source: ImportSource) {
        if dotenv.isEmpty, let bytes = source.bytes(of: folder + ".env") {
            dotenv = Self.dotenv(bytes)
        }
        guard folder.hasSuffix("env/"), dotenv.isEmpty == false || environments.isEmpty else {
            return
        }
        for name in source.names(in: folder) where name.hasSuffix(".env") && name != ".env" {
            guard let bytes = source.bytes(of: folder + name) else { continue }
            let values = Self.dotenv(bytes).map { ($0.name, Value.string($0.value)) }
            merge(String(name.dropLast(4)), values)
        }
    }

    /// The lines `NAME=value` of a file.
    private static func dotenv(_ bytes: [UInt8]) -> [(name: String, value: String)] {
        SourceText.lines(SourceText.decoded(bytes)).compactMap { line in
            var text = line.trimmingBlanks
            if text.hasPrefix("export ") { text = String(text.dropFirst(7)).trimmingBlanks }
            guard !text.hasPrefix("#"), let sign = text.firstIndex(of: "=") else { return nil }
            let name = text[..<sign].trimmingBlanks
            var value = String(text[sign...].dropFirst()).trimmingBlanks
            if let first = value.first, first == "\"" || first == "'",
                let end = value.dropFirst().firstIndex(of: first)
            {
                value = String(value[..<end].dropFirst())
            } else if let remark = value.firstRange(of: " #") {
                value = value[..<remark.lowerBound].trimmingBlanks
            }
            return name.isEmpty ? nil : (name, value)
        }
    }

    private mutating func read(
        _ path: String,
        _ source: ImportSource,
        key: String?,
        isPrivate: Bool = false
    ) {
        guard let bytes = source.bytes(of: path), let json = Self.json(SourceText.decoded(bytes))
        else { return }
        if key == "rest-client.environmentVariables" { readSettings(json) }
        let root = key.map { json[$0] } ?? json
        for (name, values) in root.members {
            guard values.kind == .object else { continue }
            var members: [(name: String, value: Value)] = []
            for (key, value) in values.members {
                if value.kind == .object, ["SSLConfiguration", "Security"].contains(key) {
                    let text = Value(value) { $0 }?.prettyJSON ?? ""
                    let reason = "a workspace has it in its targets"
                    losses.append(
                        ImportLoss(
                            "a setting of the environment \(name)",
                            reason,
                            text: "\(key): \(text)"
                        )
                    )
                } else if key == "$default_headers", value.kind == .object {
                    let rows = value.members.map { (name: $0.key, value: $0.value.looseText ?? "") }
                    if name == "$shared" { sharedFields += rows } else { fields[name] = rows }
                } else if let value = Value(value, text: { $0 }) {
                    members.append((key, value))
                    loseProvider(of: key, value)
                }
            }
            if isPrivate, !members.isEmpty {
                let reason =
                    "its values stand in the workspace in clear; `{ env: NAME }` keeps them out"
                losses.append(ImportLoss("the private environment \(name)", reason, text: ""))
            }
            if name == "$shared" { sharedValues += members } else { merge(name, members) }
        }
    }

    /// What VS Code's settings say about all requests.
    private mutating func readSettings(_ json: JSON) {
        for (name, value) in json["rest-client.defaultHeaders"].members {
            sharedFields.append((name, value.looseText ?? ""))
        }
        if json["rest-client.followredirect"].kind == .false { followsRedirects = false }
        let certificates = json["rest-client.certificates"]
        if certificates.count > 0 {
            let reason = "a target has it as `clientCertificate`"
            let text = certificates.text(.pretty) ?? ""
            losses.append(ImportLoss("a client certificate", reason, text: text))
        }
    }

    /// Lists a value that Visual Studio gets from a vault.
    private mutating func loseProvider(of name: String, _ value: Value) {
        guard Self.isProvided(value) else { return }
        let reason = "its provider is not known here, so that it is asked for"
        losses.append(ImportLoss("a secret of a provider", reason, text: "\(name): \(value.json)"))
    }

    private static func isProvided(_ value: Value) -> Bool {
        guard case .object(let members) = value, case .string? = members["provider"] else {
            return false
        }
        return true
    }

    private mutating func merge(_ name: String, _ values: [(name: String, value: Value)]) {
        guard let index = environments.firstIndex(where: { $0.name == name }) else {
            environments.append((name, values))
            return
        }
        for value in values {
            environments[index].values.removeAll { $0.name == value.name }
            environments[index].values.append(value)
        }
    }

    /// JSON that may have comments and commas at the end of lists.
    private static func json(_ text: String) -> JSON? {
        if let json = try? JSON(parsing: text) { return json }
        var result = String.UnicodeScalarView()
        var isQuoted = false
        let scalars = Array(text.unicodeScalars)
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            let next: Unicode.Scalar = index + 1 < scalars.count ? scalars[index + 1] : " "
            if isQuoted, scalar == "\\" {
                result.append(scalar)
                result.append(next)
                index += 2
                continue
            }
            if scalar == "\"" { isQuoted.toggle() }
            if !isQuoted, scalar == "/", next == "/" {
                while index < scalars.count, scalars[index] != "\n" { index += 1 }
                continue
            }
            if !isQuoted, scalar == "/", next == "*" {
                index += 2
                while index < scalars.count, !(scalars[index] == "/" && scalars[index - 1] == "*") {
                    index += 1
                }
                index += 1
                continue
            }
            if !isQuoted, scalar == ",",
                let rest = scalars[(index + 1)...].first(where: { !$0.properties.isWhitespace }),
                rest == "}" || rest == "]"
            {
                index += 1
                continue
            }
            result.append(scalar)
            index += 1
        }
        return try? JSON(parsing: String(result))
    }

    /// The values of all environments, as variables of the workspace.
    func shared(_ translation: TextTranslation) -> [Value.Member] {
        Self.variables(sharedValues, translation)
    }

    /// The environments of the workspace.
    func members(_ translation: TextTranslation) -> [Value.Member] {
        environments.map { environment in
            let values = Self.variables(environment.values, translation)
            var members: [Value.Member] = []
            if let fields = fields[environment.name] {
                members["headers"] = Self.headers(fields, translation)
            }
            if !values.isEmpty { members["variables"] = .object(values) }
            return Value.Member(environment.name, .object(members))
        }
    }

    /// The settings of all targets.
    func defaults(_ translation: TextTranslation) -> [Value.Member] {
        var members: [Value.Member] = []
        if !sharedFields.isEmpty { members["headers"] = Self.headers(sharedFields, translation) }
        if !followsRedirects { members["redirects"] = .number("0") }
        return members
    }

    private static func headers(
        _ fields: [(name: String, value: String)],
        _ translation: TextTranslation
    ) -> Value {
        var rows: [Value.Member] = []
        for field in fields where ImportedBody.isFieldName(field.name) {
            rows.appendField(field.name, translation.text(field.value.inOneLine))
        }
        return .object(rows)
    }

    /// Adds the members of values that are objects, as `{{ account.name }}` uses them, to the environments.
    func addMembers(
        to workspace: inout ImportedWorkspace,
        _ translation: TextTranslation,
        _ isUsed: (String) -> Bool
    ) {
        func leaves(_ name: String, _ value: Value) -> [(name: String, value: Value)] {
            guard case .object(let members) = value else { return [(name, value)] }
            return members.flatMap { leaves("\(name).\($0.name)", $0.value) }
        }
        for environment in environments {
            for (name, value) in environment.values {
                guard case .object = value, !Self.isProvided(value) else { continue }
                let used = leaves(name, value).filter {
                    isUsed(translation.names.name(of: $0.name))
                }
                guard !used.isEmpty,
                    case .object(var members)? = workspace.environments[environment.name]
                else { continue }
                var variables: [Value.Member] = []
                if case .object(let known)? = members["variables"] { variables = known }
                for member in Self.variables(used, translation) where variables[member.name] == nil
                {
                    variables.append(member)
                }
                members["variables"] = .object(variables)
                workspace.environments[environment.name] = .object(members)
            }
        }
    }

    private static func variables(
        _ values: [(name: String, value: Value)],
        _ translation: TextTranslation
    ) -> [Value.Member] {
        var members: [Value.Member] = []
        for (name, value) in values {
            let own = translation.names.name(of: name)
            if isProvided(value), case .object(let settings) = value {
                let question = settings["secretName"]?.variableText ?? name
                members[own] = .object([
                    Value.Member("ask", .string(question.isEmpty ? name : question)),
                    Value.Member("secret", .boolean(true)),
                ])
            } else {
                members[own] = .string(translation.text(value.variableText))
            }
        }
        return members
    }
}
