import Documents
import FoundationEssentials
import TestSupport
import Testing

@Suite("Secrets on the ways out")
struct SecretOutputTests {
    /// A secret for each place; most need an escape somewhere.
    private static let secrets = [
        "path": "sec/ret path-1", "query": "secret&query 2", "header": "secret-header\\3",
        "json": "secret\"json\\é4", "form": "secret form+5", "bearer": "secret-bearer-6",
        "password": "secret:password 7", "host": "secrethost8", "multi": "secret-cookie-9",
        "batch": "secret-batch-10", "plain": "secretplainvar11", "info": "secretinfo12",
        "capture": "secret-capture-13", "proxy": "secretproxy14", "file": "secret-file-15",
        "session": "secret-session-16", "ticket": "secret-ticket-17", "pin": "secret-pin-18",
        "card": "5500 0000 0000 0004",
    ]

    private let files: PrivateFiles
    private let server: RawServer

    init() throws {
        files = PrivateFiles()
        server = try RawServer { request in
            if request.path.hasPrefix("/login") {
                return [
                    RawServer.ok(
                        #"{"access_token": "secret-capture-13", "echo": "is secret-capture-13"}"#
                    )
                ]
            }
            if request.path.hasPrefix("/echo") {
                return [
                    RawServer.ok(
                        #"{"said": "you sent secret-bearer-6", "list": [{"x": 5}, "secrethost8"]}"#
                    )
                ]
            }
            if request.path.hasPrefix("/missing") {
                return [.send("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")]
            }
            if request.path.hasPrefix("/elsewhere") {
                let port = request.value(of: "host")?.split(separator: ":").last ?? "80"
                return [
                    .send(
                        "HTTP/1.1 307 No\r\nLocation: http://secrethost8.localhost:\(port)/x\r\n"
                            + "Content-Length: 0\r\n\r\n"
                    )
                ]
            }
            if request.path.hasPrefix("/moved") {
                return [
                    .send(
                        "HTTP/1.1 302 Found\r\nLocation: /a?\(request.path.drop { $0 != "?" }.dropFirst())\r\n"
                            + "Content-Length: 0\r\n\r\n"
                    )
                ]
            }
            return [
                RawServer.ok(
                    "ok",
                    fields: "Cache-Control: max-age=100\r\nX-Session: secret-answer-19\r\n"
                )
            ]
        }
        for (name, value) in Self.secrets { try files.write(value + "\n", to: "secret-" + name) }
        try files.write(workspace, to: "secrets.yaml")
    }

    private var workspace: String {
        let declared = Self.secrets.keys.sorted().filter {
            !["plain", "info", "capture", "session", "ticket", "pin", "card"].contains($0)
        }
        return """
            variables:
            \(declared.map { "  \($0): { file: secret-\($0) }" }.joined(separator: "\n"))
              plain: secretplainvar11
            mask: { names: [x-session, ticket, pin], patterns: ['[0-9]{4}( [0-9]{4}){3}'] }
            environments: { local: { baseURL: "http://\(server.authority)" } }
            targets:
              All:
                request: POST /moved/{{ path }}/x
                query: { ticket: secret-ticket-17, c: 5500 0000 0000 0004, q: "{{ query }}", api_key: "{{ plain }}", p: "{{ plain }}" }
                headers: { X-Own: "{{ header }}", X-Session: secret-session-16, Cookie: "a={{ multi }}" }
                auth: { bearer: "{{ bearer }}" }
                json: { j: "{{ json }}", f: "{{ form }}", pin: secret-pin-18, c: "of 5500 0000 0000 0004" }
              Cached: { request: "GET /{{ path }}?api_key={{ plain }}&q={{ query }}", cache: http }
              Own: { request: "GET /own/{{ path }}?api_key={{ plain }}", cache: { storage: disk } }
              Basic: { request: GET /, auth: { basic: { user: ada, password: "{{ password }}" } } }
              Form: { request: POST /, form: { password: "{{ form }}", x: "{{ json }}", pin: secret-pin-18, c: 5500 0000 0000 0004 } }
              Info: "GET http://ada:secretinfo12@\(server.authority)/{{ batch }}#access_token={{ plain }}"
              DNS: "GET http://{{ host }}.invalid/{{ path }}"
              Refused: "GET http://127.0.0.1:1/{{ path }}?token={{ plain }}"
              Missing: { request: "GET /missing/{{ path }}", validate: success }
              Proxy: { request: GET /, proxy: "http://me:{{ proxy }}@127.0.0.1:1" }
              Upload: { request: POST /, upload: "no-{{ file }}" }
              Elsewhere: { request: GET /elsewhere, headers: { X-Own: "{{ host }}" } }
              Body: { request: POST /elsewhere, json: { a: "{{ host }}" } }
              HTTPElsewhere: { request: GET /elsewhere, cache: http, headers: { X-Own: "{{ host }}" } }
              HTTPBody: { request: POST /elsewhere, cache: http, json: { a: "{{ host }}" } }
              Login: POST /login
              Echo: { request: POST /echo, auth: { bearer: "{{ bearer }}" } }
              Use: { request: "GET /use/{{ t }}", headers: { X-Auth-Token: "{{ t }}" } }
            batches:
              B: [All, Info, DNS, Refused, Missing, { target: Info, repeat: 2, set: { batch: "{{ query }}" } }]
            chains:
              C:
                - { step: login, target: Login, capture: { t: $.access_token } }
                - { step: use, target: Use }
              Whole:
                - { step: login, target: Login, capture: { all: $, list: "$.*" } }
                - { step: again, target: Login, capture: { echo: $.echo } }
                - { step: use, target: "GET /missing/{{ echo }}" }
              Echo:
                - { step: one, target: Echo, capture: { said: $.said, list: $.list } }
                - { step: two, target: "GET /echo/2", capture: { more: $.said } }
            """
    }

