import Testing

@Suite("A workspace that is not there yet")
struct NewWorkspaceStory {
    private func explorer(
        _ arguments: [String],
        _ files: PrivateFiles,
        environment: [String: String] = [:]
    ) throws -> TerminalProcess {
        try TerminalProcess(
            rows: 36,
            columns: 120,
            arguments: [BuiltProgram.path] + arguments,
            environment: environment,
            files: files
        )
    }

    @Test("a file that is not there opens empty, says what to do, and is made by saving a paste")
    func named() throws {
        let files = PrivateFiles()
        let explorer = try explorer(["new.apus.yaml"], files)
        try explorer.waitFor("This workspace has no requests yet.")
        #expect(explorer.shows("paste a curl command"))
        #expect(explorer.shows("new.apus.yaml"))
        try explorer.send("p")
        try explorer.waitFor("Request:")
        try explorer.send("http://127.0.0.1:9/ip\r")
        try explorer.waitFor("─ ip ─")
        #expect(!files.contents(of: files.home).contains("new.apus.yaml"))
        try explorer.send("S")
        try explorer.waitFor("Save as: New/ip")
        try explorer.waitFor("save it in New")
        try explorer.send(.enter)
        try explorer.waitFor("saved as New/ip in new.apus.yaml")
        #expect(try files.read("new.apus.yaml").contains("request: GET http://127.0.0.1:9/ip"))
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("a new request is typed in an empty folder, and the file's name is offered and changed")
    func folder() throws {
        let files = PrivateFiles()
        let explorer = try explorer([], files)
        try explorer.waitFor("This workspace has no requests yet.")
        try explorer.send("S")
        try explorer.waitFor("there is nothing to save yet: n new")
        try explorer.send("n")
        try explorer.waitFor("New request: GET https://")
        try explorer.send("POST 127.0.0.1:9/things\r")
        try explorer.waitFor("─ things ─")
        try explorer.send("S")
        try explorer.waitFor("Save as: New/things")
        try explorer.send(.control("u"))
        try explorer.send("Shop/Add a thing\r")
        try explorer.waitFor("Workspace file: ")
        try explorer.send(.control("u"))
        try explorer.send("shop\r")
        try explorer.waitFor("saved as Shop/Add a thing in shop.apus.yaml")
        try explorer.waitFor("POST Add a thing")
        let text = try files.read("shop.apus.yaml")
        #expect(text.contains("\n  Shop:\n    Add a thing: POST http://127.0.0.1:9/things\n"))
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("a request that the program was started with is saved, under the name that is offered")
    func given() throws {
        let files = PrivateFiles()
        let explorer = try explorer(["http://127.0.0.1:9/get"], files)
        try explorer.waitFor("─ get ─")
        try explorer.send("S")
        try explorer.waitFor("Save as: New/get")
        try explorer.send(.enter)
        try explorer.waitFor("Workspace file: ")
        try explorer.send(.enter)
        try explorer.waitFor("saved as New/get in ")
        let made = files.contents(of: files.home).filter { $0.hasSuffix(".apus.yaml") }
        #expect(made.count == 1)
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("the demo is written to a file, never over another, and works against the served demo")
    func demo() throws {
        let files = PrivateFiles()
        let written = try PipedProgram.run(["demo", "--write", "demo.apus.yaml"], files: files)
        #expect(written.status == .exited(0))
        let text = try files.read("demo.apus.yaml")
        #expect(text.contains("name: Demo API") && text.contains("chains:"))
        let again = try PipedProgram.run(["demo", "--write", "demo.apus.yaml"], files: files)
        #expect(again.status != .exited(0) && again.errors.contains("already exists"))
        #expect(try files.read("demo.apus.yaml") == text)
        let server = try PipedConversation(["demo", "--serve", "--port", "0"], files: files)
        let base = try #require(server.nextLine())
        let sent = try PipedProgram.run(
            [
                "send", "-w", "demo.apus.yaml", "--set", "base=\(base)", "Users/Show user",
                "--no-history",
            ],
            files: files
        )
        #expect(sent.status == .exited(0) && sent.output.contains("\"id\""))
        let other = try PipedProgram.run(
            ["demo", "--write", "other", "--port", "4711"],
            files: files
        )
        #expect(other.status == .exited(0))
        #expect(try files.read("other.apus.yaml").contains("base: http://127.0.0.1:4711\n"))
    }

    @Test("o in the demo makes its file and opens it at the selected target")
    func opensDemo() throws {
        let files = PrivateFiles()
        try files.write("#!/bin/sh\necho \"$*\" > calls\n", to: "editor.sh")
        let explorer = try explorer(["demo"], files, environment: ["VISUAL": "sh editor.sh"])
        try explorer.waitFor("List users")
        try explorer.send("o")
        try explorer.waitFor("Workspace file: demo.apus.yaml")
        try explorer.send(.enter)
        try explorer.waitUntil("the editor") { _ in files.contents(of: files.home).contains("calls")
        }
        let lines = try files.read("demo.apus.yaml").split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        let line = try #require(lines.firstIndex { $0.contains("List users:") }) + 1
        try explorer.waitUntil("the line") { _ in
            (try? files.read("calls")) == "+\(line) ./demo.apus.yaml\n"
        }
        // The server of this process still answers.
        try explorer.send("r")
        try explorer.waitForPane("Server", saying: "200")
        #expect(try explorer.quit() == .exited(0))
    }
}
