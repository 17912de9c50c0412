import Apus
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@Suite("CurlTransport: forms, files and streams going up")
struct CurlTransportUploadTests {
    private let transport = CurlTransport()

    private static func chunks(_ texts: [String]) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            for text in texts { continuation.yield(Array(text.utf8)) }
            continuation.finish()
        }
    }

    private static func form(_ parts: MultipartForm.Part...) -> MultipartForm {
        MultipartForm(parts, boundary: "b")
    }

    private static func post(
        _ form: MultipartForm,
        to authority: String,
        _ path: String = "/",
        options: TransportOptions = TransportOptions()
    ) -> PreparedRequest {
        .make(
            .post,
            authority,
            path,
            fields: [.contentType: form.contentType],
            body: .multipart(form),
            options: options
        )
    }

    @Test("a form of text, bytes, file and stream arrives whole, its length announced")
    func whole() async throws {
        let folder = Temporary.folder()
        try Temporary.write("file's text", to: folder + "/notes.txt")
        let form = Self.form(
            .text("a", "1"),
            .file("f", path: folder + "/notes.txt"),
            .stream("s", BodyStream(count: 6, once: Self.chunks(["str", "eam"])), type: "x/y")
        )
        let server = try RawServer(RawServer.ok("ok"))
        let told = Told()
        _ = try await transport.send(Self.post(form, to: server.authority)) { told.add($0) }
        let received = try #require(server.received.first)
        #expect(
            String(decoding: received.body, as: UTF8.self) == """
                --b\r
                Content-Disposition: form-data; name="a"\r
                \r
                1\r
                --b\r
                Content-Disposition: form-data; name="f"; filename="notes.txt"\r
                Content-Type: text/plain\r
                \r
                file's text\r
                --b\r
                Content-Disposition: form-data; name="s"\r
                Content-Type: x/y\r
                \r
                stream\r
                --b--\r

                """
        )
        #expect(try form.byteCount() == received.body.count)
        #expect(told.all.last?.bytesToSend == received.body.count)
        #expect(told.all.last?.bytesSent == received.body.count)
    }

    @Test("a large form of files and streams arrives byte for byte")
    func large() async throws {
        let folder = Temporary.folder()
        let count = 3_000_000
        let piece = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let whole = Array(repeatElement(piece, count: count / 1000).joined())
        try Temporary.write(whole, to: folder + "/f")
        let stream = BodyStream(count: count) {
            AsyncStream { continuation in
                for _ in 0..<(count / 1000) { continuation.yield(piece) }
                continuation.finish()
            }
        }
        let form = Self.form(.file("f", path: folder + "/f"), .stream("s", stream))
        let server = try RawServer(RawServer.ok("ok"))
        _ = try await transport.send(Self.post(form, to: server.authority))
        let body = try #require(server.received.first).body
        #expect(body.count == (try form.byteCount()))
        let end = whole + Array("\r\n--b--\r\n".utf8)
        #expect(Array(body.suffix(end.count)) == end)
    }

    @Test("a stream whose bytes are late holds up nobody else")
    func late() async throws {
        let server = try RawServer(RawServer.ok("ok"))
        let (chunks, maker) = AsyncStream<[UInt8]>.makeStream()
        let form = Self.form(.stream("s", BodyStream(count: 4, once: chunks)))
        async let slow = transport.send(Self.post(form, to: server.authority))
        maker.yield([1])
        for _ in 0..<3 {
            let other = try await transport.send(.make(server.authority))
            #expect(other.status == 200)
        }
        maker.yield([2, 3])
        maker.yield([4])
        maker.finish()
        #expect(try await slow.status == 200)
        let body = server.received.last { $0.method == "POST" }?.body ?? []
        #expect(body.firstRange(of: [1, 2, 3, 4]) != nil)
    }

    private static func put(
        _ authority: String,
        _ path: String,
        fields: HTTPFields = [:]
    ) -> PreparedRequest {
        let body = PreparedRequest.Body.bytes(Array(repeating: 0x41, count: 200))
        let options = TransportOptions().with { $0.timeout = .seconds(20) }
        return .make(.put, authority, path, fields: fields, body: body, options: options)
    }

    @Test(
        "a response that came before an announced body was sent ends the connection",
        arguments: ["200 OK\r\nContent-Length: 0", "204 No Content"]
    )
    func unsent(head: String) async throws {
        // The server takes the next 200 bytes of that connection for the body.
        let server = try RawServer(continues: false) { request in
            request.path == "/up"
                ? [.send("HTTP/1.1 \(head)\r\n\r\n")] : [RawServer.ok(request.path)]
        }
        let expecting: HTTPFields = [.expect: "100-continue"]
        _ = try await transport.send(Self.put(server.authority, "/up", fields: expecting))
        let next = try await transport.send(Self.put(server.authority, "/next"))
        #expect(next.bodyText == "/next")
        #expect(next.metrics?.reusedConnection == false)
    }

    @Test("after a 417 the request is sent again on a connection of its own and expects nothing")
    func expectationFailed() async throws {
        let server = try RawServer(continues: false) { request in
            request.value(of: "Expect") != nil
                ? [.send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n")]
                : [RawServer.ok(String(request.body.count))]
        }
        let expecting: HTTPFields = [.expect: "100-continue"]
        let response = try await transport.send(
            Self.put(server.authority, "/up", fields: expecting)
        )
        #expect(response.status == 200)
        #expect(response.bodyText == "200")
        #expect(response.metrics?.reusedConnection == false)
        let next = try await transport.send(Self.put(server.authority, "/next"))
        #expect(next.bodyText == "200")
    }

    @Test(
        "a body that was sent leaves its connection to the next request",
        arguments: [false, true]
    )
    func sent(isExpected: Bool) async throws {
        let server = try RawServer(RawServer.ok("ok"))
        let fields: HTTPFields = isExpected ? [.expect: "100-continue"] : [:]
        _ = try await transport.send(Self.put(server.authority, "/up", fields: fields))
        let next = try await transport.send(Self.put(server.authority, "/next"))
        #expect(next.metrics?.reusedConnection == true)
    }

    @Test("a redirect or a challenge sends a stream again that can be made again")
    func replay() async throws {
        let server = try RawServer { request in
            request.path == "/"
                ? [.send("HTTP/1.1 307 T\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n")]
                : [RawServer.ok("ok")]
        }
        let stream = BodyStream(count: 2) { Self.chunks(["ab"]) }
        let response = try await transport.send(
            Self.post(Self.form(.stream("s", stream)), to: server.authority)
        )
        #expect(response.status == 200)
        #expect(server.received.count == 2)
        #expect(server.received[0].body == server.received[1].body)
    }

    @Test("a stream that can be read once is an error when it has to be sent again")
    func once() async throws {
        let server = try RawServer { request in
            request.path == "/"
                ? [.send("HTTP/1.1 307 T\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n")]
                : [RawServer.ok("ok")]
        }
        let form = Self.form(.stream("s", BodyStream(count: 2, once: Self.chunks(["ab"]))))
        let redirected = await transport.error(Self.post(form, to: server.authority))
        #expect(redirected?.code == 1302)
        let again = await transport.error(Self.post(form, to: server.authority, "/other"))
        #expect(again?.code == 1302)
        #expect(server.received.allSatisfy { $0.path == "/" }, "nothing is sent the second time")
    }

    private struct Broken: Error {}

    @Test("a stream that fails, or gives too little, ends the transfer with its own error")
    func badSource() async throws {
        let server = try RawServer(RawServer.ok("ok"))
        let short = Self.form(.stream("s", BodyStream(count: 3, once: Self.chunks(["ab"]))))
        let error = await transport.error(Self.post(short, to: server.authority))
        #expect(error?.reason == .bodySource(detail: "a body stream ended after 2 of 3 bytes"))
        let failing = AsyncThrowingStream<[UInt8], any Error> { $0.finish(throwing: Broken()) }
        let broken = Self.form(.stream("s", BodyStream(count: 3, once: failing)))
        let thrown = await transport.error(Self.post(broken, to: server.authority))
        #expect(thrown?.reason == .bodySource(detail: "Broken()"))
    }

    @Test("a stream waits for a server that does not read, and memory stays small")
    func backPressure() async throws {
        let server = try RawServer.silent()
        let made = Mutex(0)
        let count = 1 << 40
        let stream = BodyStream(
            count: count,
            once: AsyncStream<[UInt8]> {
                made.withLock { $0 += 1 << 16 }
                return [UInt8](repeating: 0, count: 1 << 16)
            }
        )
        let error = await transport.error(
            Self.post(
                Self.form(.stream("s", stream)),
                to: server.authority,
                options: TransportOptions(timeout: .milliseconds(300))
            )
        )
        guard case .timeout = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        // What the kernel's buffers take, and 256 KiB.
        #expect(made.withLock { $0 } < 64 << 20)
    }

    @Test("a file that is missing, or no file, is an error before anything is sent")
    func noFile() async throws {
        let server = try RawServer(RawServer.ok("ok"))
        for (path, number) in [("/nowhere", Int32(2)), ("/tmp", 21), ("/dev/null", 29)] {
            let error = await transport.error(
                Self.post(Self.form(.file("f", path: path)), to: server.authority)
            )
            #expect(error?.reason == .file(path: path, errno: number))
        }
        #expect(server.received.isEmpty)
    }
}
