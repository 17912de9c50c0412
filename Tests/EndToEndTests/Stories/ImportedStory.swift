import Testing

@Suite("A file of another program, on the screen")
struct ImportedStory {
    private static let collection = """
        { "info": { "name": "Shop", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
          "item": [{ "name": "Users", "item": [{ "name": "Show", "event": [{ "listen": "prerequest", "script": { "exec": ["sign()"] } }],
            "request": { "method": "GET", "url": "BASE/users/7" } }] }] }
        """

    @Test(
        "it opens at once, is sent from, says what it could not carry over, and S keeps it as a workspace"
    )
    func opened() throws {
        let files = PrivateFiles()
        let server = try PipedConversation(["demo", "--serve", "--port", "0"], files: files)
        let base = try #require(server.nextLine())
        let text = Self.collection.replacing("BASE", with: base)
        try files.write(text, to: "shop.json")
        let explorer = try TerminalProcess(
            rows: 36,
            columns: 120,
            arguments: [BuiltProgram.path, "shop.json"],
            files: files
        )
        try explorer.waitFor("shop.json · Postman 2.1")
        try explorer.waitFor("1 target; 1 thing not carried over: ? lists what and why")
        try explorer.send("\r")
        try explorer.waitForPane("Server", saying: "200")
        try explorer.send("?")
        try explorer.waitFor("a script before the request")
        try explorer.send("\u{1B}")
        try explorer.waitUntilGone("a script before the request")
        try explorer.send("S")
        try explorer.waitFor("Workspace file: ")
        try explorer.send("\r")
        try explorer.waitFor("everything is saved in shop.apus.yaml, which is open now")
        #expect(try files.read("shop.apus.yaml").contains("request: GET \(base)/users/7"))
        #expect(try files.read("shop.json") == text)

        // From now on it is a workspace like any other.
        try explorer.send("+")
        try explorer.waitFor("New group:")
        try explorer.send(.control("u"))
        try explorer.send("More\r")
        try explorer.waitFor("made the group More")
        #expect(try files.read("shop.apus.yaml").contains("More: {}"))
        try explorer.send("q")
        #expect(try explorer.quit() == .exited(0))
    }
}
