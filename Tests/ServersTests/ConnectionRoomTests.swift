import HTTPServing
import HTTPTypes
import TestSupport
import Testing

@Suite("clients that keep a server waiting")
struct ConnectionRoomTests {
    private static let echo: HTTPServer.Handler = { request, writer in
        _ = try await request.body.collect(upTo: 1000)
        try await writer.send(HTTPError(200, request.head.path ?? ""))
    }

    @Test("a body that stops arriving is refused with a 408, and the connection is closed")
    func silentBody() async throws {
        let limits = HTTPServer.Limits.limits { $0.body = .milliseconds(200) }
        let bodies = [
            "Content-Length: 1000\r\n\r\nx", "Content-Length: 9\r\n\r\n",
            "Transfer-Encoding: chunked\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
            "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\n",
        ]
        try await serving(limits: limits, Self.echo) { port in
            for body in bodies {
                let client = try RawClient(port: port)
                try await client.send("POST / HTTP/1.1\r\nHost: x\r\n\(body)")
                let answer = try await client.rest()
                #expect(answer.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"), "\(body)")
                #expect(answer.contains("Connection: close\r\n"))
            }
        }
    }

    @Test(
        "at the number of connections the next takes the place of one that lets the server wait",
        arguments: ["", "GET / HTTP", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx"]
    )
    func roomForOthers(start: String) async throws {
        let limits = HTTPServer.Limits.limits { limits in
            limits.connections = 3
            limits.patience = .milliseconds(50)
            // Longer than the test may take.
            limits.head = .seconds(10_000)
            limits.body = .seconds(10_000)
        }
        try await serving(limits: limits) { request, writer in
            if request.head.path == "/stream" {
                try await writer.begin(HTTPResponse(status: .ok))
                try await writer.write([0x61])
                await untilCancelled()
            }
            try await Self.echo(request, writer)
        } _: { port in
            // One that is answered is not closed for others.
            let streaming = try RawClient(port: port)
            try await streaming.send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try await streaming.text(through: "\r\n\r\n1\r\na")
            var silent: [RawClient] = []
            for number in 1...12 {
                let client = try RawClient(port: port)
                try await client.send(start)
                silent.append(client)
                let answer = try await ask(port, "GET /\(number)", "Connection: close")
                #expect(answer.hasPrefix("HTTP/1.1 200 "))
            }
            // The first are closed.
            for client in silent.prefix(9) { #expect(try await client.rest().isEmpty) }
            streaming.close()
        }
    }

    @Test("room is made by the address that has the most connections")
    func roomByAddress() async throws {
        let limits = HTTPServer.Limits.limits { limits in
            limits.connections = 6
            limits.patience = .milliseconds(50)
            limits.head = .seconds(10_000)
        }
        try await serving(limits: limits, Self.echo) { port in
            // It has waited longest.
            let idle = try RawClient(port: port, from: "127.0.0.2")
            try await idle.send("GET /idle HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try await idle.text(through: "\n/idle\n")
            let many = try (1...20).map { _ in try RawClient(port: port) }
            for number in 1...10 {
                let client = try RawClient(port: port, from: "127.0.0.3")
                try await client.send(
                    "GET /\(number) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                )
                #expect(try await client.rest().hasSuffix("/\(number)\n"))
            }
            try await idle.send("GET /again HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try await idle.text(through: "\n/again\n")
            for client in many.prefix(10) { #expect(try await client.rest().isEmpty) }
        }
    }
}
