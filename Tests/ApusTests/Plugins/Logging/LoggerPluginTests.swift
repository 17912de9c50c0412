import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Apus

@Suite("The logger")
struct LoggerPluginTests {
    private final class Entries: Sendable {
        private let entries = Mutex<[LogEntry]>([])
        var all: [LogEntry] { entries.withLock { $0 } }
        func add(_ entry: LogEntry) { entries.withLock { $0.append(entry) } }
    }

    private let entries = Entries()

    private func logger(
        _ options: LoggerPlugin.Options,
        maximumBodySize: Int = 4096,
        showsSecrets: Bool = false,
        format: (@Sendable (LogEntry) -> String)? = nil
    ) -> LoggerPlugin {
        let entries = entries
        return LoggerPlugin(
            options,
            maximumBodySize: maximumBodySize,
            showsSecrets: showsSecrets,
            format: format
        ) { entries.add($0) }
    }

    private func log(
        _ options: LoggerPlugin.Options,
        _ transport: ScriptedTransport = .answering("answer"),
        _ target: TestTarget = TestTarget(headerFields: [.accept: "text/plain"])
    ) async -> [String] {
        _ = await Provider.make(transport, plugins: [logger(options)]).ending(of: target)
        return entries.all.map(\.description)
    }

    @Test("each option adds its lines, and no others")
    func options() async {
        let posted = TestTarget(
            method: .post,
            task: .data(Array("sent".utf8)),
            headerFields: [.accept: "text/plain"]
        )
        #expect(
            await log([.method], .answering("answer"), posted) == [
                "#1 → POST http://api.test/users/7",
                "#1 ← POST http://api.test/users/7 · 200 · server · 6 bytes",
            ]
        )
    }

    @Test("header fields and bodies are written when asked")
    func bodies() async {
        let posted = TestTarget(
            method: .post,
            task: .data(Array("sent".utf8)),
            headerFields: [.accept: "text/plain"]
        )
        let lines = await log(
            [.method, .requestFields, .requestBody, .successBody],
            .answering("answer"),
            posted
        )
        #expect(
            lines == [
                "#1 → POST http://api.test/users/7\nAccept: text/plain\n\nsent",
                "#1 ← POST http://api.test/users/7 · 200 · server · 6 bytes\n\nanswer",
            ]
        )
    }

    @Test(
        "the body of an error is written only with errorBody",
        arguments: [
            (LoggerPlugin.Options.successBody, false), (.errorBody, true),
        ]
    )
    func errorBody(options: LoggerPlugin.Options, isShown: Bool) async {
        let lines = await log(options, .answering("secret words", status: 500))
        #expect(lines.last?.contains("secret words") == isShown)
        let refused = TestTarget(validation: .successCodes)
        let entries = await log(options, .answering("secret words", status: 500), refused)
        #expect(entries.last?.hasPrefix("#1 ✗ ") == true)
        #expect(entries.last?.contains("secret words") == isShown)
    }

    @Test("a curl command takes the place of the request")
    func curl() async {
        let lines = await log([.method, .requestFields, .curlCommand])
        #expect(lines.first?.hasPrefix("#1 → curl ") == true)
    }

    @Test("failures are failures, also those before anything is sent")
    func failures() async {
        let down = await log([.method], .down)
        #expect(down.count == 2)
        #expect(down.last?.hasPrefix("#1 ✗ GET http://api.test/users/7 · [2201] ") == true)
        _ = await log([.method], .down, TestTarget(base: "ftp://h"))
        #expect(entries.all.count == 3)
        #expect(entries.all.last?.kind == .failure)
    }

    @Test("cached responses are responses")
    func cached() async throws {
        let cache = ResponseCache.inMemory
        _ = try await Provider.make(cache: cache).response(for: TestTarget())
        let provider = Provider.make(cache: cache, plugins: [logger([.method])])
        _ = try await provider.response(for: TestTarget(), from: .cache)
        #expect(
            entries.all.map(\.description)
                == ["#1 ← GET http://api.test/users/7 · 200 · memory · 3 bytes"]
        )
    }

    @Test("entries of many exchanges at once can be told apart")
    func correlated() async {
        let provider = Provider.make(plugins: [logger(.standard)])
        await withTaskGroup { group in
            for _ in 0..<50 { group.addTask { _ = await provider.ending(of: TestTarget()) } }
        }
        let byID = Dictionary(grouping: entries.all, by: \.id)
        #expect(byID.count == 50)
        #expect(byID.values.allSatisfy { $0.map(\.kind) == [.request, .response] })
        #expect(entries.all.filter { $0.kind == .response }.allSatisfy { $0.text.contains(" ms") })
    }

    @Test("credentials are masked in URL, header fields and bodies")
    func masked() async {
        let target = TestTarget(
            path: "/login?token=pass1",
            method: .post,
            task: .data(Array(#"{"user": "ada", "in": {"Password": ["pass2"]}, "n": 1}"#.utf8)),
            headerFields: [.authorization: "Bearer pass3"]
        )
        let answer = "\u{FEFF}" + #"[{"access_token": "pass4", "kind": "bearer"}]"#
        let text = await log(.verbose, .answering(answer), target).joined()
        #expect(!text.contains("pass"))
        #expect(text.contains(#""user": "ada""#))
        #expect(text.contains(#""n": 1"#))
        #expect(text.contains("bearer"))
    }

    private static let login = TestTarget(
        path: "/login?token=pass1",
        method: .post,
        task: .parameters(
            ["user": "ada b", "password": "pass2", "tag": ["x", "y"]],
            encoding: .form
        ),
        headerFields: [.authorization: "Bearer pass3"]
    )
    private static let token = ScriptedTransport { request in
        var response = Response.make(request, #"{"access_token":"pass4","n":1.10}"#)
        response.head.headerFields[.setCookie] = "sid=pass5"
        return response
    }

    @Test("bodies of JSON and of forms can be laid out, masked as ever")
    func pretty() async {
        _ = await log([.requestBody, .successBody, .prettyBodies], Self.token, Self.login)
        #expect(
            entries.all.map(\.text) == [
                """

                {
                  "user": "ada b",
                  "password": "••••••",
                  "tag[]": [
                    "x",
                    "y"
                  ]
                }
                """,
                """
                POST http://api.test/login?token=•••••• · 200 · server · 33 bytes

                {
                  "access_token": "••••••",
                  "n": 1.10
                }
                """,
            ]
        )
        _ = await log([.successBody, .prettyBodies], .answering("no JSON"))
        #expect(entries.all.last?.text.hasSuffix("\n\nno JSON") == true)
    }

    @Test("a card has the request and its response, or its failure, in one entry")
    func cards() async {
        let target = TestTarget(
            method: .post,
            task: .data(Array("one\ntwo".utf8)),
            headerFields: [.accept: "text/plain"]
        )
        let options: LoggerPlugin.Options = [
            .cards, .method, .requestFields, .requestBody, .successBody,
        ]
        _ = await log(options, .answering("three\nfour"), target)
        _ = await log(options, .down)
        #expect(entries.all.map(\.kind) == [.response, .failure])
        #expect(
            entries.all.first?.description == """
                #1 ← POST http://api.test/users/7 · 200 · server · 10 bytes
                > Accept: text/plain
                >
                > one
                > two
                <
                < three
                < four
                """
        )
        #expect(entries.all.last?.text.hasPrefix("GET http://api.test/users/7 · [2201] ") == true)
        #expect(entries.all.last?.text.hasSuffix("\n> Accept: text/plain") == true)
    }

    @Test("a format of one's own has the request and the response, without credentials")
    func ownFormat() async {
        let logger = logger(.verbose) { entry in
            let answer = entry.response.map { " -> \($0.status.code)" } ?? ""
            return "\(entry.request?.method.rawValue ?? "-") \(entry.request?.path ?? "")\(answer)"
        }
        _ = await Provider.make(Self.token, plugins: [logger]).ending(of: Self.login)
        #expect(
            entries.all.map(\.text) == [
                "POST /login?token=••••••", "POST /login?token=•••••• -> 200",
            ]
        )
        // All that a format can get at.
        var everything = ""
        for entry in entries.all { dump(entry, to: &everything) }
        #expect(!everything.contains("pass1") && everything.contains("ada"))
        for secret in 1...5 { #expect(!everything.contains("pass\(secret)")) }
        #expect(entries.all.last?.responseBody?.contains("1.10") == true)
        #expect(entries.all.last?.responseSize == 33)
        #expect(entries.all.last?.duration != nil)
    }

    @Test("what the transport adds is among the request's fields")
    func addedFields() async throws {
        let server = try RawServer(RawServer.ok("ok"))
        let provider = Provider<TestTarget>(
            cache: .inMemory,
            plugins: [logger([.requestFields, .cards])]
        )
        let target = TestTarget(base: "http://\(server.authority)")
        for source in [DataSource.server, .cache] {
            _ = try await provider.response(for: target, from: source)
        }
        let sent = try #require(server.received.first)
        let shown = try #require(entries.all.first?.text)
        #expect(sent.fields.count >= 4)
        for field in sent.fields { #expect(shown.contains("\n> \(field)"), "\(shown)") }
        #expect(entries.all.last?.text.contains("User-Agent") == false)
    }

    @Test("a body that breaks off is shown as far as it can be read")
    func brokenJSON() async {
        let text = await log(.verbose, .answering(#"{"a": 1, "password": "pass"#)).joined()
        #expect(!text.contains("pass\""))
        #expect(text.contains(#""a": 1"#))
    }

    @Test("long bodies are cut between characters, and bytes are only counted")
    func sizes() async throws {
        let target = TestTarget()
        let logger = logger([.successBody], maximumBodySize: 4)
        let transport = ScriptedTransport { request in .make(request, "aüüüü") }
        _ = await Provider.make(transport, plugins: [logger]).ending(of: target)
        #expect(entries.all.last?.text.hasSuffix("\n\naü… (9 bytes)") == true)
        let binary = ScriptedTransport { request in
            var response = Response.make(request, "")
            response.body = .bytes([0, 1, 2])
            response.head.headerFields[.contentType] = "image/png"
            return response
        }
        _ = await Provider.make(binary, plugins: [logger]).ending(of: target)
        #expect(entries.all.last?.text.hasSuffix("\n\n3 bytes of image/png") == true)
    }
}
