import Documents
import TestSupport
import Testing

@Suite("apus batch and apus chain")
struct FlowCommandTests {
    private let files: PrivateFiles
    private let server: RawServer

    init() throws {
        files = PrivateFiles()
        server = try RawServer { request in
            switch request.path {
            case "/users": [RawServer.ok(#"{"id": 41, "name": "Ada"}"#)]
            case "/login":
                [
                    .send(
                        "HTTP/1.1 204 No\r\nSet-Cookie: session=s3\r\nContent-Length: 0\r\n\r\n"
                    )
                ]
            case "/broken": [.send("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")]
            default: [RawServer.ok(request.path)]
            }
        }
        try files.write(
            """
            name: Flows
            variables: { user: 7, look: users, way: fine }
            environments:
              local: { baseURL: "http://\(server.authority)" }
            targets:
              Add user: POST /users
              Show user: "GET /users/{{ user }}"
              Look: "GET /{{ look }}"
              Strict: { request: GET /broken, validate: success }
              Log in: POST /login
              Home: GET /home
              Forgetful: { request: GET /home, cookies: none }
            batches:
              Warm:
                - { target: Show user, repeat: 3, set: { user: "{{ index }}" } }
              Mixed: [Show user, Strict, Show user]
            chains:
              Sign up:
                - { step: create, target: Add user, capture: { id: $.id } }
                - { step: show, target: Show user, set: { user: "{{ id }}" } }
              Wide:
                - { step: 取得, target: Log in }
                - { step: home, target: Home }
              Logs in:
                - { step: login, target: Log in }
                - { step: home, target: Home }
                - { step: forgetful, target: Forgetful }
              Breaks:
                - { step: create, target: Add user, capture: { id: $.id } }
                - { step: look, target: Look, set: { look: "{{ way }}" } }
                - { step: after, target: Show user }
            """,
            to: "flows.apus.yaml"
        )
    }

    private func apus(_ arguments: String...) throws -> PipedProgram {
        try .run(arguments, files: files)
    }

    /// Runs the chain whose second step breaks or not, and keeps its state in a file.
    private func breaks(_ way: String, _ more: String...) throws -> PipedProgram {
        let arguments = ["chain", "Breaks", "--json", "--resume", "state", "--set", "way=\(way)"]
        return try .run(arguments + more, files: files)
    }

    private func lines(_ program: PipedProgram) throws -> [JSON] {
        try program.output.split(separator: "\n").map { try JSON(parsing: String($0)) }
    }

    @Test("a batch runs for a time at a rate, and tells how many it sent")
    func rate() throws {
        let run = try apus("batch", "Warm", "--rate", "100/s for 0.2 s", "--json")
        #expect(run.status == .exited(0), "\(run.errors)")
        let sent = try lines(run).count { $0["status"].int == 200 }
        #expect(sent >= 2 && sent <= 21)
        #expect(server.received.count == sent)
        let wrong = try apus("batch", "Warm", "--rate", "fast")
        #expect(wrong.status == .exited(2) && wrong.errors.contains("--rate"))
    }

    @Test("a value for a name that nothing uses is refused, with the name that was meant")
    func mistypedValue() throws {
        let run = try apus("send", "Show user", "--set", "usr=3")
        #expect(run.status == .exited(2))
        #expect(
            run.errors
                == "apus: --set usr=…: nothing in the workspace uses “usr”; did you mean “user”?\n"
        )
        #expect(try apus("send", "Show user", "--set", "id=3").status == .exited(0))
    }

    @Test("a batch prints each result and ends with 0 when all have one")
    func batch() throws {
        let run = try apus("batch", "Warm")
        #expect(run.status == .exited(0))
        let output = run.output.split(separator: "\n").map(String.init).sorted()
        try #require(output.count == 3)
        #expect(output[0].hasPrefix("0  200  ") && output[0].hasSuffix("/users/1"))
        #expect(!run.errors.contains("\u{1B}"))
    }

    @Test("as JSON there is a line for each result, and one for the whole")
    func batchJSON() throws {
        let run = try apus("batch", "Mixed", "--json", "--concurrency", "1")
        #expect(run.status == .exited(1))
        let lines = try lines(run)
        try #require(lines.map { $0["version"].int } == [1, 1, 1, 1])
        #expect(lines.map { $0["index"].int } == [0, 1, 2, nil])
        #expect(lines[0]["status"].int == 200)
        #expect(lines[0]["request", "target"].string == "Show user")
        #expect(lines[1]["error", "code"].int == 1)
        #expect(lines[1]["error", "response", "status"].int == 500)
        #expect(lines[3]["summary", "succeeded"].int == 2)
        #expect(lines[3]["summary", "failed"].int == 1)
    }

    @Test("with --all the first failure ends the batch")
    func batchAll() throws {
        let run = try apus("batch", "Mixed", "--json", "--all", "--concurrency", "1")
        #expect(run.status == .exited(1))
        #expect(try lines(run).last?["summary", "notSent"].int == 1)
    }

    @Test("names that are not there are told with those that are, with status 2")
    func unknown() throws {
        let batch = try apus("batch", "Cold")
        #expect(batch.status == .exited(2))
        #expect(batch.errors.contains("“Warm”"))
        #expect(try apus("chain", "Sign down").errors.contains("“Sign up”"))
    }

    @Test("a chain gives what a step captured to the next")
    func chain() throws {
        let run = try apus("chain", "Sign up", "--json")
        #expect(run.status == .exited(0))
        let lines = try lines(run)
        try #require(lines.map { $0["step"].string } == ["create", "show", nil])
        #expect(lines[0]["captures", "id"].int == 41)
        #expect(lines[1]["responses", 0, "body"].string == "/users/41")
        #expect(lines[2]["summary", "ending"].string == "done")
        let text = try apus("chain", "Sign up").output
        #expect(text.hasPrefix("create  done  200  ") && text.contains("  id=41\n"))
    }

    @Test("a chain goes on with the cookies that a step was given")
    func cookies() throws {
        let run = try apus("chain", "Logs in")
        #expect(run.status == .exited(0), "\(run.errors)")
        let sent = server.received.map { $0.value(of: "cookie") }
        #expect(sent == [nil, "session=s3", nil])
    }

    @Test("a failed step is status 1, and the chain can go on from it")
    func resumed() throws {
        let failed = try breaks("broken")
        #expect(failed.status == .exited(1))
        let first = try lines(failed)
        #expect(first.map { $0["outcome"].string } == ["done", "failed", "skipped", nil])
        let sent = server.received.count
        let resumed = try breaks("fine")
        #expect(resumed.status == .exited(0), "\(resumed)")
        #expect(
            try lines(resumed).map { $0["outcome"].string } == ["restored", "done", "done", nil]
        )
        #expect(server.received.count == sent + 2)
        let again = try breaks("fine", "--from", "create")
        #expect(try lines(again).map { $0["outcome"].string } == ["done", "done", "done", nil])
        #expect(try apus("chain", "Breaks", "--from", "create").status == .exited(2))
    }

