import Testing

@testable import Terminal

private let look = Look(theme: .standard)

@Suite("List scroll")
struct ListScrollTests {
    @Test(
        "the selection stays in sight with its margin",
        arguments: [
            (0, 0), (1, 0), (7, 0), (8, 1), (50, 43), (97, 90), (99, 90), (500, 90), (-3, 0),
        ]
    )
    func select(row: Int, offset: Int) {
        var scroll = ListScroll(count: 100, height: 10)
        scroll.select(row)
        #expect(scroll.offset == offset)
        #expect(scroll.visible.contains(scroll.selection))
        #expect(scroll.visible.count == 10)
    }

    @Test("moving back scrolls only at the margin")
    func movements() {
        var scroll = ListScroll(count: 100, height: 10)
        let steps: [(Int, Int, Int)] = [(20, 20, 13), (-4, 16, 13), (-1, 15, 13), (-1, 14, 12)]
        for (step, selection, offset) in steps {
            scroll.move(by: step)
            #expect(scroll.selection == selection && scroll.offset == offset)
        }
        scroll.page(by: 1)
        #expect(scroll.selection == 23)
        scroll.moveToLast()
        #expect(scroll.selection == 99 && scroll.offset == 90)
        scroll.moveToFirst()
        #expect(scroll.selection == 0 && scroll.offset == 0)
    }

    @Test("the wheel scrolls, and the selection follows to stay in sight")
    func wheel() {
        var scroll = ListScroll(count: 100, height: 10)
        scroll.scroll(by: 3)
        #expect(scroll.offset == 3 && scroll.selection == 5)
        scroll.scroll(by: -30)
        #expect(scroll.offset == 0 && scroll.selection == 5)
        scroll.scroll(by: 1000)
        #expect(scroll.offset == 90 && scroll.selection == 92)
    }

    @Test("empty lists, panes without rows and shrinking lists are no trouble")
    func degenerate() {
        for (count, height) in [(0, 0), (0, 5), (5, 0), (1, 1), (3, 2)] {
            var scroll = ListScroll(count: 50, height: 10)
            scroll.select(40)
            scroll.update(count: count, height: height)
            scroll.move(by: .max)
            scroll.scroll(by: 2)
            scroll.page(by: -1)
            #expect(scroll.selection >= 0 && scroll.selection < max(1, count))
            #expect(scroll.visible.count <= height)
        }
    }
}

@Suite("Text field")
struct TextFieldTests {
    @Test(
        "keys edit: text with cursor, keys, text with cursor",
        arguments: [
            ("ab|", ["x"], "abx|"), ("a|b", ["backspace"], "|b"), ("a|b", ["del"], "a|"),
            ("ab|c", ["left", "left", "left"], "|abc"), ("|ab", ["end"], "ab|"),
            ("one two|", ["ctrl+w"], "one |"), ("one two  |", ["ctrl+w"], "one |"),
            ("one two|x", ["ctrl+u"], "|x"), ("one|two", ["ctrl+k"], "one|"),
            ("one two|", ["ctrl+left", "ctrl+left"], "|one two"),
            ("|one two", ["alt+f"], "one| two"), ("a|", ["space", "b"], "a b|"),
            ("é|", ["backspace"], "|"), ("|", ["backspace", "del", "left"], "|"),
            ("e|x", ["\u{301}"], "e\u{301}|x"),
            // What is typed up to a blank is taken back in one step, and so is what was cut.
            ("|", ["a", "b", "space", "c", "d", "ctrl+z"], "ab|"),
            ("|", ["a", "b", "space", "c", "ctrl+z", "ctrl+z"], "|"),
            ("|", ["a", "left", "b", "ctrl+z"], "|a"),
            ("one two|", ["ctrl+u", "ctrl+z"], "one two|"),
            ("one two|", ["ctrl+w", "ctrl+z", "ctrl+y"], "one |"),
            ("|", ["a", "ctrl+z", "b", "ctrl+y"], "b|"), ("|", ["ctrl+z", "ctrl+_"], "|"),
        ]
    )
    func editing(before: String, keys: [String], after: String) throws {
        let parts = before.split(separator: "|", omittingEmptySubsequences: false)
        var field = TextField(String(parts[0] + parts[1]))
        for _ in parts[1] { _ = field.handle(Key(.left)) }
        for name in keys {
            let key = try #require(Key(name))
            let isTaken = field.handle(key)
            #expect(isTaken)
        }
        let characters = Array(field.text)
        let shown = String(characters[..<field.cursor]) + "|" + String(characters[field.cursor...])
        #expect(shown == after)
    }

