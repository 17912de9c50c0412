import Apus
import Documents
import Terminal
import Testing
import TreeView

@testable import Explorer

@Suite("The cache beside the server")
struct ComparisonTests {
    private static let old = #"{"id": 7, "balance": 120.5, "tags": ["a", "b"], "same": {"x": 1}}"#
    private static let new = #"{"id": 7, "balance": 98.0, "tags": ["a"], "same": {"x": 1}, "n": 1}"#

    /// Both bodies open, the server's pane with the keys, and `d` pressed.
    private func play(
        _ new: String = new,
        size: Size = Size(columns: 120, rows: 40)
    ) -> Play {
        var play = Play(size: size)
        play.model.panes.focus = .server
        play.model.updateView { view in
            view.cache = .make(.make(Self.old, source: .makeDisk()))
            view.server = .make(.make(new))
        }
        play.type("d")
        compare(&play)
        return play
    }

    /// Does what the runner would.
    private func compare(_ play: inout Play) {
        for case .compare(let address, let left, let right) in play.effects {
            play.receive(.compared(address, AlignedRows(DocumentDiff(between: left, and: right))))
        }
    }

    private func text(_ play: Play) -> [String] { Grid.rendering(play.model).textRows }

    @Test("d shows both sides on equal rows, with signs, the first difference under the cursor")
    func compares() throws {
        let play = play()
        let rows = text(play)
        let changed = try #require(rows.first { $0.contains("~ balance") })
        #expect(changed.contains("120.5") && changed.contains("98.0"))
        #expect(rows.contains { $0.contains("- 1 ") && $0.contains("\"b\"") })
        #expect(rows.contains { $0.contains("+ n") })
        #expect(rows.contains { $0.contains("1 of 3 differences") })
        #expect(rows.contains { $0.contains("─ balance ─") })
    }

    @Test("n and N walk through the differences and begin again, and d ends")
    func walks() {
        var play = play()
        play.type("n")
        #expect(play.model.comparison?.currentDifference == 2)
        play.type("n n")
        #expect(play.model.comparison?.currentDifference == 1)
        #expect(play.model.notice?.text == "continued from the beginning")
        play.type("N")
        #expect(play.model.comparison?.currentDifference == 3)
        play.type("d")
        #expect(play.model.comparison == nil)
        #expect(play.effects.contains { if case .endComparison = $0 { true } else { false } })
    }

    @Test("what is about one document ends the comparison", arguments: ["/", "$", "#", "t", "a"])
    func ends(key: String) {
        var play = play()
        play.type(key)
        #expect(play.model.comparison == nil)
    }

    @Test("m folds what is equal, folds stay common to both sides")
    func folds() {
        var play = play()
        let all = play.model.comparison?.rows?.rowCount ?? 0
        play.type("m")
        #expect(play.model.comparison?.rows?.isFiltered == true)
        play.type("m -")
        #expect((play.model.comparison?.rows?.rowCount ?? 0) < all)
    }

    @Test("what is copied is the value of the side that has the keys")
    func copies() {
        var play = play()
        play.type("y v")
        #expect(copied(play) == "98.0")
        play.type("2 y v")
        #expect(copied(play) == "120.5")
        #expect(play.model.comparison != nil)
    }

    @Test("the value that is looked for over time is the one under the comparison's cursor")
    func pastValues() {
        var play = play()
        play.model.session.hasHistory = true
        play.type("v")
        guard case .values(_, let path, _)? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(path == "$['balance']")
    }

    private func copied(_ play: Play) -> String? {
        for case .session(.copy(let text)) in play.effects { return text }
        return nil
    }

    @Test("in one pane what the other side has is shown as well")
    func onePane() {
        let rows = text(play(size: Size(columns: 40, rows: 20)))
        #expect(rows.contains { $0.contains("-") && $0.contains("\"b\"") })
        #expect(rows.contains { $0.contains("+ n") })
    }

    @Test("equal bodies are said to be equal")
    func equal() {
        var play = play(Self.old)
        #expect(text(play).contains { $0.contains("no differences") })
        play.type("n")
        #expect(play.model.notice?.text == "no differences")
    }

    @Test("without two trees nothing is compared, and that is said")
    func impossible() {
        var play = Play()
        play.model.panes.focus = .server
        play.type("d")
        #expect(play.model.comparison == nil)
        #expect(play.model.notice?.text.contains("only two trees can be compared") == true)
    }
}
