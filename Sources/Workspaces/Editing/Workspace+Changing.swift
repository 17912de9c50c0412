import Secrets

/// Making, renaming, moving, copying and deleting what a workspace has.
///
///     change ─▶ texts, of which only what changes is written anew ─▶ read again as a whole ─▶ workspace
///
/// What names the old name is renamed along; what is still used is not deleted.
extension Workspace {
    /// The workspace with a change in its texts, for saving it.
    ///
    /// - Throws: `WorkspaceError` if a name is taken or missing, if what is deleted is used, or as for an edit.
    package func changing(_ change: WorkspaceChange) throws(WorkspaceError) -> Workspace {
        var edit = WorkspaceEdit(self)
        switch change {
        case .makeGroup(let path):
            let names = try names(of: path)
            try checkFree(names)
            try put(.object([]), at: Self.path(ofItem: names), in: &edit)
        case .move(let old, let new): try move(try item(old), to: try names(of: new), &edit)
        case .copy(let old, let new):
            let (from, to) = (Self.path(ofItem: try item(old)), try names(of: new))
            try checkFree(to)
            try edit.edit(havingPath: from) { editor throws(YAMLEditError) in
                try editor.copy(from, to: Self.path(ofItem: to))
            }
        case .delete(let path): try delete(try item(path), &edit)
        case .shift(let path, let isDown): try shift(try item(path), isDown: isDown, &edit)
        case .expect(let typed, let subject, let target):
            try expect(typed, of: subject, in: try item(target), &edit)
        case .removeExpectation(let subject, let comparison, let target):
            try removeExpectation(of: subject, comparison, in: try item(target), &edit)
        case .makeEnvironment(let name, let baseURL, let base):
            let settings =
                (base.map { [Value.Member("extends", .string($0))] } ?? [])
                + (baseURL.isEmpty ? [] : [Value.Member("baseURL", .string(baseURL))])
            try put(.object(settings), at: try free(environment: name), in: &edit)
        case .renameEnvironment(let old, let new):
            let (from, to) = (try path(ofEnvironment: old), try free(environment: new))
            try edit.edit(havingPath: from) { editor throws(YAMLEditError) in
                try editor.move(from, to: to)
            }
            try edit.editAll { editor throws(YAMLEditError) in
                try editor.renameEnvironment(old, to: new)
            }
        case .copyEnvironment(let old, let new):
            let (from, to) = (try path(ofEnvironment: old), try free(environment: new))
            try edit.edit(havingPath: from) { editor throws(YAMLEditError) in
                try editor.copy(from, to: to)
            }
        case .deleteEnvironment(let name):
            let path = try path(ofEnvironment: name)
            try refuse(
                "the environment `\(name)`",
                usedAt: edit.places { $0.uses(ofEnvironment: name) }
            )
            try edit.edit(havingPath: path) { editor throws(YAMLEditError) in
                try editor.removeEntry(at: path)
            }
        case .setSetting(let key, let text, let environment):
            let settings = try environment.map { name throws(WorkspaceError) in
                try path(ofEnvironment: name)
            }
            try set(text, at: (settings ?? [.key("defaults")]) + [.key(key)], &edit)
        case .setVariable(let name, let text, let environment):
            try checkName(name)
            let path = try path(ofVariable: name, in: environment)
            try put(Value(typed: text), at: path, in: &edit)
        case .renameVariable(let old, let new): try rename(variable: old, to: new, &edit)
        case .deleteVariable(let name, let environment):
            return try deleting(variable: name, in: environment, &edit)
        }
        return try read(edit.sources)
    }

    // MARK: Groups and targets

    private func move(
        _ old: [String],
        to new: [String],
        _ edit: inout WorkspaceEdit
    ) throws(WorkspaceError) {
        guard old != new else { throw refusal("it has this name already") }
        guard !new.starts(with: old) else { throw refusal("a group cannot be moved into itself") }
        try checkFree(new)
        let (from, to) = (Self.path(ofItem: old), Self.path(ofItem: new))
        try edit.edit(havingPath: from) { editor throws(YAMLEditError) in
            try editor.move(from, to: to)
        }
        let (oldID, newID) = (old.joined(separator: "/"), new.joined(separator: "/"))
        try edit.editAll { editor throws(YAMLEditError) in
            try editor.renameTargets { id in
                guard id == oldID || id.hasPrefix("\(oldID)/") else { return nil }
                return newID + id.dropFirst(oldID.count)
            }
        }
    }

