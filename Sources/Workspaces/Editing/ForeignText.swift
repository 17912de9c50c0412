import Apus
import Documents
import HTTPTypes
import Secrets

/// What a file of another program has, so that none of its requests is sent a secret of the workspace that it is put into.
///
///     {{ token }}, which is secret there              {{ token_2 }}, the file's own
///     `defaults`, which are for its own targets       in each of its groups and targets
///     a target at another host than the workspace's   `defaults: none`, if it would inherit a credential
///     an environment with a base URL                  without the credentials of the workspace's `defaults`
///
/// Names that an earlier import of the file gave are given again.
package struct ForeignText: Sendable {
    /// The text of a workspace file.
    package let text: String
    /// The file's variables that have another name here, as `token → token_2`.
    package private(set) var renamed: [(old: String, new: String)] = []
    /// What has to be remembered: the names of variables that the file brings, and its defaults that stand as such.
    package let remembered: WorkspaceMerge.Imported

    private static let variables = "/variables/"
    private static let defaults = "/defaults/"
    private static let groups = "/groups/"

    /// Prepares the text of a file for a workspace.
    ///
    /// - Parameters:
    ///   - text: The text that the file of another program is read as.
    ///   - workspace: The workspace.
    ///   - before: What the last merge of that file gave as `remembered`.
    /// - Throws: `WorkspaceError` if the text cannot be read.
    package init(
        _ text: String,
        for workspace: Workspace,
        before: WorkspaceMerge.Imported
    ) throws(WorkspaceError) {
        guard case .object(var members)? = YAMLEditor(text)?.model else {
            throw WorkspaceError("it cannot be read")
        }
        var privates = PrivateValues(of: workspace)
        var remembered: WorkspaceMerge.Imported = [:]
        let defined = Self.definedNames(members)
        let words = FoundCredential.words(of: text).union(defined)
        var names: [String: String] = [:]
        var taken = words.union(workspace.names)
        for name in words.sorted() {
            let own = before[Self.variables + name]
            let isOther = own == nil && privates.names.contains(name)
            let new = own ?? (isOther ? Self.free(name, &taken) : name)
            if new != name { names[name] = new }
            let isNew = !workspace.definedNames.contains(name)
            if defined.contains(name), own != nil || isOther || isNew {
                remembered[Self.variables + name] = new
            }
        }
        if !names.isEmpty {
            renamed = names.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            members = VariableRenaming(names: names).workspace(members)
        }
        var handed = Self.takeDefaults(of: &members, workspace, before, &remembered)
        if privates.lacksBase {
            let bases = members.object("environments").compactMap { environment -> Value? in
                guard case .object(let settings) = environment.value else { return nil }
                return settings.first { $0.name == "baseURL" }?.value
            }
            if let base = bases.first { handed.set(base, for: "baseURL") }
        }
        privates.protect(environmentsOf: &members)
        if let items = members.first(where: { $0.name == "targets" })?.value {
            privates.addConstants(of: members)
            privates.knownGroups = Set(
                before.keys.filter { $0.hasPrefix(Self.groups) }.map {
                    String($0.dropFirst(Self.groups.count))
                }
            )
            members.set(.object(privates.protected(items, handed, at: [])), for: "targets")
            for id in privates.keptGroups { remembered[Self.groups + id] = "" }
        }
        self.remembered = remembered
        self.text = YAMLWriter(blockLevels: 1).members(members, indent: 0)
            .map { "\($0)\n" }.joined()
    }

    /// The text of a file that makes a workspace of its own.
    package init(ofNewWorkspace text: String) {
        self.text = text
        var remembered: WorkspaceMerge.Imported = [:]
        if case .object(let members)? = YAMLEditor(text)?.model {
            for name in Self.definedNames(members) { remembered[Self.variables + name] = name }
            for member in members.object("defaults") {
                remembered[Self.defaults + member.name] = ""
            }
            var groups: [(path: String, value: Value)] = members.object("targets").map {
                ($0.name, $0.value)
            }
            while let (path, value) = groups.popLast() {
                guard case .object(let items) = value,
                    !items.contains(where: { $0.name == "request" })
                else { continue }
                if !items.object("defaults").isEmpty { remembered[Self.groups + path] = "" }
                groups += items.filter { $0.name != "defaults" }.map {
                    ("\(path)/\($0.name)", $0.value)
                }
            }
        }
        self.remembered = remembered
    }

    /// The names that the text defines as variables.
    private static func definedNames(_ members: [Value.Member]) -> Set<String> {
        var names = Set(members.object("variables").map(\.name))
        for environment in members.object("environments") {
            guard case .object(let settings) = environment.value else { continue }
            names.formUnion(settings.object("variables").map(\.name))
        }
        return names
    }

    private static func free(_ name: String, _ taken: inout Set<String>) -> String {
        var number = 2
        while !taken.insert("\(name)_\(number)").inserted { number += 1 }
        return "\(name)_\(number)"
    }

    /// Takes out the defaults that are for the file's own targets alone.
    ///
    /// What an earlier import made the workspace's defaults is the workspace's, and what an environment sets goes before.
    private static func takeDefaults(
        of members: inout [Value.Member],
        _ workspace: Workspace,
        _ before: WorkspaceMerge.Imported,
        _ remembered: inout WorkspaceMerge.Imported
    ) -> [Value.Member] {
        let own = members.object("defaults")
        members.removeAll { $0.name == "defaults" }
        let environments = members.object("environments")
        return own.filter { member in
            if before[defaults + member.name] != nil {
                remembered[defaults + member.name] = ""
                return false
            }
            if member.name == "baseURL", !workspace.lacksBaseURL { return false }
            return !environments.contains { environment in
                guard case .object(let settings) = environment.value else { return false }
                return settings.contains { $0.name == member.name }
            }
        }
    }
}

