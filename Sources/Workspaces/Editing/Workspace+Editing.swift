import Apus

/// An edit changes the workspace's text in memory, so that templates, variables, secrets and problems work as
/// in any other text.
extension Workspace {
    /// The group that new targets are added to.
    package static let newGroup = "New"

    /// The workspace with one target changed.
    ///
    /// - Throws: `WorkspaceError` if the text cannot be changed without changing something else, or would no
    ///   longer be a valid workspace.
    package func editing(
        _ id: TargetID,
        to target: EditableTarget
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

    /// The workspace as in its files, plus a copy of a target as edited here, after the original.
    ///
    /// - Returns: The workspace, and the new target's id.
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
            throw Self.fault(source, "there is already a target `\(new)`")
        }
        let workspace = try read(sources.map(\.asRead)).changing(source) {
            editor throws(YAMLEditFault) in
            // If the original is not in the file because it is new, the copy is added to the end of its group.
            guard editor.value(at: path) == nil else {
                return try editor.insert(value, named: new.name, at: path)
            }
            try editor.set(value, at: path.dropLast() + [.key(new.name)])
        }
        return (workspace, new)
    }

    /// The workspace with another target, in the group `newGroup`.
    ///
    /// - Returns: The workspace, and the target's id; a name that is taken gets a number.
    /// - Throws: `WorkspaceError`, as for an edit.
    package func adding(
        _ target: EditableTarget,
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

    /// Writes edited texts to their files; a file that has changed since it was read is left as it is.
    ///
    /// - Throws: `WorkspaceError` if a file has changed, or cannot be written.
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

    /// The text that a target is in, the path to it there, and the target.
    private func place(
        of id: TargetID
    ) throws(WorkspaceError) -> (SourceText, [YAMLStep], TargetDefinition) {
        guard let target = definition(id) else {
            let file = files.first ?? name
            throw WorkspaceError([Problem(file: file, "the target `\(id)` no longer exists")])
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

    /// The same workspace, read from other texts.
    private func read(_ sources: [SourceText]) throws(WorkspaceError) -> Workspace {
        // The check must know the values entered in this session.
        let given = given.merging(session) { first, _ in first }
        return try WorkspaceLoader.read(sources, given: given, secrets: secrets, ProblemLog())
            .setting(values: overrides).supplying(session)
    }

    private static func checked(
        _ name: String,
        _ source: SourceText
    ) throws(WorkspaceError) -> String {
        guard !name.isEmpty, !name.contains("/"), name != "<<" else {
            throw fault(source, "a target's name cannot be empty or contain `/`")
        }
        return name
    }

    private static func fault(_ source: SourceText, _ message: String) -> WorkspaceError {
        WorkspaceError([Problem(file: source.name, message)])
    }
}

extension SourceText {
    /// The text of a file, without any byte order mark.
    convenience init(of file: String, _ original: String, isHidden: Bool) {
        let isMarked = original.first == TextFile.byteOrderMark
        let text = isMarked ? String(original.dropFirst()) : original
        self.init(name: file, text: text, isHidden: isHidden, original: original)
    }

    /// The text before any edit.
    fileprivate var asRead: SourceText {
        original.map { SourceText(of: name, $0, isHidden: isHidden) } ?? self
    }

    /// Compares bytes, because Swift treats different encodings of an accented letter as equal.
    fileprivate var isAsRead: Bool { text.utf8.elementsEqual(asRead.text.utf8) }

    fileprivate func with(text: String) -> SourceText {
        SourceText(name: name, text: text, isHidden: isHidden, original: original)
    }
}
