import ArgumentParser
import Explorer
import Glibc
import Recordings
import Terminal
import Workspaces

/// `apus FILE`: the explorer on a workspace.
struct OpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        _superCommandName: "apus",
        abstract: "Open a workspace in the explorer (the default command)."
    )

    @Argument(
        help: "A workspace file, or a folder of *.apus.yaml files. Default: this folder.",
        completion: .file(extensions: ["yaml"])
    )
    var file: String?

    @OptionGroup var screen: ScreenOptions
    @OptionGroup var history: HistoryOptions

    func run() throws {
        let path = file ?? "."
        if file == nil, !Self.hasWorkspace {
            StandardError.write(
                "apus: no *.apus.yaml in this folder. Name a workspace file, or try: apus demo"
            )
            throw ExitCode(ExitStatus.usage)
        }
        // Report a missing file before the terminal is claimed.
        guard access(path, R_OK) == 0 else {
            StandardError.write("apus: \(path): \(String(cString: strerror(errno)))")
            throw ExitCode(ExitStatus.usage)
        }
        try screen.explore(named: file ?? "this folder", recordedBy: history, watching: path) {
            do throws(WorkspaceError) {
                return Catalog(try Workspace.load(path: path))
            } catch {
                throw CatalogProblem(error.description, at: FilePlace(error))
            }
        }
    }

    /// Whether this folder has a workspace file.
    private static var hasWorkspace: Bool {
        var found = glob_t()
        defer { globfree(&found) }
        return glob("*.apus.yaml", 0, nil, &found) == 0
    }
}

/// How the explorer looks, and its way from the command line to the screen.
struct ScreenOptions: ParsableArguments {
    @Option(help: "A theme's name, or a theme file.")
    var theme: String?

    /// Runs the explorer; throws its exit status unless that is 0.
    func explore(
        named name: String,
        recordedBy history: HistoryOptions,
        watching path: String? = nil,
        _ load: @escaping @Sendable () async throws -> Catalog
    ) throws {
        let status = MainActor.assumeIsolated {
            ExplorerProgram(
                sourceName: name,
                theme: theme,
                history: history.history { History(keepsSecrets: $0) },
                session: history.session,
                watchedPath: path,
                loadCatalog: load
            ).run()
        }
        if status != 0 { throw ExitCode(status) }
    }
}
