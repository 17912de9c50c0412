/// A bird over an evening sky, drawn once in code.
enum SwiftPicture {
    static let width = 160
    static let height = 100
    static let png = PNG.encode(width: width, height: height, pixels: pixels)

    private static var pixels: [UInt8] {
        (0..<height).flatMap { row in (0..<width).flatMap { color(column: $0, row: row) } }
    }

    private static func color(column: Int, row: Int) -> [UInt8] {
        if isBird(column: column, row: row) { return [24, 26, 38] }
        if isSun(column: column, row: row) { return [255, 214, 120] }
        return [UInt8(60 + row * 17 / 10), UInt8(90 + row / 2), UInt8(190 - row)]
    }

    private static func isSun(column: Int, row: Int) -> Bool {
        let (x, y) = (column - 116, row - 72)
        return x * x + y * y < 18 * 18
    }

    /// Two sickle wings and a short body: a crescent between two parabolas.
    private static func isBird(column: Int, row: Int) -> Bool {
        let x = column - 72
        let isBody = abs(x) <= 3 && (26...52).contains(row) && abs(x) * 4 <= 52 - row
        let upperEdge = 30 + x * x / 110
        let lowerEdge = 38 + x * x / 150
        return isBody || (abs(x) < 52 && row >= upperEdge && row <= lowerEdge)
    }
}
