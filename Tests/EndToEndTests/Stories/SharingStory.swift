import FoundationEssentials
import TestSupport
import Testing

@Suite("Sharing with a team")
struct SharingStory {
    private static let key = "0123456789abcdef0123456789abcdef"

    private let redis: RedisServer
    /// What the names of the stories lead to: this machine's own names are never shared.
    private let server: RawServer

    init() throws {
        redis = try RedisServer()
        server = try RawServer { request in
            let control = request.path.hasSuffix("/two") ? "no-store" : "max-age=100"
            return [
                RawServer.ok(
                    #"{"path": "\#(request.path)"}"#,
                    fields: "Cache-Control: \(control)\r\nContent-Type: application/json\r\n"
                )
            ]
        }
    }

    /// The explorer on a workspace; with a key of the team in its environment, if there is one.
    private func explorer(
        _ workspace: String = "",
        on files: PrivateFiles = PrivateFiles(),
        key: String? = SharingStory.key,
        options: [String] = [],
        rows: Int = 40
    ) throws -> TerminalProcess {
        let path = try files.write(
            """
            \(workspace)
            defaults: { baseURL: "http://api.test", cache: http, source: cacheIfPossible }
            targets: { One: GET /one, Two: GET /two }
            """,
            to: "a.apus.yaml"
        )
        var environment = ["http_proxy": "http://\(server.authority)"]
        if let key { environment["TEAM_KEY"] = key }
        let explorer = try TerminalProcess(
            rows: rows,
            columns: 120,
            arguments: [BuiltProgram.path, path] + options,
            environment: environment,
            files: files
        )
        try explorer.waitFor("One")
        return explorer
    }

    private var cache: String {
        "cache: { shared: \"\(redis.url)\", key: { env: TEAM_KEY }, budget: 20 s }"
    }

    private func shareBug(_ explorer: TerminalProcess) throws {
        try explorer.send("R")
        try explorer.waitFor("tab record and share it")
        try explorer.send("bug\t")
        try explorer.waitFor("Share on:")
        try explorer.send(.enter)
    }

    @Test(
        "a session that is shared in one explorer is watched in another, as it grows and with its bodies"
    )
    func watched() throws {
        let here = try explorer(cache)
        try shareBug(here)
        try here.waitUntil("the title to say that it is shared") { $0.row(0).contains("shared") }
        try here.choose("One")
        try here.send(.enter)
        try here.waitForPane("Server", saying: "200")
        try here.waitUntil("its number") { $0.row(0).contains("bug 1") }
        // The other has no workspace that names the server.
        let there = try explorer()
        try there.send("J")
        try there.waitFor("type redis://host:port/db")
        try there.send(.enter)
        try there.waitFor("list what is shared there")
        try there.send(redis.url)
        try there.send(.enter)
        try there.waitFor("shared now")
        try there.waitFor("1 exchange, the last")
        try there.send(.enter)
        try there.waitFor("watching bug")
        try there.waitUntil("what was sent before") {
            $0.screen.contains { $0.contains(/GET +\/one +200/) }
        }
        try here.choose("Two")
        try here.send("r")
        try there.waitUntil("what is sent now") {
            $0.screen.contains { $0.contains(/GET +\/two +200/) }
        }
        try there.send("g")
        try there.send(.enter)
        try there.waitFor("\"http://api.test/two\"")
        try there.send("4x")
        try there.waitFor("bug is not watched any more")
        try there.waitUntilGone("watching bug")
        #expect(try there.quit() == .exited(0))
        #expect(try here.quit() == .exited(0))
        #expect(there.isRestored)
    }

    @Test("the title says when the server of a session goes and comes back, and nothing is lost")
    func goes() throws {
        let here = try explorer(cache)
        try shareBug(here)
        try here.waitUntil("the title to say that it is shared") {
            $0.row(0).contains("shared") && !$0.row(0).contains("not shared")
        }
        try here.choose("One")
        try here.send(.enter)
        try here.waitForPane("Server", saying: "200")
        let there = try explorer(cache)
        try there.send("J")
        try there.waitFor("shared now")
        try there.send(.enter)
        try there.waitFor("watching bug")
        try there.waitUntil("what was sent before") {
            $0.screen.contains { $0.contains(/GET +\/one +200/) }
        }
        try redis.kill()
        try here.waitUntil("the title to say that it is not") { $0.row(0).contains("not shared") }
        try here.waitFor("The session is not shared for now: no connection")
        try there.waitFor("waiting for bug")
        try here.choose("Two")
        try here.send(.enter)
        try here.waitForPane("Server", saying: "200")
        try redis.start()
        try here.waitUntil("the title to say that it is again") {
            $0.row(0).contains("shared") && !$0.row(0).contains("not shared")
        }
        try there.waitUntil("what was sent meanwhile") {
            $0.screen.contains { $0.contains(/GET +\/two +200/) }
        }
        // R ends it, and then nobody shares it.
        try here.send("R")
        try here.waitFor("has ended: 2 exchanges")
        try there.send("xJ")
        try there.waitFor("was shared")
        try there.send(.escape)
        try there.waitUntilGone("esc close")
        #expect(try there.quit() == .exited(0))
        #expect(try here.quit() == .exited(0))
    }

