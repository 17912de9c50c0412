import TestSupport
import Testing

@Suite("curl's options and commands on the command line")
struct CurlArgumentTests {
    private let files: PrivateFiles

    init() throws { files = PrivateFiles() }

    private func run(_ arguments: [String], input: String = "") throws -> PipedProgram {
        try .run(arguments, input: input, files: files)
    }

    /// What a server gets; `URL` in the arguments stands for its URL.
    private func received(
        _ arguments: String...,
        input: String = "",
        status: Int32 = 0
    ) throws -> RawServer.Received {
        let server = try RawServer(RawServer.ok("ok"))
        let url = "http://\(server.authority)/a"
        let sent = try run(
            ["send"] + arguments.map { $0.replacing("URL", with: url) },
            input: input
        )
        #expect(sent.status == .exited(status), "\(sent.errors)")
        return try #require(server.received.first)
    }

    @Test("a field without a value leaves out what would be added, with a semicolon it is empty")
    func leftOut() throws {
        let request = try received(
            "URL",
            "-H",
            "Accept:",
            "-H",
            "Accept-Encoding:",
            "-A",
            "",
            "-H",
            "X-E;"
        )
        #expect(request.fields.map { $0.prefix { $0 != ":" } } == ["Host", "X-E"])
        let typeless = try received("URL", "-d", "x", "-H", "Content-Type:")
        #expect(typeless.value(of: "Content-Type") == nil)
        #expect(typeless.value(of: "Content-Length") == "1")
    }

    @Test("a user, an agent and cookies")
    func shorthands() throws {
        let request = try received("URL", "-u", "ada:x:y", "-A", "me", "-b", "a=1", "-b", "b=2")
        #expect(request.value(of: "Authorization") == "Basic YWRhOng6eQ==")
        #expect(request.value(of: "User-Agent") == "me")
        #expect(request.value(of: "Cookie") == "a=1; b=2")
        let own = try received("URL", "-u", "ada:x", "-H", "Authorization: own")
        #expect(own.value(of: "Authorization") == "own")
        try files.write("127.0.0.1\tFALSE\t/\tFALSE\t0\tsid\t7\n", to: "jar")
        #expect(try received("URL", "-b", files.home + "/jar").value(of: "Cookie") == "sid=7")
    }

    @Test("-G puts the data into the query, encoded where it is asked for")
    func query() throws {
        let request = try received(
            "URL?x=1",
            "-G",
            "-d",
            "a=1",
            "--data-urlencode",
            "b=ü &",
            "--data-urlencode",
            "=c d"
        )
        #expect(request.line == "GET /a?x=1&a=1&b=%C3%BC+%26&c+d HTTP/1.1")
        #expect(request.body.isEmpty)
        let posted = try received("URL", "--data-urlencode", "b=ü &")
        #expect(String(decoding: posted.body, as: UTF8.self) == "b=%C3%BC+%26")
    }

    @Test("a method before the URL, and curl's HEAD, which prints the fields")
    func methods() throws {
        #expect(try received("PUT", "URL", "-d", "x").line == "PUT /a HTTP/1.1")
        #expect(try received("delete", "URL").line == "DELETE /a HTTP/1.1")
        #expect(try received("M-SEARCH", "URL").line == "M-SEARCH /a HTTP/1.1")
        #expect(try received("curl", "URL", "-H", "A: 1").value(of: "A") == "1")
        let server = try RawServer { _ in
            [.send("HTTP/1.1 200 OK\r\nX-A: 1\r\nContent-Length: 0\r\n\r\n")]
        }
        let head = try run(["send", "-I", "http://\(server.authority)/"])
        #expect(head.output.contains("X-A: 1"))
        #expect(server.received.first?.method == "HEAD")
        let two = try run(["send", "http://h.test", "http://h.test"])
        #expect(two.status == .exited(2) && two.errors.contains("is not a method"))
    }

    @Test("redirects are followed unless none is wanted")
    func redirects() throws {
        let server = try RawServer { request in
            request.path == "/a"
                ? [.send("HTTP/1.1 302 F\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n")]
                : [RawServer.ok("there")]
        }
        let url = "http://\(server.authority)/a"
        #expect(try run(["send", url, "-L"]).output == "there")
        #expect(try run(["send", url, "--max-redirs", "0"]).output.isEmpty)
        #expect(try run(["send", "curl \(url)"]).output.isEmpty)
        #expect(try run(["send", "curl -L \(url)"]).output == "there")
        #expect(try run(["send", "curl \(url)", "-L"]).output == "there")
    }