    /// Exchanges a group or a target with the next one of its group in the file.
    private func shift(
        _ names: [String],
        isDown: Bool,
        _ edit: inout WorkspaceEdit
    ) throws(WorkspaceError) {
        let path = Self.path(ofItem: names)
        var isMoved = false
        try edit.edit(havingPath: path) { editor throws(YAMLEditError) in
            guard case .object(let members)? = editor.value(at: Array(path.dropLast())),
                let own = members.firstIndex(where: { $0.name == names.last })
            else { return }
            // `defaults` and `note` of a group are no items of it.
            let items = members.indices.filter { index in
                Self.item(Array(names.dropLast()) + [members[index].name], in: tree) != nil
            }
            let next =
                isDown ? items.first(where: { $0 > own }) : items.last(where: { $0 < own })
            guard let next else { return }
            isMoved = true
            try editor.exchange(path, Array(path.dropLast()) + [.key(members[next].name)])
        }
        guard isMoved else {
            throw refusal("`\(names.last ?? "")` is the \(isDown ? "last" : "first") of its group")
        }
    }

    private func delete(
        _ names: [String],
        _ edit: inout WorkspaceEdit
    ) throws(WorkspaceError) {
        let id = names.joined(separator: "/")
        let path = Self.path(ofItem: names)
        func isDeleted(_ other: String) -> Bool { other == id || other.hasPrefix("\(id)/") }
        // What uses it from within goes too.
        let uses = edit.places { $0.uses(ofTarget: isDeleted, outside: path) }
        try refuse("`\(id)`", usedAt: uses)
        try edit.edit(havingPath: path) { editor throws(YAMLEditError) in
            try editor.removeEntry(at: path)
        }
    }

    /// The names of a group or a target that is there.
    private func item(_ path: String) throws(WorkspaceError) -> [String] {
        let names = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard Self.item(names, in: tree) != nil else { throw refusal("`\(path)` no longer exists") }
        return names
    }

    private static func item(_ names: [String], in items: [TreeItem]) -> TreeItem? {
        guard let name = names.first else { return nil }
        let found = items.first { $0.name == name }
        return names.count == 1
            ? found : found?.group.flatMap { item(names.dropFirst().map(\.self), in: $0.items) }
    }

    /// The names in a typed path.
    private func names(of path: String) throws(WorkspaceError) -> [String] {
        guard let source = sources.first else { throw noText }
        return try Self.path(
            path.hasPrefix("/") ? path : "/\(path)",
            besides: TargetID(""),
            source
        )
    }

    /// Throws if there is a group or a target at a path, or a target where that needs a group.
    private func checkFree(_ names: [String]) throws(WorkspaceError) {
        for count in 1...names.count {
            let path = names.prefix(count).joined(separator: "/")
            switch Self.item(Array(names.prefix(count)), in: tree) {
            case .target?:
                throw refusal(
                    count == names.count
                        ? "there is already a target `\(path)`: choose another name"
                        : "`\(path)` is a target, not a group"
                )
            case .group? where count == names.count:
                throw refusal("there is already a group `\(path)`: choose another name")
            case .group?, nil: break
            }
        }
        if names.count == 1, names[0].isEmpty { throw refusal("a name is missing") }
    }

    static func path(ofItem names: [String]) -> [YAMLStep] {
        [.key("targets")] + names.map { .key($0) }
    }

    // MARK: Environments and variables

    private func path(ofEnvironment name: String) throws(WorkspaceError) -> [YAMLStep] {
        let path: [YAMLStep] = [.key("environments"), .key(name)]
        guard !WorkspaceEdit(self).homes(of: path).isEmpty else {
            throw refusal("the environment `\(name)` is in no file: make one of your own")
        }
        return path
    }

    private func free(environment name: String) throws(WorkspaceError) -> [YAMLStep] {
        guard !name.isEmpty, name != "<<" else { throw refusal("an environment needs a name") }
        let path: [YAMLStep] = [.key("environments"), .key(name)]
        guard WorkspaceEdit(self).homes(of: path).isEmpty else {
            throw refusal("there is already an environment `\(name)`: choose another name")
        }
        return path
    }

