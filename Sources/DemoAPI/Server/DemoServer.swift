import FlyingFox
import FlyingSocks
import FoundationEssentials
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
            pool: NoDelaySocketPool(HTTPServer.defaultPool()),
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

/// Why the demo server did not start.
package enum DemoServerError: Error, Sendable, Equatable, CustomStringConvertible {
    case portInUse(UInt16)
    case portNotPermitted(UInt16)
    case alreadyStarted
    case failed(reason: String)

    package var description: String {
        switch self {
        case .portInUse(let port):
            "Port \(port) is in use by another program. Choose another with --port, or 0 for any free one."
        case .portNotPermitted(let port):
            "Port \(port) may not be opened by this user. Choose one above 1023."
        case .alreadyStarted: "The demo server is running already."
        case .failed(let reason): "The demo server could not start: \(reason)"
        }
    }
}

/// Where the demo server takes the time of day from.
package struct DemoClock: Sendable {
    private let read: @Sendable () -> Double

    /// - Parameter now: gives seconds since 1970.
    package init(now: @escaping @Sendable () -> Double) {
        read = now
    }

    /// The machine's clock.
    package static let system = DemoClock { Date.now.timeIntervalSince1970 }

    /// A clock that stands still.
    package static func fixed(_ seconds: Double) -> DemoClock {
        DemoClock { seconds }
    }

    /// Seconds since 1970.
    var now: Double { read() }
}

/// FlyingFox's own pool, with Nagle's algorithm off.
///
/// FlyingFox writes the head and the body of an answer apart. With Nagle's algorithm on a
/// kept-alive connection the body then waits 40 ms for the client's delayed acknowledgement.
/// The listening socket is only reachable here; on Linux the sockets that it accepts inherit
/// the option.
struct NoDelaySocketPool<Base: AsyncSocketPool>: AsyncSocketPool {
    private let base: Base

    init(_ base: Base) {
        self.base = base
    }

    func prepare() async throws {
        try await base.prepare()
    }

    func run() async throws {
        try await base.run()
    }

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        if events == .connection {
            try socket.setValue(
                true,
                for: BoolSocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY)
            )
        }
        try await base.suspendSocket(socket, untilReadyFor: events)
    }
}