extension Workspace {
    /// Whether one of its environments has no base URL, so that a path alone would lead nowhere in it.
    fileprivate var lacksBaseURL: Bool {
        defaults.baseURL == nil && environments.contains { $0.settings.baseURL == nil }
    }
}

extension [Value.Member] {
    /// The members of a mapping; empty if there is none.
    fileprivate func object(_ name: String) -> [Value.Member] {
        guard case .object(let members)? = first(where: { $0.name == name })?.value else {
            return []
        }
        return members
    }

    /// Puts a value in the place of another, or at the end.
    fileprivate mutating func set(_ value: Value, for name: String) {
        if let index = firstIndex(where: { $0.name == name }) {
            self[index] = Value.Member(name, value)
        } else {
            append(Value.Member(name, value))
        }
    }

    /// Settings on top of others: fields, parameters and expectations are joined by name, tags one after another.
    fileprivate func over(_ others: [Value.Member]) -> [Value.Member] {
        var result = self
        for other in others {
            guard let own = first(where: { $0.name == other.name })?.value else {
                result.append(other)
                continue
            }
            switch (other.name, own, other.value) {
            case ("headers", .object(let fields), .object(let more)),
                ("query", .object(let fields), .object(let more)),
                ("expect", .object(let fields), .object(let more)):
                let isField = other.name == "headers"
                let added = more.filter { candidate in
                    !fields.contains {
                        $0.name == candidate.name
                            || isField && $0.name.lowercased() == candidate.name.lowercased()
                    }
                }
                result.set(.object(added + fields), for: other.name)
            case ("tags", .array(let tags), .array(let more)):
                result.set(.array(more.filter { !tags.contains($0) } + tags), for: "tags")
            default: break
            }
        }
        return result
    }
}

/// Gives variables other names wherever a text of another program defines, sets, captures and uses them.
private struct VariableRenaming {
    let names: [String: String]

    func workspace(_ members: [Value.Member]) -> [Value.Member] {
        members.map { member in
            let value =
                switch member.name {
                case "name", "note": member.value
                case "variables": keys(member.value)
                case "environments", "batches", "chains": entries(member.value)
                default: value(member.value)
                }
            return Value.Member(member.name, value)
        }
    }

    /// Environments, batches and chains by name.
    private func entries(_ value: Value) -> Value {
        guard case .object(let members) = value else { return self.value(value) }
        return .object(members.map { Value.Member($0.name, entry($0.value)) })
    }

    private func entry(_ value: Value) -> Value {
        switch value {
        case .array(let elements): .array(elements.map(entry))
        case .object(let members):
            .object(
                members.map { member in
                    let value =
                        switch member.name {
                        case "variables", "set", "capture": keys(member.value)
                        case "targets", "steps": entry(member.value)
                        case "forEach": list(member.value)
                        default: self.value(member.value)
                        }
                    return Value.Member(member.name, value)
                }
            )
        default: value
        }
    }

    /// What a step is repeated for: a captured list's name, and that of an element.
    private func list(_ value: Value) -> Value {
        switch value {
        case .string(let text): .string(names[text] ?? text)
        case .object(let members): .object(members.map { Value.Member($0.name, list($0.value)) })
        default: value
        }
    }

    /// A mapping whose keys are names of variables.
    private func keys(_ value: Value) -> Value {
        guard case .object(let members) = value else { return self.value(value) }
        return .object(
            members.map { Value.Member(names[$0.name] ?? $0.name, self.value($0.value)) }
        )
    }

