import Documents
import TestSupport
import Testing

@Suite("apus pipe --cache http")
struct PipeHTTPCacheTests {
    private let files: PrivateFiles

    init() throws { files = PrivateFiles() }

    /// The responses to requests, one after the other.
    private func pipe(_ lines: [String], _ arguments: String...) throws -> [JSON] {
        let run = try PipedProgram.run(
            ["pipe", "--cache", "http", "--concurrency", "1"] + arguments,
            input: lines.joined(separator: "\n"),
            files: files
        )
        #expect(run.errors.isEmpty)
        #expect(run.status == .exited(0))
        let answers = try run.output.split(separator: "\n").map { try JSON(parsing: String($0)) }
        try #require(answers.count == lines.count)
        return answers
    }

    private static func get(_ server: RawServer, _ headers: String = "") -> String {
        #"{"url": "http://\#(server.authority)/a", "headers": [\#(headers)]}"#
    }

    private static func answer(_ fields: String, _ body: String = "ok") -> RawServer.Step {
        RawServer.ok(body, fields: fields + "\r\n")
    }

    @Test("a fresh response comes from memory, and the decision says why")
    func fresh() throws {
        let server = try RawServer(Self.answer("Cache-Control: max-age=100"))
        let answers = try pipe([Self.get(server), Self.get(server)])
        #expect(answers.map { $0["source"].string } == ["server", "memory"])
        #expect(answers[1]["body"].string == "ok")
        #expect(answers[1]["headers"].array?.contains { $0[0] == "Age" } == true)
        let decision = answers[1]["decision"]
        #expect(decision["outcome"].string == "fresh")
        #expect(decision["rule"].string == "fresh")
        #expect(decision["section"].string == "RFC 9111, 4.2")
        #expect(decision["summary"].string?.contains("lifetime 100 s") == true)
        #expect((decision["findings"].count) > 2)
        #expect(server.received.count == 1)
    }

    @Test("what must be validated is asked about, and a 304 answers with what is stored")
    func validated() throws {
        let server = try RawServer { request in
            request.value(of: "If-None-Match") == "\"v1\""
                ? [.send("HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\nX-New: 1\r\n\r\n")]
                : [Self.answer("Cache-Control: no-cache\r\nETag: \"v1\"", "body")]
        }
        let answers = try pipe([Self.get(server), Self.get(server)])
        #expect(answers.map { $0["status"].int } == [200, 200])
        #expect(answers.map { $0["body"].string } == ["body", "body"])
        #expect(answers[1]["headers"].array?.contains(["X-New", "1"]) == true)
        #expect(server.received.count == 2)
    }

