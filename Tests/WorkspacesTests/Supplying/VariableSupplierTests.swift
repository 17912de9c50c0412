import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Apus
@testable import Workspaces

@Suite("Supplying values to requests", .timeLimit(.minutes(5)))
struct VariableSupplierTests {
    /// Answers from a table, and remembers what it was asked.
    private final class Prompt: SupplyPrompt {
        let answers: [String: String]
        let allows: Bool
        let asked = Mutex<[String]>([])

        init(_ answers: [String: String] = [:], allows: Bool = true) {
            (self.answers, self.allows) = (answers, allows)
        }

        func answer(to question: Question) async throws(SupplyError) -> String {
            asked.withLock { $0.append(question.text) }
            guard let answer = answers[question.name] else {
                throw .noValue(question.name, "nobody knows")
            }
            return answer
        }

        func allow(_ commands: [ShellCommand], of workspace: String) async throws(SupplyError) {
            asked.withLock { $0.append("may run \(commands.map(\.text).joined(separator: "; "))") }
            if !allows { throw .unusable("no") }
        }

        func didSupply(_ variable: String, from target: TargetID?) {
            guard let target else { return }
            asked.withLock { $0.append("\(target) for \(variable)") }
        }
    }

    private let folder = TemporaryFolder()
    private let prompt: Prompt
    private let server: RawServer