    @Test("keys that mean nothing to a field are left to others")
    func others() {
        var field = TextField("x")
        for name in ["enter", "esc", "tab", "up", "f1", "ctrl+c"] {
            let isTaken = field.handle(Key(name) ?? Key(.enter))
            #expect(!isTaken)
        }
        #expect(field.text == "x")
    }

    @Test("a paste is one line without controls")
    func paste() {
        var field = TextField("<>")
        _ = field.handle(Key(.left))
        field.paste("a\nb\u{1B}[31m\tc\u{9B}")
        #expect(field.text == "<a b[31m c>")
    }

    @Test("a long text scrolls so that the cursor is seen")
    func scrolling() {
        var grid = Grid.make(8, 1)
        var field = TextField("abcdefghij")
        let rect = Rect(x: 1, y: 0, columns: 5, rows: 1)
        #expect(field.draw(in: rect, into: &grid, look: look, isFocused: true) == Point(x: 5, y: 0))
        #expect(grid.textRows == [" ghij"])
        _ = field.handle(Key(.home))
        #expect(field.draw(in: rect, into: &grid, look: look, isFocused: true) == Point(x: 1, y: 0))
        #expect(grid.textRows == [" abcde"])
    }

    @Test("a secret is dots, an empty field its placeholder")
    func masked() {
        var grid = Grid.make(10, 2)
        let secret = TextField("s3cret", isMasked: true)
        _ = secret.draw(in: grid.bounds, into: &grid, look: look, isFocused: false)
        #expect(grid.textRows[0] == "••••••")
        let empty = TextField(placeholder: "filter this list")
        #expect(empty.draw(in: grid.bounds, into: &grid, look: look, isFocused: false) == nil)
        #expect(grid.textRows[0] == "filter th…")
    }

    @Test("a field takes no more than its limit, of a paste or of keys")
    func limitsFieldText() {
        var field = TextField("a")
        field.paste(String(repeating: "é", count: 1 << 20))
        #expect(field.text.utf8.count == TextField.longestText - 1)
        let before = field.text.utf8.count
        for _ in 0..<8 { _ = field.handle(.character("\u{301}")) }
        #expect(field.text.utf8.count == before)
        _ = field.handle(Key(.character("u"), .control))
        #expect(field.isEmpty)
    }

    @Test("a character that does not fit is dropped whole, and a smaller one still fits")
    func dropsWholeCharacters() {
        var field = TextField("ab", limit: 3)
        _ = field.handle(.character("é"))
        #expect(field.text == "ab")
        field.paste("cé")
        #expect(field.text == "abc")
    }
}

@Suite("Frames, gauges and their like")
struct WidgetTests {
    // A frame that read all of the text would take a tenth of a second and more.
    @Test(
        "a paragraph reads no more of a text than it shows",
        arguments: ["a", "a b ", "\n", " ", "\u{301}", "\u{200B}"]
    )
    func longParagraph(unit: String) {
        let text = String(repeating: unit, count: 1 << 20)
        for _ in 0..<1000 {
            var grid = Grid.make(20, 5)
            let paragraph = Paragraph(parts: [
                .init(text: "first", style: .default), .init(text: text, style: .default),
                .init(text: text, style: .default),
            ])
            #expect(paragraph.draw(in: grid.bounds, into: &grid) == 5)
        }
    }

    @Test(
        "a paragraph is broken between words, and within those that are longer than a line",
        arguments: [
            ("", [""]), ("one two", ["one", "two"]), ("one two ", ["one", "two "]),
            ("a\n\nb\n", ["a", "", "b", ""]), ("12345\n1", ["12345", "1"]),
            ("ab 1234567 c", ["ab", "12345", "67 c"]), ("12345 ", ["12345"]),
            ("東京都庁", ["東京", "都庁"]),
        ]
    )
    func paragraph(text: String, lines: [String]) {
        #expect(Paragraph.wrap(text, columns: 5, rows: .max) == lines)
        #expect(Paragraph.wrap(text, columns: 5, rows: 1) == [lines[0]])
        #expect(Paragraph.wrap("東京", columns: 1, rows: .max) == ["東", "京"])
    }

