import Apus
import HTTPTypes
import Testing

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

    @Test("a body goes up as the server makes room for it")
    func upload() async throws {
        let server = try HTTP2Server([.header, .data("thanks", isLast: true)])
        let piece = [UInt8](repeating: 7, count: 10_000)
        let stream = BodyStream(count: 3_000_000) {
            AsyncStream { continuation in
                for _ in 0..<300 { continuation.yield(piece) }
                continuation.finish()
            }
        }
        let form = MultipartForm([.stream("s", stream)])
        let response = try await transport.send(
            .make(.post, server.authority, body: .multipart(form), options: options)
        )
        #expect(response.bodyText == "thanks")
        #expect(server.bodyCount == (try form.byteCount()))
    }
}
