import Testing

@testable import Terminal

@Suite("Images that the terminal shows itself")
struct KittyGraphicsTests {
    private static func image(_ width: Int, _ height: Int) throws -> TerminalImage {
        let pixels = (0..<width * height * 4).map { UInt8(truncatingIfNeeded: $0) }
        return try #require(TerminalImage(width: width, height: height, rgba: pixels))
    }

    private static func placed(_ image: TerminalImage, _ place: Rect) throws -> PlacedImage {
        var grid = Grid(size: Size(columns: 40, rows: 20))
        grid.place(image, in: place)
        return try #require(grid.uncoveredImages.first)
    }

    /// The sequences of a text: their keys, and their payloads.
    private static func sequences(in text: String) -> [(keys: String, payload: String)] {
        text.split(separator: "\u{1B}_G").dropFirst(text.hasPrefix("\u{1B}_G") ? 0 : 1).map {
            part in
            let body = part.prefix { $0 != "\u{1B}" }
            let halves = body.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(halves[0]), halves.count > 1 ? String(halves[1]) : "")
        }
    }

    @Test("an image is sent once, in pieces, at its place, and the cursor stays")
    func transmits() throws {
        var graphics = KittyGraphics()
        let image = try Self.image(50, 40)
        let place = Rect(x: 3, y: 2, columns: 20, rows: 10)
        let text = graphics.sequences(showing: [try Self.placed(image, place)], cell: nil)
        #expect(text.hasPrefix("\u{1B}7\u{1B}[3;4H\u{1B}_G") && text.hasSuffix("\u{1B}\\\u{1B}8"))
        let parts = Self.sequences(in: text)
        #expect(parts[0].keys == "a=T,f=32,s=50,v=40,i=1,p=1,c=20,r=8,C=1,q=2,m=1")
        #expect(parts.dropFirst().dropLast().allSatisfy { $0.keys == "m=1" })
        #expect(parts.last?.keys == "m=0" && parts.count == 3)
        #expect(parts.allSatisfy { $0.payload.utf8.count <= 4096 })
        #expect(parts.map(\.payload).joined() == Base64.encode(image.rgba))
        let again = [try Self.placed(image, place)]
        #expect(graphics.sequences(showing: again, cell: nil).isEmpty)
    }

    @Test(
        "one that moves is not sent again, one that goes is dropped, one that was lost is sent anew"
    )
    func moves() throws {
        var graphics = KittyGraphics()
        let image = try Self.image(2, 2)
        let first = try Self.placed(image, Rect(x: 0, y: 0, columns: 2, rows: 1))
        _ = graphics.sequences(showing: [first], cell: nil)
        let second = try Self.placed(image, Rect(x: 5, y: 5, columns: 4, rows: 2))
        let moved = Self.sequences(in: graphics.sequences(showing: [second], cell: nil))
        #expect(moved.map(\.keys) == ["a=p,i=1,p=1,c=4,r=2,C=1,q=2"])
        graphics.forget()
        let anew = Self.sequences(in: graphics.sequences(showing: [second], cell: nil))
        #expect(anew.first?.keys.hasPrefix("a=T,f=32,s=2,v=2,i=2,") == true)
        let gone = Self.sequences(in: graphics.sequences(showing: [], cell: nil))
        #expect(gone.map(\.keys) == ["a=d,d=I,i=2,q=2"])
        #expect(graphics.sequences(showing: [], cell: nil).isEmpty)
    }

    @Test(
        "it takes the cells in which it has its own proportions",
        arguments: [
            ((10, 20), (20, 10)), ((9, 20), (20, 9)), ((10, 16), (16, 10)), ((10, 40), (20, 5)),
            ((1, 1000), (20, 1)), ((1000, 1), (1, 10)),
        ]
    )
    func proportions(cell: (Int, Int), extent: (Int, Int)) throws {
        var graphics = KittyGraphics()
        let placed = try Self.placed(
            try Self.image(60, 60),
            Rect(x: 0, y: 0, columns: 20, rows: 10)
        )
        let text = graphics.sequences(showing: [placed], cell: (cell.0, cell.1))
        #expect(text.contains(",c=\(extent.0),r=\(extent.1),"))
    }

    @Test("what is drawn over an image hides it, and what is not all to be seen is not shown")
    func covered() throws {
        let image = try Self.image(4, 4)
        var grid = Grid(size: Size(columns: 20, rows: 10))
        let place = Rect(x: 2, y: 2, columns: 8, rows: 4)
        grid.place(image, in: place)
        #expect(grid.uncoveredImages.count == 1)
        grid.draw("beside", in: Rect(x: 10, y: 2, columns: 8, rows: 1), style: .default)
        #expect(grid.uncoveredImages.count == 1)
        grid.draw("over", in: Rect(x: 5, y: 5, columns: 8, rows: 1), style: .default)
        #expect(grid.uncoveredImages.isEmpty)
        grid.clear()
        grid.clipped(to: Rect(x: 0, y: 0, columns: 9, rows: 10)) { $0.place(image, in: place) }
        #expect(grid.uncoveredImages.isEmpty)
        #expect(TerminalImage(width: 4, height: 4, rgba: [1, 2]) == nil)
    }

    @Test("a painter tells of images when they change, and after the screen was sent whole")
    func paints() throws {
        var backend = MemoryBackend(size: Size(columns: 20, rows: 10))
        var painter = Painter()
        let image = try Self.image(4, 4)
        func paint(_ draw: (inout Grid) -> Void) {
            var grid = Grid(size: backend.size)
            draw(&grid)
            _ = painter.paint(grid, cursor: nil, to: &backend)
        }
        let place = Rect(x: 0, y: 0, columns: 4, rows: 2)
        paint { $0.place(image, in: place) }
        #expect(backend.images.map(\.place) == [place])
        let flushes = backend.flushes
        paint { $0.place(image, in: place) }
        #expect(backend.flushes == flushes)
        paint { _ in }
        #expect(backend.images.isEmpty)
    }

    @Test(
        "only terminals that are known to have it show images, and none behind tmux or screen",
        arguments: [
            ("xterm-kitty", [:], true), ("xterm-ghostty", [:], true),
            ("xterm-256color", ["TERM_PROGRAM": "WezTerm"], true),
            ("xterm-256color", ["KITTY_WINDOW_ID": "1"], true), ("xterm-256color", [:], false),
            ("xterm-kitty", ["TMUX": "/tmp/tmux-0/default,1,0"], false),
            ("screen-256color", ["STY": "1.x", "KITTY_WINDOW_ID": "1"], false),
        ] as [(String, [String: String], Bool)]
    )
    func terminals(name: String, variables: [String: String], isShown: Bool) {
        let shows = TerminalProfile.showsImages(terminal: name) { variables[$0] ?? "" }
        #expect(shows == isShown)
    }
}
