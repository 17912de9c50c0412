/// What every story does with the explorer.
extension TerminalProcess {
    /// Opens the explorer on the demo API, ready for keys.
    static func demo(
        rows: Int = 40,
        columns: Int = 120,
        environment: [String: String] = [:],
        files: PrivateFiles? = nil,
        showing text: String = "List users"
    ) throws -> TerminalProcess {
        let explorer = try TerminalProcess(
            rows: rows,
            columns: columns,
            arguments: [BuiltProgram.path, "demo"],
            environment: environment,
            files: files
        )
        try explorer.waitFor(text)
        return explorer
    }

    /// Opens the explorer on a workspace of the story's own; `text` shows once it is read.
    static func explorer(
        on workspace: String,
        showing text: String,
        rows: Int = 40,
        columns: Int = 120
    ) throws -> TerminalProcess {
        let files = PrivateFiles()
        let path = try files.write(workspace, to: "story.apus.yaml")
        let explorer = try TerminalProcess(
            rows: rows,
            columns: columns,
            arguments: [BuiltProgram.path, path],
            files: files
        )
        try explorer.waitFor(text)
        return explorer
    }

    /// Filters the targets by a name and so selects the first that has it.
    func choose(_ name: String) throws {
        try send("/")
        try waitFor("keep the filter")
        try send(.control("u"))
        try send(name)
        try send(.enter)
        try waitUntilGone("keep the filter")
        try waitFor("─ \(name) ─")
    }

    /// Waits until a pane's border says something, as "Server · … 200".
    func waitForPane(_ name: String, saying text: String) throws {
        try waitUntil("the pane \(name) to say \"\(text)\"") { $0.paneTitle(name).contains(text) }
    }

    /// The upper border of a pane, from its name to its corner.
    func paneTitle(_ name: String) -> String {
        for row in screen {
            guard let start = row.firstRange(of: "─ \(name) ")?.lowerBound else { continue }
            return String(row[start...].prefix { $0 != "╮" })
        }
        return ""
    }

    /// Whether the terminal is as a shell would want it back.
    var isRestored: Bool {
        !isOnAlternateScreen && cursorIsVisible && !mouseIsReported && terminalModes == .cooked
    }

    /// Leaves with `q` and checks that the explorer says goodbye as it should.
    func quit() throws -> EndStatus {
        try send("q")
        return try waitForExit()
    }
}