    @Test("the fields that Vary names tell responses apart")
    func vary() throws {
        let server = try RawServer { request in
            let language = request.value(of: "Accept-Language") ?? "none"
            return [Self.answer("Cache-Control: max-age=100\r\nVary: Accept-Language", language)]
        }
        let english = Self.get(server, #"["Accept-Language", "en"]"#)
        let german = Self.get(server, #"["Accept-Language", "de"]"#)
        let answers = try pipe([english, german, english, german])
        #expect(answers.map { $0["body"].string } == ["en", "de", "en", "de"])
        #expect(answers.map { $0["source"].string } == ["server", "server", "memory", "memory"])
    }

    @Test(
        "what may not be kept or served is asked for again",
        arguments: [
            ("Cache-Control: no-store", ""), ("Cache-Control: max-age=0", ""), ("X-Nothing: 1", ""),
            ("Cache-Control: max-age=100", #"["Cache-Control", "no-cache"]"#),
            ("Cache-Control: max-age=100\r\nVary: *", ""),
        ]
    )
    func askedAgain(_ fields: String, _ requestField: String) throws {
        let server = try RawServer(Self.answer(fields))
        let line = Self.get(server, requestField)
        let answers = try pipe([line, line])
        #expect(answers.map { $0["source"].string } == ["server", "server"])
        #expect(server.received.count == 2)
    }

    @Test("only-if-cached is answered 504 by the cache itself when there is nothing")
    func onlyIfCached() throws {
        let server = try RawServer(Self.answer("Cache-Control: max-age=100"))
        let answers = try pipe([Self.get(server, #"["Cache-Control", "only-if-cached"]"#)])
        #expect(answers[0]["status"].int == 504)
        #expect(answers[0]["source"].string == "gateway")
        #expect(answers[0]["decision", "outcome"].string == "onlyIfCached")
        #expect(server.received.isEmpty)
    }

    @Test("a changed cookie is another account, unless all is one user's, and the decision says so")
    func cookies() throws {
        let server = try RawServer(Self.answer("Cache-Control: max-age=100"))
        let lines = ["a=1", "a=2"].map { Self.get(server, #"["Cookie", "\#($0)"]"#) }
        let apart = try pipe(lines)
        #expect(apart.map { $0["source"].string } == ["server", "server"])
        #expect(apart[1]["decision", "rule"].string == "otherAccount")
        #expect(apart[1]["decision", "summary"].string?.contains("by cookie, stored for") == true)
        let together = try pipe(lines, "--accounts", "exceptCookies")
        #expect(together.map { $0["source"].string } == ["server", "memory"])
    }

    @Test("a connection cut at a revalidation is 504 if that is asked for, and else an error")
    func gatewayTimeout() throws {
        let server = try RawServer { request in
            request.value(of: "If-None-Match") == nil
                ? [Self.answer("Cache-Control: no-cache\r\nETag: \"v1\"")] : [.close]
        }
        let line = Self.get(server)
        let answer = try pipe([line, line], "--gateway-timeout")[1]
        #expect(answer["status"].int == 504 && answer["source"].string == "gateway")
        #expect(answer["decision", "outcome"].string == "gatewayTimeout")
        #expect(answer["decision", "rule"].string == "responseNoCache")
        #expect(try pipe([line, line])[1]["error", "code"].int == 20)
    }

    @Test("a shared cache keeps nothing that is private, and goes by s-maxage")
    func shared() throws {
        let server = try RawServer { request in
            [
                Self.answer(
                    "Cache-Control: \(request.path == "/a" ? "private, max-age=9" : "s-maxage=9")"
                )
            ]
        }
        let other = #"{"url": "http://\#(server.authority)/b"}"#
        let answers = try pipe(
            [Self.get(server), Self.get(server), other, other],
            "--cache",
            "shared"
        )
        #expect(answers.map { $0["source"].string } == ["server", "server", "server", "memory"])
    }

    @Test("a POST that succeeds invalidates what is kept for its URL")
    func invalidated() throws {
        let server = try RawServer(Self.answer("Cache-Control: max-age=100"))
        let post = #"{"url": "http://\#(server.authority)/a", "method": "POST", "body": "x"}"#
        let answers = try pipe([Self.get(server), post, Self.get(server)])
        #expect(answers.map { $0["source"].string } == ["server", "server", "server"])
    }

    @Test("a redirect that may be kept is followed from the cache")
    func redirects() throws {
        let server = try RawServer { request in
            request.path == "/a"
                ? [
                    .send(
                        "HTTP/1.1 301 Moved\r\nLocation: /b\r\nCache-Control: max-age=100\r\n"
                            + "Content-Length: 0\r\n\r\n"
                    )
                ] : [Self.answer("Cache-Control: no-store", "there")]
        }
        let answers = try pipe([Self.get(server), Self.get(server)])
        #expect(answers.map { $0["body"].string } == ["there", "there"])
        #expect(answers.map { $0["redirected"].bool } == [true, true])
        #expect(
            answers.map { $0["url"].string }
                == Array(repeating: "http://\(server.authority)/b", count: 2)
        )
        #expect(server.received.map(\.path) == ["/a", "/b", "/b"])
    }

    @Test("each process begins with nothing, unless a folder keeps it")
    func persistence() throws {
        let server = try RawServer(Self.answer("Cache-Control: max-age=100"))
        for _ in 0..<2 {
            #expect(try pipe([Self.get(server)])[0]["source"].string == "server")
        }
        #expect(files.contents(of: files.cache).isEmpty)
        for source in ["server", "disk"] {
            let answers = try pipe([Self.get(server)], "--cache-folder", "kept")
            #expect(answers[0]["source"].string == source)
        }
    }

    @Test("bytes of a field over 127 come back from the cache as they came from the server")
    func latin1() throws {
        let head = Array(
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nCache-Control: max-age=9\r\nX: ".utf8
        )
        let server = try RawServer(.bytes(head + [0xE9, 0x0D, 0x0A, 0x0D, 0x0A]))
        let answers = try pipe([Self.get(server), Self.get(server)])
        #expect(answers[1]["source"].string == "memory")
        for answer in answers {
            #expect(answer["headers"].array?.contains(["X", "\u{E9}"]) == true)
        }
    }
}
