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

            --into adds to a workspace: what is not there is added, targets that an earlier import made and nobody edited \
            are updated, and everything else is left and named. A file NAME.imported.json beside the workspace remembers \
            what was imported; keep it with the workspace.

            --json prints one object: version (1), format, path, targets (their number), losses [{kind, reason, target, \
            line, text}, …], and with --into added, updated, left and gone (lists of names).

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
        if ImportSource.isURL(source) {
            let files = await ImportFetch.fetch(source)
            guard let bytes = files[source] else {
                throw CommandError(
                    "\(source): it cannot be fetched; `apus send \(source)` says why"
                )
            }
            return ImportSource(path: source, bytes: bytes, fetched: files)
        }
        guard access(source, R_OK) == 0 else {
            throw CommandError("\(source): \(systemMessage(errno))")
        }
        guard let found = ImportSource(at: source) else {
            throw CommandError("\(source): it cannot be read, or is larger than 256 MiB")
        }
        return found.with(fetched: await ImportFetch.fetchingReferences(of: found))
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
            try StandardOutput.print(String(file.text.dropLast()))
            tell(file)
        } else if let into {
            try merge(file, into: into)
        } else {
            try write(file)
        }
        return strict && !file.losses.isEmpty ? ExitStatus.negative : 0
    }

    // MARK: A new workspace

    private func write(_ file: ImportedFile) throws {
        let name = source == "-" ? "imported" : WorkspaceOrigin.newFile(for: source).lastPart
        let place = output ?? (name.hasSuffix(".apus.yaml") ? String(name.dropLast(10)) : name)
        let written = ImportOutput(file, at: place)
        if let taken = written.files.map(\.path).first(where: { access($0, F_OK) == 0 }) {
            throw CommandError(
                "\(taken) already exists: -o names another file, --into adds to a workspace"
            )
        }
        if written.files.count > 1 { try makeFolder(written.path) }
        for (path, text) in written.files { try Workspace.write(text, toNewFile: path) }
        try keep(ImportRecord(of: file.text, from: recordName), beside: written.path)
        if json { return try printJSON(file, at: written.path, nil) }
        let targets = Self.counted(file.targetCount, "target")
        try StandardOutput.print(
            "\(file.workspace.format): \(targets) written to \(written.path). `apus \(written.path)` opens it."
        )
        tell(file)
    }

    private func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o777) == 0 || errno == EEXIST else {
            throw CommandError("\(path): \(systemMessage(errno))")
        }
    }

    /// The name of the source in the record.
    private var recordName: String { source == "-" ? "-" : source.lastPart }

    private func keep(_ record: ImportRecord, beside workspace: String) throws {
        let path = ImportRecord.path(beside: workspace)
        try OutputFile(path: path, content: .json).write { try $0.write(record.text) }
    }

    // MARK: A workspace that is there

    private func merge(_ file: ImportedFile, into path: String) throws {
        guard access(path, F_OK) == 0 else {
            throw CommandError("\(path): \(systemMessage(errno)); -o makes a new workspace")
        }
        var record: ImportRecord
        do throws(ImportError) {
            record = try ImportRecord(path: ImportRecord.path(beside: path))
        } catch {
            throw CommandError(error.description)
        }
        let workspace = try Workspace.load(path: path)
        let merge = try WorkspaceMerge(
            file.text,
            into: workspace,
            before: record.sources[recordName] ?? [:]
        )
        try merge.workspace.save()
        record.sources[recordName] = merge.remembered
        try keep(record, beside: path)
        if json { return try printJSON(file, at: path, merge) }
        let parts = [
            ("added", merge.added), ("updated", merge.updated), ("left as it is here", merge.left),
        ]
        let words = parts.filter { !$0.1.isEmpty }.map { "\($0.1.count) \($0.0)" }
        let said = words.isEmpty ? "nothing is new" : words.joined(separator: ", ")
        try StandardOutput.print("\(file.workspace.format) into \(path): \(said).")
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

    private func printJSON(_ file: ImportedFile, at path: String, _ merge: WorkspaceMerge?) throws {
        let losses = file.losses.map { path, loss in
            JSON(members: [
                ("kind", JSON(loss.kind)), ("reason", JSON(loss.reason)), ("target", JSON(path)),
                ("line", loss.line.map { JSON($0) } ?? .null), ("text", JSON(loss.text)),
            ])
        }
        var members: [(key: String, value: JSON)] = [
            ("version", 1), ("format", JSON(file.workspace.format)), ("path", JSON(path)),
            ("targets", JSON(file.targetCount)), ("losses", JSON(losses)),
        ]
        if let merge {
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
