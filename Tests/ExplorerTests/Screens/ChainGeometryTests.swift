import Apus
import Terminal
import Testing

@testable import Explorer

@Suite("Where the boxes of a chain stand")
struct ChainGeometryTests {
    private static func layout(_ needs: [[Int]]) throws -> ChainLayout {
        let steps = needs.indices.map { index in
            ChainPlan.Step("\(index)", needs: needs[index].map { "\($0)" }) { _ in
                throw CancellationError()
            }
        }
        return try ChainGraph(ChainPlan(steps)).layout
    }

    static let graphs: [[[Int]]] = [
        [], [[]], [[], [0]], [[], [0], [1]], [[], [], []], [[], [0], [0], [1, 2]],
        [[], [], [0], [1], [1], [2, 3], [4], [5, 6]], [[], [0], [0, 1], [0, 1, 2], [0, 3]],
        [[], [], [], [0, 1, 2], [0, 1, 2], [0, 1, 2]],
    ]

    @Test("boxes lie inside, apart from each other, with room for the lines", arguments: graphs)
    func boxes(needs: [[Int]]) throws {
        let layout = try Self.layout(needs)
        for columns in 0...140 {
            for rows in 0...50 {
                let area = Rect(x: 0, y: 0, columns: columns, rows: rows)
                guard let geometry = ChainGeometry(layout, in: area) else { continue }
                let boxes = layout.nodes.map { geometry.box(of: $0) }
                #expect(boxes.allSatisfy { $0.maxX <= columns && $0.maxY < rows && $0.columns > 9 })
                for column in 1..<max(1, layout.columns) {
                    let end = geometry.start(of: column - 1) + geometry.boxColumns
                    #expect(geometry.start(of: column) - end >= 3)
                }
            }
        }
    }

    @Test("steps in a row are boxes that say all, or none; a graph may be drawn small")
    func forms() throws {
        let row = try Self.layout([[], [0], [1]])
        let graph = try Self.layout([[], [0], [0], [1, 2]])
        func form(_ layout: ChainLayout, _ columns: Int) -> ChainGeometry.Form? {
            ChainGeometry(layout, in: Rect(x: 0, y: 0, columns: columns, rows: 30))?.form
        }
        #expect(form(row, 90) == .full && form(row, 60) == nil)
        #expect(form(graph, 90) == .full && form(graph, 60) == .small && form(graph, 30) == nil)
        let low = Rect(x: 0, y: 0, columns: 90, rows: 11)
        #expect(ChainGeometry(graph, in: low) == nil, "two rows of boxes and the words below")
    }
}
