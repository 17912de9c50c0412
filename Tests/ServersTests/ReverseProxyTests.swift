import Apus
import Foundation
import HTTPServing
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
        log: @escaping @Sendable (String) -> Void = { _ in },
        _ body: @escaping @Sendable (Int, Records) async throws -> T
    ) async throws -> T {
        let records = Records()
        let proxy = try ReverseProxy(
            url,
            cache: cache,
            options: options,
            record: { records.add($0) },
            log: { served in
                let status = served.status.map { "\($0)" } ?? "---"
                log("\(served.method) \(served.path) \(status) \(served.source)")
            }
        )
        let handle: HTTPServer.Handler = { try await proxy.answer($0, $1) }
        return try await serving(limits: .impatient, handle) { try await body($0, records) }
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
        "a response comes back byte for byte: reason phrase, repetitions, coding, redirect, cookies"
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

    @Test("of a coded body that breaks off, which nobody can look through, the size is recorded")
    func cutCoded() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 99\r\n\r\n"
        let server = try RawServer(.send(head), .bytes(Self.gzip), .close)
        try await proxying("http://\(server.authority)") { port, records in
            let client = try RawClient(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            let record = try await records.next()
            guard case .failure(let error) = record.result else {
                Issue.record("it is whole")
                return
            }
            // It is coded to its end, but there is more to come.
            #expect(error.response?.body == .bytes(Array("hello hello hello".utf8)))
        }
        let cut = try RawServer(.send(head), .bytes(Array(Self.gzip.dropLast(12))), .close)
        try await proxying("http://\(cut.authority)") { port, records in
            let client = try RawClient(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            let record = try await records.next()
            #expect(record.imported.unkeptSize == Self.gzip.count - 12)
            if case .failure(let error) = record.result {
                #expect(error.response?.body == .bytes([]))
            }
        }
    }

    @Test("chunks go both ways, with the trailers that stand behind them")
    func chunks() async throws {
        try await serving { request, writer in
            let body = try await request.body.collect(upTo: 100)
            #expect(request.body.length == nil && request.head.headerFields[.trailer] == "X-Up")
            // One that says where a message ends does not go on.
            let trailers = request.body.trailers().map { "\($0.name.rawName): \($0.value)" }
            #expect(trailers == ["X-Up: 1", "x-empty: "])
            try await writer.begin(HTTPResponse(status: .ok, headerFields: [.trailer: "X-Sum"]))
            try await writer.write(body)
            try await writer.end(trailers: ["X-Sum: \(body.count)"])
        } _: { upstream in
            try await proxying("http://127.0.0.1:\(upstream)") { port, records in
                let client = try RawClient(port: port)
                // Twice: libcurl crashed at the second.
                for _ in 0..<2 {
                    try await client.send(
                        "POST / HTTP/1.1\r\nHost: x\r\nTrailer: X-Up\r\nTransfer-Encoding: chunked\r\n\r\n"
                    )
                    try await client.send("3\r\nabc\r\n")
                    try await client.send(
                        "2;x\r\nde\r\n0\r\nX-Up: 1\r\nHost: y\r\nx-empty:\r\n\r\n"
                    )
                    let head = try await client.head()
                    #expect(
                        head.contains("Transfer-Encoding: chunked")
                            && head.contains("Trailer: X-Sum")
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
    }

    @Test("a large upload is recorded from a file, which goes with the record")
    func largeUpload() async throws {
        let large = [UInt8](repeating: 0x61, count: 1 << 20)
        try await serving { request, writer in
            _ = try await request.body.collect(upTo: 2 << 20)
            try await writer.send(HTTPError(200, "there"))
        } _: { upstream in
            try await proxying("http://127.0.0.1:\(upstream)") { port, records in
                let client = try RawClient(port: port)
                try await client.send(
                    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(large.count)\r\n\r\n"
                )
                try await client.send(large)
                _ = try await client.head()
                var record: ExchangeRecord? = try await records.next()
                guard case .file(let path)? = record?.request.body else {
                    Issue.record("the body is not in a file")
                    return
                }
                #expect(FileManager.default.contents(atPath: path) == Data(large))
                let folder = TemporaryFolder()
                let history = History(path: folder.path + "/history.sqlite")
                if let record { await history.record(record) }
                record = nil
                try await history.flush()
                #expect(try await history.exchange(1)?.request.body == .bytes(large))
                await history.close()
                #expect(!FileManager.default.fileExists(atPath: path))
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
            case "/204": [.send("HTTP/1.1 204 Nope\r\nX-A: 1\r\nContent-Length: 0\r\n\r\n")]
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

    @Test(
        "a length that a server says twice goes on once, and never beside chunks",
        arguments: ["Content-Length: 5\r\ncontent-length: 5\r\n", "Content-Length: 5, 5\r\n"]
    )
    func repeatedLength(fields: String) async throws {
        let server = try RawServer(.send("HTTP/1.1 200 OK\r\n\(fields)\r\nhello"))
        try await proxying("http://\(server.authority)") { port, _ in
            let client = try RawClient(port: port)
            for method in ["GET", "HEAD"] {
                try await client.send("\(method) / HTTP/1.1\r\nHost: x\r\n\r\n")
                let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"
                #expect(try await client.head() == head)
                if method == "GET" {
                    #expect(try await client.bytes(5) == Array("hello".utf8))
                }
            }
        }
    }

    @Test("chunks count more than a length beside them, also for a client that knows no chunks")
    func lengthBesideChunks() async throws {
        let fields = "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"
        let server = try RawServer(
            .send("HTTP/1.1 200 OK\r\n\(fields)\r\n5\r\nhello\r\n0\r\n\r\n")
        )
        try await proxying("http://\(server.authority)") { port, _ in
            let new = try await ask(port, "GET /")
            #expect(new.hasSuffix("close\r\n\r\n5\r\nhello\r\n0\r\n\r\n"))
            let old = try RawClient(port: port)
            try await old.send("GET / HTTP/1.0\r\n\r\n")
            let answer = try await old.rest()
            #expect(answer == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello")
            #expect(!new.contains("Content-Length"))
        }
    }

    @Test(
        "of what a server says before or behind its response nothing comes through",
        arguments: [
            (
                "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n"
                    + "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nX: evil\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
            ),
            (
                "HTTP/1.1 204 None\r\nContent-Length: 4\r\n\r\nevil",
                "HTTP/1.1 204 None\r\nConnection: close\r\n\r\n"
            ),
        ]
    )
    func aroundResponse(said: String, passed: String) async throws {
        let server = try RawServer(.send(said), .close)
        try await proxying("http://\(server.authority)") { port, _ in
            let answer = try await ask(port, "GET /")
            #expect(answer == passed)
        }
    }

    // MARK: What goes wrong

    @Test("a server that changes to a protocol that nobody asked for is a 502")
    func unaskedUpgrade() async throws {
        let server = try RawServer(
            .send(
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: foo\r\nConnection: Upgrade\r\n\r\nx"
            ),
            .hang
        )
        try await proxying("http://\(server.authority)") { port, records in
            let answer = try await ask(port, "GET /", "Upgrade: foo", "Connection: Upgrade")
            #expect(answer.hasPrefix("HTTP/1.1 502 ") && answer.contains("another protocol"))
            #expect(try await records.nextFailure().reason.shortName == "invalid HTTP")
        }
    }

    @Test(
        "a server that cuts its response cuts it for the client, and it is recorded",
        arguments: [
            "Content-Length: 10\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        ]
    )
    func cutResponse(rest: String) async throws {
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
            let (lines, line) = AsyncStream.makeStream(of: String.self)
            let log: @Sendable (String) -> Void = { line.yield($0) }
            try await serving(limits: .impatient) { request, _ in
                defer { end.yield() }
                for try await _ in request.body { begin.yield() }
            } _: { upstream in
                try await proxying("http://127.0.0.1:\(upstream)", log: log) { port, records in
                    let client = try RawClient(port: port)
                    try await client.send(
                        "POST / HTTP/1.1\r\nHost: x\r\n\(fields)\r\n\r\n5\r\nabcde\r\n"
                    )
                    for await _ in begins { break }
                    client.close()
                    for await _ in ends { break }
                    #expect(try await records.nextFailure().reason == .cancelled)
                    for await line in lines {
                        #expect(line == "POST / --- the client went away")
                        break
                    }
                }
            }
        }
    }

    @Test("a line tells the status that the client got, not one that could not be passed on")
    func toldStatus() async throws {
        let server = try RawServer { request in
            request.path == "/cut"
                ? [.send("HTTP/1.1 203 OK\r\nContent-Length: 9\r\n\r\nabc"), .close]
                : [.send("HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello")]
        }
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let log: @Sendable (String) -> Void = { line.yield($0) }
        try await proxying("http://\(server.authority)", log: log) { port, _ in
            let plus = try await ask(port, "GET /plus")
            #expect(plus.hasPrefix("HTTP/1.1 502 "))
            let cut = try await ask(port, "GET /cut")
            #expect(cut.hasPrefix("HTTP/1.1 203 "))
            line.finish()
        }
        var told: [String] = []
        for await line in lines { told.append(line) }
        #expect(told == ["GET /plus 502 invalid HTTP", "GET /cut 203 connection lost"])
    }

    @Test("a client that goes away before the response ends the request to the server")
    func goneBeforeResponse() async throws {
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        try await serving(limits: .impatient) { _, _ in
            begin.yield()
            await untilCancelled()
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
            try await writer.send(HTTPError(413, "too much"))
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
            #expect(try await client.head().hasPrefix("HTTP/1.1 501 "))
        }
        #expect(server.received.isEmpty)
    }

    @Test("a client that does not read holds the server back")
    func backPressure() async throws {
        let count = 256 << 20
        let passed = Mutex(0)
        try await serving { request, writer in
            let length = request.head.method == .get ? count : 0
            try await writer.begin(
                HTTPResponse(status: .ok, headerFields: [.contentLength: "\(length)"])
            )
            for _ in 0..<(length >> 16) {
                try await writer.write([UInt8](repeating: 0x61, count: 1 << 16))
                passed.withLock { $0 += 1 << 16 }
            }
            try await writer.end()
        } _: { upstream in
            try await proxying("http://127.0.0.1:\(upstream)") { port, _ in
                let client = try RawClient(port: port, receiveBuffer: 64 << 10)
                try await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try await client.head()
                // Until nothing moves while others are answered: what is sent by then is in buffers, most
                // of it in the system's, which may have 36 MB for a connection.
                var (last, rounds) = (0, 0)
                while rounds < 20, last < count {
                    _ = try await ask(port, "HEAD /")
                    let now = passed.withLock(\.self)
                    rounds = now == last && now > 1 << 20 ? rounds + 1 : 0
                    last = now
                }
                #expect(last < count / 2)
                #expect(try await client.skip(count) == count)
            }
        }
    }

    // MARK: Many, TLS, the cache

    @Test("a hundred clients at once each get their own response")
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

    @Test("a condition of the client's that is also the cache's is answered once")
    func sharedCondition() async throws {
        let conditions = Mutex(0)
        let server = try RawServer { request in
            if request.path == "/other" { return [RawServer.ok("OTHER")] }
            guard request.value(of: "If-None-Match") != nil else {
                return [RawServer.ok("old", fields: "ETag: \"a\"\r\nCache-Control: no-cache\r\n")]
            }
            let isFirst = conditions.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst
                ? [.send("HTTP/1.1 304 Not Modified\r\nETag: \"b\"\r\n\r\n")]
                : [RawServer.ok("new", fields: "ETag: \"b\"\r\n")]
        }
        try await proxying("http://\(server.authority)", cache: .inMemory) { port, _ in
            #expect(try await ask(port, "GET /x").hasSuffix("old"))
            let client = try RawClient(port: port)
            try await client.send(
                "GET /x HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"a\"\r\n\r\n"
                    + "GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            )
            let answers = try await client.rest()
            #expect(answers.ranges(of: "HTTP/1.1 ").count == 2)
            #expect(answers.contains("\r\n\r\nnewHTTP/1.1 200 OK") && answers.hasSuffix("OTHER"))
        }
        #expect(server.received.count == 4)
    }

    @Test(
        "with a cache a response that is delivered comes as it is sent, also one to its own question"
    )
    func deliveredEarly() async throws {
        let server = try RawServer { request in
            let begin = "Content-Type: text/event-stream\r\n\r\ndata: 1\n\n"
            return switch request.path {
            case "/error": [.send("HTTP/1.1 500 Oops\r\n\(begin)"), .hang]
            case _ where request.value(of: "If-None-Match") != nil:
                [.send("HTTP/1.1 200 OK\r\n\(begin)"), .hang]
            default: [RawServer.ok("x", fields: "ETag: \"a\"\r\nCache-Control: no-cache\r\n")]
            }
        }
        try await proxying("http://\(server.authority)", cache: .inMemory) { port, _ in
            #expect(try await ask(port, "GET /events").hasSuffix("x"))
            for path in ["/events", "/error"] {
                let client = try RawClient(port: port)
                try await client.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try await client.text(through: "data: 1\n\n")
                client.close()
            }
        }
    }

    @Test("what is stored stands in for an error whose body has no end", .timeLimit(.minutes(5)))
    func endlessError() async throws {
        let count = Mutex(0)
        let server = try RawServer { _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            let fields = "ETag: \"a\"\r\nCache-Control: max-age=0, stale-if-error=600\r\n"
            return isFirst
                ? [RawServer.ok("stored", fields: fields)]
                : [
                    .send("HTTP/1.1 500 Oops\r\n\r\n"),
                    .endless(String(repeating: "x", count: 1000)),
                ]
        }
        try await proxying("http://\(server.authority)", cache: .inMemory) { port, _ in
            for _ in 1...2 {
                let answer = try await ask(port, "GET /")
                #expect(answer.hasSuffix("\r\n\r\nstored"))
            }
        }
        #expect(server.received.count == 2)
    }

    @Test(
        "a response that sets a cookie is for one client, and so is one to credentials for a proxy"
    )
    func cookiesInCache() async throws {
        let server = try RawServer { request in
            let cookie = request.path == "/cookie" ? "Set-Cookie: id=1\r\n" : ""
            let name = request.value(of: "Proxy-Authorization") ?? "nobody"
            return [RawServer.ok(name, fields: "Cache-Control: max-age=600\r\n\(cookie)")]
        }
        try await proxying("http://\(server.authority)", cache: .inMemory) { port, _ in
            for _ in 1...2 { _ = try await ask(port, "GET /cookie") }
            for name in ["Basic YTpi", "Basic YzpkZQ==", "Basic YTpi"] {
                let answer = try await ask(port, "GET /a", "Proxy-Authorization: \(name)")
                #expect(answer.hasSuffix("\r\n\r\n\(name)"))
            }
        }
        #expect(server.received.map(\.path) == ["/cookie", "/cookie", "/a", "/a"])
    }

    @Test("a request that may not be repeated is sent once, whatever becomes of its connection")
    func sendsOnce() async throws {
        let server = try RawServer { request in
            request.method == "GET" ? [RawServer.ok("x")] : [.close]
        }
        try await proxying("http://\(server.authority)") { port, _ in
            for (method, body) in [
                ("POST", "Content-Length: 4\r\n\r\nabcd"), ("POST", "Content-Length: 0\r\n\r\n"),
                ("PATCH", "\r\n"), ("PUT", "Content-Length: 4\r\n\r\nabcd"),
            ] {
                _ = try await ask(port, "GET /")
                let client = try RawClient(port: port)
                try await client.send("\(method) / HTTP/1.1\r\nHost: x\r\n\(body)")
                #expect(try await client.head().hasPrefix("HTTP/1.1 502 "))
            }
        }
        let methods = server.received.map(\.method).filter { $0 != "GET" }
        #expect(methods == ["POST", "POST", "PATCH", "PUT", "PUT"])
    }

    @Test("a HEAD with a body is not passed on, and the server is not blamed for it")
    func headWithBody() async throws {
        let server = try RawServer(RawServer.ok("x"))
        try await proxying("http://\(server.authority)") { port, _ in
            let answer = try await ask(port, "HEAD /", body: "a")
            #expect(answer.hasPrefix("HTTP/1.1 501 "))
        }
        #expect(server.received.isEmpty)
    }
}

extension ResponseCache {
    fileprivate static var inMemory: ResponseCache {
        ResponseCache(configuration: .init(directory: "/dev/null/apus"))
    }
}
