import Terminal
import Testing

@testable import TreeView

@Suite("An image in a pane")
struct PictureTests {
    private static let red: [UInt8] = [255, 0, 0]
    private static let green: [UInt8] = [0, 200, 0]
    private static let blue: [UInt8] = [0, 0, 255]

    /// A bitmap of 24-bit pixels, given row by row from the top.
    private static func bitmap(_ rows: [[[UInt8]]]) -> [UInt8] {
        func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> ($0 * 8) & 255) } }
        let pixels = rows.reversed().flatMap { row in
            let bytes = row.flatMap { $0.reversed() }
            return bytes + Array(repeating: 0, count: (4 - bytes.count % 4) % 4)
        }
        return Array("BM".utf8) + little(54 + pixels.count) + little(0) + little(54) + little(40)
            + little(rows[0].count) + little(rows.count) + [1, 0, 24, 0] + little(0)
            + little(pixels.count) + little(0) + little(0) + little(0) + little(0) + pixels
    }

    static let flag = bitmap([
        [red, red, green], [blue, blue, green], [red, green, green],
    ])

    private func play(_ bytes: [UInt8], _ size: Size = Size(columns: 70, rows: 14)) async
        -> ViewerPlay
    {
        await ViewerPlay(bytes: bytes, type: "image/bmp", size: size)
    }

    @Test("each cell has two pixels of it, in their own colours, below what it is")
    func cells() async {
        let play = await play(Self.flag)
        #expect(play.shows("BMP · 3 × 3"))
        #expect(play.screen[3].hasPrefix("│ ▀▀▀ "))
        let rows = play.grid.coloredRows(theme: .standard)
        #expect(rows[3].contains("38;2;255;0;0;48;2;0;0;255m▀▀"))
        #expect(rows[3].contains("38;2;0;200;0;48;2;0;200;0m▀"))
        // The third row of pixels has none below.
        #expect(rows[4].contains("38;2;255;0;0m▀"))
    }

    @Test("t shows its bytes, then text, then itself again; the arrows move nothing in it")
    func forms() async {
        var play = await play(Self.flag)
        await play.press("j j G")
        #expect(play.shows("▀▀▀"))
        await play.press("t")
        #expect(play.shows("424d") && !play.shows("▀"))
        #expect(play.model.pane.scroll.selection == 0)
        await play.press("t")
        #expect(!play.shows("▀") && !play.shows("424d"))
        await play.press("t")
        #expect(play.shows("▀▀▀"))
    }

    @Test("a search goes on in the bytes")
    func search() async {
        var play = await play(Self.flag)
        await play.press("/")
        #expect(play.shows("424d"))
    }

    @Test("a large image is made to fit, its sides as they were")
    func large() async {
        let half = Array(repeating: Self.red, count: 100) + Array(repeating: Self.blue, count: 100)
        let play = await play(Self.bitmap(Array(repeating: half, count: 100)))
        #expect(play.shows("BMP · 200 × 100"))
        // 9 rows of cells are 18 of pixels.
        #expect(play.screen[3].count { $0 == "▀" } == 36)
        #expect(play.screen.count { $0.contains("▀") } == 9)
    }

    @Test("what is broken, and what is not read, is said")
    func problems() async {
        let cut = await play(Array(Self.flag.prefix(40)))
        #expect(cut.shows("BMP · 3 × 3") && cut.shows("cannot be read"))
        let webP: [UInt8] =
            Array("RIFF".utf8) + [26, 0, 0, 0] + Array("WEBPVP8L".utf8)
            + [13, 0, 0, 0, 0x2F, 9, 0xC0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
        let foreign = await play(webP)
        #expect(foreign.shows("WebP · 10 × 8"))
        #expect(foreign.shows("Apus cannot show WebP images."))
        var huge = Array(Self.flag.prefix(54))
        huge.replaceSubrange(18..<26, with: [0x70, 0x17, 0, 0, 0x88, 0x13, 0, 0])
        let large = await play(huge)
        #expect(large.shows("BMP · 6,000 × 5,000"))
        #expect(large.shows("6,000 × 5,000 pixels are more than the 24,000,000 allowed"))
    }

    @Test("without colors or signs for it, its size alone is told")
    func plain() async {
        let play = await play(Self.flag)
        for look in [
            Look(theme: .standard, symbols: .plain), Look(theme: .standard, colorDepth: .sixteen),
        ] {
            var grid = Grid(size: play.model.size)
            _ = ViewerScreen.render(play.model, into: &grid, look: look)
            let text = grid.textRows.joined()
            #expect(text.contains("too few colors") && !text.contains("▀"))
        }
    }

    @Test("a pixel that stands for many is their mean, in which what is transparent has no say")
    func means() {
        let pixels = Pixels(
            columns: 4,
            rows: 1,
            rgba: [10, 20, 30, 255, 30, 40, 50, 255, 255, 255, 255, 0, 8, 8, 8, 255]
        )
        let half = pixels.fitted(to: 2, 1)
        #expect(half.color(0, 0) == PixelColor(red: 20, green: 30, blue: 40))
        #expect(half.color(1, 0) == nil)
        #expect(pixels.color(2, 0) == nil && pixels.color(4, 0) == nil)
        #expect(pixels.fitted(to: 9, 9).columns == 4)
        #expect(pixels.fitted(to: 0, 5).columns == 0)
    }
}
