public import Apus
import FoundationEssentials
public import Recordings
package import Sharing
import Terminal

/// The explorer, from its first frame to its exit status.
@MainActor
public struct ExplorerProgram {
    /// What `loadCatalog` loads.
    public typealias LoadedCatalog = Catalog

    /// The name of the catalog's source in the title bar, such as a file's name.
    public var sourceName: String
    /// A theme's name or file; nil for the one chosen last if `keepsState` is true, else the default.
    public var theme: String?
    /// What carries out the requests.
    public var transport: any Transport
    /// Where responses are cached.
    public var cache: ResponseCache.Configuration
    /// A program's own provider, used instead of `transport` and `cache`; nil for none.
    var provider: AnyProvider?
    /// Where requests and responses are recorded; nil to record nothing.
    public var history: History?
    /// The session to record from the start; nil for none.
    public var session: String?
    /// Where that session is shared while it is recorded; nil for nowhere.
    package var teamServer: TeamServer?
    /// A file or a folder of `*.apus.yaml` to watch: its changes load the catalog again; nil to watch nothing.
    public var watchedPath: String?
    /// Whether the next start restores the theme, environment, selection, folding and pane sizes.
    public var keepsState: Bool
    /// Reads files of other programs for the workspace; nil where nothing can be imported.
    package var readImport: ImportReading?
    /// Loads the catalog while the first frame is already on the screen, and again when `watchedPath` has changed.
    ///
    /// The first time, an error is shown after the terminal is restored. Later, the former catalog stays and the
    /// screen shows the error; a ``CatalogError`` says where it is.
    public var loadCatalog: @Sendable () async throws -> Catalog

    /// Makes an explorer.
    public init(
        sourceName: String,
        theme: String? = nil,
        transport: any Transport = CurlTransport(),
        cache: ResponseCache.Configuration = ResponseCache.Configuration(),
        history: History? = nil,
        session: String? = nil,
        watchedPath: String? = nil,
        keepsState: Bool = true,
        loadCatalog: @escaping @Sendable () async throws -> Catalog
    ) {
        self.sourceName = sourceName
        self.theme = theme
        self.transport = transport
        self.cache = cache
        self.history = history
        self.session = session
        self.watchedPath = watchedPath
        self.keepsState = keepsState
        self.loadCatalog = loadCatalog
    }

    /// The file that keeps the state; nil if none is kept.
    private var statePath: String? {
        guard keepsState else { return nil }
        let source = watchedPath.map { CatalogFiles.realFolder($0) } ?? sourceName
        return KeptState.path(of: source, in: StandardFolders.state)
    }

    /// Takes over the terminal until the user quits, and restores it.
    ///
    /// - Returns: the exit status: 0; 2 if it could not start (the reason is on the standard error); or 128 plus
    ///   the number of a signal.
    public func run() -> Int32 {
        do throws(ScreenStartError) {
            return try show()
        } catch {
            return StandardError.fail(error.text)
        }
    }

    /// Like `run`, but throws if it cannot start.
    func show() throws(ScreenStartError) -> Int32 {
        try ScreenStart.show(
            theme: theme,
            kept: theme == nil && keepsState ? KeptTheme.read() : nil,
            configuration: StandardFolders.configuration
        ) { screen throws(ScreenStartError) in
            try withApp(screen) { app, mailbox throws(ScreenStartError) in
                try screen.show(app, mailbox)
            }
        }
    }

    /// Makes the app, runs it, and ends what it started.
    func withApp<Result>(
        _ screen: ScreenStart,
        _ run: (ExplorerApp, Mailbox<Message>) throws(ScreenStartError) -> Result
    ) throws(ScreenStartError) -> Result {
        let mailbox = Mailbox<Message>()
        let environment = ProcessInfo.processInfo.environment
        let runner = EffectRunner(
            transport: transport,
            cache: cache,
            provider: provider,
            history: history,
            session: session,
            servers: TeamServers(
                given: teamServer,
                teamKey: environment[TeamKey.variable]
            ),
            mailbox: mailbox,
            watchedPath: watchedPath,
            configuration: StandardFolders.configuration,
            depth: screen.depth,
            statePath: statePath,
            readImport: readImport,
            loadCatalog: loadCatalog
        )
        defer { runner.close() }
        var model = Model(sourceName: sourceName)
        model.session.hasHistory = history != nil
        model.keptState = keepsState ? KeptState() : nil
        model.responses.wrapsText = keepsState && KeptWrap.read()
        model.responses.addedFields = { [transport] in transport.addedFields(to: $0) }
        (model.appearance.theme, model.appearance.themeName) = (screen.theme, screen.themeName)
        (model.appearance.followsBackground, model.appearance.background) = (
            screen.followsBackground, screen.background
        )
        model.workspace.editor = Editor(environment)
        model.session.keepsSecrets = history?.keepsSecrets ?? false
        model.sharing.chosen = teamServer?.address
        model.session.status = session.map { name in
            SessionStatus(name: name, count: 0, sharing: teamServer.map { _ in .begun })
        }
        let app = ExplorerApp(
            model: model,
            look: screen.look,
            runner: runner
        )
        let result = try run(app, mailbox)
        if let problem = app.problem { throw ScreenStartError(text: problem) }
        return result
    }
}
