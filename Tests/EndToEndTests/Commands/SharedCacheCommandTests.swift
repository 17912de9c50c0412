import Documents
import TestSupport
import Testing

@Suite("A cache that a team shares")
struct SharedCacheCommandTests {
    private let redis: RedisServer
    /// What the names of the tests lead to: this machine's own names are never shared.
    private let server: RawServer
    private static let key = "0123456789abcdef0123456789abcdef"

    init() throws {
        redis = try RedisServer()
        server = try RawServer { request in
            [RawServer.ok(request.path, fields: "Cache-Control: max-age=100\r\n")]
        }
    }

    /// A machine with the workspace, and a key of the team in its environment.
    private func machine() throws -> PrivateFiles {
        let files = PrivateFiles()
        try files.write(
            """
            cache: { shared: "\(redis.url)", key: { env: TEAM_KEY }, budget: 20 s }
            defaults: { baseURL: "http://api.test", cache: http, source: cacheIfPossible }
            targets: { One: GET /one, Two: GET /two }
            batches: { Both: [One, Two] }
            """,
            to: "a.apus.yaml"
        )
        return files
    }

    private func apus(
        _ arguments: String,
        on files: PrivateFiles,
        key: String? = SharedCacheCommandTests.key
    ) throws -> PipedProgram {
        let script = """
            env -u no_proxy -u NO_PROXY http_proxy=http://\(server.authority) \
              \(key.map { "TEAM_KEY=\($0)" } ?? "") "$1" \(arguments)
            """
        return try .shell(script, files: files)
    }

    @Test("what one machine has sent, another need not send")
    func shares() throws {
        let first = try apus("batch Both", on: try machine())
        #expect(first.status == .exited(0))
        #expect(server.received.count == 2)
        let second = try machine()
        #expect(try apus("send One", on: second).output == "http://api.test/one")
        #expect(server.received.count == 2)
        let shown = try apus("send Two --json", on: second)
        #expect(try JSON(parsing: shown.output)["source"].string == "shared")
        #expect(server.received.count == 2)
        // Without the key nothing is shared, and it says so.
        let without = try apus("send One", on: try machine(), key: nil)
        #expect(without.output == "http://api.test/one")
        #expect(
            without.errors == """
                apus: The shared cache is not used, because it has no key: the environment variable \
                `TEAM_KEY` is not set.

                """
        )
        #expect(server.received.count == 3)
    }

    @Test("it is listed and cleared, each team's own alone")
    func maintenance() throws {
        let files = try machine()
        _ = try apus("batch Both", on: files)
        let list = try JSON(parsing: try apus("cache list --shared --json", on: files).output)
        let urls = list["entries"].arrayValue.compactMap { $0["url"].string }
        #expect(Set(urls) == ["http://api.test/one", "http://api.test/two"])
        let others = try apus(
            "cache list --shared",
            on: files,
            key: "the key of another team"
                .replacing(" ", with: "-")
        )
        #expect(others.output == "")
        let one = try apus("cache clear --shared 'http://api.test/o*'", on: files)
        #expect(one.output == "1 entry removed\n")
        let all = try apus("cache clear --shared --all", on: files)
        #expect(all.output == "1 entry removed\n")
        #expect(try apus("cache list --shared", on: files).output == "")
    }

    @Test("a server that is gone costs a sentence and no request")
    func gone() throws {
        try redis.kill()
        let files = try machine()
        let sent = try apus("send One", on: files)
        #expect(sent.output == "http://api.test/one")
        #expect(sent.status == .exited(0))
        #expect(
            sent.errors == """
                apus: The shared cache does not work and is left alone for now: no connection: no such \
                file or directory (\(redis.url)).

                """
        )
        let list = try apus("cache list --shared", on: files)
        #expect(list.status == .exited(2))
        #expect(
            list.errors.hasSuffix(
                "The shared cache \(redis.url) cannot be used: no connection: no such file or directory.\n"
            )
        )
    }

    @Test("what is wrong with the options is said")
    func options() throws {
        let files = PrivateFiles()
        let none = try PipedProgram.run(["cache", "list", "--shared"], files: files)
        #expect(none.errors.contains("no shared cache is named. In a workspace: cache: {"))
        let lone = try PipedProgram.run(["cache", "list", "-w", "."], files: files)
        #expect(lone.errors.contains("--workspace needs --shared"))
        let expired = try PipedProgram.run(
            ["cache", "clear", "--shared", "--expired"],
            files: files
        )
        #expect(expired.errors.contains("removes expired entries itself; leave out --expired."))
    }
}
