import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@Suite("apus replay")
struct ReplayCommandTests {
    private let files: PrivateFiles
    private let server: RawServer
    /// Responses as the first one does, with other numbers and another name.
    private let other: RawServer

    init() throws {
        files = PrivateFiles()
        server = try Self.server(first: 41, name: "Ada")
        other = try Self.server(first: 900, name: "Bob")
        try files.write(
            """
            name: Shop
            variables: { token: { env: SHOP_TOKEN }, user: 7 }
            environments:
              local: { baseURL: "http://\(server.authority)" }
              other: { baseURL: "http://\(other.authority)/" }
            targets:
              Users:
                Show: "GET /users/{{ user }}"
                Me: { request: GET /me, auth: { bearer: "{{ token }}" } }
                Add: { request: POST /users, json: { password: "{{ token }}", name: Ada } }
            chains:
              Sign up:
                - { step: create, target: Users/Add, capture: { id: $.id } }
                - { step: show, target: Users/Show, set: { user: "{{ id }}" } }
            """,
            to: "shop.apus.yaml"
        )
    }

    private static func server(first: Int, name: String) throws -> RawServer {
        let next = Counter(first)
        return try RawServer { request in
            let fields = "Content-Type: application/json\r\nETag: \"\(next.value)\"\r\n"
            switch request.path {
            case "/me" where request.value(of: "authorization") != "Bearer s3cret":
                return [.send("HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n")]
            case "/me": return [RawServer.ok(#"{"token": "\#(name)"}"#, fields: fields)]
            case "/users":
                return [RawServer.ok(#"{"id": \#(next.next())}"#, fields: fields)]
            default:
                return [
                    RawServer.ok(
                        #"{"path": "\#(request.path)", "name": "\#(name)"}"#,
                        fields: fields
                    )
                ]
            }
        }
    }

    @discardableResult private func apus(_ arguments: String...) throws -> PipedProgram {
        try PipedProgram.shell(
            #"SHOP_TOKEN=s3cret exec "$1" "# + arguments.map { "'\($0)'" }.joined(separator: " "),
            files: files
        )
    }

    private final class Counter: Sendable {
        private let state: Mutex<Int>

        init(_ first: Int) { state = Mutex(first) }

        var value: Int { state.withLock { $0 } }

        func next() -> Int {
            state.withLock { value in
                defer { value += 1 }
                return value
            }
        }
    }

    private func record() throws {
        try apus("send", "Users/Show", "--session", "day")
        try apus("send", "Users/Me", "--session", "day")
        try apus("chain", "Sign up", "--session", "day")
    }

    private func lines(_ run: PipedProgram) throws -> [JSON] {
        try run.output.split(separator: "\n").map { try JSON(parsing: String($0)) }
    }

    @Test("the same responses end with 0, others with 1, each difference by its path")
    func outcomes() throws {
        try record()
        let same = try apus("replay", "day", "--ignore", "$.id", "--ignore", "$.path")
        #expect(same.status == .exited(0))
        #expect(same.output.split(separator: "\n").allSatisfy { $0.hasPrefix("same       ") })
        #expect(same.errors.hasPrefix("4 exchanges: 4 same, "))
        let different = try apus("replay", "day", "-e", "other")
        #expect(different.status == .exited(1))
        let lines = different.output.split(separator: "\n").map(String.init)
        #expect(lines[0].hasPrefix("different  1  200"))
        #expect(lines[0].hasSuffix("  GET http://\(other.authority)/users/7"))
        #expect(lines[1] == #"           ~ $.name  "Ada" → "Bob""#)
        #expect(lines[2].hasPrefix("same       2  200"))
        #expect(lines.contains("           ~ $.id  41 → 900"))
        #expect(different.errors.hasPrefix("4 exchanges: 1 same, 3 different, "))
        for _ in 1...2 { try apus("send", "Users/Show", "--session", "day") }
        let advised = try apus("replay", "day", "-e", "other", "--only", "method:get").errors
        let advice = "apus: 4 of 5 differences are in “name”; use --ignore '$..name' to skip them\n"
        #expect(advised.hasSuffix(advice))
    }

    @Test("a chain is run again with what the new responses have")
    func chain() throws {
        try record()
        try apus("replay", "day", "--base-url", "http://\(other.authority)/v2/")
        // Below /v2 nobody is created, and there is no number to capture.
        #expect(other.received.map(\.path) == ["/v2/users/7", "/v2/me", "/v2/users"])
        let count = other.received.count
        let run = try apus("replay", "day", "-e", "other", "--json")
        let paths = other.received.dropFirst(count).map(\.path)
        #expect(paths == ["/users/7", "/me", "/users", "/users/900"])
        _ = try apus("replay", "day", "-e", "other", "--only", "url:/users", "-H", "X-Try: 2")
        #expect(other.received.suffix(3).allSatisfy { $0.value(of: "X-Try") == "2" })
        let lines = try lines(run)
        #expect(lines.count == 5 && lines.allSatisfy { $0["version"].int == 1 })
        #expect(lines[3]["chain"].string == "Sign up" && lines[3]["step"].string == "show")
        #expect(lines[3]["url"].string == "http://\(other.authority)/users/900")
        #expect(
            lines[3]["differences"].arrayValue.map { $0["path"].string } == ["$.path", "$.name"]
        )
        #expect(lines[3]["differences", 1, "recorded"].string == #""Ada""#)
        #expect(lines[4]["summary", "different"].int == 3 && lines[4]["summary", "same"].int == 1)
    }

    @Test("a chain that no workspace here has is sent as recorded, and that is said")
    func foreignChain() throws {
        try apus("chain", "Sign up", "--session", "day")
        let count = server.received.count
        let run = try PipedProgram.shell(
            #"mkdir -p empty && cd empty && exec "$1" replay day --only method:get"#,
            files: files
        )
        #expect(run.errors.contains("the chain “Sign up” is not in this workspace"))
        #expect(run.status == .exited(0))
        #expect(server.received.dropFirst(count).map(\.path) == ["/users/41"])
    }

    @Test("masked secrets come from the workspace, and go where its target goes only")
    func secrets() throws {
        try record()
        let count = server.received.count
        let run = try apus("replay", "day", "--only", "url:/me")
        #expect(run.status == .exited(0) && run.errors.hasPrefix("1 exchange: 1 same"))
        #expect(server.received.count == count + 1)
        #expect(server.received.last?.value(of: "authorization") == "Bearer s3cret")
        // The same session, of somebody who would have the secret.
        let workspace = try files.read("shop.apus.yaml")
        try files.write(
            workspace.replacing(server.authority, with: "127.0.0.1:1"),
            to: "shop.apus.yaml"
        )
        let foreign = try apus("replay", "day", "--only", "url:/me")
        #expect(foreign.status == .exited(2) && server.received.count == count + 1)
        #expect(
            foreign.errors.contains(
                "no secret for the field Authorization: the target “Users/Me” goes to another server"
            )
        )
        let given = try apus(
            "replay",
            "day",
            "--only",
            "url:/me",
            "-H",
            "Authorization: Bearer s3cret"
        )
        #expect(given.status == .exited(0))
        let all = try PipedProgram.shell("grep -ra s3cret data || true", files: files)
        #expect(all.output.isEmpty)
    }

    @Test(
        "no secret goes to another host by a URL that looks like one of the workspace's",
        arguments: ["?", "#", "/", "\\", "", ":••1"]
    )
    func disguise(sign: String) async throws {
        let good = server.authority
        let fields: HTTPFields = [.authorization: "Bearer s3cret"]
        // Learned from what the target has there, and it would end the host.
        try await files.record(["/m••1"], of: server)
        try await files.record(
            [sign.isEmpty ? "http://\(other.authority)/me" : "/me"],
            of: server,
            authority: sign.isEmpty ? good : "\(other.authority)\(sign)@\(good)",
            fields: fields
        )
        for arguments in [[], ["--base-url", "http://\(good)"]] {
            _ = try PipedProgram.shell(
                #"SHOP_TOKEN=s3cret exec "$1" replay day "# + arguments.joined(separator: " "),
                files: files
            )
        }
        #expect(other.received.isEmpty)
    }

    /// A server whose tokens count up, and which takes only the newest.
    private static func signing() throws -> RawServer {
        let next = Counter(1)
        return try RawServer { request in
            if request.path == "/token" {
                let token = "made-token-\(next.next())"
                return [
                    RawServer.ok(
                        #"{"access_token": "\#(token)", "token_type": "bearer"}"#,
                        fields: "Content-Type: application/json\r\n"
                    )
                ]
            }
            let isNewest =
                request.value(of: "authorization") == "Bearer made-token-\(next.value - 1)"
            return isNewest
                ? [RawServer.ok("in")]
                : [.send("HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n")]
        }
    }

    private func write(_ settings: String, for server: RawServer) throws {
        try files.write(
            """
            name: Signed
            defaults: { baseURL: "http://\(server.authority)" }
            \(settings)
            """,
            to: "shop.apus.yaml"
        )
    }

    @Test("a signed request is sent with the token of now, not with the recorded one")
    func signed() throws {
        let server = try Self.signing()
        try write(
            """
            targets:
              Me:
                request: GET /me
                auth: { oauth2: { grant: clientCredentials, tokenURL: "http://\(server.authority)/token", clientID: me, clientSecret: { env: SHOP_TOKEN } } }
            """,
            for: server
        )
        #expect(try apus("send", "Me", "--session", "day").status == .exited(0))
        #expect(try apus("sign-out", "--all").status == .exited(0))
        let run = try apus("replay", "day")
        #expect(run.status == .exited(0), "\(run.errors)")
        #expect(server.received.map(\.path) == ["/token", "/me", "/token", "/me"])
        #expect(server.received.last?.value(of: "authorization") == "Bearer made-token-2")
    }

    @Test("values that another target's response has are sent for again")
    func suppliedByResponse() throws {
        let server = try Self.signing()
        try write(
            """
            variables: { token: { from: Login, capture: $.access_token } }
            targets:
              Login: POST /token
              Me: { request: GET /me, auth: { bearer: "{{ token }}" } }
            """,
            for: server
        )
        #expect(try apus("send", "Me", "--session", "day").status == .exited(0))
        let count = server.received.count
        #expect(try apus("replay", "day", "--only", "url:/me", "--dry-run").status == .exited(0))
        #expect(server.received.count == count)
        let run = try apus("replay", "day", "--only", "url:/me")
        #expect(run.status == .exited(0), "\(run.errors)")
        #expect(server.received.dropFirst(count).map(\.path) == ["/token", "/me"])
        #expect(server.received.last?.value(of: "authorization") == "Bearer made-token-2")
    }

    @Test("a request for a value goes to a server elsewhere only if somebody has named it")
    func unsafeSupply() throws {
        let server = try Self.signing()
        func text(_ host: String) -> String {
            """
            variables: { token: { from: Login, capture: $.access_token } }
            targets:
              Login: POST http://\(host)/token
              Me: { request: GET /me, auth: { bearer: "{{ token }}" } }
            """
        }
        try write(text(server.authority), for: server)
        #expect(try apus("send", "Me", "--session", "day").status == .exited(0))
        let count = server.received.count
        try write(text("shop.invalid"), for: server)
        let refused = try apus("replay", "day", "--only", "url:/me")
        #expect(refused.status == .exited(2) && server.received.count == count)
        let words = "apus: nothing is sent: 1 POST would go to shop.invalid again."
        #expect(refused.errors.hasPrefix(words), "\(refused.errors)")
    }

    @Test(
        "what a command prints signs a replay too, and its absence is told before anything is sent"
    )
    func suppliedByCommand() throws {
        try write(
            """
            variables: { token: { command: "cat secret" } }
            targets:
              Me: { request: GET /me, auth: { bearer: "{{ token }}" } }
            """,
            for: server
        )
        try files.write("s3cret", to: "secret")
        #expect(try apus("send", "Me", "--session", "day", "--trust").status == .exited(0))
        let run = try apus("replay", "day")
        #expect(run.status == .exited(0), "\(run.errors)")
        #expect(server.received.last?.value(of: "authorization") == "Bearer s3cret")
        let count = server.received.count
        try files.write("", to: "other")
        try write(
            """
            variables: { token: { command: "cat missing" } }
            targets:
              Me: { request: GET /me, auth: { bearer: "{{ token }}" } }
            """,
            for: server
        )
        let refused = try apus("replay", "day", "--trust")
        #expect(refused.status == .exited(2) && server.received.count == count)
        #expect(refused.errors.contains("`token` has no value"), "\(refused.errors)")
    }

    @Test("a secret that was supplied inside of auth is what signs the request")
    func suppliedInsideAuth() throws {
        let server = try Self.signing()
        try write(
            """
            variables: { secret: { command: "cat secret" } }
            targets:
              Me:
                request: GET /me
                auth: { oauth2: { grant: clientCredentials, tokenURL: "http://\(server.authority)/token", clientID: me, clientSecret: "{{ secret }}", clientAuthentication: body } }
            """,
            for: server
        )
        try files.write("pass-phrase", to: "secret")
        #expect(try apus("send", "Me", "--session", "day", "--trust").status == .exited(0))
        let asked = server.received.filter { $0.path == "/token" }
        #expect(asked.count == 1)
        #expect(
            asked.allSatisfy {
                String(decoding: $0.body, as: UTF8.self).contains("client_secret=pass-phrase")
            }
        )
        #expect(try apus("sign-out", "Me").status == .exited(0))
        #expect(try apus("replay", "day").status == .exited(0))
        #expect(server.received.map(\.path) == ["/token", "/me", "/token", "/me"])
    }

    @Test("a secret that is missing is told by exchange and place before anything is sent")
    func missing() throws {
        try apus(
            "send",
            "http://\(server.authority)/users?access_token=abc",
            "--json-body",
            #"{"password": "p"}"#,
            "--session",
            "day"
        )
        let count = server.received.count
        let run = try apus("replay", "day")
        #expect(run.status == .exited(2) && server.received.count == count)
        #expect(
            run.errors == """
                apus: nothing is sent:
                  exchange 1, POST http://\(server.authority)/users?access_token=••••••: no secret for \
                the parameter access_token of the URL, $['password'] of the body: it was sent \
                without a target, and no target of the workspace has it in the same place

                """
        )
    }

