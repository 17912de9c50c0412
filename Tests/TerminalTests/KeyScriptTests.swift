import Terminal
import Testing

@Suite("Scripts of keys")
struct KeyScriptTests {
    @Test("a line has keys, texts, pastes, sizes and pauses; remarks and empty lines have no frame")
    func steps() throws {
        let script = try KeyScript(
            """
            # a remark

            j ctrl+r  G
            / "a \\"b\\"\\n" #
              paste:"curl x" size:80x24 wait:50ms wait:2s

            """
        )
        #expect(script.lines.map(\.number) == [3, 4, 5])
        #expect(
            script.lines.map(\.steps) == [
                [
                    .key(.character("j")), .key(Key(.character("r"), .control)),
                    .key(.character("G")),
                ],
                [.key(.character("/")), .text("a \"b\"\n"), .key(.character("#"))],
                [
                    .paste("curl x"), .size(Size(columns: 80, rows: 24)),
                    .pause(.milliseconds(50)), .pause(.seconds(2)),
                ],
            ]
        )
    }

    @Test(
        "what is none is told with its line",
        arguments: [
            ("j\nfoo", 2, "\"foo\" is not a key"), ("\"open", 1, "a closing quote is missing"),
            ("size:0x3", 1, "\"size:0x3\" is not a key"), ("wait:2h", 1, "\"wait:2h\" is not"),
            ("wait:3600s", 1, "\"wait:3600s\" is not"),
        ]
    )
    func faults(text: String, line: Int, problem: String) {
        let fault = #expect(throws: KeyScriptError.self) { try KeyScript(text) }
        #expect(fault?.line == line)
        #expect(fault?.problem.hasPrefix(problem) == true)
    }

    @Test("a coloured row has the style of each cell, and ends plain")
    func colors() {
        let red = Style(foreground: .rgb(255, 0, 0), attributes: [.bold])
        let theme = Theme(name: "test", definitions: ["error": red])
        var grid = Grid(size: Size(columns: 4, rows: 1))
        grid.put("a", x: 0, y: 0, style: .default)
        grid.put("b", x: 1, y: 0, style: theme[.error])
        grid.put("c", x: 2, y: 0, style: theme[.error])
        #expect(
            grid.coloredRows(theme: theme) == [
                "\u{1B}[0ma\u{1B}[0;1;38;2;255;0;0mbc\u{1B}[0m \u{1B}[0m"
            ]
        )
    }
}
