import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Apus

@Suite("CurlTransport: faults of HTTP/2")
struct CurlTransportHTTP2FaultTests {
    private let transport = CurlTransport()
    private let options = TransportOptions(
        timeout: .seconds(20),
        requestedVersion: .http2
    )

    @Test(
        "each end of a stream or its connection is told apart",
        arguments: [
            ([HTTP2Server.Step.reset(2)], ApusError.ConnectionLoss.streamReset),
            ([.header, .data("abc"), .reset(8)], .streamReset),
            ([.header, .data("abc"), .goAway(last: 0, error: 1)], .http2Connection),
            ([.goAway(last: 0)], .http2Connection),
            ([.header, .data("abc"), .close], .inBody),
            ([.nonsense], .http2Connection),
        ]
    )
    func losses(
        steps: [HTTP2Server.Step],
        phase: ApusError.ConnectionLoss
    ) async throws {
        let server = try HTTP2Server(steps)
        let error = try #require(
            await transport.error(.make(server.authority, options: options))
        )
        guard case .connectionLost(_, nil, _, phase) = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
    }

    @Test("a body that a faulty frame may have cut is not surely whole")
    func faultInBody() async throws {
        let server = try HTTP2Server([.header, .data("abc"), .nonsense])
        // libcurl 7.88 takes the fault for the end; newer ones say that it is none.
        guard let response = try? await transport.send(.make(server.authority, options: options))
        else { return }
        #expect(!response.isSurelyWhole)
    }

    @Test("a server that goes away in order still answers what it has begun")
    func gracefulEnd() async throws {
        let server = try HTTP2Server([
            .goAway(last: 1), .header, .data("all of it", isLast: true),
        ])
        for _ in 0..<2 {
            let response = try await transport.send(.make(server.authority, options: options))
            #expect(response.bodyText == "all of it")
        }
        #expect(server.connectionCount == 2)
    }

    // libcurl 7.88 fails each that takes up a connection.
    @Test("requests in clear text succeed one after another and side by side")
    func clearText() async throws {
        let nginx = try Nginx.shared()
        for _ in 0..<3 {
            let response = try await transport.send(
                .make(nginx.http2, "/1k.json", options: options)
            )
            #expect(response.metrics?.negotiatedVersion == "2")
        }
        await withTaskGroup(of: ApusError?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    await transport.error(.make(nginx.http2, "/1k.json", options: options))
                }
            }
            for await error in group { #expect(error == nil) }
        }
    }

    @Test("a body goes up as the server makes room for it", .timeLimit(.minutes(5)))
    func upload() async throws {
        let server = try HTTP2Server([.header, .data("thanks", isLast: true)])
        let piece = [UInt8](repeating: 7, count: 10_000)
        let stream = BodyStream(count: 3_000_000) {
            AsyncStream { continuation in
                for _ in 0..<300 { continuation.yield(piece) }
                continuation.finish()
            }
        }
        let count = try await post(stream, to: server)
        #expect(server.bodyCount == count)
    }

    // A wake-up that is lost, on either side of a feed, would stop one of them.
    @Test("streams whose bytes come at any moment all go up", .timeLimit(.minutes(5)))
    func uploads() async throws {
        let server = try HTTP2Server([.header, .data("thanks", isLast: true)])
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for seed in 0..<20 as Range<UInt64> {
                let stream = BodyStream(count: 100_000) { Self.pieces(100_000, seed: seed) }
                group.addTask { try await post(stream, to: server) }
            }
            return try await group.reduce(0, +)
        }
        #expect(server.bodyCount == count)
    }

    /// Sends a stream, and gives the length of the whole body.
    ///
    /// Its pieces are made on the threads that all tests share, so it may take as long as they need.
    private func post(_ stream: BodyStream, to server: HTTP2Server) async throws -> Int {
        let form = MultipartForm([.stream("s", stream)])
        let response = try await transport.send(
            .make(
                .post,
                server.authority,
                body: .multipart(form),
                options: TransportOptions(timeout: nil, requestedVersion: .http2)
            )
        )
        #expect(response.bodyText == "thanks")
        return try form.byteCount()
    }

    /// Pieces of any size, each made after a while of its own.
    private static func pieces(_ count: Int, seed: UInt64) -> AsyncStream<[UInt8]> {
        let state = Mutex((left: count, generator: SeededGenerator(seed: seed)))
        return AsyncStream {
            let (size, pauses) = state.withLock { state in
                let size = min(state.left, Int.random(in: 1...6000, using: &state.generator))
                state.left -= size
                return (size, Int.random(in: 0...20, using: &state.generator))
            }
            for _ in 0..<pauses { await Task.yield() }
            return size == 0 ? nil : [UInt8](repeating: 7, count: size)
        }
    }
}
