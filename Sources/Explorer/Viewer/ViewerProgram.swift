import Apus
import Documents
import FoundationEssentials
import Glibc
import Terminal

/// `apus view`, from its first frame to its exit status.
@MainActor
public struct ViewerProgram {
    /// The document to view.
    public var source: ViewerSource
    /// A theme's name or file; nil for the one chosen last if `keepsState` is true, else the default.
    public var theme: String?
    /// A query to begin with: a JSONPath, or a short path.
    public var query: String?
    /// The number of levels to unfold; nil for all.
    public var depth: Int?
    /// Whether to use the theme that the user chose last.
    public var keepsState = true

    /// Makes a viewer.
    public init(
        source: ViewerSource,
        theme: String? = nil,
        query: String? = nil,
        depth: Int? = nil
    ) {
        self.source = source
        self.theme = theme
        self.query = query
        self.depth = depth
    }

    /// Takes over the terminal until the user quits, and restores it.
    ///
    /// - Returns: the exit status: 0; 2 if it could not start (the reason is on the standard error); or 128 plus
    ///   the number of a signal.
    public func run() -> Int32 {
        ScreenStart.run(theme: theme, keepsTheme: keepsState) { screen throws(ScreenStartError) in
            let start = ViewerStart(query: query, depth: depth)
            var model = ViewerModel(name: source.name, start: start)
            model.started = Date()
            model.pane.wraps = keepsState && KeptWrap.read()
            let keys = KeyFile.load(from: StandardFolders.configuration)
            model.keys = keys.keys
            model.notice = keys.problem.map { Notice(kind: .warning, text: $0) }
            do {
                if let query { _ = try JSONPath(parsing: query) }
                // A file on disk is already in the first frame.
                if source.isImmediate { model.early = try source.open() }
            } catch {
                throw ScreenStartError(
                    text: error is JSONPathError ? "--query, \(error)" : "\(error)"
                )
            }
            let mailbox = Mailbox<ViewerMessage>()
            let runner = ViewerRunner(source: source, mailbox: mailbox)
            defer { runner.close() }
            return try screen.show(
                ViewerApp(model: model, screen: screen, runner: runner, keepsState: keepsState),
                mailbox
            )
        }
    }
}

/// Drives the viewer's model: events in, frames out, effects to the runner.
@MainActor
final class ViewerApp: TerminalApp {
    private var model: ViewerModel
    private var look: Look
    private let screen: ScreenStart
    private let runner: ViewerRunner
    private let start = ContinuousClock.now
    /// The time between frames while the screen changes without events.
    private static let tick = Duration.milliseconds(100)

    private let keepsState: Bool

    init(model: ViewerModel, screen: ScreenStart, runner: ViewerRunner, keepsState: Bool) {
        self.keepsState = keepsState
        self.model = model
        self.screen = screen
        look = screen.look
        self.runner = runner
    }

    func handle(_ event: TerminalEvent<ViewerMessage>) -> [SessionCommand] {
        if case .background(let color) = event { return follow(color) }
        return update(&model, event, at: .now - start).compactMap(perform)
    }

    /// Takes the theme for the terminal's background, unless one was chosen.
    private func follow(_ background: PixelColor) -> [SessionCommand] {
        guard screen.followsBackground,
            let theme = screen.theme(on: background, insteadOf: look.theme)
        else { return [] }
        look.theme = theme
        return [.use(theme)]
    }

    func render(into grid: inout Grid) -> Point? {
        ViewerScreen.render(model, into: &grid, look: look)
    }

    var nextTick: ContinuousClock.Instant? {
        model.isMoving ? .now + Self.tick : nil
    }

    private func perform(_ effect: ViewerEffect) -> SessionCommand? {
        switch effect {
        case .session(let command): return command
        case .load: runner.load()
        case .keepWrap(let wraps): if keepsState { runner.keepWrap(wraps) }
        case .tree(let effect): runner.tree.perform(effect)
        }
        return nil
    }
}

/// What `apus view` reads.
public struct ViewerSource: Sendable {
    /// Where the bytes come from.
    public enum Origin: Sendable {
        /// A file that others may be writing.
        case file(String)
        /// A pipe or another open descriptor; it stays open.
        case descriptor(Int32)
    }

    /// Where the bytes come from.
    public var origin: Origin
    /// The name to show.
    public var name: String
    /// The Content-Type of the bytes; nil to detect it from them.
    public var contentType: String?

    /// Names a source.
    public init(origin: Origin, name: String, contentType: String? = nil) {
        self.origin = origin
        self.name = name
        self.contentType = contentType
    }

    /// Opens the document and reads enough for a screen; this may wait for a pipe.
    func open() throws(DocumentError) -> BodyDocument {
        let bytes =
            switch origin {
            case .file(let path): try DocumentBytes.streaming(file: path)
            case .descriptor(let descriptor): try DocumentBytes.streaming(descriptor: descriptor)
            }
        return BodyDocument(bytes, contentType: contentType)
    }

    /// Whether opening it never waits, because it is a file on disk.
    var isImmediate: Bool {
        guard case .file(let path) = origin else { return false }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}

/// Runs the viewer's effects.
@MainActor
final class ViewerRunner {
    /// Runs the pane's effects.
    let tree: DocumentRunner
    private let source: ViewerSource
    private let mailbox: Mailbox<ViewerMessage>
    private var loading: Task<Void, Never>?

    init(source: ViewerSource, mailbox: Mailbox<ViewerMessage>) {
        self.source = source
        self.mailbox = mailbox
        tree = DocumentRunner { mailbox.send(.tree($0)) }
    }

    /// Opens the document, which may have to wait for the writer of a pipe.
    func load() {
        loading = Task.detached { [source, mailbox] in
            do throws(DocumentError) {
                mailbox.send(.opened(try source.open()))
            } catch {
                mailbox.send(.failed(error.description))
            }
        }
    }

    /// Keeps for the next start whether lines wrap; a folder that cannot be written only forgets it.
    func keepWrap(_ wraps: Bool) {
        Task.detached { try? KeptWrap.write(wraps) }
    }

    /// Cancels everything.
    func close() {
        loading?.cancel()
        tree.cancelAll()
    }
}
