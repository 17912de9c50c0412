import ArgumentParser
import Explorer
import Glibc
import Recordings
import Workspaces

/// `apus FILE`: opens the explorer on a workspace.
struct OpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        _superCommandName: "apus",
        abstract: "Open a workspace in the explorer (the default command)."
    )

    @Argument(
        help: """
            A workspace file, a folder of *.apus.yaml files (default: this folder), or a request: a URL, or a \
            curl command in quotes.
            """,
        completion: .file(extensions: ["yaml"])
    )
    var file: String?

    @OptionGroup var screen: ScreenOptions
    @OptionGroup var frames: FrameOptions
    @OptionGroup var history: HistoryOptions

    func run() throws { try Self.open(file, ExplorerOpening(screen, history, frames)) }

    /// Opens a workspace or a request; nil stands for the workspace in this folder.
    static func open(_ file: String?, _ opening: ExplorerOpening) throws {
        if let file, access(file, F_OK) != 0 {
            if RequestText.isProbable(file) { return try openRequest(file, opening) }
            if let fault = URLFault.words(for: file) { throw CommandFailure(fault) }
        }
        let path = file ?? "."
        if file == nil, !hasWorkspace {
            throw CommandFailure(
                "no *.apus.yaml in this folder. Name a workspace file, or try: apus demo"
            )
        }
        // Report a missing file before the terminal is claimed.
        guard access(path, R_OK) == 0 else {
            throw CommandFailure("\(path): \(systemMessage(errno))")
        }
        let values = SessionValues()
        try opening.explore(named: file ?? "this folder", watching: path) {
            Catalog(try workspace(at: path), values: values)
        }
    }

    /// Opens a request in this folder's workspace, or in a new one in memory.
    private static func openRequest(_ text: String, _ opening: ExplorerOpening) throws {
        let request: RequestText
        do throws(CatalogProblem) {
            request = try RequestText(text)
        } catch {
            throw CommandFailure(error.description)
        }
        let path = hasWorkspace ? "." : nil
        let values = SessionValues()
        try opening.explore(named: path == nil ? request.name : "this folder", watching: path) {
            let workspace = try path.map { try Self.workspace(at: $0) } ?? newWorkspace()
            let catalog = Catalog(workspace, values: values)
            return try catalog.adding(try RequestText(text, variables: catalog.variableNames))
        }
    }

    private static func workspace(at path: String) throws(CatalogProblem) -> Workspace {
        do throws(WorkspaceError) {
            return try Workspace.load(path: path)
        } catch {
            throw CatalogProblem(error.description, at: FilePlace(error))
        }
    }

    /// Whether this folder has a workspace file.
    static var hasWorkspace: Bool {
        var found = glob_t()
        defer { globfree(&found) }
        return glob("*.apus.yaml", 0, nil, &found) == 0
    }
}

/// The name in error messages of a workspace without a file.
let newWorkspaceName = "new.apus.yaml"

/// A workspace without a file and without targets.
func newWorkspace() throws(CatalogProblem) -> Workspace {
    try orProblem { () throws(WorkspaceError) in
        try Workspace.parse(text: "name: New\ntargets: {}\n", file: newWorkspaceName)
    }
}

extension Catalog {
    /// The catalog with the request selected; adds it unless the files already have it.
    fileprivate func adding(_ request: RequestText) throws(CatalogProblem) -> Catalog {
        var catalog = self
        let id = CatalogID("\(Workspace.newGroup)/\(request.name)")
        if let saved = target(id), let draft = try saved.draft?(0),
            draft.method == request.draft.method, draft.url == request.draft.url
        {
            catalog.selected = id
        } else if let target = try make?(request.name, request.draft.asItStands).target {
            catalog = catalog.adding(target, to: Workspace.newGroup)
            catalog.selected = target.id
        }
        catalog.notes = request.warnings
        return catalog
    }

    private func target(_ id: CatalogID) -> CatalogTarget? {
        for case .group(Workspace.newGroup, let nodes) in nodes {
            for case .target(let target) in nodes where target.id == id { return target }
        }
        return nil
    }
}

/// The explorer's theme, and whether it keeps its state.
struct ScreenOptions: ParsableArguments {
    @Option(help: "A theme's name, or a theme file.")
    var theme: String?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Restore the theme, environment, selection, folds and sizes of the last run, and save \
            them at the end.
            """
    )
    var state = true
}

/// How the explorer is opened.
struct ExplorerOpening {
    private var theme: String?
    private var keepsState = true
    private var history: History?
    private var session: String?
    private var frames: FrameOptions?

    /// For a command line without options.
    init() { history = History() }

    init(_ screen: ScreenOptions, _ history: HistoryOptions, _ frames: FrameOptions) {
        (theme, keepsState, self.frames) = (screen.theme, screen.state, frames)
        (self.history, session) = (history.history { History(keepsSecrets: $0) }, history.session)
    }

    /// Runs the explorer; throws `ExitCode` unless its exit status is 0.
    func explore(
        named name: String,
        watching path: String? = nil,
        _ load: @escaping @Sendable () async throws -> Catalog
    ) throws {
        try ThreadCheck.requireThreads()
        let wish = try frames?.wish
        let status = try MainActor.assumeIsolated {
            let program = ExplorerProgram(
                sourceName: name,
                theme: theme,
                history: history,
                session: session,
                watchedPath: path,
                keepsState: keepsState && wish == nil,
                loadCatalog: load
            )
            guard let frames, let wish else { return program.run() }
            return try frames.write(wish, of: program)
        }
        if status != 0 { throw ExitCode(status) }
    }
}
