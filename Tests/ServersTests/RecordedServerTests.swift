import Apus
import HTTPServing
import HTTPTypes
import Recordings
import Servers
import Synchronization
import TestSupport
import Testing

@Suite("serving a recorded session")
struct RecordedServerTests {
    private static let json: HTTPFields = [.contentType: "application/json"]

    @Test("a request is answered by its method, path, query and body, whatever the host")
    func matching() async throws {
        let recording = try await Recording()
        try await recording.add(.get, "/users?page=1&size=2", answer: "first page")
        try await recording.add(.get, "/users?page=2&size=2", host: "other", answer: "second page")
        try await recording.add(
            .post,
            "/users",
            Self.json,
            body: #"{"a": 1, "b": [2]}"#,
            answer: "one"
        )
        try await recording.add(.post, "/users", Self.json, body: #"{"a": 2}"#, answer: "two")
        let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        try await recording.add(.post, "/form", form, body: "a=1&b=2", answer: "form")
        try await recording.serving { port in
            #expect(
                try await ask(port, "GET /users?size=2&page=2").hasSuffix("\r\n\r\nsecond page")
            )
            #expect(try await ask(port, "GET /users?page=1&size=2").hasSuffix("first page"))
            let type = "Content-Type: application/json; charset=utf-8"
            let one = try await ask(port, "POST /users", type, body: #"{"b":[2.0],"a":1}"#)
            #expect(one.hasSuffix("one"))
            #expect(try await ask(port, "POST /users", type, body: #"{"a":2}"#).hasSuffix("two"))
            let sent = "Content-Type: application/x-www-form-urlencoded"
            #expect(try await ask(port, "POST /form", sent, body: "b=2&a=1").hasSuffix("form"))
        }
    }

    @Test(
        "a body that is elsewhere is fetched; one that cannot be is asked for again the next time"
    )
    func remoteBody() async throws {
        let recording = try await Recording()
        let body = Array("far away".utf8)
        let remote = RemoteBody(
            digest: ContentDigest.hex(of: body),
            size: body.count,
            location: "s3://acme/team"
        )
        try await recording.add(.get, "/", remote: remote)
        let asked = Mutex(0)
        recording.history.fetchBodies { _ in
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            return count == 1 ? Array("something else".utf8) : body
        }
        try await recording.serving { port in
            let first = try await ask(port, "GET /")
            #expect(
                first.hasPrefix("HTTP/1.1 502 ") && first.contains("s3://acme/team: its object")
            )
            for _ in 0..<2 { #expect(try await ask(port, "GET /").hasSuffix("far away")) }
        }
        #expect(asked.withLock(\.self) == 2)
    }

    @Test("what comes before a response is not given as one")
    func informational() async throws {
        let recording = try await Recording()
        for status in [100, 101, 103] {
            try await recording.add(.get, "/\(status)", status: status)
        }
        try await recording.serving { port in
            for status in [100, 101, 103] {
                let answer = try await ask(port, "GET /\(status)")
                #expect(answer.hasPrefix("HTTP/1.1 502 ") && answer.contains("a \(status),"))
            }
        }
    }

    @Test("large bodies of requests take so much memory together; small ones are always read")
    func requestMemory() async throws {
        let recording = try await Recording()
        try await recording.add(.get, "/")
        try await recording.serving(memory: 300_000) { port in
            // It is joined from its pieces, and takes between twice and three times its size for that.
            let large = String(repeating: "a", count: 90_000)
            #expect(try await ask(port, "POST /", body: large).hasPrefix("HTTP/1.1 404 "))
            let held = try (1...3).map { _ in try RawClient(port: port) }
            for client in held {
                try await client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60001\r\n\r\n")
                // Small enough never to be refused itself.
                try await client.send([UInt8](repeating: 0x61, count: 60_000))
            }
            // Until most of that is read.
            while try await !ask(port, "POST /", body: large).hasPrefix("HTTP/1.1 503 ") {}
            #expect(try await ask(port, "POST /", body: "small").hasPrefix("HTTP/1.1 404 "))
            for client in held {
                try await client.send("a")
                #expect(try await client.head().hasPrefix("HTTP/1.1 404 "))
            }
            #expect(try await ask(port, "POST /", body: large).hasPrefix("HTTP/1.1 404 "))
        }
    }

    @Test("bodies that come in many pieces take no more memory than they have reserved")
    func segmentedBodies() async throws {
        for size in [0, 1, 5000, 65_536, 65_537, 200_000, 3_000_000] {
            for piece in [1, 999, 16_384, 65_536] where size / piece < 10_000 {
                let left = Mutex(size)
                let body = IncomingBody(length: nil) {
                    left.withLock { left in
                        let count = min(piece, left)
                        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: left - $0) }
                        left -= count
                        return count == 0 ? nil : bytes
                    }
                }
                var (reserved, most) = (0, 0)
                let bytes = try await body.collect(upTo: size) { size in
                    reserved += size
                    most = max(most, reserved)
                }
                #expect(bytes == (0..<size).map { UInt8(truncatingIfNeeded: size - $0) })
                #expect(reserved == size)
                #expect(most <= 3 * size + 65_536)
            }
        }
    }

    @Test(
        "a large unknown request is not compared with each that has a mask",
        .timeLimit(.minutes(5))
    )
    func largeUnknown() async throws {
        let recording = try await Recording()
        for number in 1...300 {
            let login = #"{"user": "ada\#(number)", "password": "s3cret"}"#
            try await recording.add(.post, "/login", Self.json, body: login, answer: "in")
        }
        try await recording.serving { port in
            let type = "Content-Type: application/json"
            let large = "[" + String(repeating: "1,", count: 500_000) + "1]"
            let unknown = try await ask(port, "POST /login", type, body: large)
            #expect(unknown.hasPrefix("HTTP/1.1 404 ") && unknown.contains("cannot be compared"))
            let known = #"{"password":"another","user":"ada7"}"#
            #expect(try await ask(port, "POST /login", type, body: known).hasSuffix("in"))
        }
    }

    @Test("repeats get the responses in their order, and then the last again")
    func repeats() async throws {
        let recording = try await Recording()
        for text in ["pending", "running", "done"] {
            try await recording.add(.get, "/job", answer: text)
        }
        try await recording.serving { port in
            for text in ["pending", "running", "done", "done"] {
                let answer = try await ask(port, "GET /job", "Accept: */*")
                #expect(answer.hasSuffix(text))
            }
        }
    }

    @Test("fields and status are the recorded ones, repetitions too; framing fits the body")
    func fields() async throws {
        let recording = try await Recording()
        var fields: HTTPFields = [.contentEncoding: "gzip", .contentLength: "99"]
        fields.append(HTTPField(name: .setCookie, value: "a=1"))
        fields.append(HTTPField(name: .init("X-One") ?? .via, value: "1"))
        fields.append(HTTPField(name: .setCookie, value: "b=2"))
        fields[.transferEncoding] = "chunked"
        try await recording.add(.get, "/a", status: 418, answer: "tea", responseFields: fields)
        try await recording.add(.delete, "/a", status: 204)
        try await recording.serving { port in
            let answer = try await ask(port, "GET /a")
            #expect(answer.hasPrefix("HTTP/1.1 418 "))
            #expect(answer.ranges(of: "Set-Cookie: ").count == 2 && answer.contains("X-One: 1"))
            #expect(answer.contains("Content-Length: 3\r\n") && !answer.contains("chunked"))
            // The body was decoded when it was recorded.
            #expect(!answer.contains("gzip"))
            let none = try await ask(port, "DELETE /a")
            #expect(none.hasPrefix("HTTP/1.1 204 ") && !none.contains("Content-Length"))
            let head = try await ask(port, "HEAD /a")
            #expect(head.contains("Content-Length: 3") && head.hasSuffix("\r\n\r\n"))
        }
    }

    @Test("the response to a HEAD announces the length that was recorded")
    func head() async throws {
        let recording = try await Recording()
        try await recording.add(.head, "/a", responseFields: [.contentLength: "1234"])
        try await recording.serving { port in
            let head = try await ask(port, "HEAD /a")
            #expect(head.contains("Content-Length: 1234\r\n") && head.hasSuffix("\r\n\r\n"))
        }
    }

    @Test("what was masked in the recording may be anything, and nothing else")
    func masked() async throws {
        let recording = try await Recording()
        let login = #"{"user": "ada", "password": "s3cret"}"#
        try await recording.add(.post, "/login", Self.json, body: login, answer: "in")
        try await recording.add(.get, "/me?access_token=s3cret", answer: "ada")
        try await recording.serving { port in
            let type = "Content-Type: application/json"
            let other = #"{"password":"another","user":"ada"}"#
            #expect(try await ask(port, "POST /login", type, body: other).hasSuffix("in"))
            #expect(try await ask(port, "GET /me?access_token=other").hasSuffix("ada"))
            let bob = #"{"password":"another","user":"bob"}"#
            let unknown = try await ask(port, "POST /login", type, body: bob)
            #expect(unknown.hasPrefix("HTTP/1.1 404 "))
            #expect(unknown.contains(#"body: ~ user"#) && !unknown.contains("password"))
        }
    }

    @Test("a mask in a path or a text is for what stands in its place, not for anything anywhere")
    func maskedTexts() async throws {
        let recording = try await Recording(secrets: ["s3cretvalue"])
        try await recording.add(.get, "/reset/s3cretvalue", answer: "reset")
        let text: HTTPFields = [.contentType: "text/plain"]
        try await recording.add(.post, "/note", text, body: "it is s3cretvalue, he said")
        try await recording.add(.post, "/plain", text, body: "this •• is no mask", answer: "plain")
        let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        try await recording.add(.post, "/form", form, body: "a=1&a=my+s3cretvalue", answer: "form")
        let json = #"{"text": "it is s3cretvalue, he said"}"#
        try await recording.add(.post, "/json", Self.json, body: json, answer: "json")
        try await recording.serving { port in
            #expect(try await ask(port, "GET /reset/other").hasSuffix("reset"))
            let type = "Content-Type: text/plain"
            let note = try await ask(port, "POST /note", type, body: "it is mine, he said")
            #expect(note.hasPrefix("HTTP/1.1 200 "))
            let sent = "Content-Type: application/x-www-form-urlencoded"
            let form = try await ask(port, "POST /form", sent, body: "a=1&a=my+own")
            #expect(form.hasSuffix("form"))
            let kind = "Content-Type: application/json"
            let json = #"{"text": "it is mine, he said"}"#
            #expect(try await ask(port, "POST /json", kind, body: json).hasSuffix("json"))
            for unknown in [
                try await ask(port, "GET /unknown"),
                try await ask(port, "GET /reset/other/deeper"),
                try await ask(port, "POST /note", type, body: "something else"),
                try await ask(port, "POST /plain", type, body: "something else"),
                try await ask(port, "POST /form", sent, body: "a=1&a=your+own"),
                try await ask(port, "POST /form", sent, body: "a=1"),
                try await ask(port, "POST /json", kind, body: #"{"text": "something else"}"#),
                try await ask(port, "POST /json", kind, body: #"{}"#),
            ] { #expect(unknown.hasPrefix("HTTP/1.1 404 ")) }
        }
    }

    @Test("beside a mask the last parameter counts as the first, and a long body as a short one")
    func maskedLong() async throws {
        let recording = try await Recording()
        let query = (1...30).map { "p\($0)=1" }.joined(separator: "&")
        try await recording.add(.get, "/s?access_token=s3cret&\(query)", answer: "found")
        // Larger than what is held.
        let text = String(repeating: "x", count: 100_000)
        let login = #"{"password": "s3cret", "text": "\#(text)"}"#
        try await recording.add(.post, "/login", Self.json, body: login, answer: "in")
        try await recording.serving { port in
            let same = try await ask(port, "GET /s?access_token=other&\(query)")
            #expect(same.hasSuffix("found"))
            let other = try await ask(port, "GET /s?access_token=other&\(query.dropLast())2")
            #expect(other.hasPrefix("HTTP/1.1 404 ") && other.contains("query p30: recorded “1”"))
            let type = "Content-Type: application/json"
            let body = login.replacing("s3cret", with: "another")
            #expect(try await ask(port, "POST /login", type, body: body).hasSuffix("in"))
            let bad = try await ask(port, "POST /login", type, body: body.dropLast(2) + "y\"}")
            #expect(bad.hasPrefix("HTTP/1.1 404 ") && bad.contains("cannot be compared"))
        }
    }

    @Test("requests with masks have their order, and responses for who asked for them")
    func maskedTurns() async throws {
        let recording = try await Recording()
        for (token, answer) in [("first", "no"), ("second", "yes")] {
            try await recording.add(.get, "/me?access_token=\(token)", answer: answer)
        }
        try await recording.add(.get, "/me?access_token=first", status: 304)
        try await recording.serving { port in
            for answer in ["no", "yes", "yes"] {
                let given = try await ask(port, "GET /me?access_token=mine")
                #expect(given.hasSuffix(answer))
            }
        }
    }

    @Test("what was not recorded gets a 404 that names the nearest request and what differs")
    func nearest() async throws {
        let recording = try await Recording()
        try await recording.add(.get, "/users/7/orders?page=1", answer: "x")
        try await recording.add(.get, "/products", answer: "x")
        try await recording.add(.post, "/users", Self.json, body: #"{"name": "Ada"}"#)
        try await recording.serving { port in
            let query = try await ask(port, "GET /users/7/orders?page=2&all")
            #expect(query.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
            #expect(query.contains("GET /users/7/orders?page=2&all"))
            #expect(
                query.contains("exchange 1:\n  GET https://api.example.com/users/7/orders?page=1")
            )
            #expect(query.contains("query page: recorded “1”, requested “2”"))
            #expect(query.contains("query all: not recorded, requested “”"))
            let path = try await ask(port, "GET /users/8/orders?page=1")
            #expect(path.contains("path: recorded /users/7/orders, requested /users/8/orders"))
            let method = try await ask(port, "DELETE /products")
            #expect(method.contains("method: recorded GET, requested DELETE"))
            let type = "Content-Type: application/json"
            let body = try await ask(port, "POST /users", type, body: #"{"name":"Bob"}"#)
            #expect(body.contains("exchange 3") && body.contains(#"~ name"#))
        }
        let empty = try await Recording()
        try await empty.serving { port in
            let answer = try await ask(port, "GET /")
            #expect(answer.contains("The session is empty."))
        }
    }

    @Test("a response that says that nothing has changed is for who asks for that")
    func conditional() async throws {
        let recording = try await Recording()
        try await recording.add(.get, "/a", answer: "whole")
        try await recording.add(.get, "/a", status: 304)
        try await recording.serving { port in
            #expect(try await ask(port, "GET /a").hasSuffix("whole"))
            #expect(try await ask(port, "GET /a").hasSuffix("whole"))
            let asked = try await ask(port, "GET /a", "If-None-Match: \"1\"")
            #expect(asked.hasPrefix("HTTP/1.1 304 "))
        }
    }

    @Test("a connection that was cut is cut again, before the head or in the body")
    func cuts() async throws {
        let recording = try await Recording()
        try await recording.add(.get, "/none", status: nil)
        let length: HTTPFields = [.contentLength: "10"]
        try await recording.add(
            .get,
            "/some",
            answer: "abc",
            responseFields: length,
            isComplete: false
        )
        try await recording.serving { port in
            #expect(try await ask(port, "GET /none").isEmpty)
            let some = try await ask(port, "GET /some")
            #expect(some.contains("Content-Length: 10") && !some.contains("chunked"))
            #expect(some.contains("abc") && !some.contains("\r\n0\r\n"))
        }
    }

    @Test("a response comes not before the time that it took when it was recorded")
    func delay() async throws {
        let recording = try await Recording()
        try await recording.add(.get, "/slow", answer: "x", duration: .milliseconds(400))
        try await recording.serving(keepsDelay: true) { port in
            let start = ContinuousClock.now
            _ = try await ask(port, "GET /slow")
            #expect(ContinuousClock.now - start >= .milliseconds(400))
        }
    }

    @Test("with a fallback what was not recorded is sent there once, and recorded")
    func fallback() async throws {
        let recording = try await Recording()
        try await recording.add(.get, "/known", answer: "recorded")
        let server = try RawServer { request in
            [RawServer.ok("live \(request.path)", fields: "X-Live: 1\r\n")]
        }
        let log = Mutex<[String]>([])
        let sources: @Sendable (ServedRequest) -> Void = { request in
            log.withLock { $0.append("\(request.path) \(request.source)") }
        }
        try await recording.serving(fallback: "http://\(server.authority)", log: sources) { port in
            #expect(try await ask(port, "GET /known").hasSuffix("recorded"))
            for _ in 1...2 {
                let answer = try await ask(port, "GET /new?a=1", "Accept-Encoding: br", "X-Mine: 2")
                #expect(answer.hasSuffix("live /new?a=1") && answer.contains("X-Live: 1"))
            }
        }
        let request = try #require(server.received.first)
        #expect(server.received.count == 1 && request.value(of: "X-Mine") == "2")
        #expect(request.value(of: "Host") == server.authority)
        #expect(request.value(of: "Connection") == nil && request.value(of: "User-Agent") == nil)
        #expect(
            log.withLock(\.self) == [
                "/known exchange 1", "/new?a=1 fallback", "/new?a=1 exchange 2",
            ]
        )
        let sessions = try await recording.history.sessions()
        #expect(sessions.map(\.count) == [2])
    }

    @Test("a fallback that does not answer is a 502 with words")
    func deadFallback() async throws {
        let recording = try await Recording()
        let closed = try ClosedPort()
        defer { closed.letGo() }
        try await recording.serving(fallback: closed.base) { port in
            let answer = try await ask(port, "GET /a")
            #expect(answer.hasPrefix("HTTP/1.1 502 ") && answer.contains("onnect"))
        }
    }

    @Test("what another process records meanwhile is answered, too")
    func meanwhile() async throws {
        let recording = try await Recording()
        try await recording.serving { port in
            #expect(try await ask(port, "GET /a").hasPrefix("HTTP/1.1 404 "))
            try await recording.add(.get, "/a", answer: "later")
            #expect(try await ask(port, "GET /a").hasSuffix("later"))
        }
    }

    @Test("a transport that matches by path answers whatever the host, without a server")
    func transport() async throws {
        let recording = try await Recording()
        try await recording.add(.get, "/a?x=1&y=2", answer: "recorded")
        let request = PreparedRequest(
            head: HTTPRequest(method: .get, scheme: "http", authority: "test", path: "/a?y=2&x=1")
        )
        let transport = ReplayTransport(
            recording.history,
            session: recording.session,
            matching: .path
        )
        let response = try await transport.send(request, progress: nil)
        #expect(response.body == .bytes(Array("recorded".utf8)) && response.source == .replay)
        let other = ReplayTransport(recording.history, session: recording.session)
        await #expect(throws: ApusError.self) { try await other.send(request, progress: nil) }
    }

    @Test("a page of another origin may read the responses, and ask what it may send")
    func crossOrigin() async throws {
        let recording = try await Recording()
        try await recording.add(.get, "/open", responseFields: [.accessControlAllowOrigin: "*"])
        try await recording.add(.get, "/plain", answer: "x")
        try await recording.serving { port in
            let origin = "Origin: http://localhost:5173"
            let open = try await ask(port, "GET /open", origin)
            #expect(open.contains("Access-Control-Allow-Origin: *\r\n"))
            #expect(!open.contains("Allow-Credentials"))
            for path in ["/plain", "/unknown"] {
                let plain = try await ask(port, "GET \(path)", origin)
                #expect(plain.contains("Access-Control-Allow-Origin: http://localhost:5173\r\n"))
                #expect(plain.contains("Vary: Origin"))
            }
            let own = try await ask(port, "GET /plain")
            #expect(!own.contains("Access-Control"))
            let preflight = try await ask(
                port,
                "OPTIONS /plain",
                origin,
                "Access-Control-Request-Method: PUT",
                "Access-Control-Request-Headers: x-a, content-type"
            )
            #expect(preflight.hasPrefix("HTTP/1.1 204 "))
            #expect(preflight.contains("Access-Control-Allow-Methods: PUT"))
            #expect(preflight.contains("Access-Control-Allow-Headers: x-a, content-type"))
        }
    }
}
