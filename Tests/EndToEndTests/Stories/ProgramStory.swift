import Testing

@Suite("The explorer in a program of somebody's own")
struct ProgramStory {
    private let files: PrivateFiles
    private let server: PipedConversation
    private let base: String
    private var program: String { BuiltProgram.example }

    init() throws {
        files = PrivateFiles()
        server = try PipedConversation(["demo", "--serve"], files: files)
        base = try #require(server.nextLine())
    }

    @Test("its targets are listed and sent, a header is edited, and q leaves")
    func explores() throws {
        let explorer = try TerminalProcess(
            rows: 40,
            columns: 120,
            arguments: [program, base],
            files: files
        )
        try explorer.waitFor("mirror")
        for name in ["Shop", "user", "search", "register"] { #expect(explorer.shows(name)) }
        try explorer.choose("user")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200")
        try explorer.waitFor("stored now")
        try explorer.choose("mirror")
        try explorer.send("Hn")
        try explorer.waitFor("enter value")
        try explorer.send("X-Story:told\r")
        try explorer.waitFor("+ X-Story")
        try explorer.send("r")
        try explorer.waitForPane("Server", saying: "200")
        try explorer.send("3/told\r")
        try explorer.waitFor("1 found")
        // The program's own plugin is there, too.
        try explorer.send("/")
        try explorer.send(.control("u"))
        try explorer.send("shop/1.0\r")
        try explorer.waitFor("1 found")
        try explorer.send("qq")
        #expect(try explorer.waitForExit() == .exited(0))
        #expect(explorer.isRestored)
    }

    @Test("the body that a typed target makes is edited in place")
    func body() throws {
        let explorer = try TerminalProcess(
            rows: 40,
            columns: 120,
            arguments: [program, base],
            files: files
        )
        try explorer.waitFor("register")
        try explorer.choose("register")
        try explorer.send("B")
        try explorer.waitFor("ada@example.com")
        try explorer.send("c")
        try explorer.waitFor("keep and send")
        try explorer.send("Grace Hopper\u{1B}\r")
        try explorer.waitForPane("Server", saying: "201")
        try explorer.waitFor("was \"")
        try explorer.send("q")
        try explorer.waitFor("q again quits")
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("without a terminal it throws why")
    func noTerminal() throws {
        let run = try PipedProgram.shell("\(program) \(base)", files: files)
        #expect(run.status == .exited(2))
        #expect(run.output.contains("Standard input is not a terminal."))
    }
}