    /// A server that gives a new token with each login, and accepts only those after `accepted`.
    init() throws {
        prompt = Prompt(["code": "123456", "user": "ada", "role": "admin"])
        let count = Mutex(0)
        server = try RawServer { request in
            switch request.path {
            case "/login":
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return [RawServer.ok(#"{"token": "token-\#(number)-long", "id": 7}"#)]
            case "/strict":
                let isNew = request.value(of: "Authorization") == "Bearer token-2-long"
                return [
                    isNew
                        ? RawServer.ok("in")
                        : .send("HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno")
                ]
            case "/never": return [.send("HTTP/1.1 401 No\r\nContent-Length: 2\r\n\r\nno")]
            case "/broken": return [.send("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")]
            default: return [RawServer.ok(request.path)]
            }
        }
    }

    private func workspace(
        _ variables: String,
        _ targets: String,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws -> Workspace {
        try Workspace.make(
            """
            name: W
            environments:
              e: { baseURL: "http://\(server.authority)" }
              f: { baseURL: "http://\(server.authority)" }
            variables:
            \(variables)
            targets:
              Login: POST /login
            \(targets)
            """,
            file: "\(folder.path)/a.apus.yaml"
        ).keeping(valuesIn: VariableSupplier(now: now))
    }

    private func provider(_ prompt: Prompt? = nil) -> Provider<MultiTarget> {
        Provider<MultiTarget>(headerFields: [:]).supplying(
            asking: prompt ?? self.prompt,
            trust: WorkspaceTrust(folder: "\(folder.path)/state")
        ) { $0.target }
    }

    private func send(
        _ name: String,
        of workspace: Workspace,
        in environment: String? = nil,
        _ provider: Provider<MultiTarget>
    ) async throws -> String {
        let target = try workspace.sent(name, in: environment)
        let response = try await provider.response(for: MultiTarget(target), from: .server)
        return "\(response.status) \(String(decoding: try response.body.load(), as: UTF8.self))"
    }

    private var lines: [String] { server.received.map(\.line).map { String($0.dropLast(9)) } }

    @Test("a question is asked when its value is first needed, and not again")
    func question() async throws {
        let workspace = try workspace(
            "  user: { ask: Who }\n  way: \"is/{{ user }}\"",
            """
              T: { request: "POST /a/{{ way | raw }}?u={{ user | lower }}", json: { u: "{{ user }}" } }
              U: GET /u
            """
        )
        let provider = provider()
        #expect(try await send("U", of: workspace, provider) == "200 /u")
        #expect(prompt.asked.withLock(\.self) == [])
        #expect(try await send("T", of: workspace, provider) == "200 /a/is/ada?u=ada")
        #expect(try await send("T", of: workspace, provider) == "200 /a/is/ada?u=ada")
        #expect(prompt.asked.withLock(\.self) == ["Who"])
        #expect(
            server.received.last.map { String(decoding: $0.body, as: UTF8.self) } == #"{"u":"ada"}"#
        )
        // Known now, and shown.
        let target = try workspace.sent("T")
        #expect(target.supply?.isWaiting == false && target.display.url.contains("is/ada"))
        // Each environment has values of its own, and they can be forgotten.
        #expect(try await send("T", of: workspace, in: "f", provider).hasPrefix("200"))
        #expect(workspace.supplier.forgetAll(in: "e") == ["user"])
        #expect(try await send("T", of: workspace, provider).hasPrefix("200"))
        #expect(prompt.asked.withLock(\.count) == 3)
    }

    @Test("a question without a response ends the request before it is sent, and says why")
    func noResponse() async throws {
        let workspace = try workspace("  x: { ask: What }", "  T: \"GET /{{ x }}\"")
        let error = await #expect(throws: ApusError.self) {
            try await send("T", of: workspace, provider())
        }
        #expect(error?.code == 1006)
        #expect(error?.message.detail == "`x` has no value: nobody knows")
        #expect(server.received.isEmpty)
    }

    @Test("a command runs once it may, in its file's folder; its output is a secret")
    func command() async throws {
        let workspace = try workspace(
            "  key: { command: \"basename $PWD; echo k >> ran\" }",
            "  T: { request: GET /a, headers: { X-Key: \"{{ key }}\" } }"
        )
        #expect(workspace.commands.map(\.folder) == [TextFile.realPath(folder.path)])
        let provider = provider()
        #expect(try await send("T", of: workspace, provider) == "200 /a")
        #expect(try await send("T", of: workspace, provider) == "200 /a")
        let name = String(folder.path.split(separator: "/").last ?? "")
        #expect(server.received.map { $0.value(of: "X-Key") } == [name, name])
        #expect(try TextFile.read("\(folder.path)/ran") == "k\n")
        #expect(prompt.asked.withLock(\.self) == ["may run basename $PWD; echo k >> ran"])
        let target = try workspace.sent("T")
        #expect(target.display.fields.map(\.value) == ["••••••"])
        #expect(workspace.knownSecrets.contains(name))
    }

    @Test("a command that may not run does not, and one that fails says how")
    func refused() async throws {
        let workspace = try workspace(
            "  key: { command: \"touch ran\" }\n  bad: { command: \"echo no store >&2; exit 2\" }",
            "  T: \"GET /{{ key }}\"\n  U: \"GET /{{ bad }}\""
        )
        await #expect(throws: ApusError.self) {
            try await send("T", of: workspace, provider(Prompt(allows: false)))
        }
        #expect(
            !TextFile.isFolder("\(folder.path)/ran")
                && TextFile.realPath("\(folder.path)/ran") == nil
        )
        let error = await #expect(throws: ApusError.self) {
            try await send("U", of: workspace, provider())
        }
        #expect(error?.message.detail.hasSuffix("exit status 2: no store") == true)
        #expect(server.received.isEmpty)
    }

    @Test("a trusted workspace is not asked about again, until a command changes")
    func trusted() async throws {
        let path = "\(folder.path)/a.apus.yaml"
        func load(_ command: String) throws -> Workspace {
            let text = """
                variables: { key: { command: "\(command)" } }
                targets: { T: "GET http://\(server.authority)/{{ key }}" }
                """
            try PrivateFiles.replace(path, with: Array(text.utf8))
            return try Workspace.load(path: path)
        }
        #expect(try await send("T", of: load("echo one"), provider()) == "200 /one")
        #expect(try await send("T", of: load("echo one"), provider()) == "200 /one")
        #expect(prompt.asked.withLock(\.self) == ["may run echo one"])
        #expect(try await send("T", of: load("echo two"), provider()) == "200 /two")
        #expect(prompt.asked.withLock(\.self) == ["may run echo one", "may run echo two"])
    }

    private static let token = "  token: { from: Login, capture: $.token, expires: 10 min }"
    private static func target(_ path: String) -> String {
        "  T: { request: GET \(path), auth: { bearer: \"{{ token }}\" } }"
    }

    @Test("a target is sent by itself for its response, and again when the value has expired")
    func response() async throws {
        let time = Mutex(ContinuousClock.now)
        let workspace = try workspace(Self.token, Self.target("/a")) { time.withLock(\.self) }
        let provider = provider()
        #expect(try await send("T", of: workspace, provider) == "200 /a")
        #expect(try await send("T", of: workspace, provider) == "200 /a")
        #expect(lines == ["POST /login", "GET /a", "GET /a"])
        time.withLock { $0 += .seconds(599) }
        _ = try await send("T", of: workspace, provider)
        #expect(lines.count == 4)
        time.withLock { $0 += .seconds(1) }
        _ = try await send("T", of: workspace, provider)
        #expect(lines == ["POST /login", "GET /a", "GET /a", "GET /a", "POST /login", "GET /a"])
        let tokens = server.received.compactMap { $0.value(of: "Authorization") }
        #expect(
            tokens == Array(repeating: "Bearer token-1-long", count: 3) + ["Bearer token-2-long"]
        )
        #expect(prompt.asked.withLock(\.self) == ["Login for token", "Login for token"])
        #expect(try workspace.sent("T").display.fields.map(\.value) == ["Bearer ••••••"])
    }

    @Test("requests that need it at once share one login, in a batch too")
    func shared() async throws {
        let workspace = try workspace(Self.token, Self.target("/a"))
        let targets = try (0..<20).map { _ in try workspace.sent("T") }
        let provider = provider()
        var statuses: [Int] = []
        for await event in provider.events(for: Batch(targets, concurrency: 20)) {
            guard case .ended(_, let summary, _) = event else { continue }
            statuses.append(try summary.result.get().status)
        }
        #expect(statuses == Array(repeating: 200, count: 20))
        #expect(lines.count { $0 == "POST /login" } == 1)
    }

    @Test("a target that is answered 401 gets a new value and is sent once more")
    func unauthorized() async throws {
        let workspace = try workspace(Self.token, Self.target("/strict"))
        #expect(try await send("T", of: workspace, provider()) == "200 in")
        #expect(lines == ["POST /login", "GET /strict", "POST /login", "GET /strict"])
        #expect(try await send("T", of: workspace, provider()) == "200 in")
        #expect(lines.count == 5)
    }

    @Test("it is sent no more than once more")
    func never() async throws {
        let workspace = try workspace(Self.token, Self.target("/never"))
        #expect(try await send("T", of: workspace, provider()) == "401 no")
        #expect(lines == ["POST /login", "GET /never", "POST /login", "GET /never"])
    }

    @Test("a login that needs values itself gets them; one that fails says so")
    func nested() async throws {
        let workspace = try workspace(
            """
              code: { ask: Code, secret: true }
              first: { from: Login, capture: $.id }
              second: { from: Next, capture: $.token }
              broken: { from: Broken, capture: $.token }
              empty: { from: Login, capture: $.nothing }
            """,
            """
              Next: { request: "POST /echo?code={{ code }}&first={{ first }}" }
              Broken: GET /broken
              T: { request: GET /a, headers: { X-T: "{{ second }}" } }
              B: { request: GET /a, headers: { X-T: "{{ broken }}" } }
              E: { request: GET /a, headers: { X-T: "{{ empty }}" } }
            """
        )
        // What the echo responses is no JSON with a token.
        let nested = await #expect(throws: ApusError.self) {
            try await send("T", of: workspace, provider())
        }
        #expect(
            nested?.message.detail
                == "`second` has no value: the response of `Next` has nothing at `$['token']`"
        )
        #expect(lines == ["POST /login", "POST /echo?code=123456&first=7"])
        let broken = await #expect(throws: ApusError.self) {
            try await send("B", of: workspace, provider())
        }
        #expect(broken?.message.detail == "`broken` has no value: `Broken` was answered 500")
        let empty = await #expect(throws: ApusError.self) {
            try await send("E", of: workspace, provider())
        }
        #expect(
            empty?.message.detail
                == "`empty` has no value: the response of `Login` has nothing at `$['nothing']`"
        )
    }

    @Test("a step of a chain and an entry of a batch get values, also in `set`")
    func flows() async throws {
        let workspace = try Workspace.make(
            """
            environments: { e: { baseURL: "http://\(server.authority)" } }
            variables: { user: { ask: Who }, token: { from: Login, capture: $.token } }
            targets:
              Login: POST /login
              Show: { request: "GET /show/{{ name }}", auth: { bearer: "{{ token }}" } }
            batches: { B: [{ target: Show, repeat: 2, set: { name: "{{ user }}-{{ index }}" } }] }
            chains: { C: [{ step: one, target: Show, set: { name: "{{ user }}" } }] }
            """
        )
        let provider = provider()
        let chain = try #require(workspace.chains.first)
        for await _ in provider.events(for: try workspace.graph(of: chain, in: "e")) {}
        let batch = try #require(workspace.batches.first)
        let targets = try workspace.resolve(batch, in: "e")
        for await _ in provider.events(for: Batch(targets, concurrency: 1)) {}
        #expect(lines == ["POST /login", "GET /show/ada", "GET /show/ada-1", "GET /show/ada-2"])
        #expect(prompt.asked.withLock(\.self).contains("Who"))
    }

    @Test("what was changed in the request by others stays as they have changed it")
    func merged() throws {
        func request(_ path: String, _ fields: HTTPFields, _ body: String) -> PreparedRequest {
            PreparedRequest(
                head: HTTPRequest(
                    method: .post,
                    scheme: "http",
                    authority: "h",
                    path: path,
                    headerFields: fields
                ),
                body: .bytes(Array(body.utf8))
            )
        }
        let old = request("/a/x", [.authorization: "Bearer x", .accept: "x"], "x")
        let new = request("/a/y", [.authorization: "Bearer y", .accept: "y", .cookie: "y"], "y")
        var changed = old
        changed.head.path = "/a/x?more=1"
        changed.head.headerFields[.accept] = "mine"
        changed.head.headerFields[.userAgent] = "me"
        changed.options.timeout = .seconds(1)
        let merged = changed.replacing(old, with: new)
        #expect(merged.head.path == "/a/y?more=1" && merged.body == .bytes(Array("y".utf8)))
        #expect(merged.head.headerFields[.authorization] == "Bearer y")
        #expect(merged.head.headerFields[.accept] == "mine")
        #expect(merged.head.headerFields[.userAgent] == "me")
        #expect(merged.head.headerFields[.cookie] == "y")
        #expect(merged.options.timeout == .seconds(1))
        changed.body = .bytes(Array("mine".utf8))
        #expect(changed.replacing(old, with: new).body == .bytes(Array("mine".utf8)))
    }
}
