import Apus
import Documents
import Secrets

/// Puts what a file of another program has into a workspace, without changing what people have written there.
///
///     not there                        added
///     there, as it was imported        replaced by what the file has now
///     there, and edited since          left, and named
///     there, and never imported        left, and named
package struct WorkspaceMerge: Sendable {
    /// The digests of the targets as they were imported, by their ids; with a slash before them, names and defaults of
    /// `ForeignText`.
    package typealias Imported = [String: String]

    /// What the texts are after it.
    package let workspace: Workspace
    /// The digests of what comes from the file now.
    package let imported: Imported
    /// What to remember for the next merge: the digests of what is as the file has it, and of what was once imported
    /// and edited since.
    package let remembered: Imported
    /// The ids of targets and the names of other things, by what was done with them.
    package private(set) var added: [String] = []
    package private(set) var updated: [String] = []
    /// What is not as in the file, because it was edited or made here.
    package private(set) var left: [String] = []
    /// Targets that were imported once and that the file does not have any more; they stay.
    package private(set) var gone: [String] = []

    /// Merges the text of a workspace into one that was loaded from files.
    ///
    /// - Parameters:
    ///   - text: The text of a `ForeignText` for the workspace, with its credentials elsewhere.
    ///   - workspace: The workspace.
    ///   - before: What the last merge of that file gave as `remembered`.
    ///   - names: What that `ForeignText` remembers.
    /// - Throws: `WorkspaceError` if the texts cannot be changed so, or are no valid workspace after it.
    package init(
        _ text: String,
        into workspace: Workspace,
        before: Imported,
        names: Imported = [:]
    ) throws(WorkspaceError) {
        // Alone it may lack what the workspace has: whether both are right together is checked at the end.
        let source = try WorkspaceLoader.read(
            [SourceText(name: "imported.apus.yaml", text: text)],
            given: [:],
            secrets: workspace.secrets,
            resolvingAtMost: 0,
            ProblemLog()
        )
        guard let read = YAMLEditor(text)?.model else { throw WorkspaceError("it cannot be read") }
        var edit = WorkspaceEdit(workspace)
        let items = edit.items
        let others = OthersTargets(source.targets.map(\.id.rawValue), items, before)
        let model = others.withoutUses(in: read)
        left += others.uses(in: read)
        try edit.keepFirstEnvironment(of: workspace, besides: model)
        var imported: Imported = [:]
        for key in ["variables", "environments", "batches", "chains"] {
            guard case .object(let members)? = model.value(at: [.key(key)][...]) else { continue }
            for member in members {
                let path: [YAMLStep] = [.key(key), .key(member.name)]
                guard let old = edit.value(at: path) else {
                    try edit.put(member.value, at: path)
                    added.append(member.name)
                    continue
                }
                guard old.sorted != member.value.sorted else { continue }
                // What requests of the file need in the environment comes along.
                let isWhole = try edit.addVariables(of: member.value, to: path, key, &added)
                if !isWhole { left.append(member.name) }
            }
        }
        // Lines for a file of credentials are in the one that is named here.
        if workspace.envFile == nil, let file = model.value(at: [.key("envFile")][...]) {
            try edit.put(file, at: [.key("envFile")])
        }
        let values = model.items
        var changed: [(path: [YAMLStep], value: Value)] = []
        for target in source.targets {
            let id = target.id.rawValue
            guard let value = values[id] else { continue }
            let digest = Self.digest(of: value)
            imported[id] = digest
            guard let old = items[id] else {
                if before[id] != nil {
                    left.append("\(id) (deleted here)")
                    continue
                }
                if let taken = Value.targetAround(id, in: items) {
                    left.append("\(id) (\(taken) is a target here)")
                    continue
                }
                added.append(id)
                continue
            }
            let oldDigest = Self.digest(of: old)
            if oldDigest == digest { continue }
            if oldDigest == before[id] {
                let names = id.split(separator: "/").map(String.init)
                changed.append((Workspace.path(ofItem: names), value))
                updated.append(id)
            } else {
                left.append(id)
            }
        }
        try edit.putAll(changed)
        let wanted = Self.withGroups(added)
        try edit.addItems(of: model, at: [.key("targets")], wanted, targets: Set(imported.keys))
        gone = before.keys.filter {
            imported[$0] == nil && workspace.definition(TargetID($0)) != nil
        }.sorted()
        self.imported = imported.merging(names) { _, new in new }
        let edited = Set(left)
        remembered = imported.merging(before) { new, _ in new }.filter { id, _ in
            !edited.contains(id) || before[id] != nil
        }.merging(before.filter { edited.contains($0.key) }) { _, old in old }
            .merging(names) { _, new in new }
        var merged = try workspace.read(edit.sources)
        // What was read in advance is in its file by then.
        merged.secrets = .process
        self.workspace = merged
    }

    /// Ids, and those of all groups around them.
    private static func withGroups(_ ids: [String]) -> Set<String> {
        var all = Set(ids)
        for id in ids {
            for index in id.indices where id[index] == "/" { all.insert(String(id[..<index])) }
        }
        return all
    }

    private static func digest(of value: Value) -> String {
        ContentDigest.hex(of: value.sorted.json)
    }
}

