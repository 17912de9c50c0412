import ArgumentParser
import Glibc
import Interchange
import Recordings
import Terminal
import Workspaces

/// `apus export`: writes targets in the format of another program.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        _superCommandName: "apus",
        abstract:
            "Write targets for another program: curl, .http, HTTPie, hurl, Python and others.",
        discussion: """
            Writes the named targets, groups with all in them, or --all, to standard output or a file. A command, a script and a \
            file of requests sends what `apus send` sends; a tool names itself in `User-Agent`, and the boundary of a form and \
            the codings that are accepted may be its own.

            Formats (--as):
            \(Exporters.all.map { "  \($0.name): \($0.abstract)" }.joined(separator: "\n"))

            In commands, code and pages everything is filled in for the environment. In files of requests (\
            \(Exporters.all.filter { $0.keepsVariables }.map { $0.name }.joined(separator: ", "))) variables stay variables where \
            that sends the same.

            Secrets do not leave, those of the workspace's files neither: each becomes a variable, $API_TOKEN in a shell, \
            {{ token }} in a file, which must be set; in notes and recorded responses signs stand for them. --keep-secrets \
            writes them. What a format cannot say is listed on standard error, and in a comment where the format has comments.

            -o writes a file that is not there yet, and beside it what belongs to it, such as environments; into a folder that is \
            there, a file with the workspace's name. Files that requests send are named from that folder if they are below it, \
            else from the root. The explorer's `C` copies a target in any of these.

            Exit status: 0 exported, 1 with --strict if something is not carried over, 2 it cannot be exported.

            Examples:
              apus export 'Users/Show' --as curl
              apus export Users --as http -o users.http
              apus export --all --as hurl -w shop.apus.yaml -e test
            """
    )

    @Argument(
        help: ArgumentHelp("Targets and groups by their names.", valueName: "target"),
        completion: WorkspaceCompletions.exportable
    )
    var names: [String] = []

    @Flag(help: "All targets of the workspace.")
    var all = false

    @OptionGroup var workspace: WorkspaceOptions

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "The format: \(Exporters.all.map { $0.name }.joined(separator: ", ")).",
            valueName: "format"
        ),
        completion: .list(Exporters.all.map { $0.name })
    )
    var format: String

    @Option(
        name: .shortAndLong,
        help: "The file to write, or a folder; standard output by default.",
        completion: .file()
    )
    var output: String?

    @Flag(help: "Write secrets as they are.")
    var keepSecrets = false

    @Flag(help: "Fail if something is not carried over.")
    var strict = false

    func validate() throws {
        guard Exporters.named(format) != nil else {
            let names = Exporters.all.map { $0.name }.joined(separator: ", ")
            throw ValidationError("--as takes one of \(names).")
        }
        if all, !names.isEmpty { throw ValidationError("--all and names do not go together.") }
        if !all, names.isEmpty { throw ValidationError("name targets or groups, or say --all.") }
    }

    func run() throws {
        let command = self
        try CommandRun.untilEnd { try await command.export() }
    }

    private func export() async throws -> Int32 {
        guard let exporter = Exporters.named(format) else { return ExitStatus.usage }
        let named = try workspace.load()
        let ids = try chosen(in: named.workspace)
        let place = try output.map { try path(for: $0, named.workspace.name, exporter) }
        let reader = ExportReader(
            named,
            keepsVariables: exporter.keepsVariables,
            keepsSecrets: keepSecrets,
            folder: place.map { Self.folder(of: $0) }
        )
        var exported = await reader.read(ids.contains)
        if format == OpenAPIExporter.name {
            let recorded = await RecordedResponses(of: named.workspace.name, in: History())
            exported = recorded.adding(to: exported)
        }
        guard !exported.requests.isEmpty else {
            let reasons = exported.losses.map { "\($0.target): \($0.loss.reason)" }
            let none = "there is nothing to export"
            throw CommandError(reasons.isEmpty ? none : reasons.joined(separator: "\n"))
        }
        let written = exporter.export(exported)
        if let place {
            try write(written, to: place, count: exported.requests.count)
        } else {
            try StandardOutput.print(String(written.text.dropLast()))
        }
        for line in written.lossLines { StandardError.write(line) }
        return strict && !written.losses.isEmpty ? ExitStatus.negative : 0
    }

    /// The targets that are named, and those of the groups that are.
    private func chosen(in workspace: Workspace) throws -> Set<TargetID> {
        let targets = workspace.targets
        if all { return Set(targets.map(\.id)) }
        var ids: Set<TargetID> = []
        for name in names {
            let found =
                targets.contains { $0.id.rawValue == name }
                ? targets.filter { $0.id.rawValue == name }
                : targets.filter { $0.id.rawValue.hasPrefix(name + "/") }
            let alone = found.isEmpty ? targets.filter { $0.name == name } : found
            guard !alone.isEmpty else {
                throw WorkspaceError(
                    noneNamed: name,
                    kind: "target or group",
                    among: targets.map(\.id.rawValue) + workspace.groups.map(\.id)
                )
            }
            guard !found.isEmpty || alone.count == 1 else {
                let ids = alone.map { "“\($0.id)”" }.joined(separator: ", ")
                throw CommandError("there is more than one target “\(name)”: \(ids)")
            }
            ids.formUnion(alone.map(\.id))
        }
        return ids
    }

    // MARK: Files

    private func path(
        for output: String,
        _ name: String,
        _ exporter: any Exporter.Type
    ) throws -> String {
        var status = stat()
        var path = output
        if stat(output, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
            let folder = output.hasSuffix("/") ? String(output.dropLast()) : output
            let file = String(name.map { "/\0".contains($0) ? "-" : $0 })
            path = "\(folder)/\(file).\(exporter.fileExtension)"
        }
        try refuseExisting(path)
        return path
    }

    private func refuseExisting(_ path: String, thenNaming kind: String = "file") throws {
        guard access(path, F_OK) != 0 else {
            throw CommandError("\(path) already exists: -o names another \(kind)")
        }
    }

    /// The real path of the folder that a file is written to.
    private static func folder(of path: String) -> String {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        guard let real = realpath(folder.isEmpty ? "/" : folder, nil) else { return folder }
        defer { free(real) }
        return String(cString: real)
    }

    private func write(_ written: ExportOutput, to path: String, count: Int) throws {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        let others = written.files.map { (path: folder + $0.name, text: $0.text) }
        for other in others { try refuseExisting(other.path, thenNaming: "folder") }
        try Workspace.write(written.text, toNewFile: path)
        for other in others { try Workspace.write(other.text, toNewFile: other.path) }
        let beside = others.isEmpty ? "" : ", with \(others.map(\.path).joined(separator: ", "))"
        let targets = "\(count) target\(count == 1 ? "" : "s")"
        try StandardOutput.print("\(targets) written to \(path)\(beside).")
    }
}

extension ExportOutput {
    /// What was not carried over, grouped by kind, in lines.
    fileprivate var lossLines: [String] {
        var kinds: [String] = []
        var places: [String: [String]] = [:]
        for (target, loss) in losses {
            let kind = "\(loss.kind) (\(loss.reason))"
            if places[kind] == nil { kinds.append(kind) }
            let text = loss.text.isEmpty ? "" : ": \(loss.text.split(separator: "\n").first ?? "")"
            places[kind, default: []].append("  \(target)\(text)")
        }
        return kinds.flatMap { ["apus: not carried over: \($0)"] + (places[$0] ?? []) }
    }
}
