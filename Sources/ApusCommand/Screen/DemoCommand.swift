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
        abstract: "Explore the built-in demo API, or serve it."
    )

    @Flag(help: "Only serve the demo API, and print its URL.")
    var serve = false

    @Option(help: "The port to listen on; 0 takes a free one.")
    var port: UInt16 = 0

    @OptionGroup var screen: ScreenOptions
    @OptionGroup var frames: FrameOptions
    @OptionGroup var history: HistoryOptions

    func run() throws {
        let server = DemoServer(port: port)
        if serve {
            serveForever(server)
        }
        try Self.open(server, ExplorerOpening(screen, history, frames))
    }

    /// Starts a demo server, and opens the explorer on it.
    static func open(_ server: DemoServer, _ opening: ExplorerOpening) throws {
        let values = SessionValues()
        try opening.explore(named: "demo") {
            let base = try await server.start()
            return Catalog(
                try Workspace.parse(
                    text: demoWorkspaceText,
                    file: demoWorkspaceName,
                    given: ["base": base]
                ),
                values: values
            )
        }
    }

    private func serveForever(_ server: DemoServer) -> Never {
        Task.detached {
            do {
                try StandardOutput.print(try await server.start())
            } catch {
                StandardError.write("apus: \(error)")
                leave(ExitStatus.usage)
            }
        }
        dispatchMain()
    }
}
