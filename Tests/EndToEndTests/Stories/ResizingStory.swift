import Testing

@Suite("Resizing")
struct ResizingStory {
    @Test("the screen follows the terminal to any size, and back")
    func sizes() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Show user")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200")
        explorer.resize(rows: 24, columns: 80)
        try explorer.waitUntil("stacked panes") { $0.row(22).isEmpty && $0.shows("? help") }
        try explorer.waitUntil("the bar of 80 columns") { $0.row(0).contains("local · ") }
        explorer.resize(rows: 5, columns: 20)
        try explorer.waitUntil("one pane in 20x5") { !$0.shows("╭") && $0.shows("Show user") }
        explorer.resize(rows: 1, columns: 1)
        try explorer.waitUntil("one cell") { $0.row(0).count <= 1 }
        explorer.resize(rows: 40, columns: 120)
        try explorer.waitForPane("Server", saying: "200")
        try explorer.waitFor("env local")
        #expect(try explorer.quit() == .exited(0))
        #expect(explorer.isRestored)
    }

    @Test(
        "a terminal of one cell, or of 20x5, is enough to start and to leave",
        arguments: [(1, 1), (5, 20), (2, 300)]
    )
    func starts(rows: Int, columns: Int) throws {
        let explorer = try TerminalProcess(
            rows: rows,
            columns: columns,
            arguments: [BuiltProgram.path, "demo"]
        )
        try explorer.waitUntil("the first frame") { $0.isOnAlternateScreen && !$0.cursorIsVisible }
        #expect(try explorer.quit() == .exited(0))
        #expect(explorer.isRestored)
    }

    @Test(
        "a size that no screen has is taken for the largest one, and the next one counts again",
        arguments: [(32_768, 32_768), (65_535, 65_535), (1, 65_535), (65_535, 1), (0, 0)]
    )
    func impossibleSizes(rows: Int, columns: Int) throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Show user")
        explorer.claimSize(rows: rows, columns: columns)
        explorer.resize(rows: 24, columns: 80)
        try explorer.waitUntil("the bar of 80 columns") { $0.row(0).contains("local · ") }
        explorer.claimSize(rows: rows, columns: columns)
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("neither the window nor LINES and COLUMNS can ask for more than there is memory")
    func startsInImpossibleSizes() throws {
        let start = "stty rows 65535 cols 65535; exec \(BuiltProgram.path) demo"
        let explorer = try TerminalProcess(
            arguments: ["/bin/sh", "-c", start],
            environment: ["LINES": "65535", "COLUMNS": "65535"]
        )
        try explorer.waitUntil("the first frame", within: .seconds(30)) { $0.isOnAlternateScreen }
        explorer.resize(rows: 24, columns: 80)
        try explorer.waitUntil("the bar of 80 columns") { $0.row(0).contains("local · ") }
        #expect(try explorer.quit() == .exited(0))
        #expect(explorer.isRestored)
    }
}
