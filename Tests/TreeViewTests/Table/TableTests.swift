import Documents
import Terminal
import Testing

@testable import TreeView

@Suite("A table of values")
struct TableTests {
    private static let people = #"""
        {"page": 1, "items": [
          {"id": 10, "name": "Grace", "tags": ["a"], "city": "Kyoto"},
          {"id": 9, "name": "alan", "city": null, "extra": {"x": 1}},
          {"name": "Zoë", "id": 1e1, "city": "Turku"}
        ]}
        """#

    private func table(
        _ text: String = people,
        type: String = "application/json",
        _ keys: String = "a"
    )
        async -> ViewerPlay
    {
        var play = await ViewerPlay(text, type: type, size: Size(columns: 60, rows: 12))
        await play.press(keys)
        return play
    }

    private func rows(_ play: ViewerPlay, _ count: Int = 4) -> [String] {
        play.screen.dropFirst().prefix(count).map { row in
            var words = row.split(separator: " ").filter { $0 != "│" && $0 != "┃" }
            if words.last == "│" { words.removeLast() }
            return words.joined(separator: " ")
        }
    }

    @Test(
        "the columns are the members in the order in which they are met, numbers end at one place"
    )
    func columns() async {
        let play = await table()
        #expect(
            rows(play) == [
                "id name tags city extra", "0 10 Grace [1] Kyoto", "1 9 alan null {1}",
                "2 1e1 Zoë Turku",
            ]
        )
        #expect(play.path == "items[0].id")
    }

    @Test("a second press, and enter, go back to the tree at the cell")
    func leaving() async {
        var play = await table(Self.people, "a j l")
        #expect(play.path == "items[1].name")
        await play.press("enter")
        #expect(play.model.pane.table == nil)
        #expect(play.path == "items[1].name")
        await play.press("a j a")
        #expect(play.path == "items[2]")
        await play.press("a esc")
        #expect(play.path == "items[2]")
        #expect(play.model.pane.table == nil)
    }

    @Test(
        "sorting goes up, down, and back; what has no value is last, equal rows stay as they were"
    )
    func sorting() async {
        var play = await table(Self.people, "a s")
        #expect(rows(play).dropFirst().map { $0.prefix(1) } == ["1", "0", "2"])
        // The cursor is still on its row.
        #expect(play.path == "items[0].id")
        await play.press("s")
        #expect(rows(play).dropFirst().map { $0.prefix(1) } == ["0", "2", "1"])
        await play.press("s")
        #expect(rows(play).dropFirst().map { $0.prefix(1) } == ["0", "1", "2"])
        await play.press("l l l s s")
        #expect(rows(play).dropFirst().map { $0.prefix(1) } == ["2", "0", "1"])
    }

    @Test("columns are hidden, shown and moved, and the next table at this place has them so")
    func arranging() async {
        var play = await table(Self.people, "a - - >")
        #expect(rows(play)[0] == "city tags extra")
        await play.press("a a")
        #expect(rows(play)[0] == "city tags extra")
        await play.press("+")
        #expect(play.shows("id") && play.shows("name"))
        await play.press("l l l l l l - - - - - -")
        #expect(play.shows("the last column cannot be hidden"))
    }

    @Test("a search walks through the cells")
    func searching() async {
        var play = await table(Self.people, "a /")
        await play.type("Turku")
        await play.press("enter")
        #expect(play.model.pane.table != nil)
        #expect(play.path == "items[2].city")
    }

    @Test("a cell is copied")
    func copying() async {
        var play = await table(Self.people, "a l y t")
        #expect(play.copied == "Grace")
        await play.press("Y")
        #expect(play.copied == "$['items'][0]['name']")
    }

    @Test("a click on a title sorts, one on a cell goes there")
    func mouse() async {
        var play = await table()
        func click(_ text: String) async {
            guard let y = play.screen.firstIndex(where: { $0.contains(text) }),
                let start = play.screen[y].firstRange(of: text)?.lowerBound
            else { return }
            let x = play.screen[y].distance(from: play.screen[y].startIndex, to: start)
            let point = Point(x: x, y: y)
            await play.send(.mouse(MouseEvent(kind: .press, button: .left, position: point)))
        }
        await click("Turku")
        #expect(play.path == "items[2].city")
        await click("name")
        #expect(rows(play).dropFirst().map { $0.prefix(1) } == ["0", "2", "1"])
    }

    @Test(
        "arrays of arrays, objects of objects, CSV, and rows of several kinds are tables, too",
        arguments: [
            (
                "[[1, 2], [3], \"x\", null]", "application/json",
                ["0 1 value", "0 1 2", "1 3", "2 x", "3 null"]
            ),
            (
                #"{"de": {"n": 1}, "fr": {"n": 2}}"#, "application/json",
                ["key n", "0 de 1", "1 fr 2"]
            ),
            ("a,b\n1,x\n2,y\n", "text/csv", ["a b", "0 1 x", "1 2 y"]),
        ]
    )
    func kinds(text: String, type: String, expected: [String]) async {
        let play = await table(text, type: type)
        #expect(rows(play, expected.count) == expected)
    }

    @Test("what is no table says so", arguments: ["[1, 2]", "{\"a\": 1}", "7", "[]"])
    func none(text: String) async {
        let play = await table(text)
        #expect(play.model.pane.table == nil)
        #expect(play.shows("a table needs one"))
    }

    @Test("many columns scroll sideways, many rows are drawn by sight, and the cursor stays in it")
    func large() async {
        let members = (0..<30).map { "\"member\($0)\": \($0)" }.joined(separator: ", ")
        let text = "[" + (0..<5_000).map { _ in "{\(members)}" }.joined(separator: ",\n") + "]"
        var play = await table(text)
        for _ in 0..<29 { await play.press("l") }
        #expect(play.shows("member29") && !play.shows("member3 "))
        await play.press("G")
        #expect(play.path == "[4999].member29")
        #expect(play.shows("4999"))
        for _ in 0..<29 { await play.press("h") }
        #expect(play.shows("member0"))
    }

    @Test("another response with the same array is shown as the last one was")
    func nextResponse() async throws {
        var pane = try #require(await table(Self.people, "a - s").model.pane as DocumentPane?)
        pane.clear()
        #expect(pane.table == nil)
        let next = BodyDocument(
            DocumentBytes(
                Array(#"{"items": [{"city": "Oslo", "name": "Ada", "new": 1, "id": 4}]}"#.utf8)
            ),
            contentType: "application/json"
        )
        _ = pane.show(next)
        await next.finish()
        _ = pane.receive(.advanced)
        let table = try #require(pane.table)
        #expect(table.columns.map(\.title) == ["id", "name", "city", "new"])
        #expect(table.columns.map(\.isHidden) == [true, false, false, false])
    }
}