    @Test("what was sent for no target has the secrets of one that goes to the same server")
    func otherTargets() throws {
        let url = "http://\(server.authority)/me"
        try apus("send", url, "-H", "Authorization: Bearer s3cret", "--session", "day")
        #expect(try apus("replay", "day").status == .exited(0))
        #expect(server.received.last?.value(of: "authorization") == "Bearer s3cret")
        let count = other.received.count
        try apus(
            "send",
            "http://\(other.authority)/me",
            "-H",
            "Authorization: Bearer x",
            "--session",
            "day"
        )
        #expect(try apus("replay", "day", "--only", "is:marked").status == .exited(2))
        // The first environment is that of the other server.
        let refused = try apus("replay", "day")
        #expect(refused.status == .exited(2) && refused.errors.contains("exchange 3, GET"))
        #expect(other.received.count == count + 1)
    }

    @Test("with --cookies, requests have the cookies that the new responses set")
    func cookies() throws {
        let counter = Counter(1)
        let server = try RawServer { request in
            request.path == "/login"
                ? [RawServer.ok("in", fields: "Set-Cookie: sid=\(counter.next()); Path=/\r\n")]
                : [RawServer.ok("ok")]
        }
        try apus("send", "http://\(server.authority)/login", "--session", "day")
        try apus("send", "http://\(server.authority)/me", "-H", "Cookie: sid=1", "--session", "day")
        #expect(try apus("replay", "day").errors.contains("no secret for the field Cookie"))
        #expect(try apus("replay", "day", "--cookies").status == .exited(0))
        #expect(server.received.map { $0.value(of: "cookie") } == [nil, "sid=1", nil, "sid=2"])
    }

