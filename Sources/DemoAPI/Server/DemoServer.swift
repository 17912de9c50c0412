import FoundationEssentials
import Glibc
import HTTPServing

/// A small HTTP API on the loopback address, for demonstrations and tests.
///
/// Every server has its own world (users, products, orders), which is the same at every start and changes a
/// little with every read.
package actor DemoServer {
    private let port: UInt16
    private let clock: DemoClock
    private var running: Task<Void, any Error>?

    /// The URL of the running server, without a slash at the end; nil if it is not running.
    package private(set) var baseURL: String?

    /// Makes a server, which does not listen yet.
    ///
    /// - Parameters:
    ///   - port: the TCP port on 127.0.0.1; 0 for any free one.
    ///   - clock: the source of the times in responses.
    package init(port: UInt16 = 0, clock: DemoClock = .system) {
        self.port = port
        self.clock = clock
    }

    /// Starts the server, and returns its base URL as soon as requests are accepted.
    @discardableResult
    package func start() async throws(DemoServerError) -> String {
        guard running == nil else { throw .alreadyStarted }
        let router = Router(world: DemoWorld(clock: clock), clock: clock)
        let server = HTTPServer(port: Int(port), limits: Self.limits) { request, writer in
            try await router.answer(request, writer)
        }
        let (addresses, listening) = AsyncStream.makeStream(of: HTTPServer.Address.self)
        let running = Task {
            // Otherwise `start` would wait forever for a server that cannot listen.
            defer { listening.finish() }
            try await server.run { listening.yield($0) }
        }
        self.running = running
        var found = addresses.makeAsyncIterator()
        guard let address = await found.next() else { throw await failure(of: running) }
        baseURL = address.url
        return address.url
    }

    /// Closes the listening socket and all connections.
    ///
    /// Returns when everything has ended. It is safe to call it twice.
    package func stop() async {
        guard let running else { return }
        baseURL = nil
        running.cancel()
        // How it ended does not matter.
        _ = await running.result
        self.running = nil
    }

    private static let limits: HTTPServer.Limits = {
        var limits = HTTPServer.Limits()
        // So that a connection from the explorer survives a user's break.
        limits.head = .seconds(600)
        limits.connections = 10_000
        return limits
    }()

    private func failure(of running: Task<Void, any Error>) async -> DemoServerError {
        self.running = nil
        switch await running.result {
        case .success: return .failed(reason: "it stopped before it was listening")
        case .failure(let failure as ServerError) where failure.errorNumber == EADDRINUSE:
            return .portInUse(port)
        case .failure(let failure as ServerError) where failure.errorNumber == EACCES:
            return .portNotPermitted(port)
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

/// The source of the demo server's time.
package struct DemoClock: Sendable {
    private let read: @Sendable () -> Double

    /// Makes a clock from a closure.
    ///
    /// - Parameter now: returns the seconds since 1970.
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
