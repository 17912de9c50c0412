import Testing
import TreeView

/// A tree in a stranger's program, by public means alone.
@MainActor
@Suite("A tree in a program of one's own")
struct TreeTests {
    @Test("a tree is drawn, and folds with a key")
    func folds() throws {
        let text = #"{"users": [{"name": "Ada"}], "page": 1}"#
        let source = ViewerSource(origin: .bytes(Array(text.utf8)), name: "users.json")
        let tree = try TreeWindow(source, columns: 40, rows: 9)
        #expect(tree.press("down") && tree.press("space") && !tree.press("q"))
        let shown = tree.draw().runs.map(\.text).joined()
        #expect(shown.contains("users") && shown.contains("page") && !shown.contains("Ada"))
        #expect(ViewerProgram(source: source, query: "$.page").source.name == "users.json")
    }
}