    @Test("a state that cannot be kept is said before anything is sent")
    func unwritableState() throws {
        let sent = server.received.count
        let run = try apus("chain", "Breaks", "--resume", "nowhere/state", "--set", "way=fine")
        #expect(run.status == .exited(2))
        #expect(run.errors.contains("nowhere/state"))
        #expect(server.received.count == sent)
    }

    @Test("the state is private, and written through no planted link")
    func stateFile() throws {
        try files.write("precious", to: "victim")
        // `exec` keeps the shell's number, so that the name can be guessed here.
        let command = #"exec "$1" chain Breaks --resume state --set way=fine"#
        let run = try PipedProgram.shell("ln -s victim state.$$; \(command)", files: files)
        #expect(run.status == .exited(0), "\(run)")
        #expect(try files.read("victim") == "precious")
        #expect(try files.mode(of: "state") == 0o600)
        #expect(try files.read("state").contains("41"))
        #expect(!files.contents(of: files.home).contains { $0.hasPrefix(".apus-") })
    }

    @Test("a state that others may read, or that is a link, is not used")
    func foreignState() throws {
        _ = try breaks("fine")
        let open = try PipedProgram.shell(
            #"chmod 644 state; exec "$1" chain Breaks --resume state"#,
            files: files
        )
        #expect(open.status == .exited(2))
        #expect(open.errors.contains("chmod 600"))
        let link = try PipedProgram.shell(
            #"chmod 600 state; ln -s state link; exec "$1" chain Breaks --resume link"#,
            files: files
        )
        #expect(link.status == .exited(2))
        #expect(link.errors == "apus: link: this is a symbolic link; name the file itself\n")
        #expect(try apus("chain", "Breaks", "--resume", "state").status == .exited(0))
        let large = try PipedProgram.shell(
            #"truncate -s 1T large; chmod 600 large; exec "$1" chain Breaks --resume large"#,
            files: files
        )
        #expect(large.errors == "apus: large: it is larger than 256 MiB\n")
    }

    @Test("--draw sends nothing")
    func draw() throws {
        let drawn = try apus("chain", "Sign up", "--draw")
        #expect(drawn.output.contains("create") && drawn.output.contains("show"))
        #expect(server.received.isEmpty)
    }

    @Test("--draw makes a box as wide as the name of its step is on a terminal")
    func drawWide() throws {
        #expect(
            try apus("chain", "Wide", "--draw").output == """
                ╭──────╮   ╭──────╮
                │ 取得 │──▶│ home │
                ╰──────╯   ╰──────╯

                """
        )
    }
}
