import Testing

@Suite("When the server or the cache fails")
struct FailingStory {
    private static let unreachable = """
        name: Unreachable
        environments:
          down: { baseURL: "http://127.0.0.1:1" }
          lost: { baseURL: "http://nowhere.invalid" }
        targets:
          Things:
            Show thing: GET /thing
        """

    @Test("a server that is down and a name that is unknown are told apart, and one goes on")
    func unreachable() throws {
        let explorer = try TerminalProcess.explorer(on: Self.unreachable, showing: "Show thing")
        try explorer.send(.enter)
        try explorer.waitFor("Could not connect to 127.0.0.1:1")
        try explorer.send("e")
        try explorer.waitFor("nowhere.invalid/thing")
        try explorer.send("r")
        try explorer.waitFor("Could not resolve nowhere.invalid", within: .seconds(30))
        try explorer.send("e")
        try explorer.waitFor("127.0.0.1:1/thing")
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("what came before the connection was cut is shown")
    func cut() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Cut in the middle")
        try explorer.send(.enter)
        try explorer.waitFor("✗ The connection ended after")
        try explorer.waitForPane("Server", saying: "200 ✗ connection lost")
        try explorer.waitFor("Received before that, 2.0 of 4.1 kB:")
        try explorer.choose("Show user")
        try explorer.send(.enter)
        try explorer.waitFor("▾ address")
    }

    @Test("a body that is not what its Content-Type says is shown, and that it is not")
    func wrongType() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("HTML labeled as JSON")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200")
        try explorer.waitFor("<html")
    }

    @Test("broken JSON is shown up to the fault, with its place")
    func brokenJSON() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Broken JSON")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200")
        try explorer.waitFor("syntax error at line")
    }

    @Test("a cache file that is damaged is set aside with a message, and a new one begun")
    func damagedCache() throws {
        let files = PrivateFiles()
        let first = try TerminalProcess.demo(files: files)
        try first.choose("Show user")
        try first.send(.enter)
        try first.waitFor("stored in memory and on disk")
        #expect(try first.quit() == .exited(0))
        let database = try #require(
            files.contents(of: files.cache).first { $0.hasSuffix("/responses.sqlite") }
        )
        try files.write(String(repeating: "damage ", count: 2000), to: "cache/" + database)

        let second = try TerminalProcess.demo(files: files)
        try second.waitFor("was damaged")
        try second.choose("Show user")
        try second.send(.enter)
        try second.waitFor("stored in memory and on disk")
        #expect(
            files.contents(of: files.cache).contains { $0.contains("responses.sqlite.corrupt-") }
        )
        #expect(try second.quit() == .exited(0))
    }
}