extension Workspace {
    /// The path that `envFile` names at the top level, or the first of them; nil if there is none.
    package var envFile: String? {
        let value = WorkspaceEdit(self).value(at: [.key("envFile")])
        if case .array(let values)? = value { return values.first?.scalarText }
        return value?.scalarText
    }
}

/// Targets that a file of another program has, and whose names are those of the workspace's own: nothing of the file
/// may send them, and pass on what their responses have.
private struct OthersTargets {
    private let ids: Set<String>

    init(_ ids: [String], _ items: [String: Value], _ before: WorkspaceMerge.Imported) {
        self.ids = Set(
            ids.filter { id in
                items[id] != nil
                    ? before[id] == nil
                    : before[id] != nil || Value.targetAround(id, in: items) != nil
            }
        )
    }

    /// What uses them, in words: chains, batches and variables.
    func uses(in model: Value) -> [String] {
        ["batches", "chains", "variables"].flatMap { key -> [String] in
            guard case .object(let members)? = model.value(at: [.key(key)][...]) else { return [] }
            return members.compactMap { member in
                use(in: member.value, of: key).map { id in
                    "\(member.name) (it sends \(id), which the workspace has for itself)"
                }
            }
        }
    }

    /// The file without what uses them; such a variable is asked for.
    func withoutUses(in model: Value) -> Value {
        guard !ids.isEmpty, case .object(let members) = model else { return model }
        return .object(
            members.map { member in
                guard ["batches", "chains", "variables"].contains(member.name),
                    case .object(let entries) = member.value
                else { return member }
                let kept = entries.compactMap { entry -> Value.Member? in
                    guard use(in: entry.value, of: member.name) != nil else { return entry }
                    guard member.name == "variables" else { return nil }
                    return Value.Member(
                        entry.name,
                        .object([Value.Member("ask", .string(entry.name))])
                    )
                }
                return Value.Member(member.name, .object(kept))
            }
        )
    }

    private func use(in value: Value, of key: String) -> String? {
        guard !ids.isEmpty else { return nil }
        switch value {
        case .string(let text): return key != "variables" && ids.contains(text) ? text : nil
        case .array(let elements):
            return elements.lazy.compactMap { use(in: $0, of: key) }.first
        case .object(let members):
            let names = key == "variables" ? ["from"] : ["target", "targets", "steps", "like"]
            return members.lazy.filter { names.contains($0.name) }
                .compactMap { use(in: $0.value, of: key == "variables" ? "from" : key) }.first
        case .number, .boolean, .null: return nil
        }
    }
}

extension WorkspaceEdit {
    /// Writes the environment that a workspace without environments has, so that its own requests stay where they are.
    fileprivate mutating func keepFirstEnvironment(
        of workspace: Workspace,
        besides model: Value
    ) throws(WorkspaceError) {
        guard case .object(let new)? = model.value(at: [.key("environments")][...]), !new.isEmpty,
            workspace.defaults.baseURL != nil, value(at: [.key("environments")]) == nil
        else { return }
        let name = workspace.environments[0].name
        try put(.object([]), at: [.key("environments"), .key(name)])
    }

    /// Adds the variables that an environment of the file has, and that of the same name here lacks.
    ///
    /// - Returns: Whether nothing else of it differs.
    fileprivate mutating func addVariables(
        of environment: Value,
        to path: [YAMLStep],
        _ kind: String,
        _ added: inout [String]
    ) throws(WorkspaceError) -> Bool {
        guard kind == "environments", case .object(let settings) = environment,
            case .object(let variables)? = environment.value(at: [.key("variables")][...])
        else { return false }
        for variable in variables {
            let place = path + [.key("variables"), .key(variable.name)]
            guard value(at: place) == nil else { continue }
            try put(variable.value, at: place)
            if case .key(let name)? = path.last { added.append("\(name): \(variable.name)") }
        }
        return settings.allSatisfy { setting in
            guard setting.name == "variables" else {
                return value(at: path + [.key(setting.name)])?.sorted == setting.value.sorted
            }
            return variables.allSatisfy {
                value(at: path + [.key("variables"), .key($0.name)])?.sorted == $0.value.sorted
            }
        }
    }

