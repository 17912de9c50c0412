import Glibc
import Testing

@testable import Terminal

@Suite("Width table")
struct WidthTableTests {
    @Test("every scalar is as wide as wcwidth of this machine says")
    func libc() throws {
        let table = try Self.libcClasses()
        if getenv("RECORD_WIDTH_TABLE") != nil { try record(table) }
        let different = table.indices.filter {
            WidthTable.class(of: UInt32($0)).rawValue != table[$0]
        }
        #expect(different.isEmpty, "\(different.count) differ, first \(different.prefix(5))")
    }

    @Test(
        "some widths that people know",
        arguments: [
            ("a", 1), ("é", 1), ("e\u{301}", 1), ("東", 2), ("🚀", 2), ("ﾃ", 1), ("", 0),
            ("👨‍👩‍👧", 8), ("🇩🇪", 2), ("\t", 4), ("ab\tc", 5), ("한", 2), ("\u{1112}\u{1161}", 2),
        ]
    )
    func known(text: String, columns: Int) {
        #expect(TextWidth.columns(of: text) == columns)
        var grid = Grid.make(20, 1)
        #expect(grid.draw(text, x: 0, y: 0, style: .default) == columns)
    }

    @Test("padding makes exactly the width")
    func padding() {
        #expect(TextWidth.padded("東", to: 4) == "東  ")
        #expect(TextWidth.padded("12", to: 4, alignment: .trailing) == "  12")
        #expect(TextWidth.padded("12345", to: 4) == "123…")
    }

    private static func libcClasses() throws -> [UInt8] {
        let locale = try #require(newlocale(LC_CTYPE_MASK, "C.UTF-8", nil))
        let former = uselocale(locale)
        defer {
            uselocale(former)
            freelocale(locale)
        }
        // Behind a feature macro that Swift's Glibc does not set.
        typealias Function = @convention(c) (Int32) -> Int32
        let symbol = try #require(dlsym(nil, "wcwidth"))
        let wcwidth = unsafeBitCast(symbol, to: Function.self)
        return (0..<0x110000).map { scalar in
            let width = wcwidth(Int32(scalar))
            return width < 0 || scalar < 0x20 ? 3 : UInt8(width)
        }
    }

    private func record(_ table: [UInt8]) throws {
        var pages: [[UInt8]] = []
        let index = stride(from: 0, to: table.count, by: 256).map { start -> Int in
            let page = Array(table[start..<(start + 256)])
            let place = pages.firstIndex(of: page) ?? pages.count
            if place == pages.count { pages.append(page) }
            return place
        }
        let words = pages.flatMap { page in
            stride(from: 0, to: 256, by: 32).map { start in
                (0..<32).reduce(UInt64(0)) { $0 | UInt64(page[start + $1]) << UInt64(2 * $1) }
            }
        }
        let hex = words.map { word in
            let digits = String(word, radix: 16)
            let padded = Array(String(repeating: "0", count: 16 - digits.count) + digits)
            let groups = stride(from: 0, to: 16, by: 4).map { String(padded[$0..<($0 + 4)]) }
            return "0x" + groups.joined(separator: "_")
        }
        let text = """
            // Generated from wcwidth() of glibc in C.UTF-8 by WidthTableTests with RECORD_WIDTH_TABLE=1;
            // the same tests compare every scalar with the machine's own.

            let widthPageIndex: [UInt8] = [
            \(lines(index.map(String.init), each: 20))
            ]

            let widthPages: [UInt64] = [
            \(lines(hex, each: 4))
            ]

            """
        try Recording.write(text, to: "Terminal/Text/WidthTable+Pages.swift")
    }

    private func lines(_ items: [String], each count: Int) -> String {
        stride(from: 0, to: items.count, by: count)
            .map { "    " + items[$0..<min($0 + count, items.count)].joined(separator: ", ") + "," }
            .joined(separator: "\n")
    }
}
