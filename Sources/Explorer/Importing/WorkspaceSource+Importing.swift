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
            let merge = try ImportMerge(read.file, named: name, into: current, at: beside ?? "")
            session.show(Self.note(of: read.file, merge), ofImport: name)
            let catalog = try write(merge.merge.workspace, "imported \(name)", with: merge.files)
            return ImportOutcome(
                words: Self.words(of: read.file, merge),
                isPartial: !merge.merge.left.isEmpty || !read.file.losses.isEmpty
                    || !merge.renamed.isEmpty || !merge.credentials.kept.isEmpty,
                catalog: catalog
            )
        }
    }

    private static func words(of file: ImportedFile, _ merge: ImportMerge) -> String {
        let count = file.losses.count
        var parts = [merge.counts]
        let entries = merge.credentials.entries
        if !entries.isEmpty { parts.append(merge.credentials.words(merge.credentialsPath)) }
        if count > 0 { parts.append("\(count) thing\(count == 1 ? "" : "s") not carried over") }
        if note(of: file, merge) != nil { parts.append("? lists what") }
        return "\(file.workspace.format): \(parts.joined(separator: "; "))"
    }

    /// What `?` says about an import: what was left, what the file no longer has, and what has no place here.
    private static func note(of file: ImportedFile, _ merge: ImportMerge) -> String? {
        var paragraphs: [String] = []
        for (title, names) in [
            ("Left as it is here", merge.merge.left),
            ("Left as it is in \(merge.credentialsPath)", merge.credentials.left),
            ("Under another name", merge.renamed),
            ("Credentials that stay in the workspace", merge.credentials.kept),
            ("No longer in the file, and still here", merge.merge.gone),
        ] where !names.isEmpty {
            paragraphs.append("**\(title)**\n\n" + names.map { "- \($0)" }.joined(separator: "\n"))
        }
        if let losses = file.origin("").losses { paragraphs.append(losses) }
        return paragraphs.isEmpty ? nil : paragraphs.joined(separator: "\n\n")
    }
}
