import Apus
import Terminal
import Testing

@testable import Explorer

@Suite("Words and places in panes")
struct PaneTextTests {
    @Test(
        "a paragraph breaks between words and never passes its width",
        arguments: [1, 3, 7, 12, 40]
    )
    func wrapping(columns: Int) {
        let text = "Could not connect to 127.0.0.1:8080: connection refused."
        let lines = Paragraph.wrap(text, columns: columns, rows: .max)
        #expect(lines.allSatisfy { TextWidth.columns(of: $0) <= columns })
        #expect(
            lines.joined().filter { $0 != " " } == text.filter { $0 != " " }
        )
    }

    @Test(
        "the columns of the progress never take more than the row",
        arguments: 1...220
    )
    func progressColumns(width: Int) {
        let columns = ProgressColumns(width: width)
        let texts = [columns.amount, columns.rate, columns.left]
        let used = columns.textStart + texts.reduce(0) { $0 + ($1 > 0 ? $1 + 2 : 0) }
        #expect(width < 20 || used <= width + ProgressColumns.gap)
    }

    @Test("an error's words leave at least half of the rows to what was received")
    func failureLeavesRoom() {
        let model = Scene.failure.model(80, 24)
        let layout = model.layout
        let pane = model.selectedView?.server ?? ResponseState()
        let body = layout.body(of: pane, in: layout.server)
        let all = layout.words(of: pane, in: layout.server)
        #expect(body.rows * 2 >= all.rows)
        #expect(body.maxY == all.maxY)
    }

    @Test("without a failure the body has the rows that the layout says")
    func bodyAgrees() {
        let model = Scene.responses.model(120, 40)
        let layout = model.layout
        let pane = model.selectedView?.server ?? ResponseState()
        let words = layout.words(of: pane, in: layout.server)
        #expect(layout.body(of: pane, in: layout.server) == words)
    }

    @Test("a time that ticks fits into its width", arguments: [0.0, 0.3, 9.95, 10, 59, 61, 3599])
    func elapsedWidth(seconds: Double) {
        #expect(ProgressText.elapsed(.seconds(seconds)).count <= 7)
    }

    @Test("a body without a known total has no share")
    func unknownTotal() {
        #expect(ProgressText.fraction(TransferProgress(bytesReceived: 10)) == nil)
        #expect(ProgressText.amount(TransferProgress(bytesReceived: 10)) == "10 B so far")
    }
}
