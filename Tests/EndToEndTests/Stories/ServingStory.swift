import Glibc
import Testing

@Suite("The demo API as a server of its own")
struct ServingStory {
    private static func serve() throws -> (server: TerminalProcess, authority: String) {
        let server = try TerminalProcess(arguments: [BuiltProgram.path, "demo", "--serve"])
        try server.waitUntil("a line with the URL") { $0.cursor.row > 0 }
        return (server, String(server.row(0).dropFirst("http://".count)))
    }

    private static func workspace(_ base: String) -> String {
        """
        name: Served
        environments:
          local: { baseURL: "\(base)" }
        defaults:
          cache: { storage: memoryAndDisk, expires: 5 min }
        targets:
          Users:
            Show user: GET /users/7
        """
    }

    @Test("its URL is printed, a workspace opens on it, and ctrl-c ends it")
    func serves() throws {
        let (server, authority) = try Self.serve()
        let explorer = try TerminalProcess.explorer(
            on: Self.workspace("http://\(authority)"),
            showing: "Show user"
        )
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200")
        try explorer.waitFor("address")
        try server.send(.control("c"))
        #expect(try server.waitForExit() == .killed(by: SIGINT))
    }

    @Test("with the server gone, what the cache holds stands beside the failure")
    func gone() throws {
        let (server, authority) = try Self.serve()
        let explorer = try TerminalProcess.explorer(
            on: Self.workspace("http://\(authority)"),
            showing: "Show user"
        )
        try explorer.send(.enter)
        try explorer.waitFor("stored in memory and on disk")
        server.signal(SIGKILL)
        try server.waitForExit()
        try explorer.send(.enter)
        try explorer.waitFor("Could not connect to \(authority)")
        try explorer.waitForPane("Cache", saying: "memory")
        #expect(explorer.shows("Ada Lovelace") || explorer.shows("▾ address"))
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("https where only http is spoken is a TLS failure in the pane")
    func noTLS() throws {
        let (server, authority) = try Self.serve()
        let explorer = try TerminalProcess.explorer(
            on: Self.workspace("https://\(authority)"),
            showing: "Show user"
        )
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "✗ TLS")
        #expect(server.endStatus == nil)
        #expect(try explorer.quit() == .exited(0))
    }
}