    @Test("without the key a session is recorded, and the screen says what is missing")
    func noKey() throws {
        let explorer = try explorer(key: nil)
        try explorer.send("R")
        try explorer.waitFor("tab record and share it")
        try explorer.send("bug\t\(redis.url)")
        try explorer.send(.enter)
        try explorer.waitFor(
            "bug is recorded, but not shared: the environment variable TEAM_KEY is not set"
        )
        try explorer.waitUntil("the title") { $0.row(0).contains("✗ not shared") }
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("who quits while the server is gone is told that something may be missing there")
    func quits() throws {
        let here = try explorer(cache)
        try shareBug(here)
        try here.waitUntil("the title") { $0.row(0).contains("shared") }
        try redis.kill()
        try here.waitUntil("the title to say that it is not") { $0.row(0).contains("not shared") }
        #expect(try here.quit() == .exited(0))
        #expect(here.shows("apus: what was recorded last may not be shared: no connection"))
    }

    @Test("what one machine has sent, another's explorer shows from the shared cache, and says why")
    func hit() throws {
        let first = try explorer(cache)
        try first.choose("One")
        try first.send(.enter)
        try first.waitForPane("Server", saying: "200")
        #expect(try first.quit() == .exited(0))
        let received = server.received.count
        // The second has it from the configuration, not from its workspace.
        let files = PrivateFiles()
        try FileManager.default.createDirectory(
            atPath: files.home + "/config/apus",
            withIntermediateDirectories: true
        )
        try files.write(
            "shared: \"\(redis.url)\"\nkey: { env: TEAM_KEY }\nbudget: 20 s\n",
            to: "config/apus/cache.yaml"
        )
        let second = try explorer(on: files)
        try second.choose("One")
        try second.send(.enter)
        try second.waitFor("shared")
        try second.send("E")
        try second.waitFor("has 1 response")
        try second.waitFor("\(redis.url) has 1 response")
        #expect(server.received.count == received)
        try second.send(.escape)
        try second.waitUntilGone("pgdn page")
        #expect(try second.quit() == .exited(0))
    }

    @Test("a response that the team has not signed is refused, and Why says so")
    func refused() throws {
        let first = try explorer(cache)
        try first.choose("One")
        try first.send(.enter)
        try first.waitForPane("Server", saying: "200")
        #expect(try first.quit() == .exited(0))
        try redis.send(
            """
            eval "for _, k in ipairs(redis.call('KEYS', 'apus:1:*:c:*')) do redis.call('HSET', k, '-', 'APS1 lies') end" 0
            """
        )
        let second = try explorer(cache)
        try second.choose("One")
        try second.send(.enter)
        try second.waitForPane("Server", saying: "200")
        try second.waitFor("was refused")
        try second.send("E")
        try second.waitFor("what else it has is refused: it is not signed")
        try second.send(.escape)
        try second.waitUntilGone("pgdn page")
        #expect(try second.quit() == .exited(0))
    }

    @Test("the title says that the shared cache is gone, and Why, and that it is back")
    func cacheGone() throws {
        try redis.kill()
        let explorer = try explorer(cache)
        // What may not be stored is looked for each time.
        try explorer.choose("Two")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200")
        try explorer.waitUntil("the title") { $0.row(0).contains("✗ shared cache") }
        try explorer.send("E")
        try explorer.waitFor("The shared cache is not used: no connection")
        try explorer.send(.escape)
        try explorer.waitUntilGone("pgdn page")
        try redis.start()
        // It is tried again after a second, with the next request that needs it.
        try explorer.waitUntil("the title to be as before", within: .seconds(30)) { explorer in
            try? explorer.send("r")
            return !explorer.row(0).contains("shared cache")
        }
        #expect(try explorer.quit() == .exited(0))
    }
}