    @Test("a frame has its words in the border")
    func frame() {
        var grid = Grid.make(30, 3)
        let frame = Frame(
            title: StyledText("Targets", .default),
            trailing: StyledText("23", .default),
            foot: StyledText("$.users[0]", .default),
            isFocused: true
        )
        let inner = frame.draw(in: grid.bounds, into: &grid, look: look)
        #expect(inner == Rect(x: 1, y: 1, columns: 28, rows: 1))
        #expect(
            grid.textRows == [
                "╭─ Targets ────────────── 23 ╮",
                "│                            │",
                "╰─ $.users[0] ───────────────╯",
            ]
        )
    }

    @Test("a frame of any size draws within it and never traps")
    func frameSizes() {
        let frame = Frame(
            title: StyledText("A long title 東京", .default),
            trailing: StyledText("200", .default),
            foot: StyledText("foot", .default),
            footTrailing: StyledText("end", .default)
        )
        for columns in 0...40 {
            for rows in 0...4 {
                var grid = Grid.make(40, 4)
                grid.fill(grid.bounds, with: "z", style: .default)
                let rect = Rect(x: 0, y: 0, columns: columns, rows: rows)
                frame.draw(in: rect, into: &grid, look: look)
                for y in 0..<4 {
                    for x in 0..<40 where !rect.contains(Point(x: x, y: y)) {
                        #expect(grid[x, y].scalar == "z")
                    }
                }
            }
        }
    }

    @Test(
        "a known gauge is exact to an eighth and full only when done",
        arguments: [
            (0.0, "          "), (1.0, "██████████"), (0.5, "█████     "), (0.5125, "█████▏    "),
            (0.999, "█████████▉"), (-1, "          "), (7, "██████████"), (.nan, "          "),
        ]
    )
    func known(fraction: Double, shown: String) {
        var grid = Grid.make(10, 1)
        Gauge.draw(fraction: fraction, in: grid.bounds, into: &grid, look: look)
        #expect(grid.text(row: 0, upTo: 10) == shown)
    }

    @Test("an unknown gauge moves to and fro and keeps its length")
    func unknown() {
        let rows = (0..<13).map { phase in
            var grid = Grid.make(9, 1)
            Gauge.drawUnknown(phase: phase, in: grid.bounds, into: &grid, look: look)
            return grid.text(row: 0, upTo: 9)
        }
        #expect(rows[0] == "▒▒▒      " && rows[6] == "      ▒▒▒" && rows[12] == rows[0])
        #expect(rows[7] == rows[5])
        for columns in 0...3 {
            var grid = Grid.make(3, 1)
            let rect = Rect(x: 0, y: 0, columns: columns, rows: 1)
            Gauge.drawUnknown(phase: -5, in: rect, into: &grid, look: look)
            Gauge.drawPips(fraction: 0.3, in: rect, into: &grid, look: look)
            Sparkline.draw([1, 2, .nan], in: rect, into: &grid, look: look, style: .default)
        }
    }

    @Test("pips and sparklines")
    func pips() {
        var grid = Grid.make(8, 1)
        Gauge.drawPips(fraction: 0.2, in: grid.bounds, into: &grid, look: look)
        #expect(grid.textRows == ["▰▰▱▱▱▱▱▱"])
        grid.clear()
        Sparkline.draw([0, 1, 4, 8], in: grid.bounds, into: &grid, look: look, style: .default)
        #expect(grid.textRows == [" ▂▅█"])
    }

    @Test(
        "a footer has whole hints only",
        arguments: [(40, "enter send  tab pane  ? help"), (27, "enter send  ? help"), (9, "")]
    )
    func footer(columns: Int, shown: String) {
        var grid = Grid.make(40, 1)
        let hints = FooterHints([.init("enter", "send"), .init("tab", "pane"), .init("?", "help")])
        hints.draw(in: Rect(x: 0, y: 0, columns: columns, rows: 1), into: &grid, look: look)
        #expect(grid.textRows == [shown])
    }
}
