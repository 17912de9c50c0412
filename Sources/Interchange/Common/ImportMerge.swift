package import Workspaces

/// An import into a workspace that is there, prepared before anything is written.
///
///     text ─▶ names and defaults of its own ─▶ credentials taken out ─▶ merged ─▶ `.env`, record and workspace, or none
package struct ImportMerge: Sendable {
    /// What is done to the workspace.
    package let merge: WorkspaceMerge
    /// The credentials that the file has.
    package let credentials: CredentialSeparation
    /// The path of the file that they go to.
    package let credentialsPath: String
    /// The files beside the workspace that are written with it.
    package let files: [FileBeside]
    /// Variables of the file that have other names here, because the workspace's own are secret, in words.
    package let renamed: [String]

    /// Prepares the import of a file.
    ///
    /// - Parameters:
    ///   - file: What is imported.
    ///   - source: The name under which it is remembered.
    ///   - workspace: The workspace that it is put into.
    ///   - path: The path of the workspace: where its files are, or will be.
    ///   - keepsSecrets: Whether credentials stay in the text.
    /// - Throws: `WorkspaceError` if something cannot be read, or the workspace would not be valid.
    package init(
        _ file: ImportedFile,
        named source: String,
        into workspace: Workspace,
        at path: String,
        keepsSecrets: Bool = false
    ) throws(WorkspaceError) {
        let recordPath = ImportRecord.path(beside: path)
        var record = try Self.record(at: recordPath)
        let before = record.sources[source] ?? [:]
        let foreign = try ForeignText(file.text, for: workspace, before: before)
        let beside = workspace.isNew ? path : workspace.files.first ?? path
        let name = workspace.envFile ?? CredentialSeparation.newFile(beside: beside)
        let place = CredentialSeparation.path(of: name, beside: beside)
        let old = try FileBeside.text(at: place)
        let separation =
            keepsSecrets
            ? CredentialSeparation(unchanged: foreign.text)
            : CredentialSeparation(
                [foreign.text],
                to: name,
                existing: old.map { CredentialSeparation.entries(of: $0, file: place) } ?? [],
                reserved: workspace.names(definedOutside: place)
            )
        var files: [FileBeside] = []
        var reading = workspace
        if !separation.entries.isEmpty {
            let text = separation.fileText(for: beside, after: old)
            files.append(FileBeside(path: place, before: old, after: text, isPrivate: true))
            let written = CredentialSeparation.path(of: name, beside: workspace.files.first ?? path)
            reading = workspace.reading([place, written, name].map { ($0, text) })
        }
        let merge = try WorkspaceMerge(
            separation.texts[0],
            into: reading,
            before: before,
            names: foreign.remembered
        )
        record.sources[source] = merge.remembered
        let oldRecord = try FileBeside.text(at: recordPath)
        files.append(FileBeside(path: recordPath, before: oldRecord, after: record.text))
        self.merge = merge
        self.files = files
        credentials = separation
        credentialsPath = place
        renamed = foreign.renamed.map { old, new in
            "\(old) is secret here, so that the file's own is \(new); with \(new): \"{{ \(old) }}\" it gets the same value"
        }
    }

    private static func record(at path: String) throws(WorkspaceError) -> ImportRecord {
        do throws(ImportError) {
            return try ImportRecord(path: path)
        } catch {
            throw WorkspaceError(error.description)
        }
    }

    /// How many things were added, updated and left, in words.
    package var counts: String {
        let parts = [
            (merge.added.count, "added"), (merge.updated.count, "updated"),
            (merge.left.count, "left as it is here"),
        ]
        let words = parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return words.isEmpty ? "nothing is new" : words.joined(separator: ", ")
    }
}
