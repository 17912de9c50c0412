import Testing

@Suite("A workspace made on the screen")
struct MakingStory {
    private func explorer(_ arguments: [String], _ files: PrivateFiles) throws -> TerminalProcess {
        try TerminalProcess(
            rows: 36,
            columns: 120,
            arguments: [BuiltProgram.path] + arguments,
            files: files
        )
    }

    /// Types a line in place of what an input line offers.
    private func enter(_ line: String, _ explorer: TerminalProcess) throws {
        try explorer.send(.control("u"))
        try explorer.send("\(line)\r")
    }

    @Test("from an empty folder to three requests, a group, an environment and a variable")
    func fromNothing() throws {
        let files = PrivateFiles()
        let server = try PipedConversation(["demo", "--serve", "--port", "0"], files: files)
        let base = try #require(server.nextLine())
        let explorer = try explorer([], files)
        try explorer.waitFor("n makes one")
        try explorer.send("N")
        try explorer.waitFor("New request:")
        try enter("GET \(base)/users/7", explorer)
        try explorer.waitForPane("Server", saying: "200")
        try explorer.send("S")
        try explorer.waitFor("Save as: ")
        try enter("Shop/First", explorer)
        try explorer.waitFor("Workspace file: ")
        try enter("shop", explorer)
        try explorer.waitFor("saved as Shop/First in shop.apus.yaml")

        try explorer.send("+")
        try explorer.waitFor("New group:")
        try enter("Users", explorer)
        try explorer.waitFor("made the group Users")

        try explorer.send("V")
        try explorer.waitFor("Environments and variables")
        try explorer.send("n")
        try explorer.waitFor("New environment (name, or name and URL):")
        try enter("local", explorer)
        try explorer.waitFor("made the environment local")
        try explorer.send("\t\r")
        try explorer.waitFor("baseURL of local:")
        try enter(base, explorer)
        try explorer.waitFor("set baseURL of local")
        try explorer.send("n")
        try explorer.waitFor("New variable of local:")
        try enter("user=7", explorer)
        try explorer.waitFor("set user in local")
        try explorer.send("V")

        try explorer.send("N")
        try explorer.waitFor("New request:")
        try enter("GET /users/{{ user }}", explorer)
        try explorer.waitForPane("Server", saying: "200")
        try explorer.send("S")
        try explorer.waitFor("Save as: ")
        try enter("Users/Me", explorer)
        try explorer.waitFor("saved as Users/Me")

        // Tab opens the request, so that it is sent only when it is whole.
        try explorer.send("N")
        try explorer.waitFor("New request:")
        try explorer.send(.control("u"))
        try explorer.send("POST /users\t")
        try explorer.waitFor("not saved yet")
        try explorer.send("S")
        try explorer.waitFor("Save as: ")
        try enter("Users/Make", explorer)
        try explorer.waitFor("saved as Users/Make")
        #expect(try explorer.quit() == .exited(0))

        #expect(
            try files.read("shop.apus.yaml") == """
                # yaml-language-server: $schema=workspace.schema.json
                targets:
                  Shop:
                    First: GET \(base)/users/7
                  Users:
                    Me: GET /users/{{ user }}
                    Make: POST /users
                environments:
                  local:
                    baseURL: \(base)
                    variables:
                      user: 7

                """
        )
        #expect(try files.read("workspace.schema.json").contains("$schema"))

        let again = try self.explorer([], files)
        try again.waitFor("POST Make")
        for text in ["Shop", "First", "Users", "Me", "local"] { #expect(again.shows(text)) }
        try again.send("V")
        try again.waitFor("Environments and variables")
        #expect(again.shows("user") && again.shows(base))
        try again.send("V")
        #expect(try again.quit() == .exited(0))
    }

    private static let text = """
        name: Shop
        environments: { local: { baseURL: "http://127.0.0.1:9" } }
        targets:
          Users:
            List: GET /users   # all of them
            Show: GET /users/7
          Other:
            More: { like: Users/List }
        batches: { Smoke: [Users/Show] }

        """

    @Test(
        "groups and targets are renamed, moved, copied and deleted, and the last change is undone"
    )
    func changing() throws {
        let files = PrivateFiles()
        try files.write(Self.text, to: "shop.apus.yaml")
        let explorer = try explorer(["shop.apus.yaml"], files)
        try explorer.waitFor("GET  List")
        try explorer.send("m")
        try explorer.waitFor("Rename or move List: Users/List")
        try enter("All", explorer)
        try explorer.waitFor("renamed Users/List to All")
        var wanted = Self.text.replacing("List: GET", with: "All: GET")
            .replacing("like: Users/List", with: "like: Users/All")
        #expect(try files.read("shop.apus.yaml") == wanted)

        try explorer.send("m")
        try explorer.waitFor("Rename or move All: Users/All")
        try enter("Other/All", explorer)
        try explorer.waitFor("moved Users/All to Other/All")
        wanted = wanted.replacing("    All: GET /users   # all of them\n", with: "")
            .replacing(
                "{ like: Users/All }\n",
                with: "{ like: Other/All }\n    All: GET /users   # all of them\n"
            )
        #expect(try files.read("shop.apus.yaml") == wanted)

        try explorer.send("c")
        try explorer.waitFor("Copy All to: Other/All copy")
        try explorer.send("\r")
        try explorer.waitFor("copied Other/All to Other/All copy")
        let copied = wanted.replacing(
            "    All: GET /users   # all of them\n",
            with: "    All: GET /users   # all of them\n    All copy: GET /users   # all of them\n"
        )
        #expect(try files.read("shop.apus.yaml") == copied)

        try explorer.send("-")
        try explorer.waitFor("Delete Other/All copy?")
        try explorer.send("y")
        try explorer.waitFor("deleted Other/All copy")
        #expect(try files.read("shop.apus.yaml") == wanted)
        try explorer.send("u")
        try explorer.waitFor("undone: deleted Other/All copy")
        #expect(try files.read("shop.apus.yaml") == copied)
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("what is used is not deleted, and edits that are not saved stay with a target that moves")
    func keeping() throws {
        let files = PrivateFiles()
        try files.write(Self.text, to: "shop.apus.yaml")
        let explorer = try explorer(["shop.apus.yaml"], files)
        try explorer.waitFor("GET  List")
        try explorer.send(.down)
        try explorer.waitFor("─ Show ─")
        try explorer.send("-")
        try explorer.waitFor("Delete Users/Show?")
        try explorer.send("y")
        try explorer.waitFor("`Users/Show` is used in shop.apus.yaml:9: take it out there first")
        #expect(try files.read("shop.apus.yaml") == Self.text)

        try explorer.send("Hn")
        try explorer.send("X-Mine:yes\r")
        try explorer.waitFor("edited")
        try explorer.send("1m")
        try explorer.waitFor("Rename or move Show:")
        try enter("One", explorer)
        try explorer.waitFor("renamed Users/Show to One")
        try explorer.send("S")
        try explorer.waitFor("saved in shop.apus.yaml")
        let text = try files.read("shop.apus.yaml")
        #expect(
            text.contains("One:\n      request: GET /users/7\n      headers: { X-Mine: \"yes\" }")
        )
        #expect(text.contains("Smoke: [Users/One]"))
        #expect(try explorer.quit() == .exited(0))
    }
}
