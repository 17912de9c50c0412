import Documents
import TestSupport
import Testing

@Suite("apus watch")
struct WatchCommandTests {
    private let redis: RedisServer
    private let server: RawServer

    init() throws {
        redis = try RedisServer()
        server = try RawServer { request in [RawServer.ok("body of \(request.path)")] }
    }

    private func apus(_ arguments: String, on files: PrivateFiles) throws -> PipedProgram {
        let key = "TEAM_KEY=0123456789abcdef0123456789abcdef"
        return try .shell("env \(key) \"$1\" \(arguments)", files: files)
    }

    @Test("a session that is shared is seen and recorded elsewhere, and its secrets are nowhere")
    func watched() throws {
        let (here, there) = (PrivateFiles(), PrivateFiles())
        for path in ["one", "two"] {
            let sent = try apus(
                """
                send http://\(server.authority)/\(path) -H 'Authorization: Bearer sesame-street' \
                  --session bug --share \(redis.url)
                """,
                on: here
            )
            #expect(sent.status == .exited(0))
            #expect(sent.errors == "")
        }
        let watched = try apus("watch \(redis.url) bug --count 2", on: there)
        #expect(watched.status == .exited(0))
        let lines = watched.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.hasSuffix("GET http://\(server.authority)/one") == true)
        let shown = try apus("sessions export 'bug (watched)' -o -", on: there)
        #expect(shown.output.contains("body of /two"))
        #expect(!shown.output.contains("sesame-street"))
        let late = try apus("watch \(redis.url) bug --count 1 --json", on: PrivateFiles())
        let json = try JSON(parsing: late.output)
        #expect(json["session"].string == "bug (watched)")
        #expect(json["status"].int == 200)
    }

    @Test("without a name the sessions on the server are listed")
    func list() throws {
        let here = PrivateFiles()
        let none = try apus("watch \(redis.url)", on: here)
        #expect(none.output == "")
        #expect(none.errors == "apus: no session of this team is shared at \(redis.url)\n")
        #expect(none.status == .exited(0))
        for (name, count) in [("bug", 2), ("slow", 1)] {
            for _ in 1...count {
                _ = try apus(
                    "send http://\(server.authority)/ --session \(name) --share \(redis.url)",
                    on: here
                )
            }
        }
        let lines = try apus("watch \(redis.url)", on: here).output.split(separator: "\n")
        #expect(lines.map { $0.split(separator: " ").last } == ["slow", "bug"])
        #expect(lines.last?.contains(/^ended  2 exchanges  the last .*  bug$/) == true)
        let json = try JSON(parsing: try apus("watch \(redis.url) --json", on: here).output)
        #expect(json["sessions"].arrayValue.count == 2)
        #expect(json["sessions"][1]["name"].string == "bug")
        #expect(json["sessions"][1]["exchanges"].int == 2)
        #expect(json["sessions"][1]["shared"].bool == false)
        #expect(json["sessions"][1]["last"].string?.hasSuffix("Z") == true)
        let lone = try apus("watch \(redis.url) --now", on: here)
        #expect(lone.errors.contains("--now and --count need a session."))
        try redis.kill()
        let gone = try apus("watch \(redis.url)", on: here)
        #expect(gone.errors.contains("\(redis.url) cannot be used: no connection: "))
        #expect(gone.status == .exited(2))
    }

    @Test("a session that is watched again goes on in the same session, and has nothing twice")
    func again() throws {
        let (here, there) = (PrivateFiles(), PrivateFiles())
        for number in 1...2 {
            _ = try apus(
                "send http://\(server.authority)/\(number) --session bug --share \(redis.url)",
                on: here
            )
            let watched = try apus("watch \(redis.url) bug --count \(number)", on: there)
            #expect(watched.output.split(separator: "\n").count == number)
        }
        let sessions = try JSON(parsing: try apus("sessions list --json", on: there).output)
        #expect(sessions["sessions"].arrayValue.count == 1)
        #expect(sessions["sessions"][0]["exchanges"].int == 2)
    }

    @Test("what is wrong is said before anything is sent")
    func faults() throws {
        let files = PrivateFiles()
        let target = "http://\(server.authority)/"
        let alone = try apus("send \(target) --share \(redis.url)", on: files)
        #expect(alone.errors.contains("--share needs --session NAME."))
        let address = try apus("send \(target) --session a --share http://x", on: files)
        #expect(address.errors.contains("http:// is not redis://, rediss:// or unix://"))
        let secret = try apus(
            "send \(target) --session a --keep-secrets --share \(redis.url)",
            on: files
        )
        #expect(secret.errors.contains("--share cannot be combined with --keep-secrets"))
        let keyless = try PipedProgram.run(["watch", redis.url, "a"], files: files)
        #expect(keyless.errors.contains("the environment variable TEAM_KEY is not set"))
        #expect(keyless.status == .exited(2))
        #expect(server.received.isEmpty)
        try redis.kill()
        let gone = try apus("watch \(redis.url) a", on: files)
        #expect(gone.errors.contains("\(redis.url) cannot be used: no connection: "))
        #expect(gone.status == .exited(2))
        let sent = try apus("send \(target) --session a --share \(redis.url)", on: files)
        #expect(sent.status == .exited(0))
        #expect(sent.errors.contains("The session is not shared for now: no connection: "))
    }
}
