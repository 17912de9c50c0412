import Apus
import HTTPTypes
import TestSupport
import Testing

// libcurl reads on in one connection for as long as bytes are there, and calls nothing of ours.
@Suite("CurlTransport: floods of frames", .serialized, .timeLimit(.minutes(5)))
struct CurlTransportFloodTests {
    private let transport = CurlTransport()

    private func options(timeout: Duration?) -> TransportOptions {
        TransportOptions(timeout: timeout, requestedVersion: .http2)
    }

    @Test(
        "a server that sends frames without end is left, and others are answered",
        arguments: [
            [HTTP2Server.Step.header, .flood(type: 0, isOnStream: true)],
            [.header, .data("abc"), .flood(type: 0, isOnStream: true)],
            [.flood(type: 2, isOnStream: true, [0, 0, 0, 0, 1])],
            [.flood(type: 200)],
        ]
    )
    func flood(steps: [HTTP2Server.Step]) async throws {
        let server = try HTTP2Server(steps)
        let other = try RawServer(RawServer.ok("ok"))
        async let error = transport.error(.make(server.authority, options: options(timeout: nil)))
        #expect(await comesTrue { server.floodCount > 10 })
        let response = try await transport.send(.make(other.authority))
        #expect(response.bodyText == "ok")
        guard case .protocolViolation = await error?.reason else {
            Issue.record("\(String(describing: await error?.reason))")
            return
        }
    }

    @Test("a time limit holds in a flood")
    func timeLimit() async throws {
        let server = try HTTP2Server([.flood(type: 2, isOnStream: true, [0, 0, 0, 0, 1])])
        let limit = Duration.milliseconds(200)
        let error = await transport.error(
            .make(server.authority, options: options(timeout: limit))
        )
        guard case .timeout(_, limit) = error?.reason else {
            Issue.record("\(String(describing: error?.reason))")
            return
        }
    }

    @Test("a cancellation and the transport's end are obeyed in a flood", arguments: [true, false])
    func cancellation(endsTransport: Bool) async throws {
        let server = try HTTP2Server([.header, .flood(type: 0, isOnStream: true)])
        let transport = transport
        let request = PreparedRequest.make(server.authority, options: options(timeout: nil))
        let task = Task { await transport.error(request) }
        #expect(await comesTrue { server.floodCount > 10 })
        if endsTransport { transport.shutdown() } else { task.cancel() }
        #expect(await task.value?.reason == .cancelled)
    }
}
