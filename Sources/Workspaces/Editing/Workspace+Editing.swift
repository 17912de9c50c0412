import Apus
import Glibc

/// An edited target is decoded alone, so that it can be sent at once; only saving changes the workspace's text.
extension Workspace {
    /// The group that new targets are added to.
    package static let newGroup = "New"

    /// The target with an identity and the edits of a draft, if there are any.
    ///
    /// A target that is in no text is made of the draft.
    ///
    /// - Throws: `WorkspaceError`, as for an edit.
    package func target(
        _ id: TargetID,
        edited draft: TargetDraft?
    ) throws(WorkspaceError) -> TargetDefinition {
        guard let draft else { return try place(of: id).2 }
        guard let target = definition(id) else { return try making(draft, as: id) }
        return try applying(draft, to: target)
    }

    /// A target with the edits of a draft.
    ///
    /// No text is changed, and nothing but the target is decoded or checked.
    ///
    /// - Throws: `WorkspaceError` that names the part of the request with the fault.
    package func applying(
        _ draft: TargetDraft,
        to target: TargetDefinition
    ) throws(WorkspaceError) -> TargetDefinition {
        let before = written(target, in: environments[0].name)
        guard before != draft else { return target }
        guard let node = target.node else {
            throw Self.fault(target.span.source, "the target `\(target.id)` cannot be read")
        }
        var edit = TargetEdit(Value(node), at: [])
        do throws(YAMLEditError) {
            try edit.apply(from: before, to: draft)
        } catch {
            throw Self.fault(target.span.source, error.message)
        }
        do throws(WorkspaceError) {
            return try decoding(edit.editor, as: target.id, target.span)
        } catch {
            // Only positions in a text say which part a fault is in, and which of its words are credentials.
            _ = try editing(target.id, to: draft)
            throw error
        }
    }

    /// A new target, which is in no text, in the group `newGroup`; a name that is taken gets a number.
    ///
    /// - Throws: `WorkspaceError`, as for an edit.
    package func making(
        _ draft: TargetDraft,
        named name: String
    ) throws(WorkspaceError) -> TargetDefinition {
        try making(draft, as: try freeID(for: name))
    }

    private func making(
        _ draft: TargetDraft,
        as id: TargetID
    ) throws(WorkspaceError) -> TargetDefinition {
        // All files are in one folder, to which its paths are relative.
        guard let source = sources.first else { throw noText }
        let value: Value
        do throws(YAMLEditError) {
            value = try Value(draft)
        } catch {
            throw Self.fault(source, error.message)
        }
        do throws(WorkspaceError) {
            return try decoding(value, as: id, Span(source, line: 1, column: 1))
        } catch {
            _ = try adding(draft, named: id.name)
            throw error
        }
    }

    /// Decodes a target's value, and checks it in every environment.
    private func decoding(
        _ value: Value,
        as id: TargetID,
        _ span: Span
    ) throws(WorkspaceError) -> TargetDefinition {
        let log = ProblemLog()
        let target = TargetDecoder(log: log).target(
            YAMLNode(value, span),
            name: id.name,
            id: id.rawValue,
            span: span
        )
        if let target, log.problems.isEmpty {
            WorkspaceCheck(workspace: self, log: log).check(target)
        }
        try log.throwIfAny(files: files)
        guard let target else { throw Self.fault(span.source, "it cannot be read") }
        return target
    }

    /// The identity of a new target; a name that is taken gets a number.
    private func freeID(for name: String) throws(WorkspaceError) -> TargetID {
        guard let source = sources.first else { throw noText }
        let base = try Self.path("/\(name)", besides: TargetID(name), source).last ?? name
        let names = (1...).lazy.map { $0 == 1 ? base : "\(base) \($0)" }
        let ids = names.map { TargetID("\(Self.newGroup)/\($0)") }
        return ids.first { definition($0) == nil } ?? TargetID("\(Self.newGroup)/\(base)")
    }

    var noText: WorkspaceError {
        WorkspaceError([Problem(file: name, "there is no text to add a target to")])
    }

    /// The workspace with a target's edits in its text, for saving it, and the target's id there.
    ///
    /// - Throws: `WorkspaceError`, as for `editing(_:to:)` and `adding(_:named:)`.
    package func editingText(
        of id: TargetID,
        to draft: TargetDraft?
    ) throws(WorkspaceError) -> (Workspace, TargetID) {
        guard let draft else { return (self, id) }
        guard definition(id) == nil else { return (try editing(id, to: draft), id) }
        return try adding(draft, named: id.name)
    }

    /// The workspace with one target changed in its text, for saving it.
    ///
    /// - Throws: `WorkspaceError` if the text cannot be changed without changing something else, or would no
    ///   longer be a valid workspace.
    package func editing(
        _ id: TargetID,
        to target: TargetDraft
    ) throws(WorkspaceError) -> Workspace {
        let (source, path, old) = try place(of: id)
        let before = written(old, in: environments[0].name)
        guard before != target else { return self }
        return try changing(source, at: path) { editor throws(YAMLEditError) in
            var edit = TargetEdit(editor, at: path)
            try edit.apply(from: before, to: target)
            editor = edit.editor
        }
    }

