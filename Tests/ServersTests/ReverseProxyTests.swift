import Apus
import HTTPTypes
import Recordings
import Servers
import Synchronization
import TestSupport
import Testing

@Suite("standing before a server")
struct ReverseProxyTests {
    /// Serves a proxy while a test runs; each exchange that it records can be waited for.
    private func proxying<T: Sendable>(
        _ url: String,
        cache: ResponseCache? = nil,
        options: TransportOptions = TransportOptions(),
        _ body: @escaping @Sendable (Int, Records) async throws -> T
    ) async throws -> T {
        let records = Records()
        let proxy = try ReverseProxy(
            url,
            cache: cache,
            options: options,
            record: { records.add($0) }
        )
        let handle: HTTPServer.Handler = { try await proxy.answer($0, $1) }
        return try await serving(handle) { port in try await body(port, records) }
    }

    /// What a proxy has recorded, in its order.
    private final class Records: Sendable {
        private let stream: AsyncStream<ExchangeRecord>
        private let source: AsyncStream<ExchangeRecord>.Continuation

        init() { (stream, source) = AsyncStream.makeStream() }

        func add(_ record: ExchangeRecord) { source.yield(record) }

        func next() async throws -> ExchangeRecord {
            for await record in stream { return record }
            throw CancellationError()
        }

        func nextFailure() async throws -> ApusError {
            switch try await next().result {
            case .failure(let error): return error
            case .success(let response): throw Unexpected(status: response.status)
            }
        }

        struct Unexpected: Error {
            let status: Int
        }
    }

    // MARK: What goes through

