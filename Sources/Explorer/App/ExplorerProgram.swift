public import Apus
import Documents
import FoundationEssentials
public import Recordings
import Terminal

/// The explorer, from its first frame to its exit status.
@MainActor
public struct ExplorerProgram {
    /// The name of the catalog's source in the title bar, such as a file's name.
    public var sourceName: String
    /// A theme's name or file; nil for the one chosen last if `keepsState` is true, else the default.
    public var theme: String?
    /// What carries out the requests.
    public var transport: any Transport
    /// Where responses are cached.
    public var cache: ResponseCache.Configuration
    /// A program's own provider, used instead of `transport` and `cache`; nil for none.
    var provider: Provider<MultiTarget>?
    /// Where requests and responses are recorded; nil to record nothing.
    public var history: History?
    /// The session to record from the start; nil for none.
    public var session: String?
    /// A file or a folder of `*.apus.yaml` to watch: its changes load the catalog again; nil to watch nothing.
    public var watchedPath: String?
    /// Whether the next start restores the theme, environment, selection, folding and pane sizes.
    public var keepsState: Bool
    /// Loads the catalog while the first frame is already on the screen, and again when `watchedPath` has changed.
    ///
    /// The first time, an error is shown after the terminal is restored. Later, the former catalog stays and the
    /// screen shows the error; a ``CatalogProblem`` says where it is.
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
        try ScreenStart.show(theme: theme, keepsTheme: keepsState) {
            screen throws(ScreenStartError) in
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
    /// The name or file that the user gave.
    let themeName: String
    let depth: ColorDepth
    let look: Look

    /// Runs a program's screen; if it cannot, writes the reason to the standard error.
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

    /// Runs a program's screen; throws if it cannot.
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

    /// A screen of 24-bit colors without a terminal.
    static func withoutTerminal(theme name: String?) throws(ScreenStartError) -> ScreenStart {
        let (theme, themeName) = try theme(named: name, orKept: nil, for: .none)
        return ScreenStart(
            theme: theme,
            themeName: themeName,
            depth: .trueColor,
            look: Look(theme: theme, symbols: .unicode)
        )
    }

    /// Takes over the terminal until the app quits; returns the exit status.
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

    /// The requested theme, fitted to the terminal; warnings go to the standard error.
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
                // The kept theme was a file of the user's that is gone, which must not prevent the start.
                StandardError.write("\(error)")
                return try theme(named: nil, orKept: nil, for: profile)
            }
            throw ScreenStartError(text: "\(error)")
        }
    }
}

/// Why a screen could not be shown.
package struct ScreenStartError: Error {
    /// The reason, in words for people.
    package let text: String
}