    @Test("a body that is too large to be kept is compared by its digest")
    func largeBody() throws {
        let counter = Counter(1)
        let body = String(repeating: "0123456789abcdef", count: 40 << 16)
        let server = try RawServer { _ in
            [RawServer.ok(counter.next() < 3 ? body : String(body.dropLast()) + "!")]
        }
        try apus("send", "http://\(server.authority)/large", "--session", "day")
        let digest = ContentDigest.hex(of: body)
        #expect(try apus("sessions", "show", "--exchange", "1").output.contains(digest))
        let shown = try apus("sessions", "show", "--exchange", "1", "--json").output
        #expect(try JSON(parsing: shown)["unkeptDigest"].string == digest)
        let same = try apus("replay", "day", "--no-history")
        #expect(same.status == .exited(0) && same.errors.hasPrefix("1 exchange: 1 same"))
        let different = try apus("replay", "day", "--no-history")
        #expect(different.status == .exited(1))
        #expect(different.output.contains("SHA-256 \(digest.prefix(16))… → "))
    }

    @Test("what changes something goes to a server elsewhere only if somebody has named it")
    func unsafe() throws {
        // A name that no resolver knows (RFC 6761).
        try apus("send", "http://shop.invalid/users", "-d", "a=1", "--session", "day")
        try apus("send", "http://shop.invalid/users", "--session", "day")
        let refused = try apus("replay", "day")
        #expect(refused.status == .exited(2) && refused.output.isEmpty)
        #expect(
            refused.errors.hasPrefix(
                "apus: nothing is sent: 1 POST would go to shop.invalid again."
            )
        )
        #expect(
            try apus("replay", "day", "--dry-run").output.hasPrefix("1  POST http://shop.invalid")
        )
        // What failed in the same way is the same.
        #expect(try apus("replay", "day", "--unsafe").status == .exited(0))
        #expect(try apus("replay", "day", "--only", "method:get").status == .exited(0))
        let answered = try apus("replay", "day", "--base-url", "http://\(server.authority)")
        #expect(answered.status == .exited(1))
        #expect(server.received.map(\.method) == ["POST", "GET"])
    }

    @Test("a chain that changes something goes elsewhere only if somebody has named the server")
    func unsafeChain() throws {
        try apus("chain", "Sign up", "--session", "day")
        let count = server.received.count
        let workspace = try files.read("shop.apus.yaml")
        try files.write(
            workspace.replacing("http://\(server.authority)", with: "http://shop.invalid"),
            to: "shop.apus.yaml"
        )
        // It goes where the workspace goes now, with all its steps, whatever the filter says.
        let refused = try apus("replay", "day", "--only", "method:get")
        #expect(refused.status == .exited(2) && refused.output.isEmpty)
        let words = "apus: nothing is sent: 1 POST would go to shop.invalid again."
        #expect(refused.errors.hasPrefix(words))
        let sent = try apus("replay", "day", "--unsafe")
        #expect(sent.status == .exited(2) && sent.errors.contains("1 trouble"))
        #expect(try apus("replay", "day", "-e", "other", "--ignore", "$..*").status == .exited(0))
        #expect(server.received.count == count)
    }

    @Test("what was recorded of a step that is gone is told as not sent")
    func lostStep() throws {
        try apus("chain", "Sign up", "--session", "day")
        let workspace = try files.read("shop.apus.yaml")
        try files.write(workspace.replacing("step: show", with: "step: look"), to: "shop.apus.yaml")
        let all = try apus("replay", "day", "--ignore", "$.id")
        #expect(all.status == .exited(1))
        #expect(all.output.contains("response  not sent → 200"))
        let lost = "response  200 → not sent: the chain no longer has this step"
        #expect(all.output.contains(lost))
        let some = try apus("replay", "day", "--only", "method:get")
        #expect(some.status == .exited(1))
        #expect(some.errors.hasPrefix("1 exchange: 0 same, 1 different"))
    }

    @Test("what cannot be sent is trouble, and the JUnit report has failures and errors apart")
    func junit() throws {
        try record()
        let run = try apus(
            "replay",
            "day",
            "-e",
            "other",
            "--junit",
            "report.xml",
            "--ignore",
            "$.id"
        )
        #expect(run.status == .exited(1))
        let report = try files.read("report.xml")
        #expect(report.hasPrefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name="))
        #expect(
            report.contains(#"<testsuite name="day" tests="4" failures="2" errors="0" skipped="0""#)
        )
        #expect(
            report.contains(
                "<failure message=\"~ $.name  &quot;Ada&quot; → &quot;Bob&quot;\" type=\"difference\">"
            )
        )
        #expect(report.contains("name=\"3 Sign up: create POST http://\(server.authority)/users\""))
        let closed = try apus(
            "replay",
            "day",
            "--base-url",
            "http://127.0.0.1:1",
            "--junit",
            "report.xml"
        )
        #expect(closed.status == .exited(2))
        // The step that needs the other one is not sent.
        #expect(closed.errors.contains("0 same, 1 different, 3 trouble"))
        let errors = try files.read("report.xml")
        #expect(
            errors.contains("errors=\"3\"") && errors.contains("<error message=\"Could not connect")
        )
    }

    @Test("what is sent again is recorded as by other commands, unless that is not wanted")
    func recording() throws {
        try record()
        try apus("replay", "day", "--no-history")
        let path = files.home + "/data/apus/history.sqlite"
        #expect(try apus("sessions", "list", "--json").output.contains(#""exchanges":4,"size""#))
        try apus("replay", "day")
        #expect(try apus("sessions", "list", "--json").output.contains(#""exchanges":8,"size""#))
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("on a terminal what differs stands out, and what a server says reaches it as text")
    func terminal() throws {
        let next = Counter(1)
        let server = try RawServer { _ in
            [
                RawServer.ok(
                    #"{"a": "\#(next.next()) \u001b[31m"}"#,
                    fields: "Content-Type: application/json\r\n"
                )
            ]
        }
        try apus("send", "http://\(server.authority)/", "--session", "day")
        let replay = try TerminalProcess(
            arguments: [BuiltProgram.path, "replay", "day"],
            files: files
        )
        try replay.waitFor(#"~ $.a  "1 \u001b[31m" → "2 \u001b[31m""#)
        #expect(try replay.waitForExit() == .exited(1))
        let row = try #require(replay.rowShowing("different  1  200"))
        #expect(replay.cell(row: row, column: 0).foreground != nil)
    }

    @Test("a session, a filter or a path that is none is told")
    func wrong() throws {
        try apus("send", "Users/Show", "--session", "day")
        for (arguments, words) in [
            (["night"], "apus: there is no session “night”; the history has “day”\n"),
            (["day", "--only", "status:x"], "apus: status:x: not a status; use"),
            (["day", "--only", "method:put"], "apus: there is nothing to send\n"),
            (["day", "--ignore", "$["], "apus: column 3 of the query"),
            (["day", "--base-url", "shop"], "apus: --base-url takes a server"),
            (["day", "-e", "none"], "apus: there is no environment “none”; the workspace"),
            (["day", "--set", "nope=1"], "apus: --set nope=…: nothing in the workspace"),
            (["day", "-e", "local", "--base-url", "http://a"], "apus: Name a server with"),
        ] {
            let run = try PipedProgram.run(["replay"] + arguments, files: files)
            #expect(run.status == .exited(2) && run.errors.hasPrefix(words), "\(run.errors)")
        }
    }
}
