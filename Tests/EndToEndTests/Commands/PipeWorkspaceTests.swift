import Documents
import TestSupport
import Testing

@Suite("apus pipe with a workspace and a cache")
struct PipeWorkspaceTests {
    private let files: PrivateFiles
    private let server: RawServer

    init() throws {
        files = PrivateFiles()
        server = try RawServer { [RawServer.ok($0.path)] }
        try files.write(
            """
            name: Pipe
            variables: { user: 7 }
            environments:
              local: { baseURL: "http://\(server.authority)" }
              other: { baseURL: "http://\(server.authority)/other" }
            targets:
              Users:
                Show user:
                  request: GET /users/{{ user }}
                  headers: { X-From: workspace }
                Add user: { request: POST /users, json: { id: "{{ user }}" } }
            """,
            to: "pipe.apus.yaml"
        )
    }

    private func pipe(_ lines: [String], _ arguments: String...) throws -> [JSON] {
        let run = try PipedProgram.run(
            ["pipe", "--concurrency", "1"] + arguments,
            input: lines.joined(separator: "\n"),
            files: files
        )
        #expect(run.errors.isEmpty)
        #expect(run.status == .exited(0))
        let answers = try run.output.split(separator: "\n").map { try JSON(parsing: String($0)) }
        try #require(answers.count == lines.count)
        return answers
    }

    @Test("a target is sent with the values of the line over those of the workspace")
    func targets() throws {
        let answers = try pipe(
            [
                #"{"id": 1, "target": "Users/Show user"}"#,
                #"{"id": 2, "target": "Show user", "set": {"user": 8}}"#,
                #"{"id": 3, "target": "Add user", "set": {"user": [1.50, {"a": null}]}}"#,
                #"{"id": 4, "target": "Shaw user"}"#,
            ],
            "--workspace",
            "pipe.apus.yaml"
        )
        #expect(answers.map { $0["body"].string } == ["/users/7", "/users/8", "/users", nil])
        #expect(server.received[0].value(of: "X-From") == "workspace")
        #expect(server.received[2].body == Array(#"{"id":[1.50,{"a":null}]}"#.utf8))
        #expect(answers[3]["error", "code"].int == 2)
        #expect(answers[3]["error", "message"].string?.contains("“Users/Show user”") == true)
    }

    @Test("the environment, and the command line's values, are the targets'")
    func environment() throws {
        let answers = try pipe(
            [#"{"target": "Show user"}"#, #"{"target": "Show user", "set": {"user": 1}}"#],
            "--workspace",
            ".",
            "--environment",
            "other",
            "--set",
            "user=9"
        )
        #expect(answers.map { $0["body"].string } == ["/other/users/9", "/other/users/1"])
    }

    @Test(
        "an environment or a value without a workspace is refused",
        arguments: [["-e", "other"], ["--set", "user=9"]]
    )
    func noWorkspace(_ arguments: [String]) throws {
        let run = try PipedProgram.run(
            ["pipe"] + arguments,
            input: #"{"target": "Show user"}"#,
            files: files
        )
        #expect(run.status == .exited(2) && run.output.isEmpty)
        #expect(run.errors.hasPrefix("apus: --environment, --set and --trust need --workspace."))
        #expect(server.received.isEmpty)
    }

    @Test("its help says that it takes no workspace and records nothing unless asked")
    func help() throws {
        let run = try PipedProgram.run(["pipe", "--help"], files: files)
        let words = run.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("Default: no workspace."))
        #expect(!words.contains("Default: this folder."))
        #expect(words.contains("Default: nothing is recorded."))
        #expect(!words.contains("everything is recorded"))
    }

    @Test("a memory cache answers from the second time on, and ends with the process")
    func memory() throws {
        let line = #"{"url": "http://\#(server.authority)/a"}"#
        let first = try pipe([line, line], "--cache", "memory")
        #expect(first.map { $0["source"].string } == ["server", "memory"])
        let second = try pipe([line], "--cache", "memory")
        #expect(second.map { $0["source"].string } == ["server"])
        #expect(files.contents(of: files.cache).isEmpty)
    }

    @Test("a disk cache is in the folder given, and outlives the process")
    func disk() throws {
        let line = #"{"url": "http://\#(server.authority)/a"}"#
        for (run, source) in ["server", "disk"].enumerated() {
            let answers = try pipe([line], "--cache", "disk", "--cache-folder", "kept")
            #expect(answers.map { $0["source"].string } == [source], "run \(run)")
        }
        #expect(server.received.count == 1)
    }

    @Test("a line may choose its source")
    func source() throws {
        let url = "http://\(server.authority)/a"
        let answers = try pipe(
            [
                #"{"url": "\#(url)", "source": "cache"}"#, #"{"url": "\#(url)"}"#,
                #"{"url": "\#(url)", "source": "cache"}"#,
                #"{"url": "\#(url)", "source": "server"}"#,
            ],
            "--cache",
            "memory"
        )
        #expect(answers[0]["error", "code"].int == 24)
        #expect(answers.dropFirst().map { $0["source"].string } == ["server", "memory", "server"])
    }
}
