import Apus
import Terminal
import Testing

@testable import Explorer

@Suite("The mouse, and labels to jump to")
struct MouseTests {
    private func play(_ size: Size = Size(columns: 120, rows: 40)) -> Play {
        Play(size: size, catalog: .long(80), hasHistory: true)
    }

    private func drag(_ play: inout Play, _ from: Point, to: Point) {
        play.send(.mouse(MouseEvent(kind: .press, position: from)))
        play.send(.mouse(MouseEvent(kind: .drag, position: to)))
        play.send(.mouse(MouseEvent(kind: .release, position: to)))
    }

    @Test(
        "a border follows the mouse, gripped on either frame, as far as both panes keep some room"
    )
    func borders() {
        // A list that is seen whole has no scrollbar on its border.
        var play = Play(hasHistory: true)
        let layout = play.model.layout
        drag(&play, Point(x: layout.server.maxX - 1, y: 10), to: Point(x: 50, y: 10))
        #expect(play.model.panes.sizes == PaneSizes(), "the edge of the screen is no border")
        for grip in [0, 1] {
            let column = play.model.layout.targets.maxX - 1 + grip
            drag(&play, Point(x: column, y: 2), to: Point(x: 49 + grip, y: 5))
            #expect(play.model.layout.targets.columns == 50)
            #expect(play.model.panes.drag == nil)
            drag(&play, Point(x: 49 + grip, y: 2), to: Point(x: 39 + grip, y: 5))
        }
        drag(&play, Point(x: 40, y: 2), to: Point(x: 0, y: 5))
        #expect(play.model.layout.targets.columns == 14)
        play.type("0")
        drag(&play, Point(x: 32, y: 2), to: Point(x: 500, y: 5))
        #expect(play.model.layout.detail.columns == 30)
    }

    @Test("responses and session are sized alike, beside and above one another")
    func otherBorders() {
        for size in [Size(columns: 120, rows: 40), Size(columns: 80, rows: 30)] {
            var play = play(size)
            // A target that keeps nothing has no pane for the cache until somebody goes there.
            play.type("2")
            let layout = play.model.layout
            let top = layout.progress.y
            drag(&play, Point(x: 45, y: top), to: Point(x: 45, y: top - 3))
            #expect(play.model.layout.progress.rows == layout.progress.rows + 3)
            let (cache, isBeside) = (play.model.layout.cache, layout.responsesAreBeside)
            let grip = Point(x: cache.maxX - 1, y: cache.maxY - 1)
            let (dx, dy) = isBeside ? (7, -3) : (-3, 2)
            let from = isBeside ? Point(x: grip.x, y: grip.y - 4) : Point(x: grip.x - 4, y: grip.y)
            drag(&play, from, to: Point(x: from.x + dx, y: from.y + dy))
            let moved = play.model.layout.cache
            #expect(isBeside ? moved.columns == cache.columns + 7 : moved.rows == cache.rows + 2)
            #expect(play.model.layout.server.maxX == size.columns)
        }
    }

    @Test("keys size the pane with the focus, and 0 gives all their first size back")
    func keys() {
        for (keys, pane) in [
            ("1 }", \Layout.targets), ("2 }", \.cache), ("3 }", \.server), ("4 )", \.progress),
            ("1 )", \.targets),
        ] {
            var play = play()
            play.type(String(keys.prefix(1)))
            let before = play.model.layout[keyPath: pane]
            play.type(String(keys.suffix(1)))
            let after = play.model.layout[keyPath: pane]
            #expect(after.columns + after.rows > before.columns + before.rows, "\(keys)")
            play.type(keys.hasSuffix("}") ? "{" : "(")
            #expect(play.model.layout[keyPath: pane] == before, "\(keys)")
            play.type("\(keys.suffix(1)) 0")
            #expect(play.model.panes.sizes == PaneSizes())
        }
    }

    @Test("all sizes in a file give a layout where nothing overlaps, in any terminal")
    func anySizes() {
        for value in [0, 1, 15, 100, 10_000] {
            for columns in stride(from: 20, to: 201, by: 20) {
                for rows in stride(from: 5, to: 61, by: 5) {
                    var model = play(Size(columns: columns, rows: rows)).model
                    model.panes.sizes = PaneSizes(
                        targets: value,
                        session: value,
                        request: value,
                        cache: value
                    )
                    let layout = model.layout
                    let panes = [layout.targets, layout.cache, layout.server, layout.progress]
                    for (index, pane) in panes.enumerated() {
                        #expect(Rect(size: model.size).intersection(pane) == pane || pane.isEmpty)
                        for other in panes[(index + 1)...] {
                            #expect(pane.intersection(other).isEmpty)
                        }
                    }
                    _ = Grid.rendering(model)
                }
            }
        }
    }

