import Testing

@testable import Terminal

@Suite("What may enter a cell")
struct SanitizerTests {
    @Test(
        "hostile characters are shown and not obeyed",
        arguments: [
            ("\u{1B}[31m", "␛[31m"), ("a\u{7}b", "a␇b"), ("a\nb", "a␊b"), ("\u{7F}", "␡"),
            ("\u{9B}31m", "‹009B›31m"), ("a\u{202E}b", "a‹202E›b"),
            ("a\u{200B}b", "a‹200B›b"), ("a\u{2066}b", "a‹2066›b"), ("\u{FEFF}a", "‹FEFF›a"),
            ("a\u{AD}b", "a‹00AD›b"), ("\u{301}", "\u{25CC}\u{301}"), ("\u{2028}", "‹2028›"),
            ("a \u{301}", "a \u{25CC}\u{301}"), ("a\tb", "a   b"), ("🇩🇪", "🇩🇪"),
            ("क्\u{200D}ष", "क्‹200D›ष"), ("\u{E0041}x", "‹E0041›x"),
            ("a\u{3164}b", "a‹3164›b"), ("\u{115F}\u{FFA0}", "‹115F›‹FFA0›"),
            ("e\u{200B}\u{301}", "e‹200B›\u{25CC}\u{301}"), ("\u{378}", "‹0378›"),
        ]
    )
    func gate(input: String, shown: String) {
        var grid = Grid.make(20, 1)
        grid.draw(input, x: 0, y: 0, style: .default)
        #expect(grid.textRows.first == shown)
    }

    @Test(
        "of an emoji sequence the picture is shown, and what else is in it",
        arguments: [
            ("👨‍👩‍👧", "👨‿👩‿👧"), ("👍🏽", "👍₃"), ("❤\u{FE0F}", "❤ᵉ"),
            ("☎\u{FE0E}", "☎ᵗ"), ("👩🏽‍💻", "👩₃‿💻"), ("🏳️‍🌈", "🏳ᵉ‿🌈"),
            ("1️⃣", "1\u{20E3}ᵉ"), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴‹gbeng›"),
            // These are no emoji sequences.
            ("👨\u{200D}x", "👨‹200D›x"), ("1\u{FE0F}", "1‹FE0F›"), ("a🏽", "a🏽"),
            ("1\u{20E3}\u{FE0F}", "1\u{20E3}‹FE0F›"), ("a\u{E0067}", "a‹E0067›"),
            ("🏴\u{E0067}", "🏴‹E0067›"),
        ]
    )
    func emoji(input: String, shown: String) {
        var grid = Grid.make(30, 1)
        let used = grid.draw(input, x: 0, y: 0, style: .default)
        #expect(grid.textRows.first == shown)
        #expect(used == TextWidth.columns(of: shown))
        // What was cut is drawn again.
        #expect(TextWidth.columns(of: input) == used)
    }

    @Test("no two different values look equal, whatever is hidden in them")
    func distinct() {
        let hidden: [ClosedRange<UInt32>] = [
            0x80...0x9F, 0xAD...0xAD, 0x34F...0x34F, 0x61C...0x61C, 0x115F...0x1160,
            0x17B4...0x17B5, 0x180B...0x180F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F,
            0x3164...0x3164, 0xFE00...0xFE0F, 0xFEFF...0xFEFF, 0xFFA0...0xFFA0, 0xFFF0...0xFFFB,
            0x1D173...0x1D17A, 0xE0000...0xE0FFF, 0x1F3FB...0x1F3FF,
        ]
        let scalars = hidden.flatMap { $0 }.compactMap { Unicode.Scalar($0) }
        for (before, after) in [("a", "b"), ("👍", ""), ("👨", "👩"), ("1", "\u{20E3}"), ("🏴", "x")] {
            var seen: Set<String> = []
            let values = [before + after] + scalars.map { "\(before)\($0)\(after)" }
            for value in values {
                var grid = Grid.make(40, 1)
                grid.draw(value, x: 0, y: 0, style: .default)
                #expect(seen.insert(grid.textRows[0]).inserted, "\(value.unicodeScalars)")
            }
        }
    }

