import Documents
import Glibc
import Testing

@Suite("Commands that send, and the demo API")
struct DemoRequestTests {
    private let files: PrivateFiles
    private let server: PipedConversation
    private let base: String

    init() throws {
        files = PrivateFiles()
        server = try PipedConversation(["demo", "--serve"], files: files)
        base = try #require(server.nextLine())
    }

    private func pipe(_ paths: [String], _ arguments: String...) throws -> [JSON] {
        let lines = paths.enumerated().map { #"{"id": \#($0), "url": "\#(base)\#($1)"}"# }
        let run = try PipedProgram.run(
            ["pipe"] + arguments,
            input: lines.joined(separator: "\n"),
            files: files
        )
        #expect(run.status == .exited(0))
        return try run.output.split(separator: "\n").map { try JSON(parsing: String($0)) }
            .sorted { $0["id"].intValue < $1["id"].intValue }
    }

    @Test("statuses, redirects, compressed and large bodies come as the server has them")
    func various() throws {
        let answers = try pipe([
            "/status/418", "/redirect/3", "/gzip", "/bytes/100000", "/echo?a=b",
        ])
        try #require(answers.count == 5)
        #expect(answers[0]["status"].int == 418)
        #expect(answers[1]["url"].string == "\(base)/redirected")
        #expect(answers[1]["redirected"].bool == true)
        // The server sends it compressed even to those who do not ask for it.
        #expect(answers[2]["bodyBase64"].string?.hasPrefix("H4sI") == true)
        let isWhole = answers[3]["bodyBase64"].string?.utf8.count == 133_336
        #expect(isWhole || answers[3]["body"].exists)
        #expect(answers[4]["status"].int == 200)
    }

    @Test("300 requests that all take a while are under way together")
    func manyAtOnce() throws {
        let answers = try pipe(Array(repeating: "/delay/0.5", count: 300), "--concurrency", "300")
        #expect(answers.map { $0["id"].int } == Array(0..<300))
        #expect(answers.allSatisfy { $0["status"].int == 200 })
    }

    @Test("an ETag is validated, and a lifetime lasts")
    func httpCache() throws {
        let answers = try pipe(
            ["/etag", "/etag", "/cache/60", "/cache/60"],
            "--cache",
            "http",
            "--concurrency",
            "1"
        )
        try #require(answers.count == 4)
        #expect(answers[0]["body"] == answers[1]["body"])
        #expect(answers[1]["decision"].exists)
        #expect(answers[3]["source"].string == "memory")
        #expect(answers[2]["body"] == answers[3]["body"])
    }

    @Test("https where only http is spoken is TLS: the status 22")
    func noTLS() throws {
        let url = "https" + base.dropFirst("http".count)
        let sent = try PipedProgram.run(["send", url], files: files)
        #expect(sent.status == .exited(22))
        let piped = try PipedProgram.run(["pipe"], input: #"{"url": "\#(url)/"}"#, files: files)
        #expect(try JSON(parsing: piped.output)["error", "code"].int == 22)
    }

    @Test("an interrupted batch prints what there is, and is the status 130")
    func interruptedBatch() throws {
        try files.write(
            """
            name: Slow
            environments: { local: { baseURL: "\(base)" } }
            targets: { Quick: GET /status/200, Slow: GET /delay/60 }
            batches: { Both: [Quick, Slow] }
            """,
            to: "slow.apus.yaml"
        )
        let batch = try PipedConversation(["batch", "Both", "--json"], files: files)
        let first = try JSON(parsing: try #require(batch.nextLine()))
        #expect(first["index"].int == 0)
        #expect(first["status"].int == 200)
        batch.signal(SIGINT)
        var last = JSON.null
        while let line = batch.nextLine() { last = try JSON(parsing: line) }
        #expect(last["summary", "succeeded"].int == 1)
        #expect(batch.wait() == .exited(130))
    }

    @Test("what a terminal gets is indented and harmless, and in a pipe it is what the server sent")
    func terminal() throws {
        let program = try TerminalProcess(
            arguments: [BuiltProgram.path, "send", "\(base)/users/7"]
        )
        try program.waitFor("\"name\": ")
        #expect(try program.waitForExit() == .exited(0))
    }
}
