import Terminal

/// Red, green, blue and alpha, row by row from the top.
struct Pixels: Sendable {
    let columns: Int
    let rows: Int
    private let rgba: [UInt8]

    init(columns: Int, rows: Int, rgba: [UInt8]) {
        (self.columns, self.rows, self.rgba) = (columns, rows, rgba)
    }

    /// The pixels as an image for a terminal.
    var image: TerminalImage? { TerminalImage(width: columns, height: rows, rgba: rgba) }

    /// The color of a pixel; nil if it is more than half transparent, or outside of the image.
    func color(_ column: Int, _ row: Int) -> PixelColor? {
        guard column < columns, row < rows else { return nil }
        let start = (row * columns + column) * 4
        guard rgba[start + 3] > 127 else { return nil }
        return PixelColor(red: rgba[start], green: rgba[start + 1], blue: rgba[start + 2])
    }

    /// Scales down to at most these columns and rows; each pixel is the mean of those that it replaces.
    func fitted(to mostColumns: Int, _ mostRows: Int) -> Pixels {
        guard columns > 0, rows > 0, mostColumns > 0, mostRows > 0 else {
            return Pixels(columns: 0, rows: 0, rgba: [])
        }
        guard columns > mostColumns || rows > mostRows else { return self }
        let isWide = columns * mostRows > rows * mostColumns
        let width = isWide ? mostColumns : max(1, columns * mostRows / rows)
        let height = isWide ? max(1, rows * mostColumns / columns) : mostRows
        var means: [UInt8] = []
        means.reserveCapacity(width * height * 4)
        for row in 0..<height {
            let top = row * rows / height
            let below = top..<max(top + 1, (row + 1) * rows / height)
            for column in 0..<width {
                let first = column * columns / width
                let beside = first..<max(first + 1, (column + 1) * columns / width)
                means += mean(of: beside, below)
            }
        }
        return Pixels(columns: width, rows: height, rgba: means)
    }

    /// The mean color of an area, weighted by alpha: transparent pixels do not count.
    private func mean(of columnRange: Range<Int>, _ rowRange: Range<Int>) -> [UInt8] {
        var (red, green, blue, alpha) = (0, 0, 0, 0)
        for row in rowRange {
            for start in stride(
                from: (row * columns + columnRange.lowerBound) * 4,
                to: (row * columns + columnRange.upperBound) * 4,
                by: 4
            ) {
                let weight = Int(rgba[start + 3])
                red += Int(rgba[start]) * weight
                green += Int(rgba[start + 1]) * weight
                blue += Int(rgba[start + 2]) * weight
                alpha += weight
            }
        }
        let count = columnRange.count * rowRange.count
        guard alpha > 0 else { return [0, 0, 0, 0] }
        return [red / alpha, green / alpha, blue / alpha, alpha / count].map(UInt8.init)
    }
}
