import Documents
import TestSupport
import Testing

@Suite("apus pipe")
struct PipeCommandTests {
    private let files: PrivateFiles

    init() throws { files = PrivateFiles() }

    /// The responses to lines, in the order in which they came.
    private func pipe(_ lines: String..., arguments: [String] = []) throws -> [JSON] {
        let run = try PipedProgram.run(
            ["pipe"] + arguments,
            input: lines.joined(separator: "\n") + "\n",
            files: files
        )
        #expect(run.status == .exited(0))
        #expect(run.errors.isEmpty)
        return try run.output.split(separator: "\n").map { try JSON(parsing: String($0)) }
    }

    private func pipeOne(_ line: String, arguments: [String] = []) throws -> JSON {
        let answers = try pipe(line, arguments: arguments)
        try #require(answers.count == 1)
        return answers[0]
    }

    @Test("a response has status, reason, header, body, source, URL and times")
    func answer() throws {
        let server = try RawServer { _ in
            [.send("HTTP/1.1 203 Kind Of\r\nContent-Length: 5\r\nX-Note: a\r\n\r\nhello")]
        }
        let url = "http://\(server.authority)/users?q=a%20b"
        let answer = try pipeOne(#"{"id": 7, "url": "\#(url)"}"#)
        #expect(answer["id"].int == 7)
        #expect(answer["status"].int == 203)
        #expect(answer["reason"].string == "Kind Of")
        #expect(answer["headers"] == [["Content-Length", "5"], ["X-Note", "a"]])
        #expect(answer["body"].string == "hello")
        #expect(answer["source"].string == "server")
        #expect(answer["url"].string == url)
        #expect(answer["redirected"].bool == false)
        #expect(answer["timings", "total"].double.map { $0 > 0 } == true)
        #expect(!answer["error"].exists)
        #expect(server.received.map(\.line) == ["GET /users?q=a%20b HTTP/1.1"])
    }

    @Test(
        "the id comes back as it was written",
        arguments: [#""a""#, "1.50", "null", "[1,{\"b\":2}]", "true", "12345678901234567890"]
    )
    func echoesID(_ id: String) throws {
        let run = try PipedProgram.run(
            ["pipe"],
            input: #"{"url": "x", "id": \#(id)}"#,
            files: files
        )
        #expect(run.output.hasPrefix("{\"id\":\(id),"))
    }

    @Test("the server gets the fields of the line in their order, and none but Host beside them")
    func sendsJustWhatIsGiven() throws {
        let server = try RawServer(RawServer.ok("ok"))
        _ = try pipeOne(
            #"""
            {"url": "http://\#(server.authority)/", "headers":
            [["X-B", "2"], ["x-a", "1"], ["X-B", "2, 3"], ["Empty", ""], ["Odd", "a\tb;c:\"d\""]]}
            """#.replacing("\n", with: "")
        )
        #expect(
            server.received.first?.fields == [
                "Host: \(server.authority)", "X-B: 2", "x-a: 1", "X-B: 2, 3", "Empty:",
                "Odd: a\tb;c:\"d\"",
            ]
        )
    }

    @Test("bytes over 127 in a value are the code points U+0080 to U+00FF, both ways")
    func carriesLatin1() throws {
        let server = try RawServer { request in
            // The one byte E9 is no UTF-8, and shows as a replacement here.
            #expect(request.value(of: "X-Name") == "caf\u{FFFD}")
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Name: caf".utf8)
            return [.bytes(head + [0xE9, 0xFF, 0x0D, 0x0A, 0x0D, 0x0A])]
        }
        let answer = try pipeOne(
            #"{"url": "http://\#(server.authority)/", "headers": [["X-Name", "café"]]}"#
        )
        #expect(answer["headers", 1] == ["X-Name", "caf\u{E9}\u{FF}"])
    }

    @Test("repeated fields of a response stay apart and in order, their names as they came")
    func keepsRepeats() throws {
        let server = try RawServer(
            .send(
                "HTTP/1.1 200 OK\r\nset-cookie: a=1\r\nX-EMPTY:\r\nSet-Cookie: b=2\r\n"
                    + "Content-Length: 0\r\n\r\n"
            )
        )
        let answer = try pipeOne(#"{"url": "http://\#(server.authority)/"}"#)
        #expect(
            answer["headers"] == [
                ["set-cookie", "a=1"], ["X-EMPTY", ""], ["Set-Cookie", "b=2"],
                ["Content-Length", "0"],
            ]
        )
    }

    @Test(
        "any final status comes through",
        arguments: [200, 204, 226, 299, 304, 399, 400, 418, 451, 499, 500, 599, 600, 777, 999]
    )
    func statuses(_ status: Int) throws {
        let server = try RawServer(
            .send("HTTP/1.1 \(status) Odd\r\nContent-Length: 0\r\n\r\n"),
            .close
        )
        let answer = try pipeOne(#"{"id": 1, "url": "http://\#(server.authority)/"}"#)
        #expect(answer["status"].int == status)
    }

    @Test(
        "any method is sent as written, with its body",
        arguments: ["POST", "PUT", "PATCH", "DELETE", "GET", "QUERY", "M-SEARCH"]
    )
    func methods(_ method: String) throws {
        let server = try RawServer(RawServer.ok("ok"))
        _ = try pipeOne(
            #"{"url": "http://\#(server.authority)/", "method": "\#(method)", "body": "né\n"}"#
        )
        let request = try #require(server.received.first)
        #expect(request.method == method)
        #expect(request.body == Array("né\n".utf8))
        #expect(request.value(of: "Content-Length") == "4")
        #expect(request.value(of: "Content-Type") == nil)
    }

    @Test("a body that is no UTF-8 goes and comes as Base64")
    func binaryBodies() throws {
        let server = try RawServer { request in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n"),
                .bytes(request.body),
            ]
        }
        let answer = try pipeOne(
            #"{"url": "http://\#(server.authority)/", "method": "PUT", "bodyBase64": "/wD+gA=="}"#
        )
        #expect(answer["bodyBase64"].string == "/wD+gA==")
        #expect(!answer["body"].exists)
        #expect(server.received.first?.body == [0xFF, 0x00, 0xFE, 0x80])
    }

    @Test("what is compressed is not asked for, and stays as it came")
    func keepsContentCoding() throws {
        let server = try RawServer { request in
            #expect(request.value(of: "Accept-Encoding") == nil)
            return [
                .send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc")
            ]
        }
        let answer = try pipeOne(#"{"url": "http://\#(server.authority)/"}"#)
        #expect(answer["body"].string == "abc")
    }

    @Test("10 MB go up and come down in one line each")
    func bigBodies() throws {
        let count = 10 << 20
        let server = try RawServer { request in
            [
                .send("HTTP/1.1 200 OK\r\nContent-Length: \(request.body.count)\r\n\r\n"),
                .bytes(request.body),
            ]
        }
        let body = String(repeating: "0123456789abcde\\n", count: count / 16)
        let answer = try pipeOne(
            #"{"id": 1, "url": "http://\#(server.authority)/", "method": "POST", "body": "\#(body)"}"#
        )
        #expect(answer["body"].string?.utf8.count == count)
        #expect(answer["body"].string == body.replacing("\\n", with: "\n"))
    }

    @Test("redirects are followed, or shown when the line says manual")
    func redirects() throws {
        let server = try RawServer { request in
            request.path == "/from"
                ? [.send("HTTP/1.1 302 Found\r\nLocation: /to\r\nContent-Length: 0\r\n\r\n")]
                : [RawServer.ok("there")]
        }
        let from = "http://\(server.authority)/from"
        let followed = try pipeOne(#"{"url": "\#(from)"}"#)
        #expect(followed["status"].int == 200)
        #expect(followed["url"].string == "http://\(server.authority)/to")
        #expect(followed["redirected"].bool == true)
        let shown = try pipeOne(#"{"url": "\#(from)", "redirect": "manual"}"#)
        #expect(shown["status"].int == 302)
        #expect(shown["url"].string == from)
        #expect(shown["redirected"].bool == false)
    }

    // MARK: failures

    @Test("a failure has the exit status as its code, and the number of its reason")
    func failures() throws {
        let silent = try RawServer(.hang)
        let cut = try RawServer(.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .close)
        let closed = try ClosedPort()
        defer { closed.letGo() }
        let answers = try pipe(
            #"{"id": 20, "url": "\#(closed.base)/"}"#,
            #"{"id": 21, "url": "http://nobody.invalid/"}"#,
            #"{"id": 23, "url": "http://\#(silent.authority)/", "timeout": 100}"#,
            #"{"id": 24, "url": "http://\#(silent.authority)/", "source": "cache"}"#,
            #"{"id": -20, "url": "http://\#(cut.authority)/"}"#
        )
        #expect(answers.count == 5)
        for answer in answers {
            let id = try #require(answer["id"].int)
            #expect(answer["error", "code"].int == abs(id), "\(answer)")
            #expect(answer["error", "reason"].int.map { $0 > 1000 } == true)
            #expect(answer["error", "message"].string?.isEmpty == false)
            #expect(!answer["status"].exists)
        }
        let lost = try #require(answers.first { $0["id"].int == -20 })
        #expect(lost["error", "response", "body"].string == "abc")
    }

    @Test(
        "a line that is no request is answered with its place, and the rest goes on",
        arguments: [
            (#"{"id": 3, "url" "x"}"#, 3, 17), (#"{"id": 3, "url": "x""#, 3, 21),
            ("nonsense", nil, 2),
            (#"{"id": 3}"#, 3, nil), (#"["a"]"#, nil, nil), (#"{"id": 3, "url": 7}"#, 3, 18),
            (#"{"id": 3, "url": "file:///etc/passwd"}"#, 3, 18),
            (#"{"id": 3, "url": "http://h/", "method": "A B"}"#, 3, 41),
            (#"{"id": 3, "url": "http://h/", "headers": [["a\nb", ""]]}"#, 3, 43),
            (#"{"id": 3, "url": "http://h/", "headers": [["a", "b\r\nX: y"]]}"#, 3, 43),
            (#"{"id": 3, "url": "http://h/", "headers": [["a", "b\u0000"]]}"#, 3, 43),
            (#"{"id": 3, "url": "http://h/", "headers": [["a", "\u0100"]]}"#, 3, 43),
            (#"{"id": 3, "url": "http://h/", "headers": {"a": "b"}}"#, 3, 42),
            (#"{"id": 3, "url": "http://h/", "headers": [["Content-Length", "5"]]}"#, 3, 42),
            (#"{"id": 3, "url": "http://h/", "body": "a", "bodyBase64": "YQ=="}"#, 3, 58),
            (#"{"id": 3, "url": "http://h/", "bodyBase64": "?"}"#, 3, 45),
            (#"{"id": 3, "url": "http://h/", "source": "moon"}"#, 3, 41),
            (#"{"id": 3, "url": "http://h/", "redirect": true}"#, 3, 43),
            (#"{"id": 3, "url": "http://h/", "timeout": -1}"#, 3, 42),
            (#"{"id": 3, "target": "Users/Show user"}"#, 3, nil),
            (#"{"id": 3, "target": "a", "url": "http://h/"}"#, 3, 33),
        ] as [(String, Int?, Int?)]
    )
    func brokenLines(_ line: String, id: Int?, column: Int?) throws {
        let server = try RawServer(RawServer.ok("ok"))
        let answers = try pipe(
            "",
            line,
            #"{"id": "next", "url": "http://\#(server.authority)/"}"#
        )
        #expect(answers.count == 2)
        let broken = try #require(answers.first { $0["error"].exists })
        #expect(broken["id"].int == id)
        #expect(broken["error", "code"].int == 2)
        #expect(broken["error", "line"].int == 2)
        #expect(broken["error", "column"].int == column, "\(broken)")
        #expect(answers.contains { $0["id"] == "next" && $0["status"].int == 200 })
    }

    @Test(
        "a line with more of a header than a request may have is an error at its place",
        arguments: [
            (65_536, 1, "10000 header fields"), (1, 2 << 20, "1048576 bytes"),
            (3, 400 << 10, "1048576 bytes"),
        ]
    )
    func headerLimit(count: Int, length: Int, limit: String) throws {
        let server = try RawServer(RawServer.ok("ok"))
        let field = #"["Cookie", "\#(String(repeating: "a", count: length))"]"#
        let fields = Array(repeating: field, count: count).joined(separator: ",")
        let url = #""url": "http://\#(server.authority)/""#
        for arguments in [[], ["--cache", "http"]] {
            let answers = try pipe(
                #"{"id": 1, \#(url)}"#,
                #"{"id": 2, \#(url), "headers": [\#(fields)]}"#,
                #"{"id": 3, \#(url)}"#,
                arguments: arguments
            )
            let broken = try #require(answers.first { $0["id"].int == 2 })
            #expect(broken["error", "message"].string?.contains(limit) == true, "\(broken)")
            #expect(broken["error", "column"].int != nil)
            #expect(answers.count { $0["status"].int == 200 } == 2)
        }
    }

    @Test("the last line needs no line end, and no line at all is fine")
    func endOfInput() throws {
        let server = try RawServer(RawServer.ok("ok"))
        let last = try PipedProgram.run(
            ["pipe"],
            input: #"{"id": 1, "url": "http://\#(server.authority)/"}"#,
            files: files
        )
        #expect(last.output.hasSuffix("}\n"))
        #expect(last.status == .exited(0))
        let nothing = try PipedProgram.run(["pipe"], input: "", files: files)
        #expect(nothing.output.isEmpty)
        #expect(nothing.status == .exited(0))
    }

    @Test("a line above the limit is an error of its own, and the next one is answered")
    func lineLimit() throws {
        let server = try RawServer(RawServer.ok("ok"))
        let long = String(repeating: "x", count: 500)
        let run = try PipedProgram.run(
            ["pipe", "--line-limit", "300"],
            input: "\(long)\n" + #"{"url": "http://\#(server.authority)/"}"# + "\n\(long)",
            files: files
        )
        #expect(run.status == .exited(0))
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.count { $0.contains("longer than 300 bytes") } == 2)
        #expect(lines.count { $0.contains(#""status":200"#) } == 1)
    }

    @Test("a line of brackets alone says that its tree has a limit, and the next one goes on")
    func refusesDeepLines() throws {
        let answers = try pipe(String(repeating: "[", count: 4 << 20), #"{"id":2,"url":"x"}"#)
        try #require(answers.count == 2)
        #expect(
            answers.contains { $0["error", "message"].string?.contains("may take 64 MiB") == true }
        )
        #expect(answers.contains { $0["id"].int == 2 && $0["error"].exists })
    }
}