    /// All forms in which somebody could still read a secret.
    private static func forms(of secret: String) -> [String] {
        func escaped(_ kept: String) -> String {
            secret.utf8.map { byte in
                let isKept =
                    byte < 0x80
                    && (Character(Unicode.Scalar(byte)).isLetter
                        || Character(Unicode.Scalar(byte)).isNumber
                        || kept.utf8.contains(byte))
                let hex = String(byte, radix: 16, uppercase: true)
                return isKept
                    ? String(Unicode.Scalar(byte)) : "%" + (hex.count < 2 ? "0" : "") + hex
            }.joined()
        }
        let json = secret.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let base64 = Data(secret.utf8).base64EncodedString()
        let pair = Data("ada:\(secret)".utf8).base64EncodedString()
        return [
            secret, json, json.replacing("/", with: "\\/"), escaped("-._~"), escaped("-._~/&+:"),
            escaped("-._~").replacing("%20", with: "+"), base64, pair,
            base64.replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_"),
        ]
    }

    private func leaks(in text: String) -> [String] {
        Self.secrets.flatMap { name, secret in
            (Self.forms(of: secret) + Self.forms(of: secret).map { $0.lowercased() })
                .filter { text.contains($0) }.map { "\(name): \($0)" }
        }
    }

    @Test(
        "no command shows a secret of the workspace, in whatever form",
        arguments: [
            "All", "Cached", "Own", "Basic", "Form", "Info", "DNS", "Refused", "Missing", "Proxy",
            "Upload", "Elsewhere", "HTTPElsewhere",
        ]
    )
    func send(target: String) throws {
        for more in [[], ["-v"], ["--json"], ["--json", "-v"]] {
            let sent = try PipedProgram.run(
                ["send", target, "-w", "secrets.yaml"] + more,
                files: files
            )
            #expect(leaks(in: sent.output + sent.errors) == [], "\(target) \(more)")
            // A program gets a response's fields whole.
            #expect(more.first == "--json" || !sent.output.contains("secret-answer-19"))
            #expect(!sent.errors.contains("secret-answer-19"))
            #expect(sent.output.contains("ok") || !sent.errors.isEmpty || more.first == "--json")
        }
        let explained = try PipedProgram.run(
            ["cache", "explain", target, "-w", "secrets.yaml"],
            files: files
        )
        #expect(leaks(in: explained.output + explained.errors) == [])
    }

