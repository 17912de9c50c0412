import Terminal
import Testing

@testable import Explorer

@Suite("The explorer's screens")
struct ScreenSnapshotTests {
    static let sizes = [(120, 40), (80, 24)]
    static let scenes: [Scene] = [
        .loading, .fresh, .responses, .failure, .batch, .workers, .chain, .graph, .help, .filter,
        .busy,
        .why,
        .session, .sessionFilter, .then, .overTime, .headers, .cookies, .timing, .tls, .request,
        .raw, .notModified, .requestHeaders, .requestBody, .requestTyping, .requestPreview,
        .requestFound, .jump, .danger, .cookieList, .bodyFilter, .emptyWorkspace, .newGroup,
        .deleting, .variables, .variableTyping, .expectations, .unexpected, .asExpected, .expecting,
        .batchExpected, .signInCode, .signInPage, .sharedUp, .sharedDown, .sharedHit,
        .sharedRefusal, .sharedVariants, .sessionList, .noServer, .serverGone, .shareTyping,
    ]

    /// The scenes whose layout is another one where one pane fills a small screen, one for each layout.
    static let narrowScenes: [Scene] = [
        .fresh, .responses, .failure, .batch, .chain, .graph, .help, .filter, .why, .session,
        .overTime, .headers, .requestHeaders, .jump, .danger, .expectations, .unexpected,
        .expecting,
        .signInCode, .sharedUp, .sharedDown, .sessionList, .shareTyping,
    ]

    @Test("a scene looks on a small screen as it was agreed", arguments: narrowScenes)
    func narrowScene(_ scene: Scene) { self.scene(scene, size: (40, 10)) }

    @Test("a scene looks in each size as it was agreed", arguments: scenes, sizes)
    func scene(_ scene: Scene, size: (Int, Int)) {
        let (columns, rows) = size
        let model = scene.model(columns, rows)
        let grid = Grid.rendering(model)
        expectGrid(grid, matches: "\(scene.rawValue)-\(columns)x\(rows)")
    }

    @Test("the filter's cursor stands behind what was typed")
    func filterCursor() {
        let model = Scene.filter.model(80, 24)
        var grid = Grid(size: model.size)
        let cursor = Screen.render(model, into: &grid, look: Look(theme: .standard))
        let row = grid.textRows[cursor?.y ?? 0]
        #expect(row.contains("/ order"))
        #expect(cursor?.x == 5 + "order".count)
    }

    @Test("no text cursor is shown when nothing is typed")
    func noCursor() {
        let model = Scene.responses.model(80, 24)
        var grid = Grid(size: model.size)
        #expect(Screen.render(model, into: &grid, look: Look(theme: .standard)) == nil)
    }
}

extension Grid {
    /// The screen of a model.
    static func rendering(_ model: Model, symbols: Symbols = .unicode) -> Grid {
        var grid = Grid(size: model.size, ellipsis: symbols.ellipsis)
        _ = Screen.render(model, into: &grid, look: Look(theme: .standard, symbols: symbols))
        return grid
    }
}
