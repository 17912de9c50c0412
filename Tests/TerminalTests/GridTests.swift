import Testing

@testable import Terminal

@Suite("Grid")
struct GridTests {
    @Test("ASCII takes a column each and is clipped at the width and the edge")
    func ascii() {
        var grid = Grid.make(10, 2)
        #expect(grid.draw("hello", x: 0, y: 0, style: .default) == 5)
        #expect(grid.draw("hello", x: 7, y: 1, style: .default) == 3)
        #expect(grid.draw("hello", x: 0, y: 1, width: 2, style: .default) == 2)
        #expect(grid.draw("hello", x: 0, y: 2, style: .default) == 0)
        #expect(grid.textRows == ["hello", "he     hel"])
    }

    @Test("text that begins left of the clip shows its rest")
    func negativeStart() {
        var grid = Grid.make(6, 1)
        grid.draw("abcdef", x: -2, y: 0, style: .default)
        #expect(grid.textRows == ["cdef"])
        grid.clear()
        grid.draw("東京都", x: -1, y: 0, style: .default)
        #expect(grid.textRows == [" 京都"])
    }

    @Test("a wide character that does not fit is not drawn by half")
    func wideAtEdge() {
        var grid = Grid.make(5, 1)
        #expect(grid.draw("東京都", x: 0, y: 0, style: .default) == 4)
        #expect(grid.textRows == ["東京"])
    }

    @Test(
        "drawing over half of a wide character blanks the other half",
        arguments: [(0, "x 京"), (1, " x京"), (2, "東x"), (3, "東 x")]
    )
    func mending(at column: Int, expected: String) {
        var grid = Grid.make(4, 1)
        grid.draw("東京", x: 0, y: 0, style: .default)
        grid.draw("x", x: column, y: 0, style: .default)
        #expect(grid.textRows == [expected])
    }

    @Test(
        "text that is too wide is cut where asked",
        arguments: [
            (Cut.none, 5, "abcde"), (.end, 5, "abcd…"), (.middle, 5, "ab…gh"),
            (.start, 5, "…efgh"), (.end, 8, "abcdefgh"), (.end, 1, "…"), (.start, 1, "…"),
            (.middle, 2, "a…"),
        ]
    )
    func cuts(cut: Cut, width: Int, expected: String) {
        var grid = Grid.make(12, 1)
        grid.draw("abcdefgh", x: 0, y: 0, width: width, style: .default, cut: cut)
        #expect(grid.textRows == [expected])
        #expect(TextWidth.cut("abcdefgh", to: width, cut) == expected)
    }

    @Test("cut text never takes more columns than its place, whatever is in it")
    func cutsOfWideText() {
        for width in 0...14 {
            for cut in [Cut.none, .end, .middle, .start] {
                var grid = Grid.make(20, 1)
                let text = "日本e\u{301}語🚀\tx\u{1B}"
                let used = grid.draw(text, x: 0, y: 0, width: width, style: .default, cut: cut)
                #expect(used <= width)
                #expect(TextWidth.columns(of: TextWidth.cut(text, to: width, cut)) <= width)
            }
        }
    }

    @Test("combining marks stay on their base, at most four")
    func marks() {
        var grid = Grid.make(10, 1)
        grid.draw("e\u{301}x" + "a\u{300}\u{301}\u{302}\u{303}\u{304}", x: 0, y: 0, style: .default)
        #expect(grid.textRows == ["e\u{301}xa\u{300}\u{301}\u{302}\u{303}"])
        #expect(grid[2, 0].scalar == "a")
    }

    @Test(
        "columns bound the bytes that are read, whatever a text is made of",
        arguments: ["a", "\u{301}", "\u{200B}", "\u{FE0F}", "👩\u{200D}", "\u{7F}", "東"]
    )
    func endlessGlyphs(unit: String) {
        let text = "a" + String(repeating: unit, count: 1 << 20)
        Array(text.utf8).withUnsafeBytes {
            #expect(TextWidth.bytes(ofUTF8: $0, fittingIn: 20) <= 20 * 32 * 4)
        }
        for cut in [Cut.end, .middle, .start] {
            #expect(TextWidth.cut(text, to: 20, cut).utf8.count <= 20 * 5 * 4)
        }
    }

    @Test("bytes draw what the string draws")
    func bytes() {
        for text in ["plain", "naïve 東京 e\u{301}", "a\tb\u{7}c", ""] {
            var one = Grid.make(20, 1)
            var other = Grid.make(20, 1)
            one.draw(text, x: 1, y: 0, style: .default)
            Array(text.utf8).withUnsafeBytes {
                _ = other.draw(utf8: $0, x: 1, y: 0, style: .default)
            }
            #expect(one == other)
        }
    }

    @Test("clips nest and end")
    func clips() {
        var grid = Grid.make(6, 3)
        grid.clipped(to: Rect(x: 1, y: 1, columns: 4, rows: 1)) { grid in
            grid.clipped(to: Rect(x: 0, y: 0, columns: 3, rows: 3)) { grid in
                grid.fill(grid.bounds, with: "#", style: .default)
            }
        }
        #expect(grid.textRows == ["", " ##", ""])
        grid.put("!", x: 5, y: 2, style: .default)
        #expect(grid.textRows[2] == "     !")
    }

    @Test("a line of pieces is cut as one")
    func styledText() {
        let (one, two) = (StyleID(rawValue: 1), StyleID(rawValue: 2))
        var text = StyledText("abc", one)
        text.append("def", two)
        var grid = Grid.make(10, 1)
        grid.draw(text, x: 0, y: 0, width: 5, cut: .end)
        #expect(grid.textRows == ["abcd…"])
        #expect(grid[4, 0].style == two)
        grid.clear()
        grid.draw(text, x: 0, y: 0, width: 3, cut: .end)
        #expect(grid.textRows == ["ab…"])
        grid.clear()
        #expect(grid.draw(text, x: 0, y: 0, width: 6, cut: .end) == 6)
        #expect(grid.textRows == ["abcdef"])
    }

    @Test("splitting a rectangle loses no cell")
    func splitting() {
        let rect = Rect(x: 2, y: 3, columns: 10, rows: 7)
        for amount in [-1, 0, 4, 10, 99] {
            let (left, right) = rect.splitLeft(amount)
            #expect(left.columns + right.columns == 10 && right.x == left.maxX)
            let (top, bottom) = rect.splitBottom(amount)
            #expect(top.rows + bottom.rows == 7 && bottom.y == top.maxY)
        }
        let parts = rect.columnsSplit([1, 1, 1])
        #expect(parts.map(\.columns) == [4, 3, 3])
        #expect(parts.last?.maxX == rect.maxX)
        #expect(rect.inset(by: 20).isEmpty)
    }
}

extension Grid {
    static func make(_ columns: Int, _ rows: Int) -> Grid {
        Grid(size: Size(columns: columns, rows: rows))
    }
}