    @Test("a curl command goes out as it stands, whatever the folder's workspace adds")
    func command() throws {
        let server = try RawServer(RawServer.ok("ok"))
        try files.write(
            """
            defaults:
              baseURL: http://\(server.authority)
              headers: { X-All: a }
              auth: { bearer: secret-token }
            variables: { id: 7 }
            targets:
              One: GET /one

            """,
            to: "w.apus.yaml"
        )
        let text =
            "# copied\n$ curl -X post 'http://\(server.authority)/{{ id }}?{{ x }}' -H 'A: 1' -H 'A: 2' -d '{{y}}'"
        let named = try run(["send", text, "-w", files.home + "/w.apus.yaml"])
        #expect(named.status == .exited(0), "\(named.errors)")
        let request = try #require(server.received.first)
        #expect(request.line == "post /7?%7B%7B%20x%20%7D%7D HTTP/1.1")
        #expect(request.fields.filter { $0.hasPrefix("A:") }.joined(separator: ",").contains("1"))
        #expect(request.value(of: "X-All") == nil && request.value(of: "Authorization") == nil)
        #expect(String(decoding: request.body, as: UTF8.self) == "{{y}}")
        #expect(named.errors.contains("`{{ x }}`, `{{ y }}` are kept as text"))
        let target = try run(["send", "One", "-w", files.home + "/w.apus.yaml"])
        #expect(target.status == .exited(0))
        #expect(server.received.last?.value(of: "Authorization") == "Bearer secret-token")
    }

    @Test("a part is read as curl reads it, and a fault names its option")
    func form() throws {
        try files.write("t", to: "a;b")
        let request = try received(
            "URL",
            "-F",
            #"x="1;2""#,
            "-F",
            "j={};type=application/json",
            "-F",
            "f=@\"\(files.home)/a;b\";type=a/b;filename=n",
            "-F",
            "c=<\"\(files.home)/a;b\"",
            "-F",
            #"h=1;headers="X-A: 1""#
        )
        let body = String(decoding: request.body, as: UTF8.self)
        #expect(body.contains("name=\"x\"\r\n\r\n1;2\r\n"))
        #expect(body.contains("name=\"j\"\r\nContent-Type: application/json\r\n\r\n{}\r\n"))
        #expect(body.contains("name=\"f\"; filename=\"n\"\r\nContent-Type: a/b\r\n\r\nt\r\n"))
        #expect(body.contains("name=\"h\"\r\nX-A: 1\r\n\r\n1\r\n"))
        for (part, words) in [
            ("a", "-F takes name=value"), ("a=@", "-F a=…: no file is named"),
            ("a=@/no/such", "-F a=…: /no/such"), ("a=1;type=json", "is not a media type"),
        ] {
            let run = try run(["send", "http://h.test/", "-F", part])
            #expect(run.status != .exited(0) && run.errors.contains(words), "\(run.errors)")
        }
    }

    @Test("a length that is not the body's is refused in words")
    func framing() throws {
        let run = try run(["send", "http://h.test/", "-H", "Content-Length: 9"])
        #expect(run.status == .exited(2))
        #expect(run.errors.contains("Content-Length is 9, but there is no body"))
    }

    @Test("blanks around a URL are no part of it, and a URL with a fault is called one")
    func urls() throws {
        #expect(try received(" URL\n").line == "GET /a HTTP/1.1")
        for text in ["http:/h.test", "//h.test/p", "htp://h.test"] {
            for command in [["send", text], [text]] {
                let run = try run(command)
                #expect(run.status == .exited(2))
                #expect(
                    run.errors.contains("is not a URL") || run.errors.contains("scheme"),
                    "\(run.errors)"
                )
                #expect(!run.errors.contains("no workspace"))
            }
        }
    }

    @Test("a line of pipe with an unknown member is refused with the one that is meant")
    func pipe() throws {
        let server = try RawServer(RawServer.ok("ok"))
        let lines = [
            #"{"id": 1, "url": "http://\#(server.authority)/", "json": {"a": 1}}"#,
            #"{"id": 2, "url": "http://\#(server.authority)/", "header": []}"#,
            #"{"id": 3, "url": "http://\#(server.authority)/", "what": 1}"#,
            #"{"id": 4, "url": " http://\#(server.authority)/b "}"#,
        ]
        let run = try run(["pipe"], input: lines.joined(separator: "\n") + "\n")
        #expect(run.output.contains("no member “json”; did you mean “body”?"))
        #expect(run.output.contains("no member “header”; did you mean “headers”?"))
        #expect(run.output.contains("no member “what”; a request has id, url"))
        #expect(run.output.contains("\"line\":2") || run.output.contains("\"line\": 2"))
        #expect(server.received.map(\.line) == ["GET /b HTTP/1.1"])
    }

    @Test("a pasted command says what the workspace would add, and a key adds it")
    func explorer() throws {
        let server = try RawServer(RawServer.ok("ok"))
        try files.write(
            """
            name: W
            defaults:
              baseURL: http://\(server.authority)
              auth: { bearer: secret-token }
            targets:
              One: GET /one

            """,
            to: "w.apus.yaml"
        )
        try files.write(
            """
            paste:"curl http://\(server.authority)/ip -H 'A: 1'"
            enter
            I
            enter

            """,
            to: "keys"
        )
        let run = try run([
            "open", files.home + "/w.apus.yaml", "--keys", files.home + "/keys", "--frames",
            files.home + "/frames", "--no-history", "--size", "140x36",
        ])
        #expect(run.status == .exited(0), "\(run.errors)")
        let frames = try files.read("frames").split(separator: "\u{0C}").map(String.init)
        try #require(frames.count == 5)
        #expect(frames[1].contains("without the workspace's bearer"))
        #expect(frames[1].contains("I add bearer"))
        #expect(frames[3].contains("I leaves them out"))
        #expect(
            server.received.map { $0.value(of: "Authorization") } == [nil, "Bearer secret-token"]
        )
    }
}
