import Testing

@testable import Terminal

@Suite("What may enter a cell")
struct SanitizerTests {
    @Test(
        "hostile characters are shown and not obeyed",
        arguments: [
            ("\u{1B}[31m", "␛[31m"), ("a\u{7}b", "a␇b"), ("a\nb", "a␊b"), ("\u{7F}", "␡"),
            ("\u{9B}31m", "\u{FFFD}31m"), ("a\u{202E}b", "a\u{FFFD}b"), ("a\u{200B}b", "ab"),
            ("a\u{2066}b", "a\u{FFFD}b"), ("\u{FEFF}a", "a"), ("a\u{AD}b", "ab"),
            ("\u{301}", "\u{25CC}\u{301}"), ("\u{2028}", "\u{FFFD}"), ("a\tb", "a   b"),
            ("👨‍👩‍👧", "👨"), ("👍🏽", "👍"), ("❤\u{FE0F}", "❤"), ("🇩🇪", "🇩🇪"),
            ("क्\u{200D}ष", "क्ष"), ("\u{E0041}x", "x"),
            ("a\u{3164}b", "a\u{FFFD}b"), ("\u{115F}\u{FFA0}", "\u{FFFD}\u{FFFD}"),
        ]
    )
    func gate(input: String, shown: String) {
        var grid = Grid.make(20, 1)
        grid.draw(input, x: 0, y: 0, style: .default)
        #expect(grid.textRows.first == shown)
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
