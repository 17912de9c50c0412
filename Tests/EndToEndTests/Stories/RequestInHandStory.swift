import Testing

@Suite("The request in hand")
struct RequestInHandStory {
    /// The address of the demo's server, from the strip above the responses.
    private func server(of explorer: TerminalProcess) throws -> String {
        let address = explorer.screen.lazy.compactMap { $0.firstMatch(of: /127\.0\.0\.1:\d+/) }
            .first
        return String(try #require(address).output)
    }

    private func pasteAndSend(_ command: String, in explorer: TerminalProcess) throws {
        try explorer.send("p")
        try explorer.waitFor("Request:")
        try explorer.send("\u{1B}[200~\(command)\u{1B}[201~")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200")
    }

    @Test("a value of the JSON body is changed and sent in three keys and the text")
    func body() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Create user")
        try explorer.send("Bc")
        try explorer.waitFor("keep and send")
        try explorer.send("Grace Hopper\u{1B}\r")
        try explorer.waitForPane("Server", saying: "201")
        try explorer.waitFor("was \"")
        #expect(explorer.shows("edited"))
        try explorer.send("q")
        try explorer.waitFor("q again quits")
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("a query value is changed and sent in four keys and the text, and taken back")
    func query() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Search users")
        try explorer.send("Qc")
        try explorer.waitFor("keep and send")
        try explorer.send("zzzz\r")
        try explorer.send("r")
        try explorer.waitForPane("Server", saying: "200")
        try explorer.waitFor("zzzz&limit=10")
        try explorer.send(.control("r"))
        try explorer.waitFor("takes back all edits")
        try explorer.waitFor("users?q=an&limit=10")
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("a header is added and sent in five keys and the text; the preview shows it before")
    func header() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Echo")
        try explorer.send("Hn")
        try explorer.waitFor("enter value")
        try explorer.send("X-Story:told\r")
        try explorer.waitFor("+ X-Story")
        try explorer.send("hh")
        try explorer.waitFor("X-Story: told")
        try explorer.send("r")
        try explorer.waitForPane("Server", saying: "200")
        try explorer.send("3/told\r")
        try explorer.waitFor("1 found")
    }

    @Test("a curl command is pasted and sent in three keys")
    func paste() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Show user")
        let server = try server(of: explorer)
        try pasteAndSend("curl -X PUT http://\(server)/echo \\\n -H 'X-Story: told'", in: explorer)
        try explorer.waitFor("PUT  http://\(server)/echo")
        #expect(explorer.shows("New"))
    }

    @Test("a curl command that uploads a file is pasted, its parts are rows, and the file is sent")
    func pasteUpload() throws {
        let files = PrivateFiles()
        let path = try files.write("told in a file", to: "story.txt")
        let explorer = try TerminalProcess.demo(files: files)
        try explorer.choose("Show user")
        let server = try server(of: explorer)
        try pasteAndSend(
            "curl -F note=short -F 'doc=@\(path);type=text/x-story' http://\(server)/echo",
            in: explorer
        )
        try explorer.send("3/told in a file\r")
        try explorer.waitFor("1 found")
        try explorer.send("B")
        try explorer.waitFor("note  short")
        #expect(explorer.shows("doc   @"))
    }

    @Test("edits are written to the file without touching another byte, and read again")
    func saves() throws {
        let files = PrivateFiles()
        let text = """
            # Mine
            environments: { local: { baseURL: "http://127.0.0.1:9" } }
            targets:
              Other: GET /other   # stays
              First:
                request: GET /users
                query:
                  page: 1   # the first

            """
        try files.write(text, to: "mine.apus.yaml")
        let explorer = try TerminalProcess(
            rows: 30,
            columns: 110,
            arguments: [BuiltProgram.path, "mine.apus.yaml"],
            files: files
        )
        try explorer.waitFor("GET  Other")
        try explorer.send("jQc")
        try explorer.waitFor("keep and send")
        try explorer.send("7\r")
        try explorer.waitFor("was 1")
        try explorer.send("S")
        try explorer.waitFor("saved in mine.apus.yaml")
        #expect(try files.read("mine.apus.yaml") == text.replacing("page: 1 ", with: "page: 7 "))
        try explorer.waitUntilGone("edited")
        #expect(try explorer.quit() == .exited(0))
    }
}
