import ArgumentParser
import Explorer
import Glibc
import Interchange
import Recordings
import Sharing
import Synchronization
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
            A workspace file, a folder of *.apus.yaml files (default: this folder), what `apus import` reads (OpenAPI, \
            Postman, Insomnia, Bruno, .http, hurl, HAR; also by URL), or a request: a URL, or a curl command in \
            quotes. A file that is not there yet is made when something is saved.
            """,
        completion: .file(extensions: ["yaml"])
    )
    var file: String?

    @OptionGroup var screen: ScreenOptions
    @OptionGroup var frames: FrameOptions
    @OptionGroup var history: HistoryOptions

    /// The list of more targets is shown before they are looked through for what is wrong.
    private static let mostResolved = 1_000

    func run() throws { try Self.open(file, ExplorerOpening(screen, history, frames)) }

    /// Opens a workspace or a request; nil stands for the workspace in this folder.
    static func open(_ file: String?, _ opening: ExplorerOpening) throws {
        if let file, access(file, F_OK) != 0 {
            if ImportFetch.mayBeImported(file) { return try openURL(file, opening) }
            if RequestText.isProbable(file) { return try openRequest(file, opening) }
            if let fault = URLFault.words(for: file) { throw CommandError(fault) }
        }
        let path = file ?? "."
        if let file, isNewFile(file) {
            if let folder = NewWorkspaceFile.missingFolder(of: file) {
                throw CommandError("\(file): there is no folder \(folder)")
            }
            return try openNew(
                NewWorkspaceFile(path: file, isNamed: true),
                named: file,
                watching: file,
                opening
            )
        }
        // Report a missing file before the terminal is claimed.
        guard access(path, R_OK) == 0 else {
            throw CommandError("\(path): \(systemMessage(errno))")
        }
        let importer = WorkspaceImporter()
        // Which format a file has is found out after the first frame, with the rest; that of a folder is known by its names.
        if isForeign(path, importer) {
            return try openNew(
                NewWorkspaceFile(for: path, readBy: importer),
                named: file ?? "this folder",
                watching: path,
                opening
            )
        }
        if isFolder(path), !NewWorkspaceFile.hasWorkspace(path) {
            return try openNew(
                NewWorkspaceFile(in: path),
                named: file ?? "this folder",
                watching: path,
                opening
            )
        }
        let session = WorkspaceSession(usesSamples: opening.usesSamples)
        try opening.explore(named: file ?? "this folder", watching: path) {
            Catalog(try workspace(at: path), session: session)
        }
    }

    /// Whether a path is meant as a file to be made: the name of a workspace file that does not exist.
    private static func isNewFile(_ path: String) -> Bool {
        access(path, F_OK) != 0 && errno != EACCES
            && [".yaml", ".yml"].contains { path.lowercased().hasSuffix($0) }
    }

    /// Whether a path may be that of another program's file; if it is not after all, it is loaded as a workspace.
    private static func isForeign(_ path: String, _ importer: WorkspaceImporter) -> Bool {
        guard isFolder(path) else { return !path.hasSuffix(".apus.yaml") }
        return importer.source(at: path).map { Importers.importer(for: $0) != nil } ?? false
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Opens an empty workspace, whose file is made when something is saved.
    private static func openNew(
        _ file: NewWorkspaceFile,
        named name: String,
        watching path: String,
        _ opening: ExplorerOpening
    ) throws {
        let session = WorkspaceSession(usesSamples: opening.usesSamples)
        try opening.explore(named: name, watching: path) {
            Catalog(
                try orFault { () throws(WorkspaceError) in
                    try file.load(resolvingAtMost: mostResolved)
                },
                session: session,
                file: file
            )
        }
    }

    /// Opens what a URL has if it can be imported, and else a request to it.
    private static func openURL(_ url: String, _ opening: ExplorerOpening) throws {
        let fetched = Mutex<[String: [UInt8]]?>(nil)
        let session = WorkspaceSession(usesSamples: opening.usesSamples)
        let here = NewWorkspaceFile(in: ".")
        try opening.explore(named: url, watching: nil) {
            let known = fetched.withLock(\.self)
            let files = if let known { known } else { await ImportFetch.fetch(url) }
            fetched.withLock { $0 = files }
            let importer = WorkspaceImporter(fetched: files)
            guard let source = importer.source(at: url), Importers.importer(for: source) != nil
            else {
                let workspace = try orFault { () throws(WorkspaceError) in
                    try here.load(resolvingAtMost: mostResolved)
                }
                let catalog = Catalog(workspace, session: session, file: here)
                return try catalog.adding(try RequestText(url, variables: catalog.variableNames))
            }
            let file = NewWorkspaceFile(for: url, readBy: importer)
            return Catalog(
                try orFault { () throws(WorkspaceError) in
                    try file.load(resolvingAtMost: mostResolved)
                },
                session: session,
                file: file
            )
        }
    }

    /// Opens a request in this folder's workspace, or in a new one.
    private static func openRequest(_ text: String, _ opening: ExplorerOpening) throws {
        let request: RequestText
        do throws(RequestTextError) {
            request = try RequestText(text)
        } catch {
            throw CommandError(error.description)
        }
        let file = NewWorkspaceFile(in: ".")
        let name = NewWorkspaceFile.hasWorkspace(".") ? "this folder" : request.name
        let session = WorkspaceSession(usesSamples: opening.usesSamples)
        try opening.explore(named: name, watching: ".") {
            let workspace = try orFault { () throws(WorkspaceError) in
                try file.load(resolvingAtMost: mostResolved)
            }
            let catalog = Catalog(workspace, session: session, file: file)
            return try catalog.adding(try RequestText(text, variables: catalog.variableNames))
        }
    }

    private static func workspace(at path: String) throws(CatalogError) -> Workspace {
        try orFault { () throws(WorkspaceError) in
            try Workspace.load(path: path, resolvingAtMost: mostResolved)
        }
    }

    /// Rethrows what is wrong with the files that are opened, with their lines.
    private static func orFault(
        _ load: () throws(WorkspaceError) -> Workspace
    ) throws(CatalogError) -> Workspace {
        do throws(WorkspaceError) {
            return try load()
        } catch {
            throw CatalogError(error.description, at: FilePlace(error))
        }
    }
}

extension Catalog {
    /// The catalog with the request selected; it is given to the explorer unless the files already have it.
    fileprivate func adding(_ request: RequestText) throws(CatalogError) -> Catalog {
        var catalog = self
        let id = CatalogID("\(Workspace.newGroup)/\(request.name)")
        if let saved = target(id), case let draft = try source.draft(of: saved, in: 0),
            draft.method == request.draft.method, draft.url == request.draft.url
        {
            catalog.selected = id
        } else {
            let draft = request.draft.asItStands
            let target = try source.adding(draft, named: request.name)
            catalog.given = GivenRequest(name: target.name, draft: draft, target: target)
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
    @Option(help: "A theme's name, a theme file, or auto: light or dark as the terminal is.")
    var theme: String?

    @Flag(
        inversion: .prefixedNo,
        help: """
            Restore the theme, environment, selection, folds and sizes of the last run, and save \
            them at the end.
            """
    )
    var state = true

    @OptionGroup var samples: SampleOptions
}

/// How the explorer is opened.
struct ExplorerOpening {
    private var theme: String?
    private var keepsState = true
    /// Whether targets are answered by their samples.
    private(set) var usesSamples = false
    private var history: History?
    private var keepsSecrets = false
    private var session: String?
    private var server: TeamServer?
    private var frames: FrameOptions?

    /// For a command line without options.
    init() { history = History().fetchingFromBuckets() }

    init(_ screen: ScreenOptions, _ history: HistoryOptions, _ frames: FrameOptions) throws {
        (theme, keepsState, self.frames) = (screen.theme, screen.state, frames)
        usesSamples = screen.samples.stubs
        self.history = history.history { History(keepsSecrets: $0).fetchingFromBuckets() }
        session = history.session
        keepsSecrets = history.keepSecrets
        server = try history.server()
    }

    /// How the demo is opened: with a history of its own, because nobody's work is there, unless a
    /// session is named for it.
    func ofDemo() -> ExplorerOpening {
        guard session == nil else { return self }
        var opening = self
        opening.history = history.map { _ in
            History(path: History.demoPath, keepsSecrets: keepsSecrets).fetchingFromBuckets()
        }
        return opening
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
            var program = ExplorerProgram(
                sourceName: name,
                theme: theme,
                history: history,
                session: session,
                watchedPath: path,
                keepsState: keepsState && wish == nil,
                loadCatalog: load
            )
            program.teamServer = server
            program.readImport = { await ImportFetch.file(at: $0) }
            guard let frames, let wish else { return program.run() }
            return try frames.write(wish, of: program)
        }
        if status != 0 { throw ExitCode(status) }
    }
}
