import Apus
import HTTPTypes
import Servers
import Testing

@Suite("the server of HTTP/1.1")
struct HTTPServerTests {
    /// Tells what it got: target, fields, body.
    private static let echo: HTTPServer.Handler = { request, writer in
        var text = "\(request.head.method.rawValue) \(request.head.path ?? "")\n"
        for field in request.head.headerFields {
            text += "\(field.name.rawName)=\(field.value)\n"
        }
        let body = try await request.body.collect(upTo: 1 << 20) + Array(".".utf8)
        let bytes = Array(text.utf8) + body
        let head = HTTPResponse(status: .ok, headerFields: [.contentLength: "\(bytes.count)"])
        try await writer.send(head, bytes)
    }

    /// All that a server says to some bytes, up to the end of the connection.
    private func answer(to text: String) async throws -> String {
        try await answer(to: Array(text.utf8))
    }

    private func answer(to bytes: [UInt8]) async throws -> String {
        try await serving(Self.echo) { port in
            let client = try RawClient(port: port)
            try await client.send(bytes)
            return try await client.rest()
        }
    }

    @Test("fields keep their order, their case and their repetitions")
    func fields() async throws {
        let answer = try await answer(
            to: "GET /a?b=%2F+c HTTP/1.1\r\nHost: x\r\nx-b: 1\r\nX-A:2  \r\nX-b:\t3\r\nAccept:\r\n"
                + "Connection: close\r\n\r\n"
        )
        #expect(
            answer.hasSuffix(
                "GET /a?b=%2F+c\nx-b=1\nX-A=2\nX-b=3\nAccept=\nConnection=close\n."
            )
        )
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
    }

    @Test("bytes of a field that are no UTF-8 stay as they are")
    func latinFields() async throws {
        let bytes = try await serving { request, writer in
            _ = try await request.body.collect(upTo: 0)
            var head = HTTPResponse(status: .noContent)
            head.headerFields = request.head.headerFields
            try await writer.send(head, [])
        } _: { port in
            let client = try RawClient(port: port)
            try await client.send(
                Array("GET / HTTP/1.1\r\nHost: x\r\nX-Name: ".utf8) + [0xE9, 0xFF]
                    + Array("\r\nConnection: close\r\n\r\n".utf8)
            )
            return try await client.bytes(1000)
        }
        #expect(bytes.firstRange(of: [0x20, 0xE9, 0xFF, 0x0D]) != nil)
    }

    @Test("requests that come at once are answered one after another")
    func pipelined() async throws {
        let answer = try await answer(
            to: "GET /1 HTTP/1.1\r\nHost: x\r\n\r\n"
                + "POST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc\r\n"
                + "POST /3 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "2;a=b\r\nde\r\n1\r\nf\r\n0\r\nX-T: 1\r\n\r\n"
                + "GET /4 HTTP/1.0\r\n\r\n"
        )
        let found = ["GET /1\n.", "Content-Length=3\nabc.", "chunked\ndef.", "GET /4\n."]
        var rest = answer[...]
        for text in found {
            let range = try #require(rest.firstRange(of: text))
            rest = rest[range.upperBound...]
        }
        #expect(rest.isEmpty)
        #expect(answer.ranges(of: "HTTP/1.1 200 OK").count == 4)
        #expect(answer.contains("Connection: close"))
    }

    @Test(
        "what can be read in two ways is refused, and nothing behind it is read",
        arguments: [
            (
                400,
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc"
            ),
            (
                400,
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc"
            ),
            (400, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3, 3\r\n\r\nabc"),
            (400, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +3\r\n\r\nabc"),
            (400, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0x3\r\n\r\nabc"),
            (400, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"),
            (400, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n"),
            (
                400,
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n"
                    + "\r\n0\r\n\r\n"
            ),
            (
                400,
                "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
                    + "Transfer-Encoding: identity\r\n\r\n0\r\n\r\n"
            ),
            (400, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
            (501, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"),
            (400, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            (400, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
            (400, "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n"),
            (400, "GET / HTTP/1.1\r\nHost: x\r\n A: b\r\n\r\n"),
            (400, "GET / HTTP/1.1\r\nHost: x\r\nA: b\nC: d\r\n\r\n"),
            (400, "GET / HTTP/1.1\nHost: x\n\n"),
            (400, "GET / HTTP/1.1\r\nHost: x\r\nA: b\rC: d\r\n\r\n"),
            (400, "GET / HTTP/1.1\r\nHost: x\r\nA: b\u{0}c\r\n\r\n"),
            (400, "GET / HTTP/1.1\r\nHost: x\r\nA\u{B}: b\r\n\r\n"),
            (400, "GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n"),
            (400, "GET / HTTP/1.1\r\nHost: x\r\n: none\r\n\r\n"),
            (400, "GET / HTTP/1.1\r\n\r\n"),
            (400, "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"),
            (400, "GET  / HTTP/1.1\r\nHost: x\r\n\r\n"),
            (400, "GET / a HTTP/1.1\r\nHost: x\r\n\r\n"),
            (400, "GET /\u{7F} HTTP/1.1\r\nHost: x\r\n\r\n"),
            (400, "GET a HTTP/1.1\r\nHost: x\r\n\r\n"),
            (400, "G(T / HTTP/1.1\r\nHost: x\r\n\r\n"),
            (400, "GET /\r\n\r\n"),
            (400, "GET / HTTP/1.1 \r\nHost: x\r\n\r\n"),
            (505, "GET / HTTP/2.0\r\nHost: x\r\n\r\n"),
            (501, "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n"),
        ]
    )
    func ambiguous(status: Int, request: String) async throws {
        let next = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
        let answer = try await answer(to: request + next)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
        #expect(answer.contains("Connection: close"))
        #expect(!answer.contains("smuggled"))
    }

    @Test(
        "a chunk that is not as it should be ends the connection with a 400",
        arguments: [
            "xyz\r\nabc\r\n0\r\n\r\n", "3 \r\nabc\r\n0\r\n\r\n", "3\nabc\r\n0\r\n\r\n",
            "3\r\nabcd\r\n0\r\n\r\n", "0x3\r\nabc\r\n0\r\n\r\n", "-1\r\n", "\r\n",
            "3\r\nabc0\r\n\r\n", "FFFFFFFFFFFFFFFF\r\n", "0\r\nA : b\r\n\r\n", "0\r\n a\r\n\r\n",
            String(repeating: "0", count: 5000) + "\r\n\r\n",
        ]
    )
    func brokenChunk(body: String) async throws {
        let answer = try await answer(
            to: "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
                + "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
        )
        #expect(answer.hasPrefix("HTTP/1.1 400 ") && !answer.contains("smuggled"))
    }

    @Test("a head has its limits: in bytes, in its first line, in fields")
    func limits() async throws {
        let long = String(repeating: "a", count: 70_000)
        #expect(try await answer(to: "GET /\(long)").hasPrefix("HTTP/1.1 414 "))
        #expect(
            try await answer(to: "GET / HTTP/1.1\r\nHost: x\r\nA: \(long)")
                .hasPrefix("HTTP/1.1 431 ")
        )
        let lines = String(repeating: "a: b\r\n", count: 600)
        #expect(
            try await answer(to: "GET / HTTP/1.1\r\nHost: x\r\n\(lines)\r\n")
                .hasPrefix("HTTP/1.1 431 ")
        )
        let some = String(repeating: "a", count: 60_000)
        let whole = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nA: \(some)\r\n\r\n"
        #expect(try await answer(to: whole).hasPrefix("HTTP/1.1 200 "))
    }

    @Test("a request that comes byte by byte is read as one that comes at once")
    func slowRequest() async throws {
        let answer = try await serving(Self.echo) { port in
            let client = try RawClient(port: port)
            let head = "GET /slow HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            let body = "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
            for byte in (head + body).utf8 { try await client.send([byte]) }
            return try await client.rest()
        }
        #expect(answer.contains("GET /slow") && answer.hasSuffix("abcde."))
    }

    @Test("the absolute form of a target is its path")
    func absoluteForm() async throws {
        let answer = try await answer(
            to: "GET http://other.example/a?b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        )
        #expect(answer.contains("GET /a?b\n"))
    }

    @Test("a body is asked for when it is read, and not before")
    func expects() async throws {
        try await serving(Self.echo) { port in
            let client = try RawClient(port: port)
            try await client.send(
                "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
            )
            #expect(try await client.head() == "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.send("abc")
            #expect(try await client.text(through: "abc.").hasPrefix("HTTP/1.1 200 OK"))
        }
    }

    @Test("an answer that does not wait for the body comes without a 100, and ends the connection")
    func refusesBody() async throws {
        try await serving { _, writer in
            try await writer.send(HTTPFault(403, "no"))
        } _: { port in
            let client = try RawClient(port: port)
            try await client.send(
                "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
            )
            let answer = try await client.rest()
            #expect(answer.hasPrefix("HTTP/1.1 403 ") && answer.hasSuffix("no\n"))
        }
    }

    @Test("a body of unknown length has chunks, for HTTP/1.0 the end of the connection")
    func framing() async throws {
        try await serving { request, writer in
            _ = try await request.body.collect(upTo: 0)
            try await writer.begin(HTTPResponse(status: .ok))
            try await writer.write(Array("ab".utf8))
            try await writer.write(Array("c".utf8))
            try await writer.end(trailers: ["X-Sum: 6"])
        } _: { port in
            let new = try RawClient(port: port)
            try await new.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await new.head().contains("Transfer-Encoding: chunked"))
            let body = "2\r\nab\r\n1\r\nc\r\n0\r\nX-Sum: 6\r\n\r\n"
            #expect(try await new.bytes(body.utf8.count) == Array(body.utf8))
            let old = try RawClient(port: port)
            try await old.send("GET / HTTP/1.0\r\n\r\n")
            let head = try await old.head()
            #expect(head.contains("Connection: close") && !head.contains("chunked"))
            #expect(try await old.rest() == "abc")
        }
    }

    @Test("what a handler leaves undone is cut off, and never passes for whole")
    func cuts() async throws {
        struct Fault: Error {}
        try await serving { request, writer in
            _ = try await request.body.collect(upTo: 0)
            var head = HTTPResponse(status: .ok)
            if request.head.path == "/length" { head.headerFields[.contentLength] = "9" }
            try await writer.begin(head)
            try await writer.write(Array("abc".utf8))
            throw Fault()
        } _: { port in
            for path in ["/length", "/chunks"] {
                let client = try RawClient(port: port)
                try await client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try await client.head()
                let rest = try await client.rest()
                #expect(rest == (path == "/length" ? "abc" : "3\r\nabc\r\n"))
            }
            let old = try RawClient(port: port)
            try await old.send("GET / HTTP/1.0\r\n\r\n")
            await #expect(throws: RawClient.Failure.self) { try await old.rest() }
        }
    }

    @Test(
        "the transport sends a body whose length nobody knows in chunks",
        arguments: [HTTPRequest.Method.post, .put, .patch, .get, .delete]
    )
    func sendsUnknownLength(method: HTTPRequest.Method) async throws {
        try await serving(Self.echo) { port in
            let chunks = AsyncStream<[UInt8]> { pieces in
                for text in ["ab", "", "cde"] { pieces.yield(Array(text.utf8)) }
                pieces.finish()
            }
            let request = PreparedRequest(
                head: HTTPRequest(
                    method: method,
                    scheme: "http",
                    authority: "127.0.0.1:\(port)",
                    path: "/"
                ),
                body: .stream(BodyStream(once: chunks))
            )
            let response = try await CurlTransport().send(request, progress: nil)
            let text = String(decoding: try response.body.load(), as: UTF8.self)
            #expect(text.contains("Transfer-Encoding=chunked\n") && text.hasSuffix("abcde."))
            #expect(!text.contains("Content-Length"))
        }
    }

    @Test("a client that goes away cancels what works for it", arguments: [false, true])
    func goesAway(reset: Bool) async throws {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        try await serving { request, _ in
            begin.yield()
            do {
                try await Task.sleep(for: .seconds(600))
            } catch {
                end.yield(Task.isCancelled)
            }
        } _: { port in
            let client = try RawClient(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            for await _ in begins { break }
            client.close(reset: reset)
            for await isCancelled in ends {
                #expect(isCancelled)
                break
            }
        }
    }

    @Test("a port that is taken is told with its reason")
    func takenPort() async throws {
        try await serving(Self.echo) { port in
            let error = await #expect(throws: ServingFailure.self) {
                try await HTTPServer(port: port, handle: Self.echo).run { _ in }
            }
            let text = "cannot listen on 127.0.0.1:\(port): Address already in use"
            #expect(error?.description == text)
        }
    }
}
