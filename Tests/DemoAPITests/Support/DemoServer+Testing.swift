import DemoAPI
import Dispatch
import TestSupport

extension DemoServer {
    /// Runs `body` with a server that listens, and stops it behind.
    static func running<Result: Sendable>(
        clock: DemoClock = .system,
        _ body: (DemoServer, UInt16) async throws -> Result
    ) async throws -> Result {
        let server = DemoServer(clock: clock)
        let port = try await server.startOnPort()
        do {
            let result = try await body(server, port)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    func startOnPort() async throws -> UInt16 {
        let url = try await start()
        return url.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    }

    /// One request to a server of its own.
    static func answer(
        _ method: String,
        _ target: String,
        _ fields: [String] = [],
        body: String? = nil
    ) async throws -> RawResponse {
        try await running { _, port in
            try await talk(to: port) { try $0.answer(method, target, fields, body: body) }
        }
    }
}

extension ManualClock {
    /// The clock as the demo's, by its seconds.
    var demoClock: DemoClock { DemoClock { Double(self.now.offset.components.seconds) } }
}

extension RawConnection {
    func answer(
        _ method: String,
        _ target: String,
        _ fields: [String] = [],
        body: String? = nil
    ) throws -> RawResponse {
        try send(method, target, fields, body: body.map { Array($0.utf8) })
        return try response(to: method)
    }
}

/// Talks over a new connection on a thread that may block, which those of Swift's pool may not:
/// the server needs them.
func talk<Result: Sendable>(
    to port: UInt16,
    _ body: @escaping @Sendable (RawConnection) throws -> Result
) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: "talk").async {
            continuation.resume(
                with: Swift.Result<Result, any Error> { try body(RawConnection(port: port)) }
            )
        }
    }
}