    /// The workspace as in its files, plus a target as edited here under another name.
    ///
    /// A name with slashes names the groups too: `Users/List`, or `/List` for none. Without a slash the target
    /// stays in the group of the original, after it. Groups that are missing are made.
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
        let workspace = try saved.changing(home) { editor throws(YAMLEditError) in
            // If the original is not in the file because it is new, the copy is added to the end of its group.
            guard path.dropLast() == newPath.dropLast(), editor.value(at: path) != nil else {
                editor.opensMappings = true
                return try editor.set(value, at: newPath)
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

    /// The workspace with another target in its text, in the group `newGroup`, for saving it.
    ///
    /// - Returns: The workspace, and the target's id; a name that is taken gets a number.
    /// - Throws: `WorkspaceError`, as for an edit.
    package func adding(
        _ target: TargetDraft,
        named name: String
    ) throws(WorkspaceError) -> (Workspace, TargetID) {
        let all = sources.map { (source: $0, model: YAMLEditor($0.text)?.model) }
        let group: [YAMLStep] = [.key("targets"), .key(Self.newGroup)]
        let home =
            all.first { $0.model?.value(at: group[...]) != nil }
            ?? all.last { $0.model?.value(at: group[..<1]) != nil } ?? all.first
        guard let source = home?.source else { throw noText }
        let id = try freeID(for: name)
        let path = group + [.key(id.name)]
        let workspace = try changing(source, at: path) { editor throws(YAMLEditError) in
            editor.opensMappings = true
            try editor.set(try Value(target), at: path)
        }
        return (workspace, id)
    }

    /// Whether there are files that edits can be written to.
    package var isSavable: Bool { sources.contains { $0.original != nil } }

    /// The texts of a workspace, to compare with and to go back to.
    package struct Texts: Sendable, Hashable {
        fileprivate let byFile: [String: [UInt8]]
    }

    /// Its texts as they are.
    package var texts: Texts {
        Texts(
            byFile: Dictionary(
                sources.map { ($0.name, Array($0.text.utf8)) },
                uniquingKeysWith: { first, _ in first }
            )
        )
    }

    /// The workspace with other texts in its files, for saving it.
    ///
    /// - Throws: `WorkspaceError` if they are no longer a valid workspace.
    package func replacing(texts: Texts) throws(WorkspaceError) -> Workspace {
        try read(
            sources.map { source in
                guard let bytes = texts.byFile[source.name] else { return source }
                return source.with(text: String(decoding: bytes, as: UTF8.self))
            }
        )
    }

    /// The workspace as it is after it was saved to its files.
    package var asSaved: Workspace {
        var workspace = self
        workspace.sources = sources.map(\.asSaved)
        return workspace
    }

    /// Whether its files, and those of its folder, still are as it was read from them or saved to them.
    package var isAsInFiles: Bool {
        // What cannot be read is reported when it is loaded.
        guard let path, let names = try? WorkspaceLoader.files(at: path), names == files else {
            return false
        }
        let areSame = otherFiles.allSatisfy { path, text in
            // What cannot be read is reported when it is loaded.
            (try? TextFile.read(path).utf8.elementsEqual(text.utf8)) ?? false
        }
        return areSame && missingFiles.allSatisfy { TextFile.isFree($0.path) }
            && sources.allSatisfy { source in
                guard let text = try? TextFile.readWhole(source.name),
                    let original = source.original
                else { return false }
                return text.utf8.elementsEqual(original.utf8)
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

    /// The workspace with one text changed; faults of the target at the path name the part they are in.
    private func changing(
        _ source: SourceText,
        at path: [YAMLStep]? = nil,
        _ change: (inout YAMLEditor) throws(YAMLEditError) -> Void
    ) throws(WorkspaceError) -> Workspace {
        guard let index = sources.firstIndex(where: { $0.name == source.name }),
            var editor = YAMLEditor(sources[index].text)
        else { throw Self.fault(source, "it cannot be read") }
        do throws(YAMLEditError) {
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

    /// The workspace read from changed texts, with the values entered in this session.
    func read(_ sources: [SourceText]) throws(WorkspaceError) -> Workspace {
        // The check must know the values entered in this session.
        let given = given.merging(session) { first, _ in first }
        var workspace = try WorkspaceLoader.read(
            sources,
            given: given,
            secrets: secrets,
            ProblemLog()
        ).setting(values: overrides).supplying(session).usingSamples(usesSamples)
        (workspace.path, workspace.given) = (path, self.given)
        workspace.origin = origin
        return workspace
    }

    /// The names in a path that was typed, groups first; a name without a slash is in the group of a target.
    static func path(
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

    static func fault(_ source: SourceText, _ message: String) -> WorkspaceError {
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
    var isAsRead: Bool { text.utf8.elementsEqual(asRead.text.utf8) }

    /// The text as its file has it when it is saved, with the byte order mark that the file had.
    var fileText: String {
        original?.first == TextFile.byteOrderMark ? "\u{FEFF}\(text)" : text
    }

    func with(text: String) -> SourceText {
        SourceText(name: name, text: text, isHidden: isHidden, original: original, isNew: isNew)
    }

    /// The text after it was saved.
    fileprivate var asSaved: SourceText {
        let original = original == nil ? nil : fileText
        return SourceText(name: name, text: text, isHidden: isHidden, original: original)
    }
}
