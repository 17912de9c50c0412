import Interchange
import Workspaces

extension WorkspaceSource {
    package var importRefusal: String? {
        guard let origin = workspace.origin else { return changeRefusal }
        let file = origin.path.split(separator: "/").last.map(String.init) ?? origin.path
        return
            "\(file) is a file of another program: S saves it as a workspace, and that can import"
    }

    /// Merges what was read into the files, as `apus import --into` does.
    package func importing(_ read: ReadImport) throws(CatalogError) -> ImportOutcome {
        if let importRefusal { throw CatalogError(importRefusal) }
        let name = read.path.split(separator: "/").last.map(String.init) ?? read.path
        return try orProblem(hasPlaces: false) { () throws(WorkspaceError) in
            let beside = workspace.isNew ? file?.path : workspace.path
            let path = beside.map { ImportRecord.path(beside: $0) }
            var record = try Self.record(at: path)
            let merge = try WorkspaceMerge(
                read.file.text,
                into: current,
                before: record.sources[name] ?? [:]
            )
            record.sources[name] = merge.remembered
            session.show(Self.note(of: read.file, merge), ofImport: name)
            let catalog = try write(
                merge.workspace,
                "imported \(name)",
                record: path.map { ($0, record.text) }
            )
            return ImportOutcome(
                words: Self.words(of: read.file, merge),
                isPartial: !merge.left.isEmpty || !read.file.losses.isEmpty,
                catalog: catalog
            )
        }
    }

    /// What earlier imports remembered.
    private static func record(at path: String?) throws(WorkspaceError) -> ImportRecord {
        do throws(ImportError) {
            return try ImportRecord(path: path ?? "")
        } catch {
            throw WorkspaceError(error.description)
        }
    }

    private static func words(of file: ImportedFile, _ merge: WorkspaceMerge) -> String {
        let counts = [
            (merge.added.count, "added"), (merge.updated.count, "updated"),
            (merge.left.count, "left as it is here"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let done = counts.isEmpty ? "nothing is new" : counts.joined(separator: ", ")
        let count = file.losses.count
        let lost = "\(count) thing\(count == 1 ? "" : "s") not carried over"
        let more =
            (count > 0 ? [lost] : []) + (count > 0 || !merge.left.isEmpty ? ["? lists what"] : [])
        return "\(file.workspace.format): \(([done] + more).joined(separator: "; "))"
    }

    /// What `?` says about an import: what was left, what the file no longer has, and what has no place here.
    private static func note(of file: ImportedFile, _ merge: WorkspaceMerge) -> String? {
        var paragraphs: [String] = []
        for (title, names) in [
            ("Left as it is here", merge.left),
            ("No longer in the file, and still here", merge.gone),
        ] where !names.isEmpty {
            paragraphs.append("**\(title)**\n\n" + names.map { "- \($0)" }.joined(separator: "\n"))
        }
        if let losses = file.origin("").losses { paragraphs.append(losses) }
        return paragraphs.isEmpty ? nil : paragraphs.joined(separator: "\n\n")
    }
}
