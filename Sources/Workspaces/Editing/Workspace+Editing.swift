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
        return try changing(source, at: path) { editor throws(YAMLEditFault) in
            var edit = TargetEdit(editor, at: path)
            try edit.apply(from: before, to: target)
            editor = edit.editor
        }
    }

    /// The workspace as in its files, plus a target as edited here under another name.
    ///
    /// A name with slashes names the groups too: `Users/List`, or `/List` for none. Without a slash the target
    /// stays in the group of the original, behind it. Groups that are missing are made.
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
        let new = try Self.path(name, besides: id, source)
        let id = TargetID(new.joined(separator: "/"))
        // The target itself may have the name here, if it is in no file yet.
        let saved = try read(sources.map(\.asRead))
        try saved.checkFree(id, source)
        let newPath = [.key("targets")] + new.map { YAMLStep.key($0) }
        let home = saved.source(with: newPath.dropLast(), preferring: source) ?? source
        let workspace = try saved.changing(home) { editor throws(YAMLEditFault) in
            // If the original is not in the file because it is new, the copy is added to the end of its group.
            guard path.dropLast() == newPath.dropLast(), editor.value(at: path) != nil else {
                return try editor.set(value, at: newPath, opensMappings: true)
            }
            try editor.insert(value, named: new[new.count - 1], at: path)
        }
        return (workspace, id)
    }

    /// A text that has a group: the preferred one if it has it, else the first.
    private func source(
        with group: ArraySlice<YAMLStep>,
        preferring preferred: SourceText
    ) -> SourceText? {
        let found = sources.filter { source in
            if case .object? = YAMLEditor(source.text)?.model.value(at: group) {
                true
            } else {
                false
            }
        }
        return found.first { $0.name == preferred.name } ?? found.first
    }

    /// Throws if a target or a group has the id, or if a target stands where it needs a group.
    private func checkFree(_ id: TargetID, _ source: SourceText) throws(WorkspaceError) {
        for target in targets {
            let other = target.id.rawValue
            if other == id.rawValue {
                throw Self.fault(source, "there is already a target `\(id)`: choose another name")
            }
            if other.hasPrefix("\(id.rawValue)/") {
                throw Self.fault(source, "`\(id)` is a group: choose another name")
            }
            if id.rawValue.hasPrefix("\(other)/") {
                throw Self.fault(source, "`\(other)` is a target, not a group")
            }
        }
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
        let base = try Self.path("/\(name)", besides: TargetID(name), source).last ?? name
        let names = (1...).lazy.map { $0 == 1 ? base : "\(base) \($0)" }
        let free = names.first { definition(TargetID("\(Self.newGroup)/\($0)")) == nil } ?? base
        let path = group + [.key(free)]
        let workspace = try changing(source, at: path) { editor throws(YAMLEditFault) in
            try editor.set(try TargetEdit.value(of: target), at: path, opensMappings: true)
        }
        return (workspace, TargetID("\(Self.newGroup)/\(free)"))
    }

    /// Whether there are files that edits can be written to.
    package var isSavable: Bool { sources.contains { $0.original != nil } }

    /// Whether its file is made by the first save.
    package var isNew: Bool { sources.contains(where: \.isNew) }

    /// Writes edited texts to their files; a file that has changed since it was read is left as it is.
    ///
    /// A file that is not there yet is made; one that has come into being meanwhile is left as it is.
    ///
    /// - Parameter path: Where a new file goes; nil for the path that the workspace was made with.
    /// - Throws: `WorkspaceError` if a file has changed, or cannot be written.
    package func save(newFile path: String? = nil) throws(WorkspaceError) {
        for source in sources {
            guard let original = source.original, source.isNew || !source.isAsRead else {
                continue
            }
            let mark = original.first == TextFile.byteOrderMark ? "\u{FEFF}" : ""
            let name = source.isNew ? path ?? source.name : source.name
            do throws(FileFault) {
                if source.isNew {
                    try TextFile.create(name, mark + source.text)
                } else {
                    try TextFile.replace(name, original, with: mark + source.text)
                }
            } catch {
                throw WorkspaceError([Problem(file: name, "the file \(error.detail)")])
            }
        }
    }

    /// A workspace whose file is made by the first save.
    ///
    /// - Throws: `WorkspaceError` with every problem of the text.
    package static func new(
        text: String,
        file: String,
        given: [String: String] = [:],
        secrets: SecretReader = .process
    ) throws(WorkspaceError) -> Workspace {
        let source = SourceText(name: file, text: text, original: text, isNew: true)
        return try WorkspaceLoader.read([source], given: given, secrets: secrets, ProblemLog())
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

    /// The workspace with one text changed; faults of the target at the path are told by the part they are in.
    private func changing(
        _ source: SourceText,
        at path: [YAMLStep]? = nil,
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
        guard let path else { return try read(sources) }
        do throws(WorkspaceError) {
            return try read(sources)
        } catch {
            throw EditedParts(of: sources[index], target: path).naming(error)
        }
    }

    /// The same workspace, read from other texts.
    private func read(_ sources: [SourceText]) throws(WorkspaceError) -> Workspace {
        // The check must know the values entered in this session.
        let given = given.merging(session) { first, _ in first }
        return try WorkspaceLoader.read(sources, given: given, secrets: secrets, ProblemLog())
            .setting(values: overrides).supplying(session)
    }

    /// The names in a path that was typed, groups first; a name without a slash is in the group of a target.
    private static func path(
        _ text: String,
        besides id: TargetID,
        _ source: SourceText
    ) throws(WorkspaceError) -> [String] {
        var names = text.split(separator: "/", omittingEmptySubsequences: false).map { name in
            String(
                name.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
            )
        }
        if names.count == 1 {
            names = id.rawValue.split(separator: "/").dropLast().map(String.init) + names
        } else if names[0].isEmpty {
            names.removeFirst()
        }
        guard names.allSatisfy({ !$0.isEmpty && $0 != "<<" }) else {
            throw fault(source, "a target and its groups need names, as in `Users/List`")
        }
        return names
    }

    private static func fault(_ source: SourceText, _ message: String) -> WorkspaceError {
        WorkspaceError([Problem(file: source.name, message)])
    }
}

extension SourceText {
    /// The text of a file, without any byte order mark.
    convenience init(of file: String, _ original: String, isHidden: Bool, isNew: Bool = false) {
        let isMarked = original.first == TextFile.byteOrderMark
        let text = isMarked ? String(original.dropFirst()) : original
        self.init(name: file, text: text, isHidden: isHidden, original: original, isNew: isNew)
    }

    /// The text before any edit.
    fileprivate var asRead: SourceText {
        original.map { SourceText(of: name, $0, isHidden: isHidden, isNew: isNew) } ?? self
    }

    /// Compares bytes, because Swift treats different encodings of an accented letter as equal.
    fileprivate var isAsRead: Bool { text.utf8.elementsEqual(asRead.text.utf8) }

    fileprivate func with(text: String) -> SourceText {
        SourceText(name: name, text: text, isHidden: isHidden, original: original, isNew: isNew)
    }
}
