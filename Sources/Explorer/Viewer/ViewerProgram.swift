import Apus
import Documents
import Glibc
import Terminal

/// `apus view`, from its first frame to its exit status.
@MainActor
public struct ViewerProgram {
    /// What is read.
    public var source: ViewerSource
    /// A theme's name or file; nil for the default.
    public var theme: String?
    /// A query to begin with: a JSONPath, or a short path.
    public var query: String?
    /// How many levels are unfolded; nil for all.
    public var depth: Int?

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

    /// Takes the terminal over until the user leaves, and restores it.
    ///
    /// - Returns: the exit status: 0, 2 when it could not start (the reason is
    ///   on the standard error), or 128 and a signal's number.
    public func run() -> Int32 {
        Document.keepMemory(atMost: 16 << 20)
        let profile = TerminalProfile.detect()
        if let problem = profile.problem { return StandardError.fail(problem.description) }
        if let query, let problem = Self.problem(in: query) { return StandardError.fail(problem) }
        var model = ViewerModel(
            name: source.name,
            start: ViewerStart(query: query, depth: depth)
        )
        do throws(DocumentError) {
            // What is on the disk is in the first frame.
            if source.isImmediate { model.early = try source.open() }
        } catch {
            return StandardError.fail(error.description)
        }
        return run(model, on: profile)
    }

    private static func problem(in query: String) -> String? {
        do throws(JSONPathError) {
            _ = try JSONPath(parsing: query)
            return nil
        } catch {
            return "--query, \(error)"
        }
    }

    private func run(_ model: ViewerModel, on profile: TerminalProfile) -> Int32 {
        do throws(ScreenStartError) {
            let theme = try ThemeChoice(name: theme).load(for: profile)
            let mailbox = Mailbox<ViewerMessage>()
            let runner = ViewerRunner(source: source, mailbox: mailbox)
            let app = ViewerApp(
                model: model,
                look: Look(theme: theme, symbols: profile.symbols),
                runner: runner
            )
            let session = TerminalSession(app: app, mailbox: mailbox, theme: theme)
            defer { runner.close() }
            do {
                return try session.run()
            } catch {
                throw ScreenStartError(text: error.description)
            }
        } catch {
            return StandardError.fail(error.text)
        }
    }
}
