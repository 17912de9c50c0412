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
    /// The digests of the targets as they were imported, by their ids.
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
    ///   - text: The text that the file of another program is read as.
    ///   - workspace: The workspace.
    ///   - before: What the last merge of that file gave as `imported`.
    /// - Throws: `WorkspaceError` if the texts cannot be changed so, or are no valid workspace after it.
    package init(
        _ text: String,
        into workspace: Workspace,
        before: Imported
    ) throws(WorkspaceError) {
        let source = try Workspace.new(
            text: text,
            file: "imported.apus.yaml",
            secrets: workspace.secrets
        )
        guard let model = YAMLEditor(text)?.model else { throw WorkspaceError("it cannot be read") }
        var edit = WorkspaceEdit(workspace)
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
                if old.sorted != member.value.sorted { left.append(member.name) }
            }
        }
        // Lines for a file of credentials are in the one that is named here.
        if workspace.envFile == nil, let file = model.value(at: [.key("envFile")][...]) {
            try edit.put(file, at: [.key("envFile")])
        }
        for target in source.targets {
            let id = target.id.rawValue
            let path = [.key("targets")] + id.split(separator: "/").map { YAMLStep.key(String($0)) }
            guard let value = model.value(at: path[...]) else { continue }
            let digest = Self.digest(of: value)
            imported[id] = digest
            guard let old = edit.value(at: path) else {
                if before[id] != nil {
                    left.append("\(id) (deleted here)")
                    continue
                }
                if let taken = edit.isTaken(path) {
                    left.append("\(id) (\(taken) is a target here)")
                    continue
                }
                added.append(id)
                continue
            }
            let oldDigest = Self.digest(of: old)
            if oldDigest == digest { continue }
            if oldDigest == before[id] {
                try edit.put(value, at: path)
                updated.append(id)
            } else {
                left.append(id)
            }
        }
        let wanted = Self.withGroups(added)
        try edit.addItems(of: model, at: [.key("targets")], wanted, targets: Set(imported.keys))
        gone = before.keys.filter {
            imported[$0] == nil && workspace.definition(TargetID($0)) != nil
        }.sorted()
        self.imported = imported
        let edited = Set(left)
        remembered = imported.merging(before) { new, _ in new }.filter { id, _ in
            !edited.contains(id) || before[id] != nil
        }.merging(before.filter { edited.contains($0.key) }) { _, old in old }
        self.workspace = try workspace.read(edit.sources)
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

extension WorkspaceEdit {
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

    /// The name of the target that stands where a path needs a group; nil if none does.
    fileprivate func isTaken(_ path: [YAMLStep]) -> String? {
        for length in 2..<max(2, path.count) {
            let group = Array(path.prefix(length))
            guard let value = value(at: group) else { return nil }
            let isTarget =
                switch value {
                case .object(let members):
                    members.contains { $0.name == "request" && $0.value.scalarText != nil }
                default: true
                }
            if isTarget, case .key(let name)? = group.last { return name }
        }
        return nil
    }

    /// Adds the groups and targets that are missing, each as a whole: of a new group all at once.
    fileprivate mutating func addItems(
        of model: Value,
        at path: [YAMLStep],
        _ wanted: Set<String>,
        targets: Set<String>
    ) throws(WorkspaceError) {
        guard case .object(let members)? = model.value(at: path[...]) else { return }
        for member in members {
            let inner = path + [.key(member.name)]
            let id = inner.dropFirst().map { if case .key(let name) = $0 { name } else { "" } }
                .joined(separator: "/")
            guard wanted.contains(id) else { continue }
            if value(at: inner) == nil {
                try put(Self.part(member.value, of: id, wanted, targets), at: inner)
            } else {
                try addItems(of: model, at: inner, wanted, targets: targets)
            }
        }
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
                let isItem = targets.contains { $0 == inner || $0.hasPrefix("\(inner)/") }
                return isItem ? nil : member
            }
        )
    }
}
