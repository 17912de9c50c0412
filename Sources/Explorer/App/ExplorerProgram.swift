public import Apus
import Glibc
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
    /// Makes the catalog, while the first frame is already on the screen.
    ///
    /// What it throws is shown after the terminal is restored.
    public var loadCatalog: @Sendable () async throws -> Catalog

    /// Makes an explorer.
    public init(
        sourceName: String,
        theme: String? = nil,
        transport: any Transport = CurlTransport(),
        cache: ResponseCache.Configuration = ResponseCache.Configuration(),
        loadCatalog: @escaping @Sendable () async throws -> Catalog
    ) {
        self.sourceName = sourceName
        self.theme = theme
        self.transport = transport
        self.cache = cache
        self.loadCatalog = loadCatalog
    }

    /// Takes the terminal over until the user leaves, and restores it.
    ///
    /// - Returns: the exit status: 0, 2 when it could not start (the reason is
    ///   on the standard error), or 128 and a signal's number.
    public func run() -> Int32 {
        let profile = TerminalProfile.detect()
        if let problem = profile.problem { return fail(problem.description) }
        do throws(StartError) {
            let theme = try loadTheme(for: profile)
            let mailbox = Mailbox<Message>()
            let runner = EffectRunner(
                transport: transport,
                cache: cache,
                mailbox: mailbox,
                loadCatalog: loadCatalog
            )
            let app = ExplorerApp(
                model: Model(sourceName: sourceName),
                look: Look(theme: theme, symbols: profile.symbols),
                runner: runner
            )
            let session = TerminalSession(app: app, mailbox: mailbox, theme: theme)
            let status = try run(session)
            runner.close()
            if let problem = app.problem { return fail(problem) }
            return status
        } catch {
            return fail(error.text)
        }
    }

    private struct StartError: Error {
        var text: String
    }

    private func loadTheme(for profile: TerminalProfile) throws(StartError) -> Theme {
        guard theme != nil || profile.colorDepth != .trueColor else { return .standard }
        do {
            let loader = ThemeLoader(configurationFolder: StandardFolders.configuration)
            let loaded = try loader.load(theme ?? Theme.standard.name, depth: profile.colorDepth)
            for warning in loaded.warnings { print(warning, toStandardError: true) }
            return loaded.theme
        } catch {
            throw StartError(text: "\(error)")
        }
    }

    private func run(_ session: TerminalSession<ExplorerApp>) throws(StartError) -> Int32 {
        do {
            return try session.run()
        } catch {
            throw StartError(text: error.description)
        }
    }

    private func fail(_ text: String) -> Int32 {
        print("apus: \(text)", toStandardError: true)
        return 2
    }

    private func print(_ text: String, toStandardError: Bool) {
        let line = Array((text + "\n").utf8)
        _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
}