    @Test("a scrollbar is dragged from end to end, and a click beside its thumb goes there")
    func scrollbar() {
        var play = play()
        let area = play.model.layout.inside(play.model.layout.targets)
        drag(&play, Point(x: area.maxX, y: area.y), to: Point(x: area.maxX + 9, y: 200))
        #expect(play.model.targets.scroll.visible.upperBound == play.model.targets.rows.count)
        drag(
            &play,
            Point(x: area.maxX, y: area.maxY - 1),
            to: Point(x: area.maxX, y: 0)
        )
        #expect(play.model.targets.scroll.offset == 0)
        #expect(
            play.model.panes.sizes == PaneSizes(),
            "where the bar is, the border is not gripped"
        )
        let middle = Point(x: area.maxX, y: area.y + area.rows - 1)
        play.send(.mouse(MouseEvent(kind: .press, position: middle)))
        #expect(play.model.targets.scroll.offset > 0)
    }

    @Test("the thumb stands where it was moved to, for any size")
    func thumb() {
        for (total, rows) in [(30, 20), (100, 20), (1_000, 20), (1_000_000, 37), (21, 20)] {
            for place in 0..<rows {
                let first = Scrollbar.first(thumbAt: place, of: total, visible: rows, rows: rows)
                let thumb = Scrollbar.thumb(first..<first + rows, of: total, rows: rows)
                let way = rows - (thumb?.length ?? 0)
                // Fewer rows to scroll than the bar has: it stands as near as it can.
                let isFine = total - rows >= way
                #expect(thumb?.place == min(place, way) || !isFine, "\(total) \(place)")
            }
        }
    }

    @Test("a border that is not moved is a title that is clicked")
    func noMove() {
        var play = play()
        let point = Point(x: 60, y: play.model.layout.progress.y)
        let before = play.model.layout
        play.send(.mouse(MouseEvent(kind: .press, position: point)))
        #expect(play.model.layout == before)
        play.send(.mouse(MouseEvent(kind: .release, position: point)))
        #expect(play.model.panes.focus == .progress)
        #expect(play.model.panes.sizes == PaneSizes())
    }

    @Test("a click on a title gives its pane the keys and chooses nothing")
    func title() {
        var play = play()
        play.type("G 3")
        let before = play.model.targets.scroll
        play.send(.mouse(MouseEvent(kind: .press, position: Point(x: 4, y: 1))))
        #expect(play.model.panes.focus == .targets)
        #expect(play.model.targets.scroll == before)
    }

    @Test(
        "what a page covers is not clicked, scrolled or resized",
        arguments: ["?", "E", "K"]
    )
    func covered(key: String) {
        var catalog = Catalog.long(80)
        let jar = CookieJar()
        catalog.source = SampleSource(jar: jar)
        var play = Play(catalog: catalog, hasHistory: true)
        let area = play.model.layout.inside(play.model.layout.targets)
        let before = play.model.targets.scroll
        play.type(key)
        for _ in 1...2 {
            let row = Point(x: area.x, y: area.y + 3)
            play.send(.mouse(MouseEvent(kind: .press, position: row)))
            #expect(play.firedRun == nil)
            play.send(.mouse(MouseEvent(kind: .scrollDown, position: row)))
        }
        drag(&play, Point(x: area.maxX, y: area.y), to: Point(x: area.maxX + 9, y: 200))
        #expect(play.model.targets.scroll == before)
        let top = play.model.layout.progress.y
        drag(&play, Point(x: 45, y: top), to: Point(x: 45, y: top - 3))
        #expect(play.model.panes.sizes == PaneSizes())
    }

    // MARK: Labels

    @Test("labels are as few letters as they can be, and none begins another")
    func labels() {
        for count in [0, 1, 26, 27, 60, 300, 676, 700] {
            let texts = Jump.texts(count)
            #expect(texts.count == min(count, 676))
            #expect(Set(texts).count == texts.count)
            let singles = Set(texts.filter { $0.count == 1 })
            #expect(texts.allSatisfy { $0.count == 1 || !singles.contains(String($0.prefix(1))) })
            #expect(count <= 26 ? singles.count == count : true)
        }
    }

    private func type(_ play: inout Play, labelOf goal: Jump.Goal) throws {
        play.type("'")
        let label = try #require(play.model.layers.jump?.labels.first { $0.goal == goal })
        for letter in label.text { play.type(String(letter)) }
        #expect(play.model.layers.jump == nil)
    }

    @Test("a label leads to a pane, a row and a hint; a row is chosen and not sent")
    func jumps() throws {
        var play = play()
        try type(&play, labelOf: .pane(.server))
        #expect(play.model.panes.focus == .server)
        let row = play.model.layout.inside(play.model.layout.targets)
        let point = Point(x: row.x, y: row.y + 7)
        try type(&play, labelOf: .place(.targets, point))
        #expect(play.model.targets.scroll.selection == 7)
        #expect(play.model.panes.focus == .targets)
        try type(&play, labelOf: .place(.targets, point))
        #expect(play.firedRun == nil)
        try type(&play, labelOf: .key(.character("?")))
        #expect(play.model.layers.help != nil)
    }

    @Test("what is no label ends it, and does nothing else")
    func leaves() {
        for key in ["esc", "enter", "1", "?"] {
            var play = play()
            play.type("' \(key)")
            #expect(play.model.layers.jump == nil)
            #expect(play.model.layers.help == nil && play.firedRun == nil)
        }
    }

    @Test("labels stand on what they lead to, in all sizes")
    func drawn() throws {
        for size in [Size(columns: 120, rows: 40), Size(columns: 40, rows: 10)] {
            var play = play(size)
            play.type("'")
            let jump = try #require(play.model.layers.jump)
            let grid = Grid.rendering(play.model)
            for label in jump.labels {
                let row = Array(grid.textRows[label.point.y])
                #expect(String(row[label.point.x]) == label.text.prefix(1), "\(label)")
            }
        }
    }
}

extension Catalog {
    /// So many targets in a group.
    static func long(_ count: Int) -> Catalog {
        Catalog(
            name: "Long",
            nodes: [
                .group(
                    name: "All",
                    (1...count).map { .target(.sample("All/Target \($0)", "Target \($0)")) }
                )
            ]
        )
    }
}
