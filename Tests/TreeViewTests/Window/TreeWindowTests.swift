import Testing
import TreeView

/// A program's own screen with a tree in it, by public means alone.
@MainActor
@Suite("A tree in a program of one's own")
struct TreeWindowTests {
    private let text =
        #"{"users": [{"name": "Ada", "city": "London"}, {"name": "Alan"}], "page": 1}"#

    private func window(columns: Int = 40, rows: Int = 9) throws -> TreeWindow {
        let source = ViewerSource(origin: .bytes(Array(text.utf8)), name: "users.json")
        return try TreeWindow(source, columns: columns, rows: rows)
    }

    /// The rows of the window, without the blanks at their ends.
    private func rows(_ tree: TreeWindow) -> [String] {
        let runs = tree.draw().runs
        return (0...(runs.last?.row ?? 0)).map { row in
            var line = runs.filter { $0.row == row }.map(\.text).joined()
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    private func type(_ text: String, into tree: TreeWindow) {
        for letter in text { tree.press(String(letter)) }
    }

    /// Waits for what the tree does behind the keys.
    private func wait(_ tree: TreeWindow, until isThere: () -> Bool) async {
        while !isThere() {
            await Task.yield()
            _ = tree.draw()
        }
    }

    @Test("keys move and fold; a key that a tree does not know is the program's")
    func folds() async throws {
        let tree = try window()
        await wait(tree) { !tree.isBusy }
        let open = rows(tree)
        #expect(open[1].contains("users") && open.contains { $0.contains("\"Ada\"") })
        #expect(tree.press("down") && tree.path == "users")
        #expect(tree.press("space"))
        let folded = rows(tree)
        #expect(!folded.contains { $0.contains("Ada") } && folded[2].contains("page"))
        #expect(!tree.press("q") && !tree.press("f5"))
        #expect(tree.hints.contains { $0 == ("/", "search") })
    }

    @Test("a search and a query find values while they are typed")
    func finds() async throws {
        let tree = try window()
        await wait(tree) { !tree.isBusy }
        tree.press("/")
        type("alan", into: tree)
        await wait(tree) { tree.path == "users[1].name" }
        #expect(tree.draw().cursor != nil)
        #expect(tree.press("enter") && tree.press("esc"))
        tree.press("$")
        type(".page", into: tree)
        await wait(tree) { tree.path == "page" }
        #expect(tree.press("enter") && tree.press("y") && tree.press("v"))
        #expect(tree.copied == "1" && tree.message?.contains("copied") == true)
    }

    @Test("an array is a table, a value is shown in full, and the window takes another size")
    func shows() async throws {
        let tree = try window()
        await wait(tree) { !tree.isBusy }
        tree.press("down")
        tree.press("a")
        #expect(rows(tree)[0].contains("name") && rows(tree)[0].contains("city"))
        tree.press("a")
        tree.resize(columns: 12, rows: 3)
        #expect(tree.draw().runs.allSatisfy { $0.column + $0.columns <= 12 && $0.row < 3 })
    }

    @Test("a file that is not there says so")
    func missing() {
        #expect(throws: (any Error).self) {
            try TreeWindow(
                ViewerSource(origin: .file("/no/such/file"), name: "none"),
                columns: 10,
                rows: 4
            )
        }
    }
}
