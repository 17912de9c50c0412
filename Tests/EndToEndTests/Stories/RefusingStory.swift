import Testing

@Suite("What cannot be opened")
struct RefusingStory {
    @Test("no terminal on stdout is said in one line, and ends with 2")
    func noTerminal() throws {
        let program = try TerminalProcess(
            arguments: [
                "/bin/sh", "-c", "\(BuiltProgram.path) demo > out; echo status $?; wc -c < out",
            ])
        try program.waitForExit()
        let said = program.screen.filter { !$0.isEmpty }
        #expect(said.count == 3)
        #expect(said[0].hasPrefix("apus: ") && said[0].contains("not a terminal"))
        #expect(said[1] == "status 2")
        #expect(said[2] == "0")
    }

    @Test("a folder that is not there is named, and ends with 2")
    func missing() throws {
        let program = try TerminalProcess(arguments: [BuiltProgram.path, "no/none.apus.yaml"])
        #expect(try program.waitForExit() == .exited(2))
        #expect(program.row(0) == "apus: no/none.apus.yaml: there is no folder no/")
        #expect(program.isRestored)
    }

    @Test("a mistake in a workspace is told with file, line and column, and ends with 2")
    func mistake() throws {
        let files = PrivateFiles()
        try files.write(
            """
            name: Story
            targets:
              Users:
                List: { request: GET /users, timout: 3 s }
            """,
            to: "story.apus.yaml"
        )
        let program = try TerminalProcess(
            columns: 120,
            arguments: [BuiltProgram.path, "story.apus.yaml"],
            files: files
        )
        #expect(try program.waitForExit() == .exited(2))
        #expect(program.shows("story.apus.yaml:4:34: error: unknown key `timout`"))
        #expect(program.isRestored)
    }

    @Test("YAML that is none is told with file, line and column, and ends with 2")
    func broken() throws {
        let files = PrivateFiles()
        try files.write("name: Story\n  targets: [\n", to: "story.apus.yaml")
        let program = try TerminalProcess(
            columns: 120,
            arguments: [BuiltProgram.path, "story.apus.yaml"],
            files: files
        )
        #expect(try program.waitForExit() == .exited(2))
        #expect(program.shows("story.apus.yaml:2:"))
        #expect(program.isRestored)
    }
}
