public import Apus
import Documents
import FoundationEssentials
public import Recordings
import Terminal

/// The explorer, from its first frame to its exit status.
@MainActor
public struct ExplorerProgram {
    /// What the title bar calls the source of the catalog: a file's name.
    public var sourceName: String
    /// A theme's name or file; nil for the default.
    public var theme: String?
    /// What carries the requests.
    public var transport: any Transport
    /// Where answers are kept.
    public var cache: ResponseCache.Configuration
    /// A program's own provider, in the place of `transport` and `cache`; nil for none.
    var provider: Provider<MultiTarget>?
    /// Where what is sent is recorded; nil to record nothing.
    public var history: History?
    /// The session that is recorded from the start; nil for none.
    public var session: String?
    /// A file, or a folder of `*.apus.yaml`: when it changes on disk, the catalog is made again; nil for
    /// none.
    public var watchedPath: String?
    /// Whether the next start finds the theme, the environment, and what is chosen, folded and sized as they were.
    public var keepsState: Bool
    /// Makes the catalog, while the first frame is already on the screen; and again when `watchedPath`
    /// has changed.
    ///
    /// What it throws the first time is shown after the terminal is restored. Later the catalog of before
    /// stays, and the screen says what is wrong; a ``CatalogProblem`` says where.
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

    /// Where the state of what is opened is kept; nil for nowhere.
    private var statePath: String? {
        guard keepsState else { return nil }
        let source = watchedPath.map { CatalogFiles.realFolder($0) } ?? sourceName
        return KeptState.path(of: source, in: StandardFolders.state)
    }

    /// Takes the terminal over until the user leaves, and restores it.
    ///
    /// - Returns: the exit status: 0, 2 when it could not start (the reason is
    ///   on the standard error), or 128 and a signal's number.
    public func run() -> Int32 {
        do throws(ScreenStartError) {
            return try show()
        } catch {
            return StandardError.fail(error.text)
        }
    }

    /// As `run`, and throws what keeps it from running.
    func show() throws(ScreenStartError) -> Int32 {
        try ScreenStart.show(theme: theme, keepsTheme: keepsState) {
            screen throws(ScreenStartError) in
            try withApp(screen) { app, mailbox throws(ScreenStartError) in
                try screen.show(app, mailbox)
            }
        }
    }

    /// Makes the app, has it run, and ends what it began.
    func withApp<Result>(
        _ screen: ScreenStart,
        _ run: (ExplorerApp, Mailbox<Message>) throws(ScreenStartError) -> Result
    ) throws(ScreenStartError) -> Result {
        let mailbox = Mailbox<Message>()
        let runner = EffectRunner(
            transport: transport,
            cache: cache,
            provider: provider,
            history: history,
            session: session,
            mailbox: mailbox,
            watchedPath: watchedPath,
            configuration: StandardFolders.configuration,
            depth: screen.depth,
            statePath: statePath,
            loadCatalog: loadCatalog
        )
        defer { runner.close() }
        var model = Model(sourceName: sourceName)
        model.hasHistory = history != nil
        model.keepsState = keepsState
        model.addedFields = { [transport] in transport.addedFields(to: $0) }
        (model.theme, model.themeName) = (screen.theme, screen.themeName)
        model.editor = Editor(ProcessInfo.processInfo.environment)
        model.lamp = session.map { SessionLamp(name: $0, count: 0) }
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

/// What the explorer and the viewer start with: a terminal that can show a screen, and a theme.
@MainActor
struct ScreenStart {
    let theme: Theme
    /// What the user calls it: a name, or a file.
    let themeName: String
    let depth: ColorDepth
    let look: Look

    /// Runs a program's screen; what keeps it from running goes to the standard error.
    static func run(
        theme name: String?,
        keepsTheme: Bool = true,
        _ show: (ScreenStart) throws(ScreenStartError) -> Int32
    ) -> Int32 {
        do throws(ScreenStartError) {
            return try self.show(theme: name, keepsTheme: keepsTheme, show)
        } catch {
            return StandardError.fail(error.text)
        }
    }

    /// Runs a program's screen; throws what keeps it from running.
    static func show(
        theme name: String?,
        keepsTheme: Bool = true,
        _ show: (ScreenStart) throws(ScreenStartError) -> Int32
    ) throws(ScreenStartError) -> Int32 {
        Document.keepMemory(atMost: 16 << 20)
        let profile = TerminalProfile.detect()
        if let problem = profile.problem { throw ScreenStartError(text: problem.description) }
        let kept = name == nil && keepsTheme ? KeptTheme.read() : nil
        let (theme, themeName) = try theme(named: name, orKept: kept, for: profile)
        return try show(
            ScreenStart(
                theme: theme,
                themeName: themeName,
                depth: profile.colorDepth,
                look: Look(
                    theme: theme,
                    symbols: profile.symbols,
                    colorDepth: profile.colorDepth,
                    showsImages: profile.showsImages
                )
            )
        )
    }

    /// A screen of 24-bit colours that no terminal shows.
    static func withoutTerminal(theme name: String?) throws(ScreenStartError) -> ScreenStart {
        let (theme, themeName) = try theme(named: name, orKept: nil, for: .none)
        return ScreenStart(
            theme: theme,
            themeName: themeName,
            depth: .trueColor,
            look: Look(theme: theme, symbols: .unicode)
        )
    }

    /// Takes the terminal over until the app quits; gives the exit status.
    func show<App: TerminalApp>(
        _ app: App,
        _ mailbox: Mailbox<App.Message>
    ) throws(ScreenStartError) -> Int32 {
        do {
            return try TerminalSession(app: app, mailbox: mailbox, theme: theme).run()
        } catch {
            throw ScreenStartError(text: error.description)
        }
    }

    /// The theme that was asked for, fitted to the terminal; warnings go to the standard error.
    private static func theme(
        named name: String?,
        orKept kept: String?,
        for profile: TerminalProfile
    ) throws(ScreenStartError) -> (Theme, name: String) {
        let standard = Theme.standard.name
        let asked = name ?? kept ?? standard
        guard name != nil || kept != nil || profile.colorDepth != .trueColor else {
            return (.standard, standard)
        }
        let loader = ThemeLoader(configurationFolder: StandardFolders.configuration)
        do {
            let loaded = try loader.load(asked, depth: profile.colorDepth)
            for warning in loaded.warnings { StandardError.write(warning) }
            return (loaded.theme, asked)
        } catch {
            if kept != nil {
                // It was a file of the user's, which is gone: no reason not to start.
                StandardError.write("\(error)")
                return try theme(named: nil, orKept: nil, for: profile)
            }
            throw ScreenStartError(text: "\(error)")
        }
    }
}

/// Why a screen could not be shown.
package struct ScreenStartError: Error {
    /// In words for people.
    package let text: String
}
