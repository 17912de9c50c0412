import ArgumentParser
import Documents
import Glibc
import Interchange
import Terminal
import Workspaces

/// `apus import`: writes a file of another program as a workspace.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        _superCommandName: "apus",
        abstract:
            "Write what another program has as a workspace: OpenAPI, Postman, .http, curl and others.",
        discussion: """
            Reads OpenAPI 3 and Swagger 2 (JSON, YAML), Postman collections and environments, Insomnia (JSON, YAML), \
            Bruno folders, .http and .rest files, hurl files, HAR files, and files of curl commands. The content says which \
            it is. To only look, open it: `apus openapi.yaml`; every command that takes a workspace takes these, too.

            Writes NAME.apus.yaml in this folder, or for more than 50 targets a folder NAME with a file for each group; \
            nothing that is there is replaced. What has no place in a workspace is kept in the note of its target, and \
            listed on standard error with the reason. The same input gives the same bytes.

            Credentials that stand in the source go into a file .env beside the workspace, which names it under envFile \
            and reads them from there; only its owner can read it. It is never replaced: where there is one already, the \
            file is .env.NAME, and --into adds lines to the one that the workspace names. With -o - they are left out \
            and asked for. --keep-secrets leaves them where they are.

            --into adds to a workspace: what is not there is added, targets that an earlier import made and nobody edited \
            are updated, and everything else is left and named. What is imported is never sent a secret of the workspace: \
            its variables get other names where the workspace's are secret, and its targets at other hosts do not inherit \
            the workspace's credentials. A file NAME.imported.json beside the workspace remembers what was imported; keep \
            it with the workspace.

            --json prints one object: version (1), format, path, targets (their number), losses [{kind, reason, target, \
            line, text}, …], credentials {path, names, kept} or null, and with --into renamed, added, updated, left and \
            gone (lists of texts).

            Exit status: 0 imported, 1 with --strict if something has no place in a workspace, 2 it cannot be read or \
            written.

            Examples:
              apus import openapi.yaml
              apus import collection.json -o shop.apus.yaml
              apus import https://api.example/openapi.json --into shop.apus.yaml
              pbpaste | apus import - -o -
            """
    )

    @Argument(
        help: "A file, a folder or a URL; - reads standard input.",
        completion: .file()
    )
    var source: String

    @Option(
        name: .shortAndLong,
        help:
            "The file to write, or the folder where there is more than one; - writes to standard output.",
        completion: .file()
    )
    var output: String?

    @Option(
        help: ArgumentHelp("A workspace to add to: a file or a folder.", valueName: "workspace"),
        completion: .file(extensions: ["yaml"])
    )
    var into: String?

    @Option(
        name: .customLong("from"),
        help: ArgumentHelp(
            "The format, if the content does not say it: \(Importers.all.map { $0.name }.joined(separator: ", ")).",
            valueName: "format"
        )
    )
    var format: String?

    @Flag(help: "Leave credentials in the workspace's text.")
    var keepSecrets = false

    @Flag(help: "Fail if something has no place in a workspace.")
    var strict = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        if output != nil, into != nil { throw ValidationError("-o and --into do not go together.") }
        if json, output == "-" { throw ValidationError("--json and -o - do not go together.") }
        if let format, !Importers.all.contains(where: { $0.name == format }) {
            let names = Importers.all.map { $0.name }.joined(separator: ", ")
            throw ValidationError("--from takes one of \(names).")
        }
    }

    func run() throws {
        let command = self
        try CommandRun.untilEnd {
            let file = try command.importedFile(try await command.read())
            return try command.finish(file)
        }
    }

    /// The source, with what it refers to by URL.
    private func read() async throws -> ImportSource {
        if source == "-" {
            guard let bytes = ImportSource.standardInput() else {
                throw CommandError("standard input cannot be read: \(systemMessage(errno))")
            }
            return ImportSource(path: "standard input", bytes: bytes)
        }
        do throws(ImportError) {
            return try await ImportFetch.source(at: source)
        } catch {
            throw CommandError(error.description)
        }
    }

    private func importedFile(_ source: ImportSource) throws -> ImportedFile {
        do throws(ImportError) {
            guard let format, let importer = Importers.all.first(where: { $0.name == format })
            else {
                return try ImportedFile(source)
            }
            return try ImportedFile(source, as: importer)
        } catch {
            throw CommandError(error.description)
        }
    }

    private func finish(_ file: ImportedFile) throws -> Int32 {
        if output == "-" {
            try printText(of: file)
        } else if let into {
            try merge(file, into: into)
        } else {
            try write(file)
        }
        return strict && !file.losses.isEmpty ? ExitStatus.negative : 0
    }

    /// Prints the text, without credentials: whoever gets it is asked for them.
    private func printText(of file: ImportedFile) throws {
        let asking =
            keepSecrets ? (text: file.text, count: 0) : CredentialSeparation.asking(file.text)
        try StandardOutput.print(String(asking.text.dropLast()))
        if asking.count > 0 {
            let words = Self.counted(asking.count, "credential")
            StandardError.write(
                "apus: \(words) left out and asked for: --keep-secrets prints them"
            )
        }
        tell(file)
    }

    // MARK: A new workspace

    private func write(_ file: ImportedFile) throws {
        let name = source == "-" ? "imported" : WorkspaceOrigin.newFile(for: source).lastPart
        let place = output ?? (name.hasSuffix(".apus.yaml") ? String(name.dropLast(10)) : name)
        let written = ImportOutput(file, at: place, keepsSecrets: keepSecrets)
        if let taken = written.files.map(\.path).first(where: { access($0, F_OK) == 0 }) {
            throw CommandError(
                "\(taken) already exists: -o names another file, --into adds to a workspace"
            )
        }
        if written.files.count > 1 { try makeFolder(written.path) }
        let credentials = written.credentials
        let schema = StarterWorkspace.schemaPath(beside: written.files[0].path)
        let hadSchema = access(schema, F_OK) == 0
        try FileBeside.write(try besides(written)) { () throws(WorkspaceError) in
            for (path, text) in written.files {
                StarterWorkspace.writeSchema(beside: path, of: text)
            }
        }
        if json { return try printJSON(file, at: written.path, credentials, nil) }
        let targets = Self.counted(file.targetCount, "target")
        try StandardOutput.print(
            "\(file.workspace.format): \(targets) written to \(written.path). `apus \(written.path)` opens it."
        )
        if let (separation, path) = credentials {
            if !separation.entries.isEmpty {
                try StandardOutput.print("\(separation.words(path)): keep that file out of git.")
            }
            if let words = separation.keptWords { StandardError.write("apus: \(words)") }
        }
        if !hadSchema, access(schema, F_OK) == 0 {
            try StandardOutput.print("\(schema) is for your editor.")
        }
        tell(file)
    }

    private func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
            throw CommandError("\(path): \(systemMessage(errno))")
        }
    }

    /// The name of the source in the record.
    private var recordName: String { source == "-" ? "-" : source.lastPart }

    /// All files of a new workspace, which are written together.
    private func besides(_ written: ImportOutput) throws(WorkspaceError) -> [FileBeside] {
        let record = ImportRecord.path(beside: written.path)
        let recordText = try ImportRecord(of: written, from: recordName).text
        var files = written.files.map { FileBeside(path: $0.path, before: nil, after: $0.text) }
        if let (separation, path) = written.credentials, !separation.entries.isEmpty {
            let text = separation.fileText(for: written.path)
            let old = try FileBeside.text(at: path)
            files.insert(FileBeside(path: path, before: old, after: text, isPrivate: true), at: 0)
        }
        let old = try FileBeside.text(at: record)
        return files + [FileBeside(path: record, before: old, after: recordText)]
    }

    // MARK: A workspace that is there

    private func merge(_ file: ImportedFile, into path: String) throws {
        guard access(path, F_OK) == 0 else {
            throw CommandError("\(path): \(systemMessage(errno)); -o makes a new workspace")
        }
        let prepared = try ImportMerge(
            file,
            named: recordName,
            into: try Workspace.load(path: path),
            at: path,
            keepsSecrets: keepSecrets
        )
        let merge = prepared.merge
        let separation = prepared.credentials
        let place = prepared.credentialsPath
        _ = try FileBeside.write(prepared.files) { () throws(WorkspaceError) in
            try merge.workspace.save()
        }
        let credentials = separation.isEmpty ? nil : (separation, place)
        if json { return try printJSON(file, at: path, credentials, prepared) }
        try StandardOutput.print("\(file.workspace.format) into \(path): \(prepared.counts).")
        if !separation.entries.isEmpty {
            try StandardOutput.print("\(separation.words(place)): keep that file out of git.")
        }
        for name in separation.left {
            StandardError.write("apus: left as it is in \(place): \(name)")
        }
        for words in prepared.renamed { StandardError.write("apus: \(words)") }
        if let words = separation.keptWords { StandardError.write("apus: \(words)") }
        for name in merge.left { StandardError.write("apus: left as it is here: \(name)") }
        for name in merge.gone {
            StandardError.write("apus: no longer in \(source), and still here: \(name)")
        }
        tell(file)
    }

    // MARK: What is said

    /// Lists on standard error what was not carried over.
    private func tell(_ file: ImportedFile) {
        for group in file.lossGroups {
            StandardError.write("apus: not carried over: \(group.kind) (\(group.reason))")
            for place in group.places { StandardError.write("  \(place)") }
        }
    }

    private func printJSON(
        _ file: ImportedFile,
        at path: String,
        _ credentials: (separation: CredentialSeparation, path: String)?,
        _ prepared: ImportMerge?
    ) throws {
        let losses = file.losses.map { path, loss in
            JSON(members: [
                ("kind", JSON(loss.kind)), ("reason", JSON(loss.reason)), ("target", JSON(path)),
                ("line", loss.line.map { JSON($0) } ?? .null), ("text", JSON(loss.text)),
            ])
        }
        var members: [(key: String, value: JSON)] = [
            ("version", 1), ("format", JSON(file.workspace.format)), ("path", JSON(path)),
            ("targets", JSON(file.targetCount)), ("losses", JSON(losses)),
            (
                "credentials",
                credentials.map { separation, path in
                    let names = separation.entries.map { JSON($0.name) }
                    let kept = separation.kept.map { JSON($0) }
                    return JSON(members: [
                        ("path", JSON(path)), ("names", JSON(names)), ("kept", JSON(kept)),
                    ])
                } ?? .null
            ),
        ]
        if let prepared {
            let merge = prepared.merge
            members.append(("renamed", JSON(prepared.renamed.map { JSON($0) })))
            for (name, list) in [
                ("added", merge.added), ("updated", merge.updated), ("left", merge.left),
                ("gone", merge.gone),
            ] {
                members.append((name, JSON(list.map { JSON($0) })))
            }
        }
        try StandardOutput.print(asJSON: true, JSON(members: members), or: [])
    }

    private static func counted(_ count: Int, _ word: String) -> String {
        "\(count) \(word)\(count == 1 ? "" : "s")"
    }
}

extension String {
    /// What is after the last slash of a path.
    fileprivate var lastPart: String { split(separator: "/").last.map(String.init) ?? self }
}
