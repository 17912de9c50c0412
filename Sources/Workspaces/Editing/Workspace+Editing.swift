import Apus

/// An edit is one of the workspace's text, in memory: templates, variables, secrets and faults with their places are
/// those of any text.
extension Workspace {
    /// The group that new targets are in.
    package static let newGroup = "New"

    /// The workspace with a target as it is edited.
    ///
    /// - Throws: `WorkspaceError` if the text cannot be changed without changing something else, or is no workspace
    ///   any more.
    package func editing(
        _ id: TargetID,
        to target: WrittenTarget
    ) throws(WorkspaceError) -> Workspace {
        let (source, path, old) = try place(of: id)
        let before = written(old, in: environments[0].name)
        guard before != target else { return self }
        return try changing(source) { editor throws(YAMLEditFault) in
            var edit = TargetEdit(editor, at: path)
            try edit.apply(from: before, to: target)
            editor = edit.editor
        }
    }

    /// The workspace as its files have it, with a target as it is here, under another name beside the original.
    ///
    /// - Returns: the workspace, and the new target's id.
    /// - Throws: `WorkspaceError`, as for an edit.
    package func copying(
        _ id: TargetID,
        to name: String
    ) throws(WorkspaceError) -> (Workspace, TargetID) {
        let (source, path, _) = try place(of: id)
        guard let value = YAMLEditor(source.text)?.value(at: path) else {
            throw Self.fault(source, "it cannot be read")
        }
        let group = id.rawValue.dropLast(id.name.count)
        let new = TargetID(group + (try Self.checked(name, source)))
        guard definition(new) == nil else {
            throw Self.fault(source, "there is a target `\(new)` already")
        }
        let workspace = try read(sources.map(\.asRead)).changing(source) {
            editor throws(YAMLEditFault) in
            // Without its original, as a new one, it stands where new ones do.
            guard editor.value(at: path) == nil else {
                return try editor.insert(value, named: new.name, at: path)
            }
            try editor.set(value, at: path.dropLast() + [.key(new.name)])
        }
        return (workspace, new)
    }

    /// The workspace with another target, in a group of new ones.
    ///
    /// - Returns: the workspace, and the target's id: of a name that is taken, with a number.
    /// - Throws: `WorkspaceError`, as for an edit.
    package func adding(
        _ target: WrittenTarget,
        named name: String
    ) throws(WorkspaceError) -> (Workspace, TargetID) {
        let all = sources.map { (source: $0, model: YAMLEditor($0.text)?.model) }
        let group: [YAMLStep] = [.key("targets"), .key(Self.newGroup)]
        let home =
            all.first { $0.model?.value(at: group[...]) != nil }
            ?? all.last { $0.model?.value(at: group[..<1]) != nil } ?? all.first
        guard let source = home?.source else {
            throw WorkspaceError([Problem(file: self.name, "there is no text to add a target to")])
        }
        let base = try Self.checked(name, source)
        let names = (1...).lazy.map { $0 == 1 ? base : "\(base) \($0)" }
        let free = names.first { definition(TargetID("\(Self.newGroup)/\($0)")) == nil } ?? base
        let workspace = try changing(source) { editor throws(YAMLEditFault) in
            try editor.set(try TargetEdit.value(of: target), at: group + [.key(free)])
        }
        return (workspace, TargetID("\(Self.newGroup)/\(free)"))
    }

    /// Whether there are files that edits can be written to.
    package var isSavable: Bool { sources.contains { $0.original != nil } }

    /// Writes what is edited to its files; one that has changed meanwhile is left as it is.
    ///
    /// - Throws: `WorkspaceError` that says which, or why it cannot be written.
    package func save() throws(WorkspaceError) {
        for source in sources {
            guard let original = source.original, !source.isAsRead else {
                continue
            }
            let mark = original.first == TextFile.byteOrderMark ? "\u{FEFF}" : ""
            do throws(FileFault) {
                try TextFile.replace(source.name, original, with: mark + source.text)
            } catch {
                throw WorkspaceError([Problem(file: source.name, "the file \(error.detail)")])
            }
        }
    }

    /// The place of a target of the tree in a text.
    private func place(
        of id: TargetID
    ) throws(WorkspaceError) -> (SourceText, [YAMLStep], TargetDefinition) {
        guard let target = definition(id) else {
            let file = files.first ?? name
            throw WorkspaceError([Problem(file: file, "there is no target `\(id)` any more")])
        }
        let names = id.rawValue.split(separator: "/", omittingEmptySubsequences: false)
        let path = [.key("targets")] + names.map { YAMLStep.key(String($0)) }
        return (target.span.source, path, target)
    }

    /// The workspace with one text changed.
    private func changing(
        _ source: SourceText,
        _ change: (inout YAMLEditor) throws(YAMLEditFault) -> Void
    ) throws(WorkspaceError) -> Workspace {
        guard let index = sources.firstIndex(where: { $0.name == source.name }),
            var editor = YAMLEditor(sources[index].text)
        else { throw Self.fault(source, "it cannot be read") }
        do throws(YAMLEditFault) {
            try change(&editor)
        } catch {
            throw Self.fault(source, error.message)
        }
        var sources = sources
        sources[index] = sources[index].with(text: editor.text)
        return try read(sources)
    }

    /// The same workspace of other texts.
    private func read(_ sources: [SourceText]) throws(WorkspaceError) -> Workspace {
        // The check is to know what was given.
        let given = given.merging(session) { first, _ in first }
        return try WorkspaceLoader.read(sources, given: given, secrets: secrets, ProblemLog())
            .setting(values: overrides).supplying(session)
    }

    private static func checked(
        _ name: String,
        _ source: SourceText
    ) throws(WorkspaceError) -> String {
        guard !name.isEmpty, !name.contains("/"), name != "<<" else {
            throw fault(source, "a target's name cannot be empty or have `/` in it")
        }
        return name
    }

    private static func fault(_ source: SourceText, _ message: String) -> WorkspaceError {
        WorkspaceError([Problem(file: source.name, message)])
    }
}

extension SourceText {
    /// The text of a file, which may begin with a mark.
    convenience init(of file: String, _ original: String, isHidden: Bool) {
        let isMarked = original.first == TextFile.byteOrderMark
        let text = isMarked ? String(original.dropFirst()) : original
        self.init(name: file, text: text, isHidden: isHidden, original: original)
    }

    /// The text before any edit.
    fileprivate var asRead: SourceText {
        original.map { SourceText(of: name, $0, isHidden: isHidden) } ?? self
    }

    /// By bytes: to Swift one accent is another.
    fileprivate var isAsRead: Bool { text.utf8.elementsEqual(asRead.text.utf8) }

    fileprivate func with(text: String) -> SourceText {
        SourceText(name: name, text: text, isHidden: isHidden, original: original)
    }
}