    @Test("a request goes on byte for byte, but for its host and what is for the next on the way")
    func request() async throws {
        let server = try RawServer { _ in [RawServer.ok("x")] }
        try await proxying("http://\(server.authority)") { port, _ in
            let client = try RawClient(port: port)
            let fields =
                "x-b: 1\r\nX-A: \t2 \r\nX-b: 3\r\nCookie: a=1\r\nAuthorization: Basic YTpi\r\n"
            try await client.send(
                Array("GET /a//b/../%2f?c=%20&&d?e= HTTP/1.1\r\nhost: proxy\r\n\(fields)X-L: ".utf8)
                    + [0xE9]
                    + Array(
                        ("\r\nConnection: close, X-Drop, Upgrade\r\nX-Drop: 1\r\nKeep-Alive: 5\r\n"
                            + "Proxy-Connection: x\r\nTE: trailers, gzip\r\nUpgrade: h2c\r\n\r\n")
                            .utf8
                    )
            )
            _ = try await client.rest()
        }
        let received = try #require(server.received.first)
        #expect(received.line == "GET /a//b/../%2f?c=%20&&d?e= HTTP/1.1")
        let fields = received.fields.map { $0.unicodeScalars.filter { $0 != "\u{FFFD}" } }.map(
            String.init
        )
        #expect(
            fields == [
                "Host: \(server.authority)", "x-b: 1", "X-A: 2", "X-b: 3", "Cookie: a=1",
                "Authorization: Basic YTpi", "X-L: ", "TE: trailers", "Connection: TE",
            ]
        )
        #expect(received.rawHead.firstRange(of: [0x20, 0xE9, 0x0D]) != nil)
    }

    @Test(
        "an answer comes back byte for byte: reason phrase, repetitions, coding, redirect, cookies"
    )
    func answer() async throws {
        let fields =
            "set-cookie: a=1; Domain=127.0.0.1\r\nX-One: 1\r\nSet-Cookie: b=2\r\nServer:\r\n"
            + "LOCATION: http://127.0.0.1/there\r\n"
        let server = try RawServer(
            .send("HTTP/1.1 302 Over There, Please\r\n\(fields)Content-Length: 3\r\nX-L: "),
            .bytes([0xFF]),
            .send(
                "\r\nKeep-Alive: timeout=5\r\nConnection: keep-alive, x-drop\r\nX-Drop: 1\r\n\r\nabc"
            )
        )
        let bytes = try await proxying("http://\(server.authority)") { port, _ in
            let client = try RawClient(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            let head = try await client.text(through: "X-L: ")
            #expect(
                head == "HTTP/1.1 302 Over There, Please\r\n\(fields)Content-Length: 3\r\nX-L: "
            )
            return try await client.bytes(8)
        }
        #expect(bytes == [0xFF] + Array("\r\n\r\nabc".utf8))
        #expect(server.received.count == 1)
        #expect(server.received.first?.value(of: "Accept-Encoding") == nil)
        #expect(server.received.first?.value(of: "User-Agent") == nil)
    }

    /// "hello hello hello" by gzip.
    private static let gzip: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 87, 200, 64, 144, 0, 128, 136, 249,
        229, 17, 0, 0, 0,
    ]

    @Test("a coded body goes on coded, and is recorded decoded")
    func coded() async throws {
        let server = try RawServer(
            .send(
                "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(Self.gzip.count)\r\n\r\n"
            ),
            .bytes(Self.gzip)
        )
        try await proxying("http://\(server.authority)") { port, records in
            let client = try RawClient(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n")
            #expect(try await client.head().contains("Content-Encoding: gzip"))
            #expect(try await client.bytes(Self.gzip.count) == Self.gzip)
            let record = try await records.next()
            let response = try record.result.get()
            #expect(response.body == .bytes(Array("hello hello hello".utf8)))
            #expect(response.head.headerFields[.contentEncoding] == "gzip")
            #expect(response.metrics?.remoteAddress == server.authority)
        }
    }

    @Test("chunks go both ways, with the trailers of the answer")
    func chunks() async throws {
        try await serving { request, writer in
            let body = try await request.body.collect(upTo: 100)
            #expect(request.body.length == nil)
            try await writer.begin(HTTPResponse(status: .ok, headerFields: [.trailer: "X-Sum"]))
            try await writer.write(body)
            try await writer.end(trailers: ["X-Sum: \(body.count)"])
        } _: { upstream in
            try await proxying("http://127.0.0.1:\(upstream)") { port, records in
                let client = try RawClient(port: port)
                try await client.send(
                    "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                )
                try await client.send("3\r\nabc\r\n")
                try await client.send("2;x\r\nde\r\n0\r\n\r\n")
                let head = try await client.head()
                #expect(
                    head.contains("Transfer-Encoding: chunked") && head.contains("Trailer: X-Sum")
                )
                #expect(
                    try await client.text(through: "X-Sum: 5\r\n\r\n").hasSuffix(
                        "\r\n0\r\nX-Sum: 5\r\n\r\n"
                    )
                )
                let record = try await records.next()
                #expect(record.request.body == .bytes(Array("abcde".utf8)))
                #expect(try record.result.get().body == .bytes(Array("abcde".utf8)))
            }
        }
    }

    @Test(
        "each event of a stream comes when it is sent, and a client that goes away ends the stream"
    )
    func events() async throws {
        let server = try RawServer(
            .send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"),
            .send("data: 1\n\n"),
            .hang
        )
        for cache in [nil, ResponseCache.inMemory] {
            try await proxying("http://\(server.authority)", cache: cache) { port, records in
                let client = try RawClient(port: port)
                try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try await client.head().contains("text/event-stream"))
                _ = try await client.text(through: "data: 1\n\n")
                client.close()
                let failure = try await records.nextFailure()
                #expect(failure.reason == .cancelled)
                #expect(failure.response?.body == .bytes(Array("data: 1\n\n".utf8)))
            }
        }
    }

    @Test("a body is asked for when the server asks for it; a refusal comes without")
    func expects() async throws {
        let asks = try RawServer {
            [RawServer.ok("\($0.body.count) \($0.value(of: "Expect") ?? "")")]
        }
        let fields = "Host: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
        try await proxying("http://\(asks.authority)") { port, _ in
            let client = try RawClient(port: port)
            try await client.send("PUT / HTTP/1.1\r\n\(fields)")
            #expect(try await client.head() == "HTTP/1.1 100 Continue\r\n\r\n")
            try await client.send("abc")
            #expect(try await client.text(through: "3 100-continue").hasPrefix("HTTP/1.1 200 OK"))
        }
        let refuses = try RawServer(continues: false) { _ in
            [.send("HTTP/1.1 413 Too Much\r\nContent-Length: 0\r\n\r\n")]
        }
        try await proxying("http://\(refuses.authority)") { port, _ in
            let client = try RawClient(port: port)
            try await client.send("PUT / HTTP/1.1\r\n\(fields)")
            #expect(try await client.rest().hasPrefix("HTTP/1.1 413 Too Much\r\n"))
        }
    }

    @Test("a body has the framing that it had: length, none at all, and what only announces one")
    func framing() async throws {
        let server = try RawServer { request in
            switch request.path {
            case "/204": [.send("HTTP/1.1 204 Nope\r\nX-A: 1\r\n\r\n")]
            case "/304": [.send("HTTP/1.1 304 Same\r\nContent-Length: 70\r\nETag: \"1\"\r\n\r\n")]
            case "/end": [.send("HTTP/1.1 200 OK\r\n\r\nabc"), .close]
            default: [.send("HTTP/1.1 200 OK\r\nContent-Length: 70\r\n\r\n")]
            }
        }
        try await proxying("http://\(server.authority)") { port, _ in
            let client = try RawClient(port: port)
            try await client.send(
                "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\nGET /204 HTTP/1.1\r\nHost: x\r\n\r\n"
                    + "GET /304 HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"1\"\r\n\r\n"
                    + "GET /end HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            )
            #expect(try await client.head() == "HTTP/1.1 200 OK\r\nContent-Length: 70\r\n\r\n")
            #expect(try await client.head() == "HTTP/1.1 204 Nope\r\nX-A: 1\r\n\r\n")
            let same = "HTTP/1.1 304 Same\r\nContent-Length: 70\r\nETag: \"1\"\r\n\r\n"
            #expect(try await client.head() == same)
            #expect(try await client.rest().hasSuffix("\r\n\r\n3\r\nabc\r\n0\r\n\r\n"))
        }
        #expect(server.received.map(\.path) == ["/a", "/204", "/304", "/end"])
    }

    // MARK: What goes wrong

    @Test(
        "a server that cuts its answer cuts it for the client, and it is recorded",
        arguments: [
            "Content-Length: 10\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        ]
    )
    func cutAnswer(rest: String) async throws {
        for end in [RawServer.Step.close, .reset] {
            let server = try RawServer(.send("HTTP/1.1 200 OK\r\n\(rest)"), end)
            try await proxying("http://\(server.authority)") { port, records in
                let client = try RawClient(port: port)
                try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                // A reset may overtake what was sent before it.
                let answer = (try? await client.rest()) ?? ""
                #expect(!answer.hasSuffix("0\r\n\r\n"))
                let failure = try await records.nextFailure()
                #expect(failure.reason.shortName == "connection lost")
                guard case .close = end else { return }
                #expect(answer.hasPrefix("HTTP/1.1 200 OK") && answer.contains("abc"))
                #expect(failure.response?.body == .bytes(Array("abc".utf8)))
            }
        }
    }

    @Test("a server that does not answer is a 502, one that takes too long a 504, with words")
    func unreachable() async throws {
        let closed = try ClosedPort()
        defer { closed.letGo() }
        let silent = try RawServer(.hang)
        let cut = try RawServer(.close)
        let impatient = TransportOptions(connectTimeout: .milliseconds(300))
        let cases = [
            (closed.base, 502), ("http://\(cut.authority)", 502),
            ("https://\(silent.authority)", 504), ("http://nowhere.invalid", 502),
        ]
        for (url, status) in cases {
            try await proxying(url, options: impatient) { port, records in
                let client = try RawClient(port: port)
                try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                let answer = try await client.text(through: "\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "))
                #expect(answer.contains("text/plain"))
                #expect(try await client.text(through: "\n").hasPrefix("apus: "))
                _ = try await records.nextFailure()
            }
        }
    }

    @Test("a client that cuts its upload cuts it for the server, and it is recorded")
    func cutUpload() async throws {
        for fields in ["Content-Length: 100000", "Transfer-Encoding: chunked"] {
            let (begins, begin) = AsyncStream.makeStream(of: Void.self)
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            try await serving { request, _ in
                defer { end.yield() }
                for try await _ in request.body { begin.yield() }
            } _: { upstream in
                try await proxying("http://127.0.0.1:\(upstream)") { port, records in
                    let client = try RawClient(port: port)
                    try await client.send(
                        "POST / HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n5\r\nabcde\r\n"
                    )
                    for await _ in begins { break }
                    client.close()
                    for await _ in ends { break }
                    _ = try await records.nextFailure()
                }
            }
        }
    }

    @Test("a client that goes away before the answer ends the request to the server")
    func goneBeforeAnswer() async throws {
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        try await serving { _, _ in
            begin.yield()
            try? await Task.sleep(for: .seconds(600))
            end.yield()
        } _: { upstream in
            try await proxying("http://127.0.0.1:\(upstream)") { port, records in
                let client = try RawClient(port: port)
                try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                for await _ in begins { break }
                client.close()
                for await _ in ends { break }
                #expect(try await records.nextFailure().reason == .cancelled)
            }
        }
    }

    @Test("an early refusal of a long upload reaches the client")
    func earlyRefusal() async throws {
        try await serving { _, writer in
            try await writer.send(HTTPFault(413, "too much"))
        } _: { upstream in
            try await proxying("http://127.0.0.1:\(upstream)") { port, records in
                let client = try RawClient(port: port)
                try await client.send(
                    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\n\r\n"
                )
                try await client.send([UInt8](repeating: 0x61, count: 1000))
                #expect(try await client.text(through: "too much\n").hasPrefix("HTTP/1.1 413 "))
                #expect(try await records.next().result.get().status == 413)
            }
        }
    }

    @Test("what could smuggle a request in does not reach the server")
    func smuggling() async throws {
        let server = try RawServer(RawServer.ok("x"))
        try await proxying("http://\(server.authority)") { port, _ in
            for fields in [
                "Content-Length: 4\r\nTransfer-Encoding: chunked",
                "Content-Length: 4\r\nContent-Length: 5",
                "Transfer-Encoding: chunked\r\n folded", "Transfer-Encoding:\u{B}chunked",
            ] {
                let client = try RawClient(port: port)
                try await client.send("POST / HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n0\r\n\r\n")
                #expect(try await client.rest().hasPrefix("HTTP/1.1 400 "))
            }
            let client = try RawClient(port: port)
            try await client.send(
                "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
            )
            #expect(try await client.rest().hasPrefix("HTTP/1.1 501 "))
        }
        #expect(server.received.isEmpty)
    }

    @Test("a client that does not read holds the server back")
    func backPressure() async throws {
        let count = 64 << 20
        let (passes, pass) = AsyncStream.makeStream(of: Int.self)
        try await serving { request, writer in
            try await writer.begin(HTTPResponse(status: .ok))
            guard request.head.method == .get else { return try await writer.end() }
            for number in 1...(count >> 16) {
                try await writer.write([UInt8](repeating: 0x61, count: 1 << 16))
                pass.yield(number << 16)
            }
            try await writer.end()
        } _: { upstream in
            try await proxying("http://127.0.0.1:\(upstream)") { port, _ in
                let client = try RawClient(port: port, receiveBuffer: 64 << 10)
                try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                let watch = Task { () -> Int in
                    var last = 0
                    for await number in passes { last = number }
                    return last
                }
                _ = try await client.head()
                // Time enough for all of it, if nothing held it back.
                for _ in 1...50 { _ = try await ask(port, "HEAD /") }
                pass.finish()
                let sent = await watch.value
                #expect(sent > 0 && sent < count / 2)
                client.close()
            }
        }
    }

    // MARK: Many, TLS, the cache

    @Test("a hundred clients at once each get their own answer")
    func many() async throws {
        try await serving { request, writer in
            let text = Array("\(request.head.path ?? "")!".utf8)
            try await writer.send(
                HTTPResponse(status: .ok, headerFields: [.contentLength: "\(text.count)"]),
                text
            )
        } _: { upstream in
            try await proxying("http://127.0.0.1:\(upstream)") { port, _ in
                let clients = try (0..<100).map { _ in try RawClient(port: port) }
                for (number, client) in clients.enumerated() {
                    try await client.send("GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
                }
                for (number, client) in clients.enumerated() {
                    #expect(try await client.text(through: "!").hasSuffix("\r\n\r\n/\(number)!"))
                }
            }
        }
    }

    @Test("it speaks TLS to the server, and trusts whom it is told to")
    func tls() async throws {
        let nginx = try Nginx.shared()
        let trusting = TransportOptions(certificateAuthorityFile: nginx.authorityFile)
        try await proxying("https://\(nginx.tls)", options: trusting) { port, records in
            let answer = try await ask(port, "GET /gzip/100k.json", "Accept-Encoding: gzip")
            #expect(
                answer.contains("Content-Encoding: gzip")
                    && answer.contains("Transfer-Encoding: chunked")
            )
            let response = try await records.next().result.get()
            #expect(response.body.count == 100_000)
            #expect(response.metrics?.negotiatedVersion == "1.1")
            #expect(response.metrics?.certificates.isEmpty == false)
            let part = try await ask(port, "GET /1k.json", "Range: bytes=1-3")
            #expect(part.hasPrefix("HTTP/1.1 206 Partial Content") && part.hasSuffix("\r\n\r\nxxx"))
        }
        try await proxying("https://\(nginx.tls)") { port, _ in
            let answer = try await ask(port, "GET /1k.json")
            #expect(answer.hasPrefix("HTTP/1.1 502 ") && answer.contains("ertificate"))
        }
    }

    @Test(
        "with a cache the server is asked once, a change to it again, and a condition is answered"
    )
    func cache() async throws {
        let server = try RawServer { request in
            [
                RawServer.ok(
                    "v\(request.method)",
                    fields: "Cache-Control: max-age=600\r\nETag: \"1\"\r\n"
                )
            ]
        }
        let cache = ResponseCache.inMemory
        try await proxying("http://\(server.authority)", cache: cache) { port, records in
            for _ in 1...2 {
                let answer = try await ask(port, "GET /a")
                #expect(answer.hasSuffix("\r\n\r\nvGET"))
            }
            #expect(try await records.next().result.get().source == .server)
            #expect(try await records.next().result.get().source.cacheHit != nil)
            let cached = try await ask(port, "GET /a")
            #expect(cached.contains("Age: "))
            let same = try await ask(port, "GET /a", "If-None-Match: \"1\"")
            #expect(same.hasPrefix("HTTP/1.1 304 "))
            #expect(server.received.count == 1)
            _ = try await ask(port, "POST /a", body: "x")
            _ = try await ask(port, "GET /a")
        }
        #expect(server.received.map(\.method) == ["GET", "POST", "GET"])
        #expect(server.received[1].body == Array("x".utf8))
    }
}

extension ResponseCache {
    fileprivate static var inMemory: ResponseCache {
        ResponseCache(configuration: .init(directory: "/dev/null/apus"))
    }
}
