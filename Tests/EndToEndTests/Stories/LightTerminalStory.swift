import Testing

@Suite("On a light terminal")
struct LightTerminalStory {
    private static let white = "\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\"
    private static let black = "\u{1B}]11;rgb:0000/0000/0000\u{7}"
    /// The text color of dusk, and of dawn.
    private static let (dusk, dawn): (UInt32, UInt32) = (0xD6DAE6, 0x23262E)
    private static let colors = ["COLORTERM": "truecolor"]

    @Test("the first frame waits for no response; when one comes, the theme is the light one")
    func follows() throws {
        let explorer = try TerminalProcess.demo(environment: Self.colors)
        #expect(color(of: "List users", in: explorer) == Self.dusk)
        try explorer.send("j" + Self.white + "j")
        try explorer.waitUntil("the light theme") { color(of: "List users", in: $0) == Self.dawn }
        // Both keys count, and no byte of the response was one.
        try explorer.waitFor("─ Show user ─")
        #expect(
            explorer.cell(row: explorer.rowShowing("GET  List users") ?? 0, column: 5).background
                == nil
        )
        try explorer.send(Self.black)
        try explorer.waitUntil("the dark theme") { color(of: "List users", in: $0) == Self.dusk }
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("a response in two halves is no key, with a pause between them and a key among them")
    func halves() throws {
        let explorer = try TerminalProcess.demo(environment: Self.colors)
        try explorer.waitFor("─ List users ─")
        try explorer.send("\u{1B}]11;rgb:ff")
        // Longer than a lone escape is waited for.
        _ = explorer.bytesWritten(during: .milliseconds(100))
        try explorer.send("j")
        try explorer.waitFor("─ Search users ─")
        try explorer.send("ff/ffff/ffff\u{7}")
        try explorer.waitUntil("the light theme") { color(of: "List users", in: $0) == Self.dawn }
        #expect(explorer.shows("─ Search users ─"))
        try explorer.send("j")
        try explorer.waitFor("─ Show user ─")
    }

    @Test("COLORFGBG decides until the terminal answers, and the response after that")
    func variable() throws {
        var colors = Self.colors
        colors["COLORFGBG"] = "0;15"
        let explorer = try TerminalProcess.demo(environment: colors)
        #expect(color(of: "List users", in: explorer) == Self.dawn)
        try explorer.send(Self.black)
        try explorer.waitUntil("the dark theme") { color(of: "List users", in: $0) == Self.dusk }
    }

    @Test("a theme that was chosen stays, here and at the next start; auto follows again")
    func chosen() throws {
        let files = PrivateFiles()
        let explorer = try TerminalProcess.demo(environment: Self.colors, files: files)
        try explorer.send("T")
        try explorer.waitFor("dusk")
        try explorer.send(.enter)
        try explorer.waitUntil("the theme to be kept") { _ in
            (try? files.read("state/apus/theme")) == "dusk\n"
        }
        try explorer.send(Self.white + "j")
        try explorer.waitFor("─ Search users ─")
        #expect(color(of: "List users", in: explorer) == Self.dusk)
        #expect(try explorer.quit() == .exited(0))
        let next = try TerminalProcess.demo(environment: Self.colors, files: files)
        try next.send(Self.white + "T")
        try next.waitFor("as the terminal's background is")
        #expect(color(of: "as the terminal", in: next) != Self.dawn)
        try next.send("auto")
        try next.send(.enter)
        try next.waitUntil("the light theme") { color(of: "List users", in: $0) == Self.dawn }
    }

    @Test("the viewer follows as well")
    func viewer() throws {
        let files = PrivateFiles()
        let path = try files.write(#"{"name": "Ada"}"#, to: "one.json")
        let viewer = try TerminalProcess(
            arguments: [BuiltProgram.path, "view", path],
            environment: Self.colors,
            files: files
        )
        try viewer.waitFor("Ada")
        let dark = color(of: "Ada", in: viewer)
        try viewer.send(Self.white)
        try viewer.waitUntil("the light theme") { color(of: "Ada", in: $0) != dark }
        #expect(color(of: "Ada", in: viewer) == 0x1E6E28)
    }

    @Test("a response that comes while the program ends does not reach the shell")
    func leaves() throws {
        let files = PrivateFiles()
        let shell = try TerminalProcess(
            arguments: [
                "/bin/sh", "-c", "\"$0\" demo; echo ended; read -r line; echo \"<$line>\"",
                BuiltProgram.path,
            ],
            environment: Self.colors,
            files: files
        )
        try shell.waitFor("List users")
        try shell.send("q")
        try shell.send(Self.white)
        try shell.waitFor("ended")
        try shell.send("next\r")
        try shell.waitFor("<next>")
    }

    @Test("the theme of the terminal's own colors takes others of them on white")
    func ownColors() throws {
        let explorer = try TerminalProcess(
            rows: 40,
            columns: 120,
            arguments: [BuiltProgram.path, "demo", "--theme", "terminal"],
            environment: Self.colors
        )
        try explorer.waitFor("List users")
        let before = color(of: "5 request", in: explorer)
        try explorer.send(Self.white)
        try explorer.waitUntil("other colors") { color(of: "5 request", in: $0) != before }
    }

    /// The color of a text on the screen.
    private func color(of text: String, in explorer: TerminalProcess) -> UInt32? {
        for (row, line) in explorer.screen.enumerated() {
            guard let range = line.firstRange(of: text) else { continue }
            let column = line.distance(from: line.startIndex, to: range.lowerBound)
            return explorer.cell(row: row, column: column).foreground
        }
        return nil
    }
}
