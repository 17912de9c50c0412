import Terminal
import Testing

@testable import TreeView

@Suite("The screens of apus view")
struct ViewerSnapshotTests {
    private static let sizes = [(120, 40), (80, 24)]
    /// The scenes whose layout is another one on a small screen.
    private static let narrowScenes = scenes.filter {
        ["view-open", "view-query", "view-copy", "view-table", "view-value"].contains($0.0)
    }
    /// A name and the keys that lead to it; words in quotes are typed.
    private static let scenes: [(String, [String])] = [
        ("view-open", ["j"]), ("view-search", ["/", "'lond'"]),
        ("view-found", ["/", "'o'", "enter", "n"]),
        ("view-query", ["$", "'.users[*].name'"]), ("view-mistake", ["$", "'.users[?@.a'"]),
        ("view-list", ["$", "'..city'", "enter", "m"]), ("view-copy", ["y"]),
        ("view-value", ["#", "'8'", "enter", "enter"]), ("view-text", ["t"]),
        ("view-hex", ["t", "t"]), ("view-table", ["a", "l", "s", "s"]),
    ]

    @Test("a screen looks in each size as it was agreed", arguments: scenes, sizes)
    func snapshot(scene: (String, [String]), size: (Int, Int)) async {
        let play = await play(scene.1, ViewerTests.text, size)
        expectGrid(play.grid, matches: "\(scene.0)-\(size.0)x\(size.1)")
    }

    @Test("a broken document looks as it was agreed", arguments: sizes)
    func broken(size: (Int, Int)) async {
        let text = #"{"a": 1, "list": [1, 2, {"deep": tru}], "b": 2}"#
        let play = await play(["G"], text, size)
        expectGrid(play.grid, matches: "view-broken-\(size.0)x\(size.1)")
    }

    @Test("a value that stands for something else looks as it was agreed", arguments: sizes)
    func decoded(size: (Int, Int)) async {
        let text = #"""
            {"token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEiLCJleHAiOjE3OTU0NjUwMDB9.c2lnbmF0dXJl",
            "at": 1795464000}
            """#
        let play = await play(["j", "enter"], text, size)
        expectGrid(play.grid, matches: "view-decoded-\(size.0)x\(size.1)")
    }

    @Test("a screen looks on a small screen as it was agreed", arguments: narrowScenes)
    func narrowSnapshot(scene: (String, [String])) async {
        await snapshot(scene: scene, size: (40, 10))
    }

    @Test("an image looks as it was agreed", arguments: sizes + [(40, 10)])
    func picture(size: (Int, Int)) async {
        let size = Size(columns: size.0, rows: size.1)
        let play = await ViewerPlay(bytes: PictureTests.flag, type: "image/bmp", size: size)
        expectGrid(play.grid, matches: "view-picture-\(size.columns)x\(size.rows)")
    }

    @Test("every size draws, in every state", arguments: scenes)
    func everySize(scene: (String, [String])) async {
        var play = await play(scene.1, ViewerTests.text, (80, 24))
        for columns in [1, 2, 5, 19, 40, 59, 60, 130] {
            for rows in [1, 2, 3, 6, 13, 14, 50] {
                await play.send(.resize(Size(columns: columns, rows: rows)))
                #expect(play.grid.size == Size(columns: columns, rows: rows))
            }
        }
    }

    @Test("plain signs draw every state without a character beyond ASCII", arguments: scenes)
    func plain(scene: (String, [String])) async {
        let play = await play(scene.1, ViewerTests.text.replacing("\\u00e9", with: ""), (80, 24))
        var grid = Grid(size: play.model.size, ellipsis: Symbols.plain.ellipsis)
        let look = Look(theme: .standard, symbols: .plain)
        _ = ViewerScreen.render(play.model, into: &grid, look: look)
        let text = grid.textRows.joined()
        #expect(text.allSatisfy { $0.isASCII })
    }

    private func play(_ keys: [String], _ text: String, _ size: (Int, Int)) async -> ViewerPlay {
        var play = await ViewerPlay(text, size: Size(columns: size.0, rows: size.1))
        for key in keys {
            if key.hasPrefix("'") {
                await play.type(String(key.dropFirst().dropLast()))
            } else {
                await play.press(key)
            }
        }
        return play
    }
}
