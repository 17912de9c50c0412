import Apus
import FoundationEssentials
import HTTPTypes
import Recordings
import TestSupport
import Testing

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

    @Test("of a cached answer and the server's behind it, the server's is recorded")
    func twoAnswers() async throws {
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

    @Test("a replay gives the recorded answers in order, then the last again, and failures too")
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
