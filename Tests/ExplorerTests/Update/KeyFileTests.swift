import Terminal
import Testing
import TreeView

@testable import Explorer

@Suite("Keys of one's own")
struct KeyFileTests {
    private static let explorer: [KeyBinding.Place] = [.targets, .explorer, .moving, .everywhere]

    private func read(_ yaml: String) -> (keys: KeyTable, problems: [String]) {
        KeyFile.read(yaml, file: "keys.yaml")
    }

    @Test("an action has the keys of the file, one or more, and not those of before")
    func rebinds() throws {
        let (keys, problems) = read("explorer:\n  cancel: ctrl+x\n  palette: [\":\", f2]\n")
        #expect(problems == [])
        let cancel = try #require(Key("ctrl+x"))
        #expect(keys.action(for: cancel, in: Self.explorer) == .cancel)
        #expect(keys.action(for: .character("x"), in: Self.explorer) == nil)
        #expect(keys.action(for: Key(.function(2)), in: Self.explorer) == .palette)
        #expect(keys.hint(for: .cancel, in: Self.explorer)?.key == "^x")
    }

    @Test("two actions can change their keys with each other")
    func exchanges() {
        let (keys, problems) = read("explorer: { explain: i, details: E }")
        #expect(problems == [])
        #expect(keys.action(for: .character("i"), in: Self.explorer) == .explain)
        #expect(keys.action(for: .character("E"), in: Self.explorer) == .details)
    }

    @Test(
        "what is wrong is told with its line, and the built-in keys stay",
        arguments: [
            ("explorer:\n  cancle: k9\n", "keys.yaml:2: explorer has no action \"cancle\""),
            ("explorer:\n  cancel: k9\n", "keys.yaml:2: cancel: \"k9\" is not a key"),
            (
                "explorer:\n  cancel: s\n",
                "keys.yaml:2: explorer.cancel: \"s\" is explorer.nextSource"
            ),
            ("explorer:\n  cancel: j\n", "keys.yaml:2: explorer.cancel: \"j\" is moving.down"),
            ("pane:\n  cancel: j\n", "keys.yaml:1: unknown place \"pane\""),
            ("everywhere: { quit: [] }", "keys.yaml:1: quit needs a key"),
            ("typing: { accept: a }", "keys.yaml:1: accept: \"a\" types text here"),
            ("explorer: [", "keys.yaml:"), ("- 1", "keys.yaml:1: expected places"),
        ]
    )
    func tells(yaml: String, problem: String) {
        let (keys, problems) = read(yaml)
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix(problem) == true, "\(problems)")
        #expect(keys.bindings.map(\.keys) == KeyTable.explorer.bindings.map(\.keys))
    }

    @Test(
        "a key that already works around a place cannot be bound in it",
        arguments: [
            ("found: { nextMatch: c }", "request.replaceValue"),
            ("request: { addRow: s }", "explorer.nextSource"),
            ("batch: { runFailedAgain: q }", "everywhere.quit"),
            ("chain: { runAlone: / }", "targets.filter"),
            ("cookies: { revealValues: j }", "moving.down"),
            ("page: { copyPage: z }", "explorer.zoom"),
            ("table: { sortColumn: q }", "everywhere.quit"),
        ]
    )
    func meets(yaml: String, other: String) {
        let (keys, problems) = read(yaml)
        #expect(problems.count == 1)
        #expect(problems.first?.hasSuffix(" is \(other) already") == true, "\(problems)")
        #expect(keys.bindings.map(\.keys) == KeyTable.explorer.bindings.map(\.keys))
    }

    @Test("the printed file is a file of keys, and changes nothing")
    func prints() {
        let (keys, problems) = read(KeyFile.text)
        #expect(problems == [])
        #expect(keys.bindings.map(\.keys) == KeyTable.explorer.bindings.map(\.keys))
    }

    @Test("the help, the footer and the keys follow, and a problem stands in the line of news")
    func follows() throws {
        var play = Play()
        let read = read("everywhere: { help: h1 }\nexplorer: { nextSource: ctrl+s }")
        play.receive(.keysLoaded(read.keys, problem: read.problems.first))
        let rows = Grid.rendering(play.model).textRows
        #expect(rows.contains { $0.contains("keys.yaml:1: help: \"h1\" is not a key") })
        #expect(rows.last?.contains("^s source") == true)
        play.type("ctrl+s")
        #expect(play.model.sending.source == .server)
    }
}
