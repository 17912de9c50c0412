import Apus
import Glibc
import HTTPServing
import HTTPTypes
import Servers
import Synchronization
import TestSupport
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
            // U+212A KELVIN SIGN, whose lowercase letter is k.
            (
                400,
                "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chun\u{212A}ed\r\n\r\n0\r\n\r\n"
            ),
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
        #expect(answer.contains("Connection: close"))
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

    @Test("a response that does not wait for the body comes without a 100, and ends the connection")
    func refusesBody() async throws {
        try await serving { _, writer in
            try await writer.send(HTTPError(403, "no"))
        } _: { port in
            let client = try RawClient(port: port)
            try await client.send(
                "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
            )
            let answer = try await client.rest()
            #expect(answer.hasPrefix("HTTP/1.1 403 ") && answer.hasSuffix("no\n"))
        }
    }

    @Test("a fault behind a whole request leaves the connection open for the next")
    func faultBetween() async throws {
        try await serving { request, writer in
            if request.head.path == "/fault" {
                _ = try await request.body.collect(upTo: 9)
                throw HTTPError(502, "no")
            }
            try await Self.echo(request, writer)
        } _: { port in
            let client = try RawClient(port: port)
            try await client.send(
                "POST /fault HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc"
                    + "GET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            )
            let answers = try await client.rest()
            #expect(answers.hasPrefix("HTTP/1.1 502 ") && answers.contains("GET /next\n"))
        }
    }

    @Test("a client of HTTP/1.0 waits for no 100")
    func expectsNothing() async throws {
        let answer = try await answer(
            to: "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\na"
        )
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("Length=1\na."))
        #expect(!answer.contains("Expect"))
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
            await #expect(throws: RawConnection.Failure.self) { try await old.rest() }
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
        try await serving(limits: .impatient) { request, _ in
            begin.yield()
            await untilCancelled()
            end.yield(Task.isCancelled)
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

    @Test("a client that says that it sends no more gets the responses to what it has sent")
    func halfClosed() async throws {
        let (goes, go) = AsyncStream.makeStream(of: Void.self)
        try await serving { request, writer in
            if request.head.path == "/1" { for await _ in goes { break } }
            try await Self.echo(request, writer)
        } _: { port in
            let client = try RawClient(port: port)
            try await client.send("GET /1 HTTP/1.1\r\nHost: x\r\n\r\n")
            try await client.send("POST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
            client.endInput()
            // Meanwhile its end has come.
            for _ in 1...3 { _ = try await ask(port, "GET /other") }
            go.yield()
            let answers = try await client.rest()
            #expect(answers.contains("GET /1\n."))
            #expect(answers.hasSuffix("POST /2\nContent-Length=3\nabc."))
            let cut = try RawClient(port: port)
            try await cut.send("POST /3 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nab")
            cut.endInput()
            #expect(try await cut.rest().isEmpty)
        }
    }

    // MARK: Clients that keep it waiting

    @Test("a head that never ends and a silent connection are closed")
    func slowHead() async throws {
        let limits = HTTPServer.Limits.limits { $0.head = .seconds(5) }
        try await serving(limits: limits, Self.echo) { port in
            let idle = try RawClient(port: port)
            try await idle.send("GET /idle HTTP/1.1\r\nHost: x\r\n\r\n")
            let clients = try (0..<3).map { _ in try RawClient(port: port) }
            for (client, start) in zip(clients, ["", "GET / HTTP/1.1\r\nHost", "\r\n"]) {
                try await client.send(start)
            }
            for client in clients { #expect(try await client.rest().isEmpty) }
            #expect(try await idle.rest().hasSuffix("GET /idle\n."))
        }
    }

    @Test("a response that is there is held back, and not copied, for a client that does not read")
    func heldResponse() async throws {
        let large = [UInt8](repeating: 0x61, count: 64 << 20)
        let isSent = Mutex(false)
        try await serving { request, writer in
            guard request.head.path == "/large" else { return try await Self.echo(request, writer) }
            let length = "\(large.count)"
            let head = HTTPResponse(status: .ok, headerFields: [.contentLength: length])
            try await writer.send(head, large)
            isSent.withLock { $0 = true }
        } _: { port in
            let client = try RawClient(port: port, receiveBuffer: 64 << 10)
            try await client.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try await client.head()
            for _ in 1...20 { _ = try await ask(port, "GET /other") }
            let isDone = isSent.withLock { $0 }
            #expect(!isDone)
            #expect(try await client.skip(large.count) == large.count)
        }
    }

    @Test("who does not take a refusal does not hold a connection, of which there is a number")
    func lingering() async throws {
        let limits = HTTPServer.Limits.limits { limits in
            limits.head = .seconds(5)
            limits.connections = 1
        }
        try await serving(limits: limits) { request, writer in
            guard request.head.method == .get else {
                let size = 32 << 20
                try await writer.begin(
                    HTTPResponse(status: .ok, headerFields: [.contentLength: "\(size)"])
                )
                try await writer.write([UInt8](repeating: 0x61, count: size))
                return try await writer.end()
            }
            try await Self.echo(request, writer)
        } _: { port in
            let deaf = try RawClient(port: port, receiveBuffer: 64 << 10)
            try await deaf.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n")
            #expect(try await ask(port, "GET /next").hasSuffix("close\n."))
            deaf.close()
        }
    }

    @Test("who does not read the rest of a response that is cut does not hold a connection")
    func deafToCut() async throws {
        struct Fault: Error {}
        let limits = HTTPServer.Limits.limits { limits in
            limits.head = .seconds(5)
            limits.connections = 1
        }
        try await serving(limits: limits) { request, writer in
            guard request.head.path == "/cut" else { return try await Self.echo(request, writer) }
            try await writer.begin(HTTPResponse(status: .ok))
            try await writer.write([UInt8](repeating: 0x61, count: 32 << 20))
            throw Fault()
        } _: { port in
            let deaf = try RawClient(port: port, receiveBuffer: 64 << 10)
            try await deaf.send("GET /cut HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try await ask(port, "GET /next").hasSuffix("close\n."))
            deaf.close()
        }
    }

    @Test(
        "the server ends while a client does not read",
        .timeLimit(.minutes(5)),
        arguments: ["HTTP/1.1", "HTTP/1.0"],
        [true, false]
    )
    func endsBesideDeaf(version: String, isWhole: Bool) async throws {
        let (writes, written) = AsyncStream.makeStream(of: Void.self)
        let client = Mutex<RawClient?>(nil)
        let size = 32 << 20
        try await serving { _, writer in
            var head = HTTPResponse(status: .ok)
            if isWhole { head.headerFields[.contentLength] = "\(size)" }
            try await writer.begin(head)
            try await writer.write([UInt8](repeating: 0x61, count: size))
            if isWhole { try await writer.end() }
            written.yield()
            if !isWhole { await untilCancelled() }
        } _: { port in
            let deaf = try RawClient(port: port, receiveBuffer: 64 << 10)
            client.withLock { $0 = deaf }
            try await deaf.send("GET / \(version)\r\nHost: x\r\nConnection: close\r\n\r\n")
            for await _ in writes { break }
        }
        // What came of it passes for the whole to nobody.
        let deaf = try #require(client.withLock { $0 })
        let rest = try? await deaf.rest()
        #expect(rest?.hasSuffix("0\r\n\r\n") != true && rest?.utf8.count ?? 0 < size)
        if version == "HTTP/1.0", !isWhole { #expect(rest == nil) }
    }

    @Test("a request gets one response")
    func oneResponse() async throws {
        try await serving { request, writer in
            guard request.head.path == "/twice" else { return try await Self.echo(request, writer) }
            try await writer.send(HTTPError(404, "one"))
            let head = HTTPResponse(status: .ok)
            await #expect(throws: (any Error).self) { try await writer.send(head, [0x61]) }
            try await writer.begin(head)
        } _: { port in
            let client = try RawClient(port: port)
            try await client.send(
                "GET /twice HTTP/1.1\r\nHost: x\r\n\r\nGET /next HTTP/1.1\r\nHost: x\r\n\r\n"
            )
            let answers = try await client.rest()
            #expect(answers.hasPrefix("HTTP/1.1 404 ") && answers.hasSuffix("one\n"))
        }
    }

    @Test("a body is read whole where no read ends with a line")
    func unalignedReads() async throws {
        let piece = Array("1;\(String(repeating: "a", count: 4000))\r\na\r\n".utf8)
        let pieces = Array(repeating: piece, count: 250).flatMap(\.self)
        try await serving { request, writer in
            var count = 0
            for try await bytes in request.body { count += bytes.count }
            try await writer.send(HTTPError(200, "\(count)"))
        } _: { port in
            let client = try RawClient(port: port)
            try await client.send(
                "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
            for _ in 1...8 { try await client.send(pieces) }
            try await client.send("0\r\n\r\n")
            #expect(try await client.text(through: "\n").hasPrefix("HTTP/1.1 200 "))
            #expect(try await client.text(through: "\n\r\n").isEmpty == false)
            #expect(try await client.text(through: "\n") == "2000\n")
        }
    }

    @Test("above the number of connections the next is served when one ends")
    func connectionLimit() async throws {
        let served = Mutex<[String]>([])
        let limits = HTTPServer.Limits.limits { limits in
            limits.connections = 2
            limits.patience = .seconds(10_000)
        }
        try await serving(limits: limits) { request, writer in
            served.withLock { $0.append(request.head.path ?? "") }
            try await Self.echo(request, writer)
        } _: { port in
            let clients = try (0..<3).map { _ in try RawClient(port: port) }
            let (answers, answer) = AsyncStream.makeStream(of: Int.self)
            try await withThrowingTaskGroup { group in
                for (number, client) in clients.enumerated() {
                    group.addTask {
                        try await client.send("GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
                        _ = try await client.text(through: "GET /\(number)\n.")
                        answer.yield(number)
                    }
                }
                var numbers = answers.makeAsyncIterator()
                let first = [await numbers.next(), await numbers.next()].compactMap(\.self)
                #expect(served.withLock(\.count) == 2)
                clients[first[0]].close()
                #expect(await numbers.next() == 3 - first.reduce(0, +))
                try await group.waitForAll()
            }
        }
    }

    @Test("a server that ends lets go of connections that wait to be served")
    func endsBesideWaiting() async throws {
        let limits = HTTPServer.Limits.limits { $0.connections = 1 }
        let clients = Mutex<[RawClient]>([])
        try await serving(limits: limits) { _, _ in
            await untilCancelled()
        } _: { port in
            for number in 1...6 {
                let client = try RawClient(port: port)
                clients.withLock { $0.append(client) }
                try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                while try acceptedCount(port) < number { await Task.yield() }
            }
        }
        for client in clients.withLock({ $0 }) {
            #expect(try await client.rest().isEmpty)
            client.close()
        }
    }

    /// How many connections to a port of this machine have been accepted: until then they have no inode
    /// (proc_net_tcp(5)).
    private func acceptedCount(_ port: Int) throws -> Int {
        let file = try #require(fopen("/proc/net/tcp", "r"))
        defer { fclose(file) }
        let address = ":" + String(0x10000 | port, radix: 16, uppercase: true).dropFirst()
        var count = 0
        var line: UnsafeMutablePointer<CChar>?
        var capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, file) > 0, let text = line {
            let fields = String(cString: text).split(separator: " ")
            guard fields.count > 9, fields[1].hasSuffix(address), fields[3] == "01" else {
                continue
            }
            if fields[9] != "0" { count += 1 }
        }
        return count
    }

    @Test(
        "the body of a request is not read behind its response, and who reads it still is waited for"
    )
    func readsBehindResponse() async throws {
        let (bodies, body) = AsyncStream.makeStream(of: IncomingBody.self)
        let (pieces, piece) = AsyncStream.makeStream(of: Int?.self)
        try await serving { request, writer in
            if request.head.path == "/during" {
                let (begins, begin) = AsyncStream.makeStream(of: Void.self)
                Task {
                    let reading = request.body.makeAsyncIterator()
                    _ = try await reading.next()
                    begin.yield()
                    // This waits when the request is answered.
                    piece.yield(try? await reading.next()?.count)
                    piece.yield(try? await reading.next()?.count)
                }
                for await _ in begins { break }
            } else {
                body.yield(request.body)
            }
            try await writer.send(HTTPError(403, "no"))
        } _: { port in
            let behind = try RawClient(port: port)
            try await behind.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc")
            #expect(try await behind.rest().hasSuffix("no\n"))
            for await body in bodies {
                await #expect(throws: CancellationError.self) { try await body.collect(upTo: 9) }
                break
            }
            let during = try RawClient(port: port)
            try await during.send(
                "POST /during HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc"
            )
            #expect(try await during.rest().hasSuffix("no\n"))
            try await during.send("def")
            var counts: [Int?] = []
            for await count in pieces {
                counts.append(count)
                if counts.count == 2 { break }
            }
            #expect(counts == [3, nil])
        }
    }

    @Test("a port that is taken is told with its reason")
    func takenPort() async throws {
        try await serving(Self.echo) { port in
            let error = await #expect(throws: ServerError.self) {
                try await HTTPServer(port: port, handle: Self.echo).run { _ in }
            }
            let text = "cannot listen on 127.0.0.1:\(port): Address already in use"
            #expect(error?.description == text)
        }
    }
}
