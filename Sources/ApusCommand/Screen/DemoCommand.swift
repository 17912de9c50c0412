import ArgumentParser
import DemoAPI
import Dispatch
import Explorer
import Glibc
import Terminal
import Workspaces

/// `apus demo`: the explorer on the demo API, or the demo API alone.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        _superCommandName: "apus",
        abstract: "Explore the built-in demo API, serve it, or write its workspace to a file."
    )

    /// The port that `--serve` takes if it is free, and that the written workspace uses.
    static let usualPort: UInt16 = 8788

    @Flag(help: "Only serve the demo API, and print its URL.")
    var serve = false

    @Option(
        help: ArgumentHelp(
            """
            Write the demo's workspace to a new file, such as demo.apus.yaml; its requests go to \
            `apus demo --serve`.
            """,
            valueName: "file"
        ),
        completion: .file(extensions: ["yaml"])
    )
    var write: String?

    @Option(
        help: """
            The port to listen on; 0 takes a free one. Default: for --serve \(DemoCommand.usualPort) if that is free, \
            else a free one.
            """
    )
    var port: UInt16?

    @OptionGroup var screen: ScreenOptions
    @OptionGroup var frames: FrameOptions
    @OptionGroup var history: HistoryOptions

    func run() throws {
        if let write {
            try Self.writeWorkspace(to: write, asking: port ?? Self.usualPort)
            guard serve else { return }
        }
        if serve { serveForever() }
        try Self.open(DemoServer(port: port ?? 0), ExplorerOpening(screen, history, frames))
    }

    /// Starts a demo server, and opens the explorer on it.
    static func open(_ server: DemoServer, _ opening: ExplorerOpening) throws {
        let session = WorkspaceSession()
        let file = NewWorkspaceFile(path: demoFileName, isNamed: false, text: demoFileText())
        let started = StartedDemo(server)
        try opening.ofDemo().explore(named: "demo") {
            // The server of this process answers the requests of a written file too.
            let base = ["base": try await started.url()]
            return Catalog(
                try file.load(given: base, overriding: base),
                session: session,
                file: file
            )
        }
    }

    /// Writes the demo's workspace to a file that must not exist yet.
    private static func writeWorkspace(to path: String, asking port: UInt16) throws {
        let file = CatalogNewFile.fileName(path)
        try Workspace.new(text: demoFileText(port: port), file: file).save()
        try StandardOutput.print(
            "\(file) is written. `apus demo --serve` answers its requests; `apus \(file)` opens it."
        )
    }

    private func serveForever() -> Never {
        Task.detached { [port] in
            do {
                try StandardOutput.print(try await Self.start(at: port))
            } catch {
                StandardError.write("apus: \(error)")
                leave(ExitStatus.usage)
            }
        }
        dispatchMain()
    }

    /// Starts the server; without a port, at the usual one if it is free.
    private static func start(at port: UInt16?) async throws -> String {
        if let port { return try await DemoServer(port: port).start() }
        do throws(DemoServerError) {
            return try await DemoServer(port: usualPort).start()
        } catch {
            guard case .portInUse = error else { throw error }
        }
        return try await DemoServer().start()
    }
}

/// A demo server that is started once, however often its workspace is loaded.
private actor StartedDemo {
    private let server: DemoServer
    private var start: Task<String, any Error>?

    init(_ server: DemoServer) { self.server = server }

    func url() async throws -> String {
        let task = start ?? Task { [server] () async throws -> String in try await server.start() }
        start = task
        return try await task.value
    }
}
