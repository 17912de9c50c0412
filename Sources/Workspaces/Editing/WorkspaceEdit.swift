import Documents

/// Changes of the texts of a workspace, which are read again together.
struct WorkspaceEdit {
    /// The texts in the workspace's order; the editor is nil for a text that cannot be edited.
    private var texts: [(source: SourceText, editor: YAMLEditor?)]

    init(_ workspace: Workspace) {
        texts = workspace.sources.map { ($0, YAMLEditor($0.text)) }
    }

    /// The texts with their changes.
    var sources: [SourceText] {
        texts.map { source, editor in
            guard let editor, editor.text != source.text else { return source }
            return source.with(text: editor.text)
        }
    }

    /// The value at a path, in the first text that has one.
    func value(at path: [YAMLStep]) -> Value? {
        texts.lazy.compactMap { $0.editor?.value(at: path) }.first
    }

    /// The values at a path, of all texts that have one.
    func parts(at path: [YAMLStep]) -> [Value] {
        texts.compactMap { $0.editor?.value(at: path) }
    }

    /// The indices of the texts that have a value at a path.
    func homes(of path: [YAMLStep]) -> [Int] {
        texts.indices.filter { texts[$0].editor?.value(at: path) != nil }
    }

    /// The index of the text that a new entry goes to: one that has its mapping, or the mapping around that.
    func home(for path: [YAMLStep]) -> Int? {
        for length in stride(from: path.count - 1, through: 0, by: -1) {
            let parent = Array(path.prefix(length))
            let found = texts.indices.filter {
                guard case .object? = texts[$0].editor?.value(at: parent) else { return false }
                return true
            }
            if let index = length == 1 && parent == [.key("targets")] ? found.last : found.first {
                return index
            }
        }
        return nil
    }

    /// Changes a text.
    mutating func edit(
        _ index: Int,
        _ change: (inout YAMLEditor) throws(YAMLEditError) -> Void
    ) throws(WorkspaceError) {
        let source = texts[index].source
        guard var editor = texts[index].editor else {
            throw Workspace.fault(source, "it cannot be read")
        }
        do throws(YAMLEditError) {
            try change(&editor)
        } catch {
            throw Workspace.fault(source, error.message)
        }
        texts[index].editor = editor
    }

    /// Changes every text that has a value at a path.
    mutating func edit(
        havingPath path: [YAMLStep],
        _ change: (inout YAMLEditor) throws(YAMLEditError) -> Void
    ) throws(WorkspaceError) {
        for index in homes(of: path) { try edit(index, change) }
    }

    /// Changes every text.
    mutating func editAll(
        _ change: (inout YAMLEditor) throws(YAMLEditError) -> Void
    ) throws(WorkspaceError) {
        for index in texts.indices where texts[index].editor != nil { try edit(index, change) }
    }

    /// Where something is used in the texts, as `file:line`.
    func places(of uses: (YAMLEditor) -> [YAMLValue]) -> [String] {
        texts.flatMap { source, editor in
            (editor.map(uses) ?? []).map { "\(source.name):\($0.place.line)" }
        }
    }
}
