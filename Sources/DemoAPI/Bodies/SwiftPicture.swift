/// A picture of a bird in an evening sky, drawn in code.
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

    /// Two sickle-shaped wings and a short body: a crescent between two parabolas.
    private static func isBird(column: Int, row: Int) -> Bool {
        let x = column - 72
        let isBody = abs(x) <= 3 && (26...52).contains(row) && abs(x) * 4 <= 52 - row
        let upperEdge = 30 + x * x / 110
        let lowerEdge = 38 + x * x / 150
        return isBody || (abs(x) < 52 && row >= upperEdge && row <= lowerEdge)
    }
}

/// A PNG encoder for 8-bit RGB pixels.
enum PNG {
    /// Encodes a picture, given as `width * height * 3` bytes, row by row.
    static func encode(width: Int, height: Int, pixels: [UInt8]) -> [UInt8] {
        var scanlines: [UInt8] = []
        for row in 0..<height {
            scanlines.append(0)  // filter: none
            scanlines += pixels[(row * width * 3)..<((row + 1) * width * 3)]
        }
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let header: [UInt8] = bigEndian(width) + bigEndian(height) + [8, 2, 0, 0, 0]
        let chunks = [
            chunk("IHDR", header), chunk("IDAT", Zlib.compress(scanlines, as: .zlib)),
            chunk("IEND", []),
        ]
        return signature + chunks.joined()
    }

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let checked = Array(type.utf8) + content
        return bigEndian(content.count) + checked + bigEndian(Int(CRC32(of: checked).value))
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
