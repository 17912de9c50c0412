import Apus
import ArgumentParser
import HTTPServing
import Recordings
import Servers
import Terminal

/// `apus serve SESSION`: a mock of the server that a session was recorded from.
struct ServeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        _superCommandName: "apus",
        abstract: "Serve a recorded session: a mock of the server that it was recorded from.",
        discussion: """
            A request gets the response recorded for the same method, path, query and body. JSON is \
            compared by value, forms by their pairs, and a masked secret matches anything. \
            Repeated requests get the recorded responses in order, and then the last one again. An \
            response that was cut off is cut off again.

            Any other request gets a 404 that names the nearest one that was recorded; with --fallback \
            it is sent there, and the response is recorded into the session.

            Pages of other origins may read all responses: if the recorded server did not say who \
            may, everyone may, and a preflight OPTIONS request that was not recorded is allowed.

            The URL is printed once the server listens; then standard error gets a line for each \
            request: method, path, status and source of the response. It runs until ctrl-c.

            Examples:
              apus serve checkout-bug --port 8080
              apus serve checkout-bug --port 8080 --fallback https://staging.example.com

            Exit status: 2 no such session, the port is in use, or the fallback is the mock's own \
            address, 130 interrupted.
            """
    )

    /// How long responses take.
    enum Delay: String, CaseIterable, ExpressibleByArgument {
        case recorded, none
    }

    @Argument(help: "The session's name; the newest if there are several.")
    var session: String

    @OptionGroup var listening: ListeningOptions

    @Option(
        help: ArgumentHelp(
            "Send requests that were not recorded to this server, and record them.",
            valueName: "url"
        )
    )
    var fallback: String?

    @Option(help: "Answer after at least the recorded time, or at once.")
    var delay = Delay.none

    func validate() throws {
        if session.isEmpty { throw ValidationError("Name a session.") }
        if let fallback { _ = try ListeningOptions.checked { try Fallback(url: fallback) } }
    }

    private typealias Fallback = RecordedServer.Fallback

    @OptionGroup var choice: HistoryChoice

    func run() throws {
        let (name, url, listening, delay) = (session, fallback, listening, delay)
        try HistoryWork.run(ofDemo: choice.demo) { history in
            try await history.requireSession(named: name)
            guard let session = try await history.sessions().first(where: { $0.name == name })
            else { return ExitStatus.usage }
            let fallback = try url.map { try Fallback(url: $0) }
            let server = RecordedServer(
                history,
                session: session.id,
                fallback: fallback,
                keepsDelay: delay == .recorded,
                log: ListeningOptions.log
            )
            return try await listening.serve(before: fallback?.base) {
                try await server.answer($0, $1)
            }
        }
    }
}

/// Where a command listens.
struct ListeningOptions: ParsableArguments {
    @Option(help: "The port to listen on; 0 takes a free one.")
    var port: UInt16 = 0

    @Option(
        help: ArgumentHelp(
            "The address to listen on; other machines can connect unless it is 127.0.0.1.",
            valueName: "address"
        )
    )
    var host = "127.0.0.1"

    /// Listens, prints the URL, and answers until the task is cancelled.
    ///
    /// Throws if `upstream`, to which requests may be passed on, is this server itself.
    func serve(
        before upstream: UpstreamBase?,
        _ handle: @escaping HTTPServer.Handler
    ) async throws -> Int32 {
        let limits = HTTPServer.Limits()
        // Each connection may need another one to the upstream.
        DescriptorLimit.raise(forConnections: 2 * limits.connections)
        let server = HTTPServer(
            host: host,
            port: Int(port),
            limits: limits,
            handle: handle
        )
        do {
            try await server.run { address in
                try upstream?.requireOther(than: address)
                try StandardOutput.print(address.url)
            }
        } catch let failure as ServerError {
            throw CommandError(failure.description)
        }
        return ExitStatus.interrupted
    }

    /// Prints a line about a request on standard error.
    @Sendable static func log(_ request: ServedRequest) {
        let status = request.status.map { "\($0)" } ?? "---"
        StandardError.write("\(request.method) \(request.path) \(status) \(request.source)")
    }

    /// Returns what `make` returns, or rethrows its `ServerError` as a `ValidationError`.
    static func checked<Value>(_ make: () throws -> Value) throws -> Value {
        do {
            return try make()
        } catch let failure as ServerError {
            throw ValidationError(failure.description)
        }
    }
}
