import Testing

@testable import Terminal

@Suite("Painter")
struct PainterTests {
    @Test("the first frame is whole, an equal one is nothing, a change is its rows")
    func rows() {
        var grid = Grid.make(20, 4)
        var backend = MemoryBackend(size: grid.size)
        var painter = Painter()
        grid.draw("one", x: 0, y: 0, style: .default)
        #expect(painter.paint(grid, cursor: nil, to: &backend))
        #expect(backend.putRows == [0, 1, 2, 3] && backend.flushes == 1)
        #expect(painter.paint(grid, cursor: nil, to: &backend))
        #expect(backend.putRows.count == 4 && backend.flushes == 1)
        grid.draw("two", x: 3, y: 2, style: .default)
        #expect(painter.paint(grid, cursor: nil, to: &backend))
        #expect(backend.putRows.suffix(1) == [2] && backend.flushes == 2)
        #expect(backend.rows[2].hasPrefix("   two"))
    }

    @Test("a style alone is a change")
    func styles() {
        var grid = Grid.make(5, 2)
        var backend = MemoryBackend(size: grid.size)
        var painter = Painter()
        _ = painter.paint(grid, cursor: nil, to: &backend)
        grid.restyle(Rect(x: 2, y: 1, columns: 1, rows: 1)) { _ in StyleID(rawValue: 3) }
        _ = painter.paint(grid, cursor: nil, to: &backend)
        #expect(backend.putRows == [0, 1, 1])
    }

    @Test("only the cursor moves: no row is sent")
    func cursor() {
        let grid = Grid.make(5, 2)
        var backend = MemoryBackend(size: grid.size)
        var painter = Painter()
        _ = painter.paint(grid, cursor: nil, to: &backend)
        _ = painter.paint(grid, cursor: Point(x: 1, y: 1), to: &backend)
        #expect(backend.cursor == Point(x: 1, y: 1) && backend.flushes == 2)
        #expect(backend.putRows.count == 2)
        _ = painter.paint(grid, cursor: Point(x: 9, y: 9), to: &backend)
        #expect(backend.cursor == nil)
    }

    @Test("after a resize or an invalidation everything is sent")
    func whole() {
        var backend = MemoryBackend(size: Size(columns: 5, rows: 2))
        var painter = Painter()
        _ = painter.paint(.make(5, 2), cursor: nil, to: &backend)
        _ = painter.paint(.make(5, 3), cursor: nil, to: &backend)
        #expect(backend.putRows.count == 5)
        painter.invalidate()
        _ = painter.paint(.make(5, 3), cursor: nil, to: &backend)
        #expect(backend.putRows.count == 8)
        _ = painter.paint(.make(0, 0), cursor: nil, to: &backend)
    }

    @Test("a pool of marks that began anew is not taken for the old one")
    func marks() {
        var grid = Grid.make(4, 1)
        var backend = MemoryBackend(size: grid.size)
        var painter = Painter()
        for number in 0..<3000 {
            grid.clear()
            let marks = [number / 600, number / 20 % 30, number % 20].map { 0x300 + $0 }
            let text =
                "a" + String(String.UnicodeScalarView(marks.compactMap { Unicode.Scalar($0) }))
            grid.draw(text, x: 0, y: 0, style: .default)
            _ = painter.paint(grid, cursor: nil, to: &backend)
            #expect(Array(backend.rows[0].unicodeScalars.prefix(4)) == Array(text.unicodeScalars))
        }
        #expect(grid.generation > 0)
    }
}

@Suite("Mailbox")
struct MailboxTests {
    @Test("messages from many tasks all arrive, in the order of each sender")
    func order() async {
        let mailbox = Mailbox<[Int]>()
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<8 {
                group.addTask {
                    for number in 0..<500 { mailbox.send([sender, number]) }
                }
            }
        }
        let messages = mailbox.removeAll()
        #expect(messages.count == 4000)
        for sender in 0..<8 {
            #expect(messages.filter { $0[0] == sender }.map { $0[1] } == Array(0..<500))
        }
        #expect(mailbox.removeAll() == [])
    }
}
