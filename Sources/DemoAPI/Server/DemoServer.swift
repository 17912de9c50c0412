import FlyingFox
import FlyingSocks
import Glibc

/// A small HTTP API on the loopback address, for demonstrations and tests.
///
/// Every server has a world of its own (users, products, orders), which is the same at every
/// start and changes a little with every read.
package actor DemoServer {
    private let port: UInt16
    private let clock: DemoClock
    private var server: HTTPServer?
    private var running: Task<Void, any Error>?

    /// Where the server listens, without a slash at the end; nil when it does not.
    package private(set) var baseURL: String?

    /// Nothing is opened yet.
    /// - Parameters:
    ///   - port: the TCP port on 127.0.0.1; 0 for any free one.
    ///   - clock: where the times in the answers come from.
    package init(port: UInt16 = 0, clock: DemoClock = .system) {
        self.port = port
        self.clock = clock
    }

    /// Returns the base URL as soon as requests are accepted.
    @discardableResult
    package func start() async throws(DemoServerError) -> String {
        guard server == nil else { throw .alreadyStarted }
        let server: HTTPServer
        do {
            server = HTTPServer(
                config: try configuration(),
                handler: Router(world: DemoWorld(clock: clock), clock: clock)
            )
        } catch {
            throw .failed(reason: "\(error)")
        }
        self.server = server
        let listening = Task { try await server.waitUntilListening(timeout: 10) }
        let running = Task {
            defer { listening.cancel() }
            try await server.run()
        }
        self.running = running
        do {
            try await listening.value
        } catch {
            throw await failure(of: running)
        }
        guard case .ip4(_, let actualPort) = await server.listeningAddress else {
            throw await failure(of: running)
        }
        let url = "http://127.0.0.1:\(actualPort)"
        baseURL = url
        return url
    }

    /// Closes the listening socket and every connection.
    ///
    /// Returns when all is at an end. Safe to call twice.
    package func stop() async {
        guard let server, let running else { return }
        baseURL = nil
        await server.stop(timeout: 0)
        running.cancel()
        // How it ended does not matter any more.
        _ = await running.result
        self.server = nil
        self.running = nil
    }

    private func configuration() throws -> HTTPServer.Configuration {
        HTTPServer.Configuration(
            address: try sockaddr_in.inet(ip4: "127.0.0.1", port: port),
            // `/delay` is allowed a minute; a slow upload should not be cut short.
            timeout: 600,
            sharedRequestBufferSize: 65_536,
            sharedRequestReplaySize: 65_536,
            pool: PromptSocketPool(HTTPServer.defaultPool()),
            logger: .disabled
        )
    }

    private func failure(of running: Task<Void, any Error>) async -> DemoServerError {
        running.cancel()
        server = nil
        self.running = nil
        switch await running.result {
        case .success: return .failed(reason: "it ended before it began")
        case .failure(SocketError.failed(_, EADDRINUSE, _)): return .portInUse(port)
        case .failure(SocketError.failed(_, EACCES, _)): return .portNotPermitted(port)
        case .failure(let error): return .failed(reason: "\(error)")
        }
    }
}
