import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Recordings
import TestSupport
import Testing

@testable import Secrets

@Suite("recording and replaying")
struct RecordingTests {
    private let bench = HistoryBench()

    private struct Users: TargetType {
        var base: String
        var path = "/users"
        var method = HTTPRequest.Method.get
        var headerFields: HTTPFields = [:]
        var cachePolicy = CachePolicy.none

        var baseURL: URL { URL(string: base) ?? URL(filePath: "/") }
    }

    /// Takes the body away from who asked.
    private struct Emptying: Plugin {
        func process(
            _ result: Result<Response, ApusError>,
            in context: ExchangeContext
        ) async throws -> ProcessingResult {
            .result(
                result.map { response in
                    var response = response
                    response.body = .bytes([])
                    return response
                }
            )
        }
    }

    @Test("a provider records what the server said, whatever plugins make of it")
    func plugin() async throws {
        let server = try RawServer { request in
            request.path == "/cut" ? [.close] : [RawServer.ok("hello", fields: "Server: raw\r\n")]
        }
        let history = bench.history()
        let session = try await history.session(named: "s")
        let provider = Provider<Users>(
            plugins: [
                Emptying(),
                .recording(to: history, session: session) { _ in ExchangeOrigin(target: "all users")
                },
            ]
        )
        let base = "http://\(server.authority)"
        #expect(try await provider.response(for: Users(base: base)).body.isEmpty)
        await #expect(throws: ApusError.self) {
            try await provider.response(for: Users(base: base, path: "/cut"))
        }
        try await history.flush()
        let listed = try await history.exchanges()
        #expect(listed.map(\.status) == [nil, 200])
        #expect(listed.allSatisfy { $0.session == session && $0.origin.target == "all users" })
        #expect(listed.first?.errorCode == 2411)
        let whole = try #require(try await history.exchange(1))
        #expect(try whole.response?.value(using: .string) == "hello")
        #expect(whole.response?.head.headerFields[.server] == "raw")
        #expect(whole.response?.metrics?.remoteAddress == server.authority)
        #expect(whole.exchange.phases?.total ?? .zero > .zero)
        await history.close()
    }

    @Test("of a cached response and the server's behind it, the server's is recorded")
    func twoResponses() async throws {
        let server = try RawServer { _ in [RawServer.ok("hello")] }
        let history = bench.history()
        let provider = Provider<Users>(plugins: [.recording(to: history)])
        var target = Users(base: "http://\(server.authority)")
        target.cachePolicy = .keep(in: .memory)
        for source in [DataSource.cacheAndServer, .cacheAndServer, .cache] {
            for await event in provider.events(for: target, from: source) { _ = event }
        }
        try await history.flush()
        #expect(try await history.exchanges().map(\.source) == ["memory", "server", "server"])
        await history.close()
    }

    @Test("what nobody wants recorded is not")
    func chosen() async throws {
        let history = bench.history()
        let provider = Provider<Users>(
            plugins: [.recording(to: history) { _ in nil }],
            stubs: Stubs { _ in .immediate(.text("x")) }
        )
        _ = try await provider.response(for: Users(base: "http://h"))
        #expect(try await history.exchanges().isEmpty)
        await history.close()
    }

    // MARK: replay

    @Test("a replay gives the recorded responses in order, then the last again, and failures too")
    func replay() async throws {
        let history = bench.history()
        let request = PreparedRequest.make(fields: [.authorization: "Bearer a"])
        try await history.keep([200, 500].map { .make(request, status: $0) })
        let reason = ApusError.Reason.connect(host: "api", port: 443, detail: "refused")
        try await history.keep([.make(.make("/other"), status: 404), .failed("/down", reason)])
        await history.close()

        let transport = ReplayTransport(History(reading: bench.path))
        var statuses: [Int] = []
        for _ in 0..<3 { statuses.append(try await transport.send(.make(), progress: nil).status) }
        #expect(statuses == [200, 500, 500])
        let other = try await transport.send(.make("/other"), progress: nil)
        #expect((other.status, other.source) == (404, .replay))
        let failure = await #expect(throws: ApusError.self) {
            try await transport.send(.make("/down"), progress: nil)
        }
        let words = try #require(ApusError(reason).errorDescription)
        #expect(failure?.reason == .recorded(code: 2201, detail: words))
        await #expect(throws: ApusError.self) {
            try await transport.send(.make("/unknown"), progress: nil)
        }
    }

    @Test("what was not recorded is sent if that is asked for, and recorded")
    func cassette() async throws {
        let server = try RawServer(RawServer.ok("live"))
        let history = bench.history()
        let session = try await history.session(named: "cassette")
        let target = Users(base: "http://\(server.authority)")
        for unmatched in [
            ReplayTransport.Unmatched.send(), .sendAndRecord(), .sendAndRecord(), .fail,
        ] {
            let provider = Provider<Users>(
                transport: .replaying(history, session: session, unmatched: unmatched)
            )
            #expect(try await provider.value(for: target, using: .string) == "live")
        }
        #expect(server.received.count == 2)
        #expect(try await history.sessions().first?.count == 1)
        await history.close()
    }

    private func secretRequest(_ secret: String, page: Int = 2) -> PreparedRequest {
        .make(
            "/login?page=\(page)&api_key=query-\(secret)",
            method: .post,
            authority: "ada:user-\(secret)@api.example.com",
            fields: [.contentType: "application/json", .accept: "*/*"],
            body: .bytes(Array(#"{"name": "Ada", "password": "body-\#(secret)"}"#.utf8))
        )
    }

    @Test(
        "credentials do not count, in no part of a request, for what is imported as for what was recorded"
    )
    func otherSecrets() async throws {
        for keepsSecrets in [false, true] {
            let bench = HistoryBench()
            let history = bench.history(keepsSecrets: keepsSecrets)
            let session = try await history.session(named: "s")
            try await history.keep(
                [
                    .make(secretRequest("one"), status: 201),
                    .make(secretRequest("two"), status: 202),
                ],
                in: session
            )
            try await history.keep([.make(secretRequest("one"), status: 203)])
            try await history.exportSession(session, toFolder: "\(bench.folder.path)/s")
            await history.close()
            // What is kept says nothing of the secret, also to who tries all that it may be.
            #expect(Set(try bench.read("SELECT hex(key) FROM exchange")).count == 1)
            let other = HistoryBench()
            let importing = other.history()
            _ = try await importing.importSession(from: "\(bench.folder.path)/s")
            await importing.close()
            for path in [bench.path, other.path] {
                for history in [History(path: path), History(reading: path)] {
                    let replay = ReplayTransport(history)
                    let answer = try await replay.send(secretRequest("three"), progress: nil)
                    #expect(answer.status == 201)
                    await #expect(throws: ApusError.self) {
                        try await replay.send(secretRequest("one", page: 3), progress: nil)
                    }
                    await history.close()
                }
            }
        }
    }

    @Test("a request's own secrets do not count either, in a form of parts neither")
    func ownSecrets() async throws {
        func request(_ secret: String, _ text: String = "same") -> PreparedRequest {
            let form = MultipartForm([.text("own", secret), .text("text", text)])
            var request = PreparedRequest.make("/a?own=\(secret)", body: .multipart(form))
            request.options.secretParameters = ["own"]
            request.options.secretTexts = [Secret(secret)]
            return request
        }
        let history = bench.history()
        try await history.keep([.make(request("s3cret1"))])
        let replay = ReplayTransport(history)
        #expect(try await replay.send(request("s3cret2"), progress: nil).status == 200)
        await #expect(throws: ApusError.self) {
            try await replay.send(request("s3cret2", "other"), progress: nil)
        }
        await history.close()
    }

    @Test("a session's replay knows nothing of the others")
    func sessionAlone() async throws {
        let history = bench.history()
        let (one, other) = (
            try await history.beginSession(named: "1"), try await history.beginSession(named: "2")
        )
        try await history.keep([.make(status: 201)], in: one)
        try await history.keep([.make(status: 202)], in: other)
        let transport = ReplayTransport(history, session: other)
        #expect(try await transport.send(.make(), progress: nil).status == 202)
        await history.close()
    }

    // MARK: secrets

    @Test("no secret is anywhere in the files")
    func secrets() async throws {
        let history = bench.history(secrets: ["s3cret/known"])
        let request = PreparedRequest.make(
            "/s3cret/known?access_token=s3cretA&q=s3cret%2Fknown&page=2",
            method: .post,
            authority: "ada:s3cretB@api.example.com",
            fields: [
                .authorization: "Bearer s3cretC", .cookie: "id=s3cretD",
                .proxyAuthorization: "s3cretE", .xAPIKey: "s3cretF",
                .accept: "x; s3cret/known",
                .contentType: "application/x-www-form-urlencoded",
            ],
            body: .bytes(Array("user=ada&password=s3cretG".utf8))
        )
        var origin = ExchangeOrigin()
        origin.variables = ["where": "at s3cret/known"]
        try await history.keep([
            .make(
                request,
                fields: [.setCookie: "s3cretH"],
                body: Array("a s3cret/known b".utf8),
                origin: origin
            )
        ])
        _ = try await history.paths("nothing")
        try expectNoSecrets()
        let whole = try #require(try await history.exchange(1))
        #expect(whole.request.head.path == "/••••••?access_token=••••••&q=••••••&page=2")
        #expect(whole.response?.body == .bytes(Array("a •••••• b".utf8)))
        #expect(whole.request.body == .bytes(Array("user=ada&password=••••••".utf8)))
        await history.close()
        try expectNoSecrets()
    }

    @Test("no secret of a redirect, of the wire or of an error is anywhere in the files")
    func secretsOnTheWay() async throws {
        let history = bench.history()
        var request = PreparedRequest.make("/a?own=s3cret1")
        request.options.secretParameters = ["own"]
        request.options.secretTexts = ["s3cret2"]
        var response = try ExchangeRecord.make(request).result.get()
        response.metrics?.effectiveURL = "https://api.example.com/b?own=s3cret3"
        response.metrics?.redirects = [
            .init(
                status: 302,
                location: "/b?own=s3cret4&code=s3cret5",
                url: request.url,
                fields: [.location: "/b?own=s3cret6", .setCookie: "s3cret7"]
            )
        ]
        response.metrics?.trace = [
            WireTraceEntry(kind: .headerOut, text: "GET /a?own=s3cret8 HTTP/2"),
            WireTraceEntry(kind: .remark, text: "s3cret2"),
        ]
        var record = ExchangeRecord.make(request)
        record.result = .success(response)
        try await history.keep([record])
        record.result = .failure(
            ApusError(.invalidRequest(.url("http://?token=s3cret9")), response: response)
        )
        try await history.keep([record])
        await history.close()
        try expectNoSecrets()
    }

    @Test(
        "no secret of an event, a step, a target's name or a reason phrase is anywhere in the files"
    )
    func secretsInWords() async throws {
        let history = bench.history(secrets: ["s3cret"])
        var record = ExchangeRecord.make(
            origin: ExchangeOrigin(target: "of s3cret", step: "with s3cret")
        )
        record.events = [.init("willSend", at: .zero, detail: "http://h/?token=s3cret1 s3cret")]
        var response = try record.result.get()
        response.head.status = .init(code: 200, reasonPhrase: "OK s3cret")
        record.result = .success(response)
        try await history.keep([record])
        let whole = try #require(try await history.exchange(1))
        #expect(whole.exchange.origin.target == "of ••••••")
        #expect(whole.exchange.origin.step == "with ••••••")
        #expect(whole.events.first?.detail == "http://h/?token=•••••• ••••••")
        #expect(whole.response?.head.status.reasonPhrase == "OK ••••••")
        await history.close()
        try expectNoSecrets()
    }

    @Test("a secret in a body that is a file is not written either")
    func secretsInFiles() async throws {
        let folder = TemporaryFolder()
        let file = try folder.write(String(repeating: "x", count: 300_000) + "s3cret0", to: "body")
        let history = bench.history(secrets: ["s3cret0"])
        var record = ExchangeRecord.make()
        var response = try record.result.get()
        response.body = .file(BodyFile(path: file, count: 300_007, ownership: .borrowed))
        record.result = .success(response)
        record.request.body = .file(path: file)
        try await history.keep([record])
        #expect(try await history.exchange(1)?.response?.body.count ?? 0 > 300_000)
        await history.close()
        try expectNoSecrets()
    }

    @Test(
        "members of JSON with a credential's name are masked, ordinary words with what may be none are not",
        arguments: [
            (#"{"password": "s3cret", "a": 1}"#, #"{"password": "••••••", "a": 1}"#),
            (" [{\"access_token\":\n\"s3cret\"}]", " [{\"access_token\":\n\"••••••\"}]"),
            (
                #"{"token": {"of": ["s3cret"]}, "pin_otp": 1234}"#,
                #"{"token": "••••••", "pin_otp": "••••••"}"#
            ),
            (#"{"password": null, "secret": false}"#, #"{"password": null, "secret": false}"#),
            (#"{"code": "not_found", "key": 7}"#, #"{"code": "not_found", "key": 7}"#),
            (#"{"key": {"code": ["x"]}}"#, #"{"key": {"code": ["x"]}}"#),
            (#"{"key": "s3cret8901234567890123"}"#, #"{"key": "••••••"}"#),
            (#"{"key": "a sentence of some words"}"#, #"{"key": "a sentence of some words"}"#),
            ("{\"pwd\":\"s3cret\"}\n\n{\"b\":2}\n", "{\"pwd\":\"••••••\"}\n\n{\"b\":2}\n"),
            (
                #"{"log": "{\"token\":\"s3cret\",\"a\":\"[{\\\"pwd\\\":\\\"s3cret\\\"}]\"}", "b": "{x\"}"}"#,
                #"{"log": "{\"token\":\"••••••\",\"a\":\"[{\\\"pwd\\\":\\\"••••••\\\"}]\"}", "b": "{x\"}"}"#
            ),
            (
                #"["/a;jsessionid=s3cret?x", "/?f=%7B%22token%22%3A%22s3cret%22%7D"]"#,
                #"["/a;jsessionid=••••••?x", "/?f=%7B%22token%22%3A%22••••••%22%7D"]"#
            ),
            ("[12:00] no JSON: \"x\"", "[12:00] no JSON: \"x\""),
            (#"<a password="x">"#, #"<a password="x">"#),
        ]
    )
    func members(body: String, kept: String) async throws {
        let history = bench.history()
        let bytes = Array(body.utf8)
        let file = try bench.folder.write(body, to: "body")
        var download = ExchangeRecord.make(.make(body: .file(path: file)))
        var response = try download.result.get()
        response.body = .file(BodyFile(path: file, count: bytes.count, ownership: .borrowed))
        download.result = .success(response)
        try await history.keep([.make(.make(body: .bytes(bytes)), body: bytes), download])
        for id in 1...2 as ClosedRange<Int64> {
            let whole = try #require(try await history.exchange(id))
            #expect(whole.request.body == .bytes(Array(kept.utf8)))
            #expect(whole.response?.body == .bytes(Array(kept.utf8)))
        }
        await history.close()
        try expectNoSecrets()
    }

    @Test(
        "credentials by name are masked in text of many kinds, and what stands beside them stays",
        arguments: [
            (
                "text/event-stream",
                "data: {\"a\": 1,\ndata: \"password\": \"s3cret\"}\n\ndata: x\n\n",
                "data: {\"a\": 1,\ndata: \"password\": \"••••••\"}\n\ndata: x\n\n"
            ),
            (
                "text/event-stream",
                "event: a\r\ndata: {\"token\": {\r\nid: 7\r\ndata: \"a\": \"s3cret\"}}\r\n\r\n",
                "event: a\r\ndata: {\"token\": \"••••••\"}\r\nid: 7\r\n\r\n"
            ),
            (
                "text/event-stream",
                "data: {\"token\": \"s3cret\"}\rdata: {\"b\": 1}",
                "data: {\"token\": \"••••••\"}\rdata: {\"b\": 1}"
            ),
            (
                "text/event-stream", "data: of {\"token\"\ndata: {\"token\": \"s3cret\"}\n\n",
                "data: of {\"token\"\ndata: {\"token\": \"••••••\"}\n\n"
            ),
            (
                "text/html",
                "<form><input type=password value=s3cret><input value='s3cret' name=\"csrf_token\">",
                "<form><input type=password value=••••••><input value='••••••' name=\"csrf_token\">"
            ),
            (
                "text/html; charset=utf-8",
                "<INPUT TYPE=\"hidden\" NAME=\"SAMLResponse\" VALUE=\"s3cret\"/><input name=q value=a>",
                "<INPUT TYPE=\"hidden\" NAME=\"SAMLResponse\" VALUE=\"••••••\"/><input name=q value=a>"
            ),
            (
                "text/html",
                "<meta name=csrf-token content=s3cret><a href='/x?sid=s3cret&amp;token=s3cret#a'>token</a>",
                "<meta name=csrf-token content=••••••><a href='/x?sid=••••••&amp;token=••••••#a'>token</a>"
            ),
            (
                "text/html",
                "<textarea name=secret>s3cret</textarea><h1 id=password>New password</h1>",
                "<textarea name=secret>••••••</textarea><h1 id=password>New password</h1>"
            ),
            (
                "application/xml",
                "<a><property name=\"db.password\">s3cret</property><add value=\"s3cret\" key=\"ApiKey\"/></a>",
                "<a><property name=\"db.password\">••••••</property><add value=\"••••••\" key=\"ApiKey\"/></a>"
            ),
            (
                "text/plain", "user=ada\r\npassword=s3cret of words\r\nn=1\r\n",
                "user=ada\r\npassword=••••••\r\nn=1\r\n"
            ),
            (
                "text/plain",
                "# one\nexport API_KEY=\"s3cret\"\nDB_PASSWORD = s3cret\nAUTHOR=Ada\nPATH=/bin\n",
                "# one\nexport API_KEY=\"••••••\"\nDB_PASSWORD = ••••••\nAUTHOR=Ada\nPATH=/bin\n"
            ),
            (
                "text/plain",
                "Server=db;Password=s3cret;Database=x\nAuthorization: Bearer s3cret\nToken: what one reads at once",
                "Server=db;Password=••••••;Database=x\nAuthorization: ••••••\nToken: what one reads at once"
            ),
            (
                "text/plain", "see http://h/x?token=s3cret&a=1 and token://x, 3 tokens",
                "see http://h/x?token=••••••&a=1 and token://x, 3 tokens"
            ),
            (
                "application/graphql", "mutation { login(password: \"s3cret\", user: \"ada\") }",
                "mutation { login(password: \"••••••\", user: \"ada\") }"
            ),
            (
                "application/json", #"{"query": "mutation { login(password: \"s3cret\") }"}"#,
                #"{"query": "mutation { login(password: \"••••••\") }"}"#
            ),
            (
                "application/x-www-form-urlencoded",
                "grant_type=x&assertion=s3cret&a=1;device_code=s3cret",
                "grant_type=x&assertion=••••••&a=1;device_code=••••••"
            ),
        ]
    )
    func kinds(type: String, body: String, kept: String) async throws {
        let history = bench.history()
        let bytes = Array(body.utf8)
        try await history.keep([
            .make(
                .make(method: .post, fields: [.contentType: type], body: .bytes(bytes)),
                fields: [.contentType: type],
                body: bytes
            )
        ])
        let whole = try #require(try await history.exchange(1))
        #expect(try whole.response?.value(using: .string) == kept)
        #expect(whole.request.body == .bytes(Array(kept.utf8)))
        await history.close()
        try expectNoSecrets()
    }

    @Test("a request that is only prepared, or looked up in the cache, is not recorded")
    func previews() async throws {
        let history = bench.history()
        let provider = Provider<Users>(plugins: [.recording(to: history)])
        let target = Users(base: "http://h.invalid", cachePolicy: .keep())
        _ = try await provider.preparedRequest(for: target)
        #expect(try await provider.cachedResponse(for: target) == nil)
        try await history.flush()
        #expect(try await history.exchanges().isEmpty)
        await history.close()
    }

    @Test(
        "a long line of pairs, tags or keys is masked in time that grows with its length",
        .timeLimit(.minutes(5)),
        arguments: [
            ("text/plain", "a=1 "), ("text/plain", "token=s3cretx "), ("text/plain", "a: b "),
            ("text/plain", "a=\""), ("text/plain", "a:b\n"), ("text/html", "<a b='"),
            ("text/html", "?a=b "), ("application/xml", "<a>b"), ("application/xml", "<![CDATA["),
            ("application/yaml", "- {a: b, "), ("application/yaml", "a: |\n"),
        ]
    )
    func longLines(type: String, unit: String) async throws {
        let history = bench.history()
        let body = Array(String(repeating: unit, count: 200_000 / unit.utf8.count).utf8)
        try await history.keep([.make(.make("/"), fields: [.contentType: type], body: body)])
        let whole = try #require(try await history.exchange(1))
        #expect(whole.response?.body.count ?? 0 > 0)
        await history.close()
        try expectNoSecrets()
    }

    @Test("what a workspace's rules name or match is in no file, and JSON stays JSON")
    func rules() async throws {
        let history = bench.history()
        let body =
            #"{"user": {"PIN": 1234, "n": 5500000000000004}, "a": ["see 5500 0000 0000 0004"]}"#
        var request = PreparedRequest.make(
            "/5500000000000004?x=5500%200000+0000%200004&ticket=s3cret1&page=2",
            method: .post,
            fields: [.accept: "s3cret2-by-name", .contentType: "application/json"],
            body: .bytes(Array(body.utf8))
        )
        let pattern = try RegularExpression(multiline: #"\d{4}( ?)\d{4}\1\d{4}\1\d{4}"#)
        request.options.secretRules = SecretRules(
            names: ["Accept", "ticket", "pin", "Server"],
            patterns: [pattern]
        )
        var record = ExchangeRecord.make(
            request,
            fields: [.server: "s3cret3"],
            body: Array((body + "\n" + #"{"s3cret1": "s3cret2-by-name"}"#).utf8)
        )
        record.origin.variables = ["pin": "s3cret4", "card": "5500 0000 0000 0004"]
        try await history.keep([record])
        let whole = try #require(try await history.exchange(1))
        let kept = #"{"user": {"PIN": "••••••", "n": "••••••"}, "a": ["see ••••••"]}"#
        #expect(whole.request.body == .bytes(Array(kept.utf8)))
        #expect(whole.request.head.path == "/••••••?x=••••••&ticket=••••••&page=2")
        #expect(whole.request.head.headerFields[.accept] == "••••••")
        #expect(whole.response?.head.headerFields[.server] == "••••••")
        #expect(
            try whole.response?.value(using: .string)
                == kept + "\n" + #"{"s3cret1": "••••••"}"#
        )
        #expect(whole.variables == ["pin": "••••••", "card": "••••••"])
        await history.close()
        // Too short to be looked for elsewhere, where it stands as a name.
        try bench.expectNone(of: "s3cret2", "s3cret3", "s3cret4", "5500", "1234")
    }

    @Test("a text on which a pattern gives up is masked as a whole")
    func costlyPattern() throws {
        let pattern = try RegularExpression(multiline: "(a+)+[0-9]")
        let mask = CredentialMask(rules: SecretRules(patterns: [pattern]))
        #expect(mask.masking(text: "see " + String(repeating: "a", count: 100_000)) == "••••••")
        #expect(mask.masking(text: "••1 aa7 ••2") == "••1 •••••• ••2")
    }

    @Test("a text with more matches than anybody would look at is masked as a whole")
    func manyMatches() throws {
        let pattern = try RegularExpression(multiline: "\\b[0-9]{4}\\b")
        let mask = CredentialMask(rules: SecretRules(patterns: [pattern]))
        let some = mask.masking(text: String(repeating: "1234 ", count: 1_000))
        #expect(some == String(repeating: "•••••• ", count: 1_000))
        #expect(mask.masking(text: String(repeating: "1234 ", count: 100_001)) == "••••••")
    }

    @Test("JSON that is cut off keeps no credential")
    func cutMembers() async throws {
        let history = bench.history()
        for body in [#"{"a": 1, "password": "s3cret"#, #"{"a" 1, "password": "s3cret"}"#] {
            try await history.keep([.make(body: Array(body.utf8))])
        }
        try await history.keep([.make(body: Array(#"{"a": 1, "b": "cut"#.utf8))])
        await history.close()
        try expectNoSecrets()
        let whole = try await bench.history().exchange(3)
        #expect(whole?.response?.body == .bytes(Array(#"{"a": 1, "b": "cut"#.utf8)))
    }

    @Test(
        "what has a credential's name in forms, parts, events and behind a line against scripts is masked",
        arguments: [
            (
                "application/x-www-form-urlencoded; charset=utf-8", "access_token=s3cret&scope=a",
                "access_token=••••••&scope=a"
            ),
            (
                "multipart/form-data; boundary=\"b c\"",
                "--b c\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n--b cd\r\n--b c\r\n"
                    + "content-disposition: form-data; name=\"user[password]\"\r\n\r\ns3cret\r\n--b cs3cret"
                    + "\r\n--b c--\r\n",
                "--b c\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n--b cd\r\n--b c\r\n"
                    + "content-disposition: form-data; name=\"user[password]\"\r\n\r\n••••••\r\n--b c--\r\n"
            ),
            (
                "multipart/mixed; boundary=b",
                "--b\nContent-Type: application/json\n\n{\"token\":\"s3cret\"}\n--b--",
                "--b\nContent-Type: application/json\n\n{\"token\":\"••••••\"}\n--b--"
            ),
            (
                "multipart/form-data; boundary=b",
                "--b\nContent-Disposition: form-data; name=password\n\ns3cret cut",
                "--b\nContent-Disposition: form-data; name=password\n\n••••••"
            ),
            (
                "text/event-stream",
                "event: a\ndata: {\"token\":\"s3cret\"}\n\ndata: [DONE]\ndata:{\"pwd\":\"s3cret\"}",
                "event: a\ndata: {\"token\":\"••••••\"}\n\ndata: [DONE]\ndata:{\"pwd\":\"••••••\"}"
            ),
            (
                "application/json", ")]}',\n{\"password\":\"s3cret\"}",
                ")]}',\n{\"password\":\"••••••\"}"
            ),
            (
                "application/soap+xml",
                """
                <e><w:Password Type="t">s3cret</w:Password><a token='s3cret'/><b>password</b>
                <secret/><user.pwd
                 x="1" ><![CDATA[s3cret]]></user.pwd><password>
                <c>1</c></password><key>name</key><token>s3cret
                """,
                """
                <e><w:Password Type="t">••••••</w:Password><a token='••••••'/><b>password</b>
                <secret/><user.pwd
                 x="1" ><![CDATA[••••••]]></user.pwd><password>
                <c>1</c></password><key>name</key><token>••••••
                """
            ),
            (
                "application/yaml",
                """
                user: ada
                password: s3cret, and more # a remark
                list: [{token: s3cret, "secret": "s3cret"}, 1]
                - api_key: 's3cret'
                  private_key: |
                    s3cret

                    s3cret
                  next: http://a/?token=1
                key: name
                pwd: s3cret
                """,
                """
                user: ada
                password: •••••• # a remark
                list: [{token: ••••••, "secret": "••••••"}, 1]
                - api_key: '••••••'
                  private_key: ••••••
                  next: http://a/?token=1
                key: name
                pwd: ••••••
                """
            ),
            (
                "text/javascript", "/**/cb({\"token\":\"s3cret\",\"a\":1});",
                "/**/cb({\"token\":\"••••••\",\"a\":1});"
            ),
            ("text/javascript", "f(1); g({a: 1})", "f(1); g({a: 1})"),
            (
                "application/json-seq", "{\"a\":1}\n{\"password\":\"s3cret\"} {\"b\":2}",
                "{\"a\":1}\n{\"password\":\"••••••\"} {\"b\":2}"
            ),
        ]
    )
    func documents(type: String, body: String, kept: String) async throws {
        let history = bench.history()
        let bytes = Array(body.utf8)
        let request = PreparedRequest.make(fields: [.contentType: type], body: .bytes(bytes))
        try await history.keep([.make(request, fields: [.contentType: type], body: bytes)])
        let whole = try #require(try await history.exchange(1))
        #expect(whole.request.body == .bytes(Array(kept.utf8)))
        #expect(whole.response?.body == .bytes(Array(kept.utf8)))
        await history.close()
        try expectNoSecrets()
    }

    @Test(
        "a part of a form is masked by its name, and no part of the key",
        arguments: [false, true]
    )
    func formParts(isInSession: Bool) async throws {
        func request(_ password: String, _ text: String = "same") -> PreparedRequest {
            let form = MultipartForm([.text("password", password), .text("text", text)])
            return .make(body: .multipart(form))
        }
        let history = bench.history()
        let session = isInSession ? try await history.session(named: "s") : nil
        try await history.keep([.make(request("s3cret1"))], in: session)
        let replay = ReplayTransport(history)
        #expect(try await replay.send(request("s3cret2"), progress: nil).status == 200)
        await #expect(throws: ApusError.self) {
            try await replay.send(request("s3cret1", "other"), progress: nil)
        }
        await history.close()
        try expectNoSecrets()
    }

    @Test("UTF-16 is masked, and stays UTF-16; what has nothing to mask stays as it is")
    func wide() async throws {
        func wide(_ text: String, isBigEndian: Bool) -> [UInt8] {
            text.utf16.flatMap { unit in
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                return isBigEndian ? [high, low] : [low, high]
            }
        }
        let history = bench.history(secrets: ["s3cret-known"])
        let text = #"{"password": "s3cret", "a": "s3cret-known €"}"#
        let shown = #"{"password": "••••••", "a": "•••••• €"}"#
        for isBigEndian in [false, true] {
            for mark in ["\u{FEFF}", ""] {
                let body = wide(mark + text, isBigEndian: isBigEndian)
                try await history.keep([.make(body: body)])
                let last = try #require(try await history.exchanges().first)
                let kept = try await history.exchange(last.id)?.response?.body
                #expect(kept == .bytes(wide(mark + shown, isBigEndian: isBigEndian)))
            }
        }
        let odd: [UInt8] = [0xFF, 0xFE, 0x00, 0xD8, 0x61]
        try await history.keep([.make(body: odd)])
        #expect(try await history.exchange(5)?.response?.body == .bytes(odd))
        await history.close()
    }

    /// `{"password": "s3cret"}` and `{"a": 1}` by gzip.
    private static let coded: [[UInt8]] = [
        [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 42, 72, 44, 46, 46, 207, 47, 74, 81, 178, 82,
            80, 42, 54, 78, 46, 74, 45, 81, 170, 5, 0, 2, 230, 131, 155, 22, 0, 0, 0,
        ],
        [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 74, 84, 178, 82, 48, 172, 5, 0, 151, 142, 161,
            251, 8, 0, 0, 0,
        ],
    ]

    @Test(
        "of a coded request with a credential the size is kept, one without is kept as it was sent"
    )
    func codedRequests() async throws {
        let history = bench.history()
        let fields: HTTPFields = [.contentEncoding: "gzip", .contentType: "application/json"]
        let cut = Array(Self.coded[1].dropLast(9))
        for body in Self.coded + [cut, Array("no gzip".utf8)] {
            try await history.keep([.make(.make(fields: fields, body: .bytes(body)))])
        }
        #expect(try await history.exchange(1)?.request.body != .bytes(Self.coded[0]))
        #expect(try await history.exchange(2)?.request.body == .bytes(Self.coded[1]))
        #expect(try await history.exchange(3)?.request.body != .bytes(cut))
        #expect(try await history.exchange(4)?.request.body == .bytes(Array("no gzip".utf8)))
        #expect(try bench.read("SELECT count(*) FROM body WHERE place = 2") == ["2"])
        await history.close()
    }

    @Test(
        "thousands of credentials in a response are masked where they stand, the first also elsewhere"
    )
    func manyCredentials() async throws {
        // Were each looked for everywhere, this would take a gigabyte.
        let history = bench.history()
        let session = try await history.session(named: "s")
        let body = (0..<30_000).map { "{\"token\":\"s3cret-\(100_000 + $0)\"}" }.joined(
            separator: "\n"
        )
        try await history.keep(
            [.make(body: Array((body + "\n{\"x\":\"s3cret-100000\"}").utf8))],
            in: session
        )
        let kept = try await history.exchange(1)?.response?.body.load()
        #expect(kept?.count ?? 0 > 300_000)
        await history.close()
        try expectNoSecrets()
    }

    @Test(
        "a credential of a form is masked where the server repeats it",
        arguments: [
            (
                "application/x-www-form-urlencoded",
                PreparedRequest.Body.bytes(Array("user=ada&password=s3cret%2Fof+ada%21".utf8))
            ),
            (
                "multipart/form-data; boundary=b",
                .bytes(
                    Array(
                        "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ns3cret/of ada!\r\n--b--"
                            .utf8
                    )
                )
            ),
            (
                "multipart/form-data",
                .multipart([.init("password", .bytes(Array("s3cret/of ada!".utf8)))])
            ),
        ]
    )
    func repeatedForms(type: String, body: PreparedRequest.Body) async throws {
        let history = bench.history()
        let request = PreparedRequest.make(
            method: .post,
            fields: [.contentType: type],
            body: body
        )
        let answer = "wrong: s3cret/of ada! (or s3cret%2Fof%20ada%21)"
        try await history.keep([
            .make(request, fields: [.contentType: "text/plain"], body: Array(answer.utf8))
        ])
        let whole = try #require(try await history.exchange(1))
        #expect(whole.response?.body == .bytes(Array("wrong: •••••• (or ••••••)".utf8)))
        await history.close()
        try expectNoSecrets()
    }

    @Test("lines that are no JSON make no list of themselves")
    func manyLines() async throws {
        let history = bench.history()
        for end in ["\n", "\n{}"] {
            let body = Array(("{x" + String(repeating: end, count: 5_000_000)).utf8)
            try await history.keep([.make(body: body)])
        }
        #expect(try await history.exchange(2)?.response?.body.count == 15_000_002)
        await history.close()
    }

    @Test("secrets are recorded only when that is asked for")
    func unmasked() async throws {
        let history = bench.history(keepsSecrets: true)
        let body = Array(#"{"password": "a"}"#.utf8)
        try await history.keep([.make(.make(fields: [.authorization: "Bearer a"]), body: body)])
        let whole = try #require(try await history.exchange(1))
        #expect(whole.request.head.headerFields[.authorization] == "Bearer a")
        #expect(whole.response?.body == .bytes(body))
        await history.close()
    }

    private func expectNoSecrets() throws { try bench.expectNone(of: "s3cret") }
}