    private func path(
        ofVariable name: String,
        in environment: String?
    ) throws(WorkspaceError) -> [YAMLStep] {
        guard let environment else { return [.key("variables"), .key(name)] }
        return try path(ofEnvironment: environment) + [.key("variables"), .key(name)]
    }

    private func rename(
        variable old: String,
        to new: String,
        _ edit: inout WorkspaceEdit
    ) throws(WorkspaceError) {
        guard old != new else { throw refusal("it has this name already") }
        try checkName(new)
        guard !names.contains(new) else {
            throw refusal("`\(new)` is defined or used already: choose another name")
        }
        try refuse("`\(old)`", capturedAt: edit.places { $0.captures(of: old) })
        guard !rules.contains(old) else {
            throw refusal("`mask` names `\(old)`: rename it in the file, there too")
        }
        try edit.editAll { editor throws(YAMLEditError) in
            try editor.renameVariable(old, to: new)
        }
    }

    private func deleting(
        variable name: String,
        in environment: String?,
        _ edit: inout WorkspaceEdit
    ) throws(WorkspaceError) -> Workspace {
        let path = try path(ofVariable: name, in: environment)
        guard !edit.homes(of: path).isEmpty else {
            throw refusal("`\(name)` is in none of the files that can be changed here")
        }
        let uses = edit.places { $0.uses(ofVariable: name) }
        try edit.edit(havingPath: path) { editor throws(YAMLEditError) in
            try editor.removeEntry(at: path)
            let variables = Array(path.dropLast())
            if editor.value(at: variables) == .object([]) { try editor.removeEntry(at: variables) }
        }
        do throws(WorkspaceError) {
            // Another definition may have the name, too.
            return try read(edit.sources)
        } catch {
            try refuse("`\(name)`", usedAt: uses)
            throw error
        }
    }

    private func checkName(_ name: String) throws(WorkspaceError) {
        guard TemplateParser.isName(name) else {
            throw refusal("a variable's name has letters, digits, `_` and `-`")
        }
    }

    // MARK: In the texts

    /// Sets a value where it is, or in the text that its mapping is in.
    private func put(
        _ value: Value,
        at path: [YAMLStep],
        in edit: inout WorkspaceEdit
    ) throws(WorkspaceError) {
        guard let index = edit.homes(of: path).first ?? edit.home(for: path) else { throw noText }
        try edit.edit(index) { editor throws(YAMLEditError) in
            editor.opensMappings = true
            guard let old = editor.value(at: path) else { return try editor.set(value, at: path) }
            try editor.change(at: path, from: old, to: value)
        }
    }

    /// Sets a text, or removes it if it is empty.
    private func set(
        _ text: String,
        at path: [YAMLStep],
        _ edit: inout WorkspaceEdit
    ) throws(WorkspaceError) {
        guard text.isEmpty else { return try put(Value(text: text), at: path, in: &edit) }
        try edit.edit(havingPath: path) { editor throws(YAMLEditError) in
            try editor.removeEntry(at: path)
        }
    }

    // MARK: Refusals

    private func refuse(
        _ what: String,
        usedAt places: [String]
    ) throws(WorkspaceError) {
        guard !places.isEmpty else { return }
        throw refusal("\(what) is used in \(Self.list(places)): take it out there first")
    }

    private func refuse(
        _ what: String,
        capturedAt places: [String]
    ) throws(WorkspaceError) {
        guard !places.isEmpty else { return }
        throw refusal("a chain captures \(what), too (\(Self.list(places))): rename it there first")
    }

    private static func list(_ places: [String]) -> String {
        let shown = places.prefix(3).joined(separator: ", ")
        return places.count > 3 ? "\(shown) and \(places.count - 3) more places" : shown
    }

    private func refusal(_ message: String) -> WorkspaceError {
        WorkspaceError([Problem(file: files.first ?? name, message)])
    }
}

extension TreeItem {
    /// The name without the groups around it.
    fileprivate var name: String {
        switch self {
        case .group(let group): group.name
        case .target(let target): target.name
        }
    }
}
