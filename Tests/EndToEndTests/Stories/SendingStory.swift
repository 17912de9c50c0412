import Testing

@Suite("Sending a target")
struct SendingStory {
    @Test("shows the server's response, and the second time what the cache holds beside it")
    func bothPanes() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Show order")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200")
        try explorer.waitFor("stored in memory and on disk")
        #expect(explorer.shows("not cached before; stored now"))
        try explorer.send(.enter)
        try explorer.waitForPane("Cache", saying: "memory")
        try explorer.waitForPane("Server", saying: "200")
        try explorer.waitFor("2 done")
        // Both trees stand side by side: the same key twice in a row of the screen.
        try explorer.waitUntil("both trees") { screen in
            screen.screen.contains { $0.ranges(of: " status ").count == 2 }
        }
    }

    @Test("what the cache holds outlives the program")
    func outlives() throws {
        let files = PrivateFiles()
        let first = try TerminalProcess.demo(files: files)
        try first.choose("Forever on disk")
        try first.send(.enter)
        try first.waitFor("stored on disk")
        #expect(try first.quit() == .exited(0))
        #expect(files.contents(of: files.cache).contains { $0.hasSuffix("responses.sqlite") })
    }

    @Test("values fold and unfold, all and one by one")
    func folds() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Show user")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200")
        try explorer.waitFor("▾ address")
        try explorer.send("3-")
        try explorer.waitFor("▸ address")
        #expect(!explorer.shows("postcode"))
        try explorer.send("+")
        try explorer.waitFor("postcode")
        try explorer.send("gh")
        try explorer.waitUntilGone("address")
        try explorer.send("l")
        try explorer.waitFor("▾ address")
        try explorer.send("t")
        try explorer.waitFor("\"address\"")
    }

    @Test("groups fold, and the filter finds a target by its name")
    func filters() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.send("k")
        try explorer.waitFor("A group of targets.")
        try explorer.send(.enter)
        try explorer.waitFor("▸ Users")
        #expect(!explorer.shows("Search users"))
        try explorer.send(.enter)
        try explorer.waitFor("Search users")
        try explorer.send("/teapot")
        try explorer.waitFor("─ Teapot ─")
        #expect(!explorer.shows("List users"))
        try explorer.send(.escape)
        try explorer.waitFor("List orders")
    }

    @Test("the keys for source and environment change what is sent")
    func chooses() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Show user")
        try explorer.waitFor("/users/7")
        try explorer.send("e")
        try explorer.waitFor("/users/12")
        #expect(explorer.row(0).contains("env other"))
        try explorer.send("s")
        try explorer.waitFor("always the server")
        try explorer.send("s")
        try explorer.waitFor("only the cache; nothing is sent")
        try explorer.send(.enter)
        try explorer.waitForPane("Cache", saying: "miss")
        try explorer.waitFor("Nothing sent yet.")
    }

    @Test("a slow request is cancelled with x, and the explorer goes on")
    func cancels() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Drip")
        try explorer.send(.enter)
        try explorer.waitFor("1 in flight")
        try explorer.waitFor("/ 400 B")
        try explorer.send("x")
        try explorer.waitForPane("Server", saying: "cancelled")
        try explorer.waitUntilGone("1 in flight")
        try explorer.choose("Teapot")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "418")
    }
}