    @Test(
        "lines of batches, chains and the pipe neither; a chain's file keeps what it must, for its owner"
    )
    func flows() throws {
        for arguments in [
            ["batch", "B"], ["batch", "B", "--json"], ["chain", "C", "--draw"], ["chain", "C"],
            ["chain", "Echo"], ["chain", "Whole"], ["chain", "Whole", "--resume", "w"],
            ["chain", "Whole", "--resume", "w", "--from", "again"],
        ] {
            let sent = try PipedProgram.run(arguments + ["-w", "secrets.yaml"], files: files)
            #expect(leaks(in: sent.output + sent.errors) == [], "\(arguments)")
            #expect(!sent.output.isEmpty)
        }
        let lines = ["Info", "DNS", "Refused", "Missing"].map { #"{"id":1,"target":"\#($0)"}"# }
        let piped = try PipedProgram.run(
            ["pipe", "-w", "secrets.yaml"],
            input: lines.joined(separator: "\n"),
            files: files
        )
        #expect(leaks(in: piped.output + piped.errors) == [])
        #expect(piped.output.split(separator: "\n").count == 4)
        _ = try PipedProgram.run(
            ["chain", "C", "-w", "secrets.yaml", "--resume", "s"],
            files: files
        )
        #expect(try files.read("s").contains("secret-capture-13"))
    }

    @Test("what is recorded neither, in any file of the history and in nothing that is shown of it")
    func history() throws {
        func apus(_ arguments: [String]) throws -> String {
            let run = try PipedProgram.run(arguments, files: files)
            return run.output + run.errors
        }
        for session in [[], ["--session", "s"]] {
            for target in [
                "All", "Cached", "Own", "Basic", "Form", "Info", "DNS", "Refused", "Missing",
                "Proxy",
                "Elsewhere", "Body", "HTTPElsewhere",
            ] {
                _ = try apus(["send", target, "-w", "secrets.yaml", "-v"] + session)
            }
            for flow in [["batch", "B"], ["chain", "C"], ["chain", "Whole"], ["chain", "Echo"]] {
                _ = try apus(flow + ["-w", "secrets.yaml"] + session)
            }
        }
        // This fills the search's file, too.
        #expect(try apus(["sessions", "search", "ok"]).contains("/moved/"))
        let numbers = try JSON(parsing: apus(["sessions", "show", "--json"]))["exchanges"]
            .arrayValue
            .compactMap { $0["number"].int }
        #expect(numbers.count > 50)
        var shown = try apus(["sessions"]) + apus(["sessions", "show"])
        for number in numbers {
            shown += try apus(["sessions", "show", "--exchange", "\(number)"])
            shown += try apus(["sessions", "show", "--exchange", "\(number)", "--json"])
        }
        #expect(leaks(in: shown) == [] && !shown.contains("secret-answer-19"))
        #expect(shown.contains("variable     plain=••"))
        #expect(shown.firstMatch(of: /Authorization: Bearer ••[0-9]/) != nil)
        let folder = "\(files.home)/data/apus"
        let names = files.contents(of: folder)
        #expect(names.contains("history.sqlite") && names.contains("history.sqlite-search"))
        for name in names {
            let bytes = (try? Data(contentsOf: URL(filePath: "\(folder)/\(name)"))) ?? Data()
            for (place, secret) in Self.secrets.merging(
                ["answer": "secret-answer-19"],
                uniquingKeysWith: { $1 }
            ) {
                for form in Self.forms(of: secret) + [secret.lowercased()] {
                    let found = bytes.firstRange(of: Data(form.utf8))
                    #expect(found == nil, "\(place) in \(name): \(form)")
                }
            }
        }
    }

    @Test("--keep-secrets records them")
    func kept() throws {
        _ = try PipedProgram.run(
            ["send", "All", "-w", "secrets.yaml", "--session", "s", "--keep-secrets"],
            files: files
        )
        let shown = try PipedProgram.run(["sessions", "show", "--exchange", "1"], files: files)
        #expect(shown.output.contains("Authorization: Bearer secret-bearer-6"))
    }

    @Test("the explorer's screens neither, before, while and after each target is sent")
    func explorer() throws {
        let explorer = try TerminalProcess(
            rows: 60,
            columns: 240,
            arguments: [BuiltProgram.path, "secrets.yaml"],
            files: files
        )
        try explorer.waitFor("Basic")
        func look(_ what: String) {
            #expect(leaks(in: explorer.screen.joined(separator: "\n")) == [], "\(what)")
        }
        for (target, told) in [
            ("All", "/moved/"), ("Cached", "/••••••?api_key"), ("Own", "/own/"),
            ("Basic", "GET    /  "), ("Form", "POST   /  "), ("Info", "/•••••• "),
            ("DNS", "Could not resolve"), ("Refused", "Could not connect"), ("Missing", "404"),
            ("Proxy", "the proxy"), ("Upload", "cannot be used"),
        ] {
            try explorer.choose(target)
            look(target)
            try explorer.send("r")
            try explorer.waitUntil("\(target) in the session") { explorer in
                guard let top = explorer.rowShowing("─ Session ─") else { return false }
                let row = explorer.row(top + 1)
                return row.contains(told) && row.contains(/\d\d:\d\d:\d\d/)
            }
            look("\(target), sent")
            try explorer.send("E")
            try explorer.waitFor("─ Why")
            look("\(target), explained")
            try explorer.send(.escape)
            try explorer.waitUntilGone("─ Why")
            try explorer.send("iz")
            for letter in "ctsrwh" {
                try explorer.send("i")
                try explorer.waitFor("i next")
                try explorer.send("\(letter)")
                try explorer.waitUntilGone("i next")
                look("\(target), tab \(letter)")
            }
            try explorer.send("ibz1")
            try explorer.waitFor("─ Session ─")
        }
        try explorer.send(.escape)
        try explorer.waitFor("Login")
        try explorer.send("G")
        try explorer.waitFor("Chain: Echo")
        try explorer.send(.enter)
        try explorer.waitFor("Done in")
        for (key, capture) in [("\tl", "captured  said"), ("l", "captured  more")] {
            try explorer.send(key)
            try explorer.waitFor(capture)
            // Below it stands the response, as the server sent it.
            let row = try #require(explorer.rowShowing(capture))
            #expect(leaks(in: explorer.row(row)) == [], "the step with \(capture)")
        }
    }

    @Test("a redirect that is refused for its body tells no secret of its place")
    func refusedRedirect() throws {
        for target in ["Body", "HTTPBody"] {
            let sent = try PipedProgram.run(
                ["send", target, "-w", "secrets.yaml", "-v"],
                files: files
            )
            #expect(leaks(in: sent.output + sent.errors) == [])
            #expect(sent.errors.contains("••••••.localhost"))
        }
    }

    @Test(
        "a proxy's password in the environment is not shown, also if libcurl refuses the proxy",
        arguments: [
            "ada:hunter22@HERE", "http://ada:hunter22@HERE", "http://ada:hunter%32%32@HERE",
            "http://hunter22@HERE", "ada:hunter22@127.0.0.1:99999", "foo://ada:hunter22@h:1",
            "http://ada:no/hunter22@h:1", "http://ada:no hunter22@h:1",
        ]
    )
    func proxies(proxy: String) throws {
        let proxy = proxy.replacing("HERE", with: server.authority)
        for more in ["-v", "--json"] {
            let script = """
                http_proxy='\(proxy)' "$1" send http://elsewhere.invalid/ \(more)
                """
            let sent = try PipedProgram.shell(script, files: files)
            let said = sent.output + sent.errors
            #expect(!said.isEmpty)
            for secret in ["hunter", "YWRhOmh1bnRlcjIy", "aHVudGVyMjI6"] {
                #expect(!said.contains(secret), "\(more): \(said)")
            }
        }
    }

    // libcurl 7.88 shows the first proxy's password to the second.
    @Test(
        "a redirect takes no proxy's password to another proxy",
        arguments: ["https_proxy", "all_proxy"],
        ["send", "send --cache http"]
    )
    func proxyAfterRedirect(name: String, command: String) throws {
        let first = try RawServer(
            .send(
                "HTTP/1.1 302 F\r\nLocation: https://other.test/x\r\nContent-Length: 0\r\n\r\n"
            )
        )
        let second = try RawServer(.send("HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n"))
        let script = """
            http_proxy=http://ada:hunter22@\(first.authority) \(name)=http://\(second.authority) \
            "$1" \(command) http://first.test/a
            """
        _ = try PipedProgram.shell(script, files: files)
        let name = "Proxy-Authorization"
        #expect(first.received.map { $0.value(of: name) } == ["Basic YWRhOmh1bnRlcjIy"])
        #expect(second.received.map(\.method) == ["CONNECT"])
        #expect(second.received.allSatisfy { $0.value(of: name) == nil })
    }

    @Test("a token that a server chose ends nothing, whatever it is made of")
    func tokens() throws {
        for piece in ["\\\\", "%25"] {
            let server = try RawServer { request in
                let token = String(repeating: piece, count: 30_000)
                let isLogin = request.path.hasPrefix("/login")
                return [RawServer.ok(isLogin ? "{\"token\": \"\(token)X\"}" : "{\"ok\": 1}")]
            }
            let chain = """
                environments: { local: { baseURL: "http://\(server.authority)" } }
                variables: { token: x }
                targets:
                  Login: GET /login
                  Use: { request: POST /me, json: { token: "{{ token }}" } }
                chains:
                  C:
                    - { step: a, target: Login, capture: { token: $.token } }
                    - { step: b, target: Use }
                """
            try files.write(chain, to: "chosen.yaml")
            let sent = try PipedProgram.run(["chain", "C", "-w", "chosen.yaml"], files: files)
            #expect(sent.status == .exited(0), "\(sent.errors)")
        }
    }

    @Test("lists and recipes of the cache neither")
    func cache() throws {
        for target in ["Cached", "Own"] {
            _ = try PipedProgram.run(["send", target, "-w", "secrets.yaml"], files: files)
        }
        for more in [["list"], ["list", "--json"]] {
            let shown = try PipedProgram.run(["cache"] + more, files: files)
            #expect(leaks(in: shown.output) == [], "\(more)")
            #expect(shown.output.contains("••••••"))
        }
        _ = try PipedProgram.run(
            [
                "send", "http://\(server.authority)/shown?api_key=secretplainvar11", "--cache",
                "http",
            ],
            files: files
        )
        for more in [[], ["--json"]] {
            let shown = try PipedProgram.run(["cache", "show", "*/shown*"] + more, files: files)
            #expect(leaks(in: shown.output) == [])
            #expect(shown.output.contains("/shown?api_key=••••••"))
        }
    }
}
