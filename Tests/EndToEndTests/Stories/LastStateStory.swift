import Testing

@Suite("Coming back")
struct LastStateStory {
    private func explorer(_ files: PrivateFiles, _ more: [String] = []) throws -> TerminalProcess {
        let explorer = try TerminalProcess(
            rows: 40,
            columns: 120,
            arguments: [BuiltProgram.path, "mine.apus.yaml"] + more,
            files: files
        )
        try explorer.waitFor("Second")
        return explorer
    }

    private func files() throws -> PrivateFiles {
        let files = PrivateFiles()
        try files.write(
            """
            name: Mine
            environments:
              local: { baseURL: "http://127.0.0.1:9" }
              live: { baseURL: "http://127.0.0.1:9", danger: true }
            targets:
              Group: { Inside: GET /inside }
              First: GET /first
              Second: DELETE /second
            """,
            to: "mine.apus.yaml"
        )
        return files
    }

    /// A press, a move with the button down, and a release, as xterm reports them.
    private func drag(_ explorer: TerminalProcess, from: (Int, Int), to: (Int, Int)) throws {
        try explorer.send("\u{1B}[<0;\(from.0 + 1);\(from.1 + 1)M")
        try explorer.send("\u{1B}[<32;\(to.0 + 1);\(to.1 + 1)M")
        try explorer.send("\u{1B}[<0;\(to.0 + 1);\(to.1 + 1)m")
    }

    private func border(_ explorer: TerminalProcess) -> Int? {
        let row = Array(explorer.row(1))
        return row.firstIndex(of: "╮")
    }

    @Test("selection, folds, a size from the mouse and the environment are as they were left")
    func returns() throws {
        let files = try files()
        let explorer = try explorer(files)
        try explorer.waitFor("─ Inside ─")
        try explorer.send("k")
        try explorer.send(" ")
        try explorer.waitUntilGone("GET  Inside")
        try explorer.send("G")
        try explorer.waitFor("─ Second ─")
        try explorer.send("e")
        try explorer.waitFor("env ! live")
        #expect(border(explorer) == 31)
        try drag(explorer, from: (31, 5), to: (45, 6))
        try explorer.waitUntil("the border to move") { border($0) == 45 }
        #expect(try explorer.quit() == .exited(0))

        let again = try self.explorer(files)
        try again.waitFor("─ Second ─")
        #expect(!again.shows("GET  Inside"))
        #expect(again.row(0).contains("env ! live"))
        #expect(border(again) == 45)
        #expect(try again.quit() == .exited(0))

        let afresh = try self.explorer(files, ["--no-state"])
        try afresh.waitFor("─ Inside ─")
        #expect(afresh.row(0).contains("env   local") || afresh.row(0).contains("env local"))
        #expect(border(afresh) == 31)
        try afresh.send("j")
        #expect(try afresh.quit() == .exited(0))
        let last = try self.explorer(files)
        try last.waitFor("─ Second ─")
        #expect(try last.quit() == .exited(0))
    }

    @Test("what is damaged on disk is no reason not to start")
    func damaged() throws {
        let files = try files()
        let explorer = try explorer(files)
        try explorer.send("G")
        try explorer.waitFor("─ Second ─")
        #expect(try explorer.quit() == .exited(0))
        let folder = files.home + "/state/apus/workspaces"
        let name = try #require(files.contents(of: folder).first)
        #expect(try files.mode(of: "state/apus/workspaces/\(name)") == 0o600)
        try files.write("{\"version\":1,\"folded\":7,", to: "state/apus/workspaces/\(name)")
        let again = try self.explorer(files)
        try again.waitFor("─ Inside ─")
        #expect(try again.quit() == .exited(0))
    }

    @Test("sending what changes something to a dangerous environment takes a yes")
    func danger() throws {
        let explorer = try explorer(try files())
        try explorer.send("e")
        try explorer.waitFor("env ! live")
        try explorer.send("G")
        try explorer.waitFor("─ Second ─")
        try explorer.send(.enter)
        try explorer.waitFor("! DELETE Second on live. Send it?")
        try explorer.send(.enter)
        try explorer.waitFor("not sent")
        #expect(!explorer.shows("✗"))
        try explorer.send(.enter)
        try explorer.waitFor("y send")
        try explorer.send("y")
        try explorer.waitFor("✗")
        try explorer.send("k")
        try explorer.waitFor("─ First ─")
        try explorer.send(.enter)
        try explorer.waitUntilGone("Nothing sent")
        #expect(!explorer.shows("dangerous"))
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("a label leads anywhere with a letter or two")
    func jumps() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.waitFor("─ List users ─")
        try explorer.send("'")
        try explorer.waitFor("type a label to go there")
        // The first label is that of the targets, the second that of the session.
        try explorer.send("s")
        try explorer.waitFor("esc back")
        #expect(try explorer.quit() == .exited(0))
    }
}
