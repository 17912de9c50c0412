import Testing

@Suite("Opening the demo")
struct OpeningStory {
    @Test("shows the targets, the panes and what to do, and gives the terminal back")
    func opens() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.waitFor("Nothing cached yet.")
        #expect(explorer.isOnAlternateScreen)
        #expect(explorer.row(0).contains("apus"))
        #expect(explorer.row(0).contains("env local"))
        #expect(explorer.shows("enter send"))
        #expect(explorer.terminalModes?.isCanonical == false)
        #expect(explorer.terminalModes?.echoes == false)

        #expect(try explorer.quit() == .exited(0))
        #expect(explorer.isRestored)
        #expect(!explorer.shows("List users"))
    }

    @Test("a person moves with arrows and letters, and the selection is seen")
    func moves() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.waitFor("─ List users ─")
        try explorer.send("j")
        try explorer.waitFor("─ Search users ─")
        try explorer.send(.down)
        try explorer.waitFor("─ Show user ─")
        try explorer.send(.up, .up)
        try explorer.waitFor("─ List users ─")
        let row = try #require(explorer.rowShowing("GET  List users"))
        let selected = explorer.cell(row: row, column: 10)
        let other = explorer.cell(row: row + 1, column: 10)
        #expect(selected.background != other.background || selected.isReversed != other.isReversed)
        try explorer.send("G")
        try explorer.waitFor("─ Chain: Sign up ")
        try explorer.send("g")
        try explorer.waitFor("A group of targets.")
    }

    @Test("help lists the keys, and goes")
    func helps() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.send("?")
        try explorer.waitFor("the cached response")
        #expect(explorer.shows("Everywhere"))
        try explorer.send("?")
        try explorer.waitUntilGone("the cached response")
        #expect(explorer.shows("List users"))
    }

    @Test("a large workspace is listed before it is looked through, and what is wrong is said then")
    func large() throws {
        let files = PrivateFiles()
        let lines = (1...1_500).map { "  T\($0): GET http://127.0.0.1:9/\($0)" }
        try files.write(
            "targets:\n" + lines.joined(separator: "\n")
                + "\n  Bad: GET http://127.0.0.1:9/{{ nobody }}\n",
            to: "large.apus.yaml"
        )
        let explorer = try TerminalProcess(
            arguments: [BuiltProgram.path, "large.apus.yaml"],
            files: files
        )
        try explorer.waitFor("GET  T1 ")
        try explorer.waitFor("large.apus.yaml:1502:")
        #expect(explorer.shows("cannot be sent"))
        #expect(explorer.shows("GET  T1 "))
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("when nothing happens, nothing is written")
    func idles() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.waitFor("Nothing cached yet.")
        // What belongs to the last frame may still be on its way.
        try explorer.waitUntil("the first silence") {
            $0.bytesWritten(during: .milliseconds(200)) == 0
        }
        #expect(explorer.bytesWritten(during: .seconds(1)) == 0)
    }
}