    private func value(_ value: Value) -> Value {
        switch value {
        case .string(let text):
            guard text.contains("{{") else { return value }
            return .string(
                names.reduce(text) { VariableNames.renaming($1.key, to: $1.value, in: $0) }
            )
        case .array(let elements): return .array(elements.map(self.value))
        case .object(let members):
            return .object(
                members.map { member in
                    switch (member.name, member.value) {
                    case ("note", .string), ("description", .string): member
                    case ("rows", .array(let rows)):
                        Value.Member("rows", .array(rows.map(keys)))
                    case ("matrix", .object): Value.Member("matrix", keys(member.value))
                    default: Value.Member(member.name, self.value(member.value))
                    }
                }
            )
        case .number, .boolean, .null: return value
        }
    }
}

/// What of a workspace a request of another program must not be sent.
private struct PrivateValues {
    /// The names of variables that are secret in one of the environments, or may be, or have a secret in them.
    let names: Set<String>
    private let workspace: Workspace
    /// The hosts that the workspace's own targets are sent to, as `scheme://host`.
    private let origins: Set<String>
    /// Whether a path alone leads to the file's host, because the workspace has none.
    let lacksBase: Bool
    private var constants: [String: String]
    private let groups: Set<String>
    /// The groups that an earlier import of the file made, with their defaults.
    var knownGroups: Set<String> = []
    /// The groups that have the file's defaults.
    private(set) var keptGroups: [String] = []

    init(of workspace: Workspace) {
        self.workspace = workspace
        let variables = workspace.variables + workspace.environments.flatMap(\.variables)
        var names: Set<String> = []
        var uses: [String: Set<String>] = [:]
        var constants: [String: String] = [:]
        for variable in variables {
            switch variable.content {
            case .secret: names.insert(variable.name)
            case .supplied(let origin):
                if origin.isResponse || origin.isSecret(variable.name) {
                    names.insert(variable.name)
                }
            case .value(let value):
                uses[variable.name, default: []].formUnion(value.names)
                guard let text = value.written.scalarText else { continue }
                if !CredentialPart.all(in: text).isEmpty { names.insert(variable.name) }
                if value.names.isEmpty {
                    constants[variable.name] = constants[variable.name] ?? text
                }
            }
            // A file of `NAME=value` lines is not for others.
            if workspace.otherFiles[variable.span.source.name] != nil {
                names.insert(variable.name)
            }
        }
        for name in Set(variables.map(\.name)) where workspace.rules.contains(name) {
            names.insert(name)
        }
        for name in Set(variables.map(\.name)) where CredentialMask.isSecret(parameter: name) {
            names.insert(name)
        }
        var before = -1
        while before != names.count {
            before = names.count
            for (name, used) in uses where !used.isDisjoint(with: names) { names.insert(name) }
        }
        self.names = names
        // Without any environment, the first of the file becomes that of the whole.
        lacksBase =
            workspace.lacksBaseURL
            && WorkspaceEdit(workspace).value(at: [.key("environments")]) != nil
        groups = Set(workspace.groups.map(\.id))
        self.constants = constants
        let bases = [workspace.defaults.baseURL] + workspace.environments.map(\.settings.baseURL)
        origins = Set(bases.compactMap { $0.flatMap { Self.origin(of: $0.text, constants) } })
    }

    /// Adds the values of the file's own variables.
    mutating func addConstants(of members: [Value.Member]) {
        for member in members.object("variables") where constants[member.name] == nil {
            constants[member.name] = member.value.scalarText
        }
    }

    private static func origin(of url: String, _ constants: [String: String]) -> String? {
        var text = url[...]
        for _ in 0..<20 where text.hasPrefix("{{") {
            guard let close = text.firstRange(of: "}}") else { return nil }
            let inside = text[..<close.lowerBound].dropFirst(2).prefix { $0 != "|" }
            let name = inside.filter { $0 != " " }
            guard let value = constants[name] else { return nil }
            text = (value + text[close.upperBound...])[...]
        }
        guard let scheme = text.firstRange(of: "://") else { return nil }
        let host = text[scheme.upperBound...].prefix { !"/?#".contains($0) }
        // What a template in it stands for is not known, and a name and a password say nothing about the host.
        guard !host.contains("{"), !host.contains("@") else { return nil }
        return text[..<scheme.upperBound].lowercased() + host.lowercased()
    }

    /// Whether a request line may lead to another host than the workspace's own targets.
    private func isElsewhere(_ request: String) -> Bool {
        let url = request.drop { $0 != " " }.drop { $0 == " " }
        let text = url.isEmpty ? request[...] : url
        if text.hasPrefix("/") || text.hasPrefix("?") { return lacksBase || text.hasPrefix("//") }
        return Self.origin(of: String(text), constants).map { !origins.contains($0) } ?? true
    }

    // MARK: What is inherited

    /// The settings that a target in some groups inherits, from the workspace alone.
    private func inherited(in groups: [String]) -> [RequestSettings] {
        let own = groups.indices.compactMap {
            workspace.groupDefaults[groups[...$0].joined(separator: "/")]
        }
        return [workspace.defaults] + workspace.environments.map(\.settings) + own
    }

