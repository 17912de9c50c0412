import Documents
import FoundationEssentials
package import Workspaces

/// The files that an imported workspace is written to.
package struct ImportOutput: Sendable {
    /// More targets than these are written to a folder with a file for each group.
    private static let mostTargetsOfFile = 50

    /// The texts by their paths, in order; the first has what is common.
    package let files: [(path: String, text: String)]
    /// The file or folder to open.
    package let path: String
    /// The credentials that the texts do not have, and the path of the file for them; nil if they have none.
    package let credentials: (separation: CredentialSeparation, path: String)?
    /// What a later import compares its text with: the whole as one text.
    package let whole: CredentialSeparation
    /// The names and defaults that it has for itself.
    package let names: WorkspaceMerge.Imported

    /// Puts an imported workspace into one file at a path, or if it is large, into a folder there.
    ///
    /// A path that ends with `.yaml` or `.yml` is always one file. Credentials go into a file of their own, unless they
    /// are kept.
    package init(_ file: ImportedFile, at path: String, keepsSecrets: Bool = false) {
        let files = Self.files(of: file, at: path)
        let isFolder = files.count > 1
        names = ForeignText(ofNewWorkspace: file.text).remembered
        self.path = isFolder ? Self.trimmed(path) : files[0].path
        guard !keepsSecrets else {
            (self.files, credentials) = (files, nil)
            whole = CredentialSeparation(unchanged: file.text)
            return
        }
        let opened = self.path
        // The same input gives the same bytes, also where an earlier import has left its credentials.
        let name = CredentialSeparation.newFile(beside: files[0].path) { name, text in
            CredentialSeparation(files.map(\.text), to: name).fileText(for: opened) == text
        }
        let separation = CredentialSeparation(files.map(\.text), to: name)
        self.files = zip(files, separation.texts).map { ($0.path, $1) }
        let place = CredentialSeparation.path(of: name, beside: files[0].path)
        credentials = separation.isEmpty ? nil : (separation, place)
        whole = CredentialSeparation([file.text], to: name, existing: separation.entries)
    }

    private static func files(of file: ImportedFile, at path: String) -> [(
        path: String, text: String
    )] {
        let groups = file.workspace.items.filter { if case .group = $0 { true } else { false } }
        let isFile = path.hasSuffix(".yaml") || path.hasSuffix(".yml")
        guard !isFile, file.targetCount > mostTargetsOfFile, groups.count > 1 else {
            return [(isFile ? path : "\(trimmed(path)).apus.yaml", file.text)]
        }
        let folder = trimmed(path)
        return [(path: "\(folder)/00-workspace.apus.yaml", text: head(of: file.workspace))]
            + groups.enumerated().map { index, group in
                var text = WorkspaceText()
                text.writeTargets([group])
                let name = name(of: group, index + 1, of: groups.count)
                return ("\(folder)/\(name).apus.yaml", text.text)
            }
    }

    /// Everything but the groups.
    private static func head(of workspace: ImportedWorkspace) -> String {
        var workspace = workspace
        workspace.items.removeAll { if case .group = $0 { true } else { false } }
        var text = WorkspaceText()
        text.writeHead(workspace)
        if !workspace.items.isEmpty { text.writeTargets(workspace.items) }
        text.writeFlows(workspace)
        return text.text
    }

    /// `03-users`: numbered, so that the order of the source stays.
    private static func name(of item: ImportedItem, _ number: Int, of count: Int) -> String {
        guard case .group(let group) = item else { return "\(number)" }
        let width = max(2, String(count).count)
        let digits =
            String(repeating: "0", count: max(0, width - String(number).count)) + String(number)
        var name = ""
        for character in group.name.lowercased().prefix(40) {
            let isPlain = character.isASCII && (character.isLetter || character.isNumber)
            if isPlain { name.append(character) } else if name.last != "-" { name.append("-") }
        }
        let plain = name.split(separator: "-").joined(separator: "-")
        return plain.isEmpty ? digits : "\(digits)-\(plain)"
    }

    private static func trimmed(_ path: String) -> String {
        var path = path
        while path.count > 1, path.last == "/" { path.removeLast() }
        return path.hasSuffix(".apus") ? String(path.dropLast(5)) : path
    }
}

extension ImportedFile {
    /// The number of its targets.
    package var targetCount: Int { Self.count(workspace.items) }

    private static func count(_ items: [ImportedItem]) -> Int {
        items.reduce(0) { sum, item in
            switch item {
            case .target: sum + 1
            case .group(let group): sum + count(group.items)
            }
        }
    }
}

/// What was imported into a workspace, kept in a file beside it so that a later import knows what people have edited.
package struct ImportRecord: Sendable {
    /// The digests of targets, by the name of the file that they come from.
    package var sources: [String: WorkspaceMerge.Imported]

    /// The record's path: `shop.imported.json` beside `shop.apus.yaml`, and in a folder `imported.json`.
    package static func path(beside workspace: String) -> String {
        if ImportFile.isFolder(workspace) {
            return workspace.hasSuffix("/")
                ? "\(workspace)imported.json" : "\(workspace)/imported.json"
        }
        let base = workspace.hasSuffix(".apus.yaml") ? String(workspace.dropLast(10)) : workspace
        return "\(base).imported.json"
    }

    /// Reads the record at a path; empty if there is none.
    ///
    /// - Throws: `ImportError` if it is not what an import has written.
    package init(path: String) throws(ImportError) {
        sources = [:]
        guard let bytes = ImportFile.bytes(at: path) else { return }
        guard let json = try? JSON(parsing: bytes), json["version"].int == 1 else {
            throw ImportError(
                "\(path): this is not the record of an import; remove it to import anew"
            )
        }
        for (name, targets) in json["sources"].members {
            sources[name] = Dictionary(
                targets.members.map { ($0, $1.string ?? "") },
                uniquingKeysWith: { first, _ in first }
            )
        }
    }

    /// The record of what was just written.
    package init(of output: ImportOutput, from name: String) throws(WorkspaceError) {
        let whole = output.whole
        let empty = try Workspace.new(
            text: whole.texts[0],
            file: "imported.apus.yaml",
            secrets: whole.reader(at: whole.files)
        )
        let merge = try WorkspaceMerge(
            whole.texts[0],
            into: empty,
            before: [:],
            names: output.names
        )
        sources = [name: merge.imported]
    }

    /// The record's text: the same for the same content.
    package var text: String {
        let value = Value.object([
            Value.Member("version", .number("1")),
            Value.Member(
                "sources",
                .object(
                    sources.sorted { $0.key < $1.key }.map { name, targets in
                        Value.Member(
                            name,
                            .object(
                                targets.sorted { $0.key < $1.key }.map {
                                    Value.Member($0.key, .string($0.value))
                                }
                            )
                        )
                    }
                )
            ),
        ])
        return value.prettyJSON + "\n"
    }
}
