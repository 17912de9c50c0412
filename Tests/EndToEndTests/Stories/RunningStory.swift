import Testing

@Suite("Running batches and chains")
struct RunningStory {
    @Test("a batch shows its progress and its end")
    func batch() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.send("/warm")
        try explorer.waitFor("Batch: Warm the cache")
        try explorer.send(.enter, .enter)
        try explorer.waitFor("8 of 8 ✓")
        try explorer.waitFor("Done in")
        #expect(explorer.shows("8 succeeded"))
    }

    @Test(
        "every status of a batch is shown, each opens its exchange, and one key sends again what failed"
    )
    func failedAgain() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.send("/all")
        try explorer.waitFor("Batch: All statuses")
        try explorer.send(.enter, .enter)
        try explorer.waitFor("14 of 14")
        for status in ["200  GET", "204", "304", "400", "404", "418", "429", "500", "502", "503"] {
            #expect(explorer.shows(status), "the status \(status) is hidden")
        }
        try explorer.send("3")
        try explorer.send(.enter)
        try explorer.waitFor("r sends it alone")
        try explorer.waitFor("/status/500")
        try explorer.send(.escape)
        try explorer.waitFor("Batch: All statuses")
        try explorer.send("f")
        try explorer.waitFor("again, of 14")
        try explorer.waitFor("10 of 10")
    }

    @Test("a batch of a hundred ends, and can be cancelled on the way without harm")
    func bigBatch() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.send("/hundred")
        try explorer.waitFor("Batch: A hundred users")
        try explorer.send(.enter, .enter)
        try explorer.waitFor("100 of 100", within: .seconds(20))
        try explorer.send(.enter)
        try explorer.send("x")
        try explorer.waitUntilGone("in flight")
        #expect(explorer.endStatus == nil)
    }

    @Test("a chain shows its steps, each with what became of it")
    func chain() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.send("G")
        try explorer.waitFor("Chain: Sign up")
        try explorer.send(.enter)
        try explorer.waitFor("register 201 ✓ ─▶ verify 200 ✓ ─▶ profile 200 ✓")
    }

    @Test("a chain with ways that meet runs to its last step, though one of them breaks")
    func graph() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.send("/lamp")
        try explorer.waitFor("Chain: Buy a lamp")
        try explorer.send(.enter, .enter)
        try explorer.waitFor("6 of 8")
        try explorer.send("3j")
        try explorer.waitFor("▸ coupon")
    }

    @Test("a chain runs again from the step that is chosen, and keeps those before it")
    func fromStep() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.send("G")
        try explorer.waitFor("Chain: Sign up")
        try explorer.send(.enter)
        try explorer.waitFor("profile 200 ✓")
        try explorer.send("3lll")
        try explorer.waitFor("▸ profile")
        let before = explorer.screen.count { $0.contains("→") && $0.contains("Sign up") }
        try explorer.send("r")
        try explorer.waitUntil("another run in the session") {
            $0.screen.count { $0.contains("→") && $0.contains("Sign up") } > before
        }
        try explorer.waitFor("profile 200 ✓")
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("a request of a batch is opened from the history the next day")
    func opensRow() throws {
        let files = PrivateFiles()
        let first = try TerminalProcess.demo(files: files)
        try first.send("/all")
        try first.waitFor("Batch: All statuses")
        try first.send(.enter, .enter)
        try first.waitFor("14 of 14")
        #expect(try first.quit() == .exited(0))
        let second = try TerminalProcess.demo(files: files, showing: "Batch: All statuses")
        try second.waitUntil("the batch of before") {
            $0.screen.contains { $0.contains("»") && $0.contains("All statuses") }
        }
        try second.send("4")
        try second.waitFor("enter open")
        try second.send(.enter)
        try second.waitFor("enter close")
        try second.send("j")
        try second.waitFor("enter open")
        try second.send(.enter)
        try second.waitFor("─ Then ")
        #expect(try second.quit() == .exited(0))
    }
}