    /// Writes a value at a path, in the text that has its surroundings.
    fileprivate mutating func put(_ value: Value, at path: [YAMLStep]) throws(WorkspaceError) {
        guard let index = homes(of: path).first ?? home(for: path) else {
            throw WorkspaceError("there is no file that it could be written to")
        }
        try edit(index) { editor throws(YAMLEditError) in
            editor.opensMappings = true
            try editor.set(value, at: path)
        }
    }

    /// The groups and targets of all texts by their ids; of a name in several, the first.
    fileprivate var items: [String: Value] {
        parts(at: []).reduce(into: [:]) { $0.merge($1.items) { first, _ in first } }
    }

    /// Writes values in the place of others; together, or where that is not possible one after another.
    fileprivate mutating func putAll(
        _ values: [(path: [YAMLStep], value: Value)]
    ) throws(WorkspaceError) {
        var homes: [Int: [(path: [YAMLStep], value: Value)]] = [:]
        for value in values {
            guard let home = self.homes(of: value.path).first else { continue }
            homes[home, default: []].append(value)
        }
        for (index, values) in homes.sorted(by: { $0.key < $1.key }) {
            do throws(WorkspaceError) {
                try edit(index) { editor throws(YAMLEditError) in
                    editor.opensMappings = true
                    try editor.set(values)
                }
            } catch {
                for value in values { try put(value.value, at: value.path) }
            }
        }
    }

    /// Adds entries to a mapping; together, or where that is not possible one after another.
    private mutating func append(
        _ members: [Value.Member],
        at path: [YAMLStep]
    ) throws(WorkspaceError) {
        guard let first = members.first else { return }
        try put(first.value, at: path + [.key(first.name)])
        guard members.count > 1, let index = homes(of: path + [.key(first.name)]).first else {
            return
        }
        do throws(WorkspaceError) {
            try edit(index) { editor throws(YAMLEditError) in
                editor.opensMappings = true
                try editor.append(Array(members.dropFirst()), at: path)
            }
        } catch {
            for member in members.dropFirst() {
                try put(member.value, at: path + [.key(member.name)])
            }
        }
    }

    /// Adds the groups and targets that are missing, each as a whole: of a new group all at once.
    fileprivate mutating func addItems(
        of model: Value,
        at path: [YAMLStep],
        _ wanted: Set<String>,
        targets: Set<String>
    ) throws(WorkspaceError) {
        guard case .object(let members)? = model.value(at: path[...]) else { return }
        var there: Set<String> = []
        for case .object(let own) in parts(at: path) { there.formUnion(own.map(\.name)) }
        var missing: [Value.Member] = []
        for member in members {
            let inner = path + [.key(member.name)]
            let id = inner.dropFirst().map { if case .key(let name) = $0 { name } else { "" } }
                .joined(separator: "/")
            guard wanted.contains(id) else { continue }
            if there.contains(member.name) {
                try addItems(of: model, at: inner, wanted, targets: targets)
            } else {
                let part = Self.part(member.value, of: id, wanted, targets)
                missing.append(Value.Member(member.name, part))
            }
        }
        try append(missing, at: path)
    }

    /// A group without the targets that are not wanted.
    private static func part(
        _ value: Value,
        of id: String,
        _ wanted: Set<String>,
        _ targets: Set<String>
    ) -> Value {
        guard !targets.contains(id), case .object(let members) = value else { return value }
        return .object(
            members.compactMap { member in
                let inner = "\(id)/\(member.name)"
                if wanted.contains(inner) {
                    return Value.Member(member.name, part(member.value, of: inner, wanted, targets))
                }
                // Few are not wanted: what is there already, or was deleted here.
                let isItem = targets.contains { $0 == inner || $0.hasPrefix("\(inner)/") }
                return isItem ? nil : member
            }
        )
    }
}

extension Value {
    /// The groups and targets of a workspace's text by their ids.
    fileprivate var items: [String: Value] {
        var items: [String: Value] = [:]
        var waiting: [(id: String, value: Value)] = []
        func visit(_ value: Value, _ prefix: String) {
            guard case .object(let members) = value else { return }
            for member in members {
                let id = prefix + member.name
                items[id] = member.value
                if !member.value.isTarget { waiting.append((id, member.value)) }
            }
        }
        if let targets = value(at: [.key("targets")][...]) { visit(targets, "") }
        while let (id, value) = waiting.popLast() { visit(value, "\(id)/") }
        return items
    }

    private var isTarget: Bool {
        guard case .object(let members) = self else { return true }
        return members.contains { $0.name == "request" && $0.value.scalarText != nil }
    }

    /// The name of the target that stands where an id needs a group; nil if none does.
    fileprivate static func targetAround(_ id: String, in items: [String: Value]) -> String? {
        for index in id.indices where id[index] == "/" {
            let group = String(id[..<index])
            guard let value = items[group] else { return nil }
            if value.isTarget { return group.split(separator: "/").last.map(String.init) }
        }
        return nil
    }
}