    private func isPrivate(_ name: String, _ text: String, _ used: some Sequence<String>) -> Bool {
        CredentialMask.isSecret(parameter: name) || workspace.rules.contains(name)
            || CredentialText.isSecret(name) || used.contains(where: names.contains)
            || !CredentialPart.all(in: text).isEmpty
    }

    private func privateFields(_ settings: RequestSettings) -> [String] {
        settings.headers.compactMap { field in
            guard let value = field.value else { return nil }
            return isPrivate(field.name.rawName, value.text, value.names) ? field.name.rawName : nil
        }
    }

    private func privateParameters(_ settings: RequestSettings) -> [String] {
        settings.query.compactMap { item in
            guard let value = item.value else { return nil }
            let text = value.written.scalarText ?? ""
            return isPrivate(item.name, text, value.names) ? item.name : nil
        }
    }

    private static func hasAuthorization(_ settings: RequestSettings) -> Bool {
        switch settings.authorization {
        case nil, .some(.none): false
        default: true
        }
    }

    // MARK: What is protected

    /// Takes the credentials of the workspace's defaults out of the environments of the file that lead elsewhere.
    func protect(environmentsOf members: inout [Value.Member]) {
        let environments = members.object("environments")
        guard !environments.isEmpty else { return }
        let settings = workspace.defaults
        let fields = privateFields(settings)
        let parameters = privateParameters(settings)
        let changed = environments.map { environment -> Value.Member in
            guard case .object(let own) = environment.value,
                case .string(let base)? = own.first(where: { $0.name == "baseURL" })?.value,
                Self.origin(of: base, constants).map({ !origins.contains($0) }) ?? true
            else { return environment }
            var without: [Value.Member] = []
            if !fields.isEmpty {
                without.append(.init("headers", .object(fields.map { .init($0, .null) })))
            }
            if !parameters.isEmpty {
                without.append(.init("query", .object(parameters.map { .init($0, .null) })))
            }
            if Self.hasAuthorization(settings) { without.append(.init("auth", .string("none"))) }
            return Value.Member(environment.name, .object(own.over(without)))
        }
        members.set(.object(changed), for: "environments")
    }

    /// The groups and targets of the file, each with the defaults of the file, and without credentials of the workspace.
    ///
    /// In a group that is there already, its targets have its defaults themselves.
    mutating func protected(
        _ items: Value,
        _ handed: [Value.Member],
        at path: [String],
        in outer: [Value.Member] = []
    ) -> [Value.Member] {
        guard case .object(let members) = items else { return [] }
        return members.map { member in
            switch member.value {
            case .string(let request):
                guard path.isEmpty || member.name != "note" else { return member }
                let target = [Value.Member("request", .string(request))]
                let changed = self.target(target, handed, path, outer)
                return changed == target ? member : .init(member.name, .object(changed))
            case .object(let inner) where inner.contains(where: { $0.name == "request" }):
                return .init(member.name, .object(target(inner, handed, path, outer)))
            case .object(let inner):
                return .init(
                    member.name,
                    .object(group(inner, handed, path + [member.name], outer))
                )
            default: return member
            }
        }
    }

    private mutating func group(
        _ members: [Value.Member],
        _ handed: [Value.Member],
        _ path: [String],
        _ outer: [Value.Member]
    ) -> [Value.Member] {
        let settings = members.object("defaults").over(handed)
        let id = path.joined(separator: "/")
        let isKept = !groups.contains(id) || knownGroups.contains(id)
        let items = protected(
            .object(members.filter { $0.name != "defaults" }),
            isKept ? [] : settings,
            at: path,
            in: isKept ? settings.over(outer) : outer
        )
        guard isKept, !settings.isEmpty else { return items }
        keptGroups.append(id)
        return [.init("defaults", .object(settings))] + items
    }

    private func target(
        _ members: [Value.Member],
        _ handed: [Value.Member],
        _ groups: [String],
        _ outer: [Value.Member]
    ) -> [Value.Member] {
        let own = handed.isEmpty ? members : members.over(handed)
        guard case .string(let request)? = members.first(where: { $0.name == "request" })?.value,
            isElsewhere(members.contains { $0.name == "method" } ? "X \(request)" : request)
        else { return own }
        let inherited = inherited(in: groups)
        let whole = own.over(outer)
        let isAuthorized =
            inherited.contains(where: Self.hasAuthorization)
            && !whole.contains { $0.name == "auth" }
        let sends = inherited.contains {
            $0.clientCertificate != nil || !privateFields($0).isEmpty
                || !privateParameters($0).isEmpty
        }
        guard isAuthorized || sends, !own.contains(where: { $0.name == "defaults" }) else {
            return own
        }
        return whole + [.init("defaults", .string("none"))]
    }
}
