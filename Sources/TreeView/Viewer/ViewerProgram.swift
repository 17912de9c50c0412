import Documents
import FoundationEssentials
import Glibc
import Terminal

/// A document as a tree over the whole terminal, from its first frame to its exit status.
///
/// The tree folds, searches, queries, and shows arrays of objects as tables; `?` lists the keys.
///
/// ```swift
/// let source = ViewerSource(origin: .file("users.json"), name: "users.json")
/// exit(ViewerProgram(source: source, query: "$.users[*].name").run())
/// ```
///
/// A program that has a screen of its own shows a ``TreeWindow`` in it instead.
@MainActor
public struct ViewerProgram {
    /// The document to view.
    public var source: ViewerSource
    /// A theme's name or file; nil for the one that suits the terminal's background.
    public var theme: String?
    /// A query to begin with: a JSONPath, or a short path.
    public var query: String?
    /// The number of levels to unfold; nil for all.
    public var depth: Int?
    /// What the program around the viewer knows of its user.
    package var settings = ViewerSettings()

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
        do throws(ScreenStartError) {
            return try ScreenStart.show(
                theme: theme,
                kept: theme == nil ? settings.keptTheme : nil,
                configuration: settings.configuration
            ) { screen throws(ScreenStartError) in try show(on: screen) }
        } catch {
            return StandardError.fail(error.text)
        }
    }

    private func show(on screen: ScreenStart) throws(ScreenStartError) -> Int32 {
        let start = ViewerStart(query: query, depth: depth)
        var model = ViewerModel(name: source.name, start: start, services: settings.services)
        model.started = Date()
        model.pane.wraps = settings.wraps
        model.keys = settings.keys
        model.notice = settings.problem.map { Notice(kind: .warning, text: $0) }
        do {
            if let query { _ = try JSONPath(parsing: query) }
            // A file on disk is already in the first frame.
            if source.isImmediate { model.early = try source.open() }
        } catch {
            throw ScreenStartError(text: error is JSONPathError ? "--query, \(error)" : "\(error)")
        }
        let mailbox = Mailbox<ViewerMessage>()
        let runner = ViewerRunner(source: source, mailbox: mailbox, keepWrap: settings.keepWrap)
        defer { runner.close() }
        return try screen.show(ViewerApp(model: model, screen: screen, runner: runner), mailbox)
    }
}

/// What the program around a viewer knows of its user.
package struct ViewerSettings: Sendable {
    /// The folder with the user's own themes; nil for none.
    package var configuration: String?
    /// The theme that was chosen last; nil for none.
    package var keptTheme: String?
    /// The user's keys.
    package var keys = KeyTable.standard
    /// What is wrong with the user's settings; nil if nothing is.
    package var problem: String?
    /// Whether lines of text wrap.
    package var wraps = false
    /// Keeps for the next start whether lines wrap; called off the main thread.
    package var keepWrap: @Sendable (Bool) -> Void = { _ in }
    /// What the tree cannot know by itself.
    package var services = TreeServices.none

    /// Makes the settings of a program that keeps none.
    package init() {}
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

    init(model: ViewerModel, screen: ScreenStart, runner: ViewerRunner) {
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
        case .keepWrap(let wraps): runner.keepWrap(wraps)
        case .tree(let effect): runner.tree.perform(effect)
        }
        return nil
    }
}

/// What a viewer reads.
public struct ViewerSource: Sendable {
    /// Where the bytes come from.
    public enum Origin: Sendable {
        /// A file that others may be writing.
        case file(String)
        /// A pipe or another open descriptor; it stays open.
        case descriptor(Int32)
        /// A document in memory.
        case bytes([UInt8])
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
            case .bytes(let bytes): DocumentBytes(bytes)
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
    private let keep: @Sendable (Bool) -> Void
    private var loading: Task<Void, Never>?

    init(
        source: ViewerSource,
        mailbox: Mailbox<ViewerMessage>,
        keepWrap: @escaping @Sendable (Bool) -> Void
    ) {
        self.source = source
        self.mailbox = mailbox
        keep = keepWrap
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

    /// Keeps for the next start whether lines wrap.
    func keepWrap(_ wraps: Bool) {
        Task.detached { [keep] in keep(wraps) }
    }

    /// Cancels everything.
    func close() {
        loading?.cancel()
        tree.cancelAll()
    }
}
