import Testing

@Suite("Looking at a document")
struct ViewStory {
    private static let orders = """
        {"version": "1.2", "orders": [
          {"id": 1, "customer": "Ada Lovelace", "note": "first\\nsecond"},
          {"id": 2, "customer": "Grace Hopper", "note": null}
        ]}
        """

    /// Opens a text as a file.
    private func view(
        _ text: String,
        named name: String = "orders.json",
        options: [String] = []
    ) throws -> TerminalProcess {
        let files = PrivateFiles()
        let path = try files.write(text, to: name)
        return try TerminalProcess(
            arguments: [BuiltProgram.path, "view", path] + options,
            files: files
        )
    }

    @Test("separated values open as a tree, and as text when a cell is never closed")
    func separatedValues() throws {
        let text = "id,name\n7,Ada\n8,Grace\n"
        let viewer = try view(text, named: "users", options: ["--as", "csv"])
        try viewer.waitFor("─ users · CSV")
        try viewer.waitFor("\"Grace\"")
        try viewer.send("t")
        try viewer.waitFor("8,Grace")
        let broken = try view("id,name\n7,\"Ada\n", named: "broken.csv")
        try broken.waitFor("✗ line 2")
        try broken.waitFor("7,\"Ada")
    }

    @Test("an image is seen in its colours, and its bytes by one key")
    func picture() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Image")
        try explorer.send("\r")
        try explorer.waitFor("PNG · 160 × 100")
        try explorer.waitFor("▀▀▀▀")
        let row = try #require(explorer.screen.firstIndex { $0.contains("▀▀▀▀") })
        let cells = (0..<120).map { explorer.cell(row: row, column: $0) }.filter { $0.text == "▀" }
        #expect(cells.allSatisfy { $0.foreground != nil && $0.background != nil })
        try explorer.send("3t")
        try explorer.waitFor("89 50 4e 47")
        try explorer.waitUntilGone("▀▀▀▀")
        try explorer.send("tt")
        try explorer.waitFor("▀▀▀▀")
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("a terminal that shows images gets it, and is told when it goes")
    func image() throws {
        let explorer = try TerminalProcess.demo(environment: ["KITTY_WINDOW_ID": "1"])
        try explorer.choose("Image")
        try explorer.send("\r")
        try explorer.waitFor("PNG · 160 × 100")
        try explorer.waitUntil("the image") { $0.imageWords.contains("a=T,f=32,s=160,v=100,i=1,") }
        #expect(!explorer.shows("▀"))
        try explorer.send("3t")
        try explorer.waitFor("89 50 4e 47")
        try explorer.waitUntil("its end") { $0.imageWords.hasSuffix("a=d,d=I,i=1,q=2\n") }
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("an array is looked at as a table, sorted, and a cell found in the tree")
    func table() throws {
        let viewer = try view(Self.orders)
        try viewer.waitFor("[2]")
        try viewer.send("a")
        try viewer.waitFor("id  customer")
        try viewer.send("lss")
        try viewer.waitFor("customer ▾")
        // The sign comes with the key, the order when it is found.
        try viewer.waitUntil("the order") { viewer in
            func row(_ text: String) -> Int? { viewer.screen.firstIndex { $0.contains(text) } }
            guard let grace = row("Grace Hopper"), let ada = row("Ada Lovelace") else {
                return false
            }
            return grace < ada
        }
        try viewer.send("k")
        try viewer.waitFor("orders[1].customer")
        try viewer.send("\r")
        try viewer.waitUntilGone("customer ▾")
        try viewer.waitFor("orders[1].customer")
        #expect(try viewer.quit() == .exited(0))
    }

    @Test("a token in a document is read by one key, and its signature is not judged")
    func token() throws {
        let header = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
        let claims = "eyJzdWIiOiJhZGEiLCJpYXQiOjE3OTU0NjA0MDAsImV4cCI6MTQ5NTQ2NzYwMH0"
        let viewer = try view("{\"token\": \"\(header).\(claims).c2ln\"}", named: "token.json")
        try viewer.waitFor("token")
        try viewer.send("j\r")
        try viewer.waitFor("expired")
        try viewer.waitFor("HS256, not checked")
        try viewer.waitFor("\"ada\"")
        try viewer.send("t")
        try viewer.waitFor(".c2ln")
        try viewer.send(.escape)
        try viewer.waitFor("─ token.json")
    }

    @Test("a file opens as a tree; a person folds, moves and leaves")
    func opens() throws {
        let viewer = try view(Self.orders)
        try viewer.waitFor("─ orders.json · JSON")
        try viewer.waitFor("\"Grace Hopper\"")
        try viewer.send("1")
        try viewer.waitUntilGone("Grace")
        try viewer.send("jj")
        try viewer.waitFor("─ orders ─")
        try viewer.send(.enter)
        try viewer.waitFor("▸ 0")
        #expect(try viewer.quit() == .exited(0))
        #expect(viewer.isRestored)
    }

    @Test("standard input opens too, and keys come from the terminal")
    func standardInput() throws {
        let files = PrivateFiles()
        let path = try files.write(Self.orders, to: "orders.json")
        let command = "cat \(path) | \(BuiltProgram.path) view --as json; echo left $?"
        let viewer = try TerminalProcess(arguments: ["/bin/sh", "-c", command], files: files)
        try viewer.waitFor("─ standard input ")
        try viewer.waitFor("\"Grace Hopper\"")
        try viewer.send("1")
        try viewer.waitUntilGone("Grace")
        try viewer.send("q")
        try viewer.waitFor("left 0")
        #expect(viewer.isRestored)
    }

    @Test("a search is typed, counted and walked through")
    func searches() throws {
        let viewer = try view(Self.orders)
        try viewer.waitFor("\"Grace Hopper\"")
        try viewer.send("/")
        try viewer.waitFor("keys/values")
        try viewer.send("custom")
        try viewer.waitFor("1 of 2")
        try viewer.send(.enter)
        try viewer.waitFor("n next")
        try viewer.send("n")
        try viewer.waitFor("orders[1].customer")
        try viewer.send("n")
        try viewer.waitFor("continued from the beginning")
    }

    @Test("a query is typed, listed, and its values copied")
    func queries() throws {
        let viewer = try view(Self.orders, options: ["--query", "$.orders[*].id"])
        try viewer.waitFor("1 of 2")
        try viewer.send("m")
        try viewer.waitFor("orders[1].id")
        try viewer.send("ya")
        try viewer.waitFor("copied 2 values")
    }

    @Test("a string is shown whole, its newlines as lines")
    func wholeValue() throws {
        let viewer = try view(Self.orders)
        try viewer.waitFor("\"Grace Hopper\"")
        try viewer.send("#7\r")
        try viewer.waitFor("orders[0].note")
        try viewer.send(.enter)
        try viewer.waitFor("│ second ")
        try viewer.send(.escape)
        try viewer.waitFor("\"Grace Hopper\"")
    }

    @Test("a broken file shows what came before the fault, and where that is")
    func broken() throws {
        let viewer = try view("{\"a\": 1,\n \"b\": tru}", named: "broken.json")
        try viewer.waitFor("✗ line 2, column 10")
        try viewer.waitFor("a  ")
        try viewer.send("!")
        try viewer.waitFor("not true, false or null")
    }

    @Test("a document of 1,000,000 levels opens, goes to its end and back")
    func deep() throws {
        let depth = 1_000_000
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let viewer = try view(text, named: "deep.json")
        try viewer.waitFor("of 1,000,000", within: .seconds(30))
        try viewer.send("G")
        try viewer.waitFor("1,000,000 of 1,000,000")
        try viewer.send("-")
        try viewer.waitFor("2 of 2")
        #expect(try viewer.quit() == .exited(0))
    }

    @Test(
        "what cannot be read is said in one line, and ends with 2",
        arguments: [
            ("none.json", "none.json: No such file or directory"), ("/tmp", "/tmp: Is a directory"),
        ]
    )
    func refuses(name: String, words: String) throws {
        let program = try TerminalProcess(arguments: [BuiltProgram.path, "view", name])
        #expect(try program.waitForExit() == .exited(2))
        #expect(program.row(0) == "apus: \(words)")
        #expect(program.isRestored)
    }

    @Test("a query with a mistake ends with 2 before the screen is taken")
    func badQuery() throws {
        let program = try view(Self.orders, options: ["--query", "$.a["])
        #expect(try program.waitForExit() == .exited(2))
        #expect(program.row(0).hasPrefix("apus: --query"))
    }

    @Test("to a pipe it writes the document as it is")
    func pipes() throws {
        let files = PrivateFiles()
        let path = try files.write("{\"a\": 1}\n", to: "small.json")
        let command = "\(BuiltProgram.path) view \(path) | cat; echo left $?"
        let program = try TerminalProcess(arguments: ["/bin/sh", "-c", command], files: files)
        try program.waitForExit()
        #expect(program.row(0) == "{\"a\": 1}")
    }

    @Test("17 MB of brackets are shown as the text that they are, and q leaves")
    func tooDeep() throws {
        let viewer = try view(String(repeating: "[", count: 17_500_000), named: "deep.json")
        try viewer.waitUntil("the text", within: .seconds(60)) { $0.shows("shown as text") }
        #expect(try viewer.quit() == .exited(0))
        #expect(viewer.isRestored)
    }
}
