import Apus
import FoundationEssentials
import Terminal
import Testing

@testable import Explorer

@Suite("The targets as a table")
struct TargetsTableTests {
    private func rows(columns: Int, zoomed: Bool = true) -> [String] {
        var model = Scene.responses.model(columns, 30)
        model.panes.focus = .targets
        model.panes.isZoomed = zoomed
        model.fitPanes()
        return Grid.rendering(model).textRows
    }

    @Test("zoomed, it tells status, time, size, where the cache has it, and the age")
    func columns() throws {
        let rows = rows(columns: 140)
        for title in ["Targets · 15", "path", "status", "time", "size", "cached", "age"] {
            #expect(rows[1].contains(title), "\(title)")
        }
        let row = try #require(rows.first { $0.contains("Show user") })
        #expect(row.contains("disk") || row.contains("memory"))
        #expect(row.contains(" old"))
        // Every value ends where its title does.
        let end = try #require(rows[1].firstRange(of: "cached")?.upperBound)
        let place = rows[1].distance(from: rows[1].startIndex, to: end)
        let cells = Array(row)
        #expect(cells[place - 1] != " " && cells[place] == " ")
    }

    @Test("it is a list where it shares the screen, and where there is no room")
    func list() {
        #expect(!rows(columns: 140, zoomed: false)[1].contains("status"))
        #expect(!rows(columns: 80)[1].contains("status"))
    }
}
