import Documents
import Synchronization
import TestSupport
import Testing

@Suite("apus send")
struct SendCommandTests {
    private let files: PrivateFiles

    init() throws { files = PrivateFiles() }

    private func send(_ arguments: String..., input: String = "") throws -> PipedProgram {
        try .run(["send"] + arguments, input: input, files: files)
    }

    private static func url(_ server: RawServer) -> String { "http://\(server.authority)/a" }

    @Test("the body comes out byte for byte, and nothing beside it")
    func exactBody() throws {
        let body: [UInt8] = Array(0...255) + [0x0A, 0x00]
        let server = try RawServer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n"), .bytes(body)]
        }
        let sent = try send(Self.url(server))
        #expect(try files.bytes("stdout") == body)
        #expect(sent.errors.isEmpty)
        #expect(sent.status == .exited(0))
        let kept = try send(Self.url(server), "-o", "kept")
        #expect(kept.output.isEmpty)
        #expect(try files.bytes("kept") == body)
    }

    @Test("no language is said that was not asked for, as other programs do it")
    func noLanguage() throws {
        let server = try RawServer(RawServer.ok("ok"))
        let sent = try PipedProgram.shell(
            "LANG=de_DE.UTF-8 LC_ALL=de_DE.UTF-8 $1 send \(Self.url(server))",
            files: files
        )
        #expect(sent.status == .exited(0))
        #expect(server.received.first?.value(of: "Accept-Language") == nil)
    }

    @Test("a workspace's digest answers the server's challenge, and the password is in no output")
    func digest() throws {
        let server = try RawServer { request in
            guard let given = request.value(of: "Authorization") else {
                return [
                    .send(
                        """
                        HTTP/1.1 401 Unauthorized\r
                        WWW-Authenticate: Digest realm="r", nonce="n", qop="auth", algorithm=MD5\r
                        Content-Length: 0\r\n\r\n
                        """
                    )
                ]
            }
            let isDigest = given.hasPrefix("Digest username=\"ada\"") && !given.contains("lovelace")
            return [RawServer.ok(isDigest ? "in" : "out")]
        }
        try files.write(
            """
            targets:
              In:
                request: GET \(Self.url(server))
                auth: { digest: { user: ada, password: "{{ pw }}" } }
            variables: { pw: lovelace }
            """,
            to: "mine.apus.yaml"
        )
        let sent = try send("In", "-w", "mine.apus.yaml", "-v")
        #expect(sent.output == "in" && sent.status == .exited(0), "\(sent.errors)")
        #expect(!sent.errors.contains("lovelace"))
    }

    @Test("longer fields than a request may have are refused before anything is sent")
    func tooLongFields() throws {
        let server = try RawServer(RawServer.ok("ok"))
        let field = "a:" + String(repeating: "b", count: 120 << 10)
        let fields = Array(repeating: ["-H", field], count: 9).flatMap(\.self)
        let sent = try PipedProgram.run(["send", Self.url(server)] + fields, files: files)
        #expect(sent.status != .exited(0))
        #expect(sent.errors.contains("a request may have at most 1048576 bytes"))
        #expect(server.received.isEmpty)
    }

    @Test("a body of many megabytes comes through, to the output and to a file")
    func largeBody() throws {
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        let server = try RawServer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(20 << 20)\r\n\r\n")]
                + Array(repeating: .bytes(piece), count: 20)
        }
        _ = try send(Self.url(server))
        #expect(try files.bytes("stdout").count == 20 << 20)
        _ = try send(Self.url(server), "-o", "kept")
        #expect(try files.bytes("kept").count == 20 << 20)
    }

    @Test("a cached response says why the server's did not come after it, as text and as JSON")
    func serverFailure() throws {
        let count = Mutex(0)
        let server = try RawServer { _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? [RawServer.ok("old")] : [.close]
        }
        func send(_ more: String...) throws -> PipedProgram {
            let source = ["--cache", "default", "--source", "cacheAndServer"]
            return try .run(["send", Self.url(server)] + source + more, files: files)
        }
        #expect(try send().errors == "")
        let sent = try send()
        #expect(sent.output == "old")
        #expect(sent.status == .exited(0))
        #expect(sent.errors.hasPrefix("apus: the response is from the cache: "))
        let printed = try JSON(parsing: send("--json").output)
        #expect(printed["body"].string == "old")
        #expect(printed["serverFailure"]["message"].string?.isEmpty == false)
    }

    @Test("a response that is stale says so on standard error, and why it is served")
    func stale() throws {
        let count = Mutex(0)
        let server = try RawServer { _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst
                ? [RawServer.ok("old", fields: "Cache-Control: max-age=0\r\nETag: \"a\"\r\n")]
                : [.close]
        }
        _ = try send(Self.url(server), "--cache", "http")
        let sent = try send(Self.url(server), "--cache", "http")
        #expect(sent.output == "old")
        #expect(sent.status == .exited(0))
        #expect(sent.errors.hasPrefix("apus: the response is from the cache, stale by "))
        #expect(sent.errors.contains("the origin cannot be reached (RFC 9111, 4.2.4)"))
    }

    @Test("--include puts the status and the fields before the body")
    func include() throws {
        let server = try RawServer(
            .send("HTTP/1.1 201 Made\r\nX-A: 1\r\nContent-Length: 2\r\n\r\nok")
        )
        #expect(
            try send(Self.url(server), "-i").output
                == "HTTP/1.1 201 Made\r\nX-A: 1\r\nContent-Length: 2\r\n\r\nok"
        )
    }

    @Test("no URL that is printed shows a key or a code")
    func secrets() throws {
        let server = try RawServer { request in
            request.path.hasPrefix("/a")
                ? [
                    .send(
                        "HTTP/1.1 302 Found\r\nLocation: /b?code=s3cret\r\n"
                            + "Content-Length: 0\r\n\r\n"
                    )
                ] : [RawServer.ok("ok")]
        }
        let sent = try send(Self.url(server) + "?api_key=s3cret", "--json", "-v")
        #expect(sent.status == .exited(0))
        #expect(!(sent.output + sent.errors).contains("s3cret"))
        #expect(sent.output.contains("/b?code=••••••"))
    }

    @Test("method, fields and body are sent as given")
    func request() throws {
        let server = try RawServer(RawServer.ok("ok"))
        try files.write("from a\nfile\n", to: "body")
        _ = try send(
            Self.url(server),
            "-X",
            "PATCH",
            "-H",
            "X-One: 1",
            "-H",
            "x-one: é",
            "-H",
            "Empty;",
            "-H",
            "Content-Type: text/x",
            "-d",
            "@body"
        )
        let request = try #require(server.received.first)
        #expect(request.method == "PATCH")
        #expect(request.body == Array("from a\nfile\n".utf8))
        #expect(request.fields.contains("X-One: 1") && request.fields.contains("x-one: é"))
        #expect(request.fields.contains("Empty:"))
        #expect(request.value(of: "Content-Type") == "text/x")
    }

    @Test("a body makes a POST: data as a form, JSON, standard input")
    func bodies() throws {
        let server = try RawServer(RawServer.ok("ok"))
        _ = try send(Self.url(server), "-d", "a=1", "--data", "b=2")
        _ = try send(Self.url(server), "--json-body", #"{"a": 1}"#)
        _ = try send(Self.url(server), "-d", "-", input: "typed\n")
        let requests = server.received
        #expect(requests.map(\.method) == ["POST", "POST", "POST"])
        #expect(
            requests.map(\.body) == ["a=1&b=2", #"{"a": 1}"#, "typed\n"].map { Array($0.utf8) }
        )
        #expect(
            requests.map { $0.value(of: "Content-Type") } == [
                "application/x-www-form-urlencoded", "application/json",
                "application/x-www-form-urlencoded",
            ]
        )
    }

    @Test("a form goes in parts, texts and files")
    func form() throws {
        let server = try RawServer(RawServer.ok("ok"))
        try files.write("file's", to: "note.txt")
        _ = try send(Self.url(server), "-F", "a=1", "-F", "f=@note.txt;type=text/x;filename=n")
        let request = try #require(server.received.first)
        #expect(
            request.value(of: "Content-Type")?.hasPrefix("multipart/form-data; boundary=") == true
        )
        let text = String(decoding: request.body, as: UTF8.self)
        #expect(text.contains(#"name="a""#) && text.contains("\r\n\r\n1\r\n"))
        #expect(text.contains(#"filename="n""#) && text.contains("text/x"))
        #expect(text.contains("\r\n\r\nfile's\r\n"))
    }

    @Test("--json prints the whole response as an object of version 1")
    func json() throws {
        let server = try RawServer(RawServer.ok("hi", fields: "X-A: 1\r\n"))
        let answer = try JSON(parsing: try send(Self.url(server), "--json").output)
        #expect(answer["version"].int == 1)
        #expect(answer["request"] == ["method": "GET", "url": JSON(Self.url(server))])
        #expect(answer["status"].int == 200)
        #expect(answer["headers"] == [["Content-Length", "2"], ["X-A", "1"]])
        #expect(answer["body"].string == "hi")
        #expect(answer["timings", "total"].exists)
    }

    @Test("a failure is told in words on standard error, or as JSON, with its status")
    func failures() throws {
        let closed = try ClosedPort()
        defer { closed.letGo() }
        let silent = try RawServer(.hang)
        let refused = try send(closed.base)
        #expect(refused.status == .exited(20))
        #expect(refused.output.isEmpty)
        #expect(refused.errors.hasPrefix("apus: "))
        let json = try send(closed.base, "--json")
        #expect(try JSON(parsing: json.output)["error", "code"].int == 20)
        #expect(json.status == .exited(20))
        #expect(try send("http://nobody.invalid/").status == .exited(21))
        #expect(try send(Self.url(silent), "--timeout", "0.1").status == .exited(23))
        #expect(try send(Self.url(silent), "--source", "cache").status == .exited(24))
        #expect(try send("file:///etc/passwd").status == .exited(2))
        #expect(try send(Self.url(silent), "-H", "no colon").status == .exited(2))
        #expect(try send(Self.url(silent), "-d", "@missing").status == .exited(2))
    }

    @Test("a status of 400 or more is a response, unless --fail says otherwise")
    func fail() throws {
        let server = try RawServer(.send("HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno"))
        #expect(try send(Self.url(server)).status == .exited(0))
        let failed = try send(Self.url(server), "--fail")
        #expect(failed.status == .exited(1))
        #expect(failed.output == "no")
    }

    @Test("what came of a response that was cut is printed, and the status is 20")
    func cut() throws {
        let server = try RawServer(.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .close)
        let sent = try send(Self.url(server))
        #expect(sent.output == "abc")
        #expect(sent.status == .exited(20))
    }

    @Test("--retry repeats what fails for a while")
    func retry() throws {
        let first = HeldRequests()
        let server = try RawServer { request in
            first.count() == 1
                ? [.send("HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n")]
                : [RawServer.ok("ok")]
        }
        #expect(try send(Self.url(server), "--retry", "2").output == "ok")
        #expect(server.received.count == 2)
    }

    @Test("--verbose shows the wire on standard error, secrets masked")
    func verbose() throws {
        let server = try RawServer(RawServer.ok("ok"))
        let sent = try send(Self.url(server), "-v", "-H", "Authorization: Bearer s3cret")
        #expect(sent.output == "ok")
        #expect(sent.errors.contains("> GET /a HTTP/1.1\n"))
        #expect(sent.errors.contains("< HTTP/1.1 200 OK\n"))
        #expect(!sent.errors.contains("s3cret"))
    }

    @Test("a workspace's target is sent by its name, with values and an environment")
    func target() throws {
        let server = try RawServer { [RawServer.ok($0.path)] }
        try files.write(
            """
            name: Send
            variables: { user: 7 }
            environments:
              local: { baseURL: "http://\(server.authority)" }
              other: { baseURL: "http://\(server.authority)/other" }
            targets:
              Users:
                Show user: { request: "GET /users/{{ user }}", validate: success }
              Show user: GET /me
            """,
            to: "send.apus.yaml"
        )
        #expect(try send("Users/Show user").output == "/users/7")
        #expect(
            try send("Users/Show user", "--set", "user=9", "-e", "other").output == "/other/users/9"
        )
        #expect(
            try send("Users/Show user", "-X", "DELETE", "-w", "send.apus.yaml").output == "/users/7"
        )
        #expect(server.received.last?.method == "DELETE")
        let unknown = try send("Shaw user")
        #expect(unknown.status == .exited(2))
        #expect(unknown.errors.contains("“Users/Show user”"))
        #expect(try send("Users/Show user", "-e", "nowhere").status == .exited(2))
    }

    @Test("a URL without its scheme is http, unless a target of the given workspace has that name")
    func bareHost() throws {
        let server = try RawServer { [RawServer.ok($0.path)] }
        #expect(try send(server.authority).output == "/")
        #expect(try send("\(server.authority)/a?b=c://d").output == "/a?b=c://d")
        let port = try #require(server.authority.split(separator: ":").last)
        #expect(try send("localhost:\(port)/a").output == "/a")
        let explained = try PipedProgram.run(["cache", "explain", "a.example/b"], files: files)
        #expect(explained.output.hasPrefix("GET http://a.example/b\n"))
        _ = try files.write(
            "targets: { \"v1.0\": GET http://\(server.authority)/named }",
            to: "send.apus.yaml"
        )
        #expect(try send("v1.0", "-w", "send.apus.yaml").output == "/named")
        // A folder's workspace does not take over what may be a host.
        let unclear = try send("v1.0", "-H", "Authorization: Bearer abc")
        #expect(unclear.status == .exited(2))
        #expect(unclear.errors.contains("http://v1.0"))
        #expect(server.received.count { $0.path == "/named" } == 1)
        #expect(try send("v2.0/a b", "-w", "send.apus.yaml").status == .exited(2))
        #expect(try send("localhost:70000/a").status == .exited(2))
        #expect(try send("\(server.authority)/a", "-w", "none.yaml").status == .exited(2))
    }

    @Test("--cache default keeps the response for the explorer, and responses from it")
    func cache() throws {
        let server = try RawServer(RawServer.ok("ok"))
        for source in ["server", "disk"] {
            let sent = try send(Self.url(server), "--cache", "default", "--json")
            #expect(try JSON(parsing: sent.output)["source"].string == source)
        }
        #expect(server.received.count == 1)
    }
}