    @Test("every character that Unicode calls ignorable is shown")
    func ignorable() {
        for value in UInt32(0)..<0x110000 {
            guard let scalar = Unicode.Scalar(value),
                scalar.properties.isDefaultIgnorableCodePoint
            else { continue }
            #expect(Sanitizer.shown(value) == nil, "\(String(value, radix: 16))")
        }
    }

    @Test(
        "a code is drawn whole or not at all, and where it does not fit the text is cut before it"
    )
    func codesAtTheEdge() {
        for width in 0...8 {
            var grid = Grid.make(10, 1)
            let used = grid.draw("a\u{200B}b", x: 0, y: 0, width: width, style: .default)
            #expect(
                grid.textRows == [
                    width < 1 ? "" : width < 7 ? "a" : width < 8 ? "a‹200B›" : "a‹200B›b"
                ]
            )
            #expect(used <= width)
        }
        #expect(TextWidth.cut("a\u{200B}bc", to: 8) == "a‹200B›…")
        #expect(TextWidth.cut("👨‍👩‍👧", to: 5) == "👨‿…")
    }

    @Test("the columns of a part are those of all glyphs that it touches")
    func columnsOfParts() {
        let text = "a\u{200B}b👍🏽c"
        let expected: [(Range<Int>, Range<Int>)] = [
            (0..<1, 0..<1), (1..<4, 1..<7), (4..<5, 7..<8), (5..<9, 8..<11), (9..<13, 8..<11),
            (13..<14, 11..<12), (0..<14, 0..<12), (2..<3, 1..<7), (4..<4, 7..<7),
        ]
        Array(text.utf8).withUnsafeBytes { bytes in
            for (part, columns) in expected {
                #expect(TextWidth.columns(ofUTF8: bytes, in: part) == columns, "\(part)")
            }
        }
    }

    @Test("invalid UTF-8 becomes replacement characters, byte by byte")
    func invalid() {
        let cases: [([UInt8], String)] = [
            ([0x61, 0xFF, 0x62], "a\u{FFFD}b"), ([0xC0, 0x80], "\u{FFFD}\u{FFFD}"),
            ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"), ([0xE6, 0x9D], "\u{FFFD}\u{FFFD}"),
            ([0xF4, 0x90, 0x80, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
        ]
        for (bytes, shown) in cases {
            var grid = Grid.make(10, 1)
            _ = bytes.withUnsafeBytes { grid.draw(utf8: $0, x: 0, y: 0, style: .default) }
            #expect(grid.textRows == [shown])
        }
    }

    @Test("no bytes whatever put a control, an override or an odd mark into a cell")
    func fuzz() {
        var random = SplitMix(state: 42)
        let seeds = Array("\u{1B}[2J\u{202E}\u{200D}e\u{301}👨‍👩‍👧\u{9B}東\t\u{7F}".utf8)
        for _ in 0..<3000 {
            var bytes = (0..<Int(random.next() % 40)).map { _ in
                UInt8(truncatingIfNeeded: random.next())
            }
            let at = bytes.isEmpty ? 0 : Int(random.next() % UInt64(bytes.count))
            bytes.insert(contentsOf: seeds.shuffled(using: &random).prefix(8), at: at)
            var grid = Grid.make(30, 1)
            let used = bytes.withUnsafeBytes { raw in
                grid.draw(utf8: raw, x: 0, y: 0, width: 25, style: .default, cut: .middle)
            }
            #expect(used <= 25)
            expectClean(grid)
        }
    }

    private func expectClean(_ grid: Grid) {
        for (index, cell) in grid.cells.enumerated() {
            if cell.base == Cell.rightHalf {
                let left = grid.cells[index - 1].base
                #expect(WidthTable.class(of: left) == .wide)
                continue
            }
            #expect(Sanitizer.shown(cell.base) == cell.base)
            let width = WidthTable.class(of: cell.base)
            #expect(width == .narrow || width == .wide)
            for mark in grid.marks[Int(cell.marks)].scalars {
                #expect(Sanitizer.shown(mark) == mark && WidthTable.class(of: mark) == .mark)
            }
        }
    }
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
