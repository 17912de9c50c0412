import Apus
import Documents
import Terminal

/// An image in place of its bytes.
struct Picture: Sendable {
    /// What is known of it.
    enum Content: Sendable {
        /// Its pixels, no more than a screen has.
        case pixels(Pixels)
        /// Why it has none: the format's are not read, or it is broken.
        case problem(String)
    }

    /// Told by the first bytes.
    let format: ImageFormat
    /// As its header says; nil if it does not.
    let size: ImageSize?
    let content: Content
    /// For a terminal that shows images by itself.
    let image: TerminalImage?

    /// More cells than nearly all screens have in a row.
    private static let mostPixels = 400
    /// What a terminal gets of an image: 1.6 MB as it is sent.
    private static let mostImagePixels = (columns: 640, rows: 480)
    /// As large as a photograph is; decoded, 96 MB for as long as it takes to make them fewer.
    private static let mostPixelsRead = 24_000_000

    /// Reads an image and makes it small; it takes a while for a large one.
    init(_ bytes: DocumentBytes, format: ImageFormat) {
        self.format = format
        size = (try? ResponseImage(reading: bytes, decodesPixels: false))?.size
        do throws(ImageFailure) {
            let image = try ResponseImage(reading: bytes, maximumPixels: Self.mostPixelsRead)
            if let pixels = image.pixels, let size = image.size {
                let whole = Pixels(columns: size.width, rows: size.height, rgba: pixels)
                content = .pixels(whole.fitted(to: Self.mostPixels, Self.mostPixels))
                let most = Self.mostImagePixels
                self.image = whole.fitted(to: most.columns, most.rows).image
            } else {
                content = .problem("Apus does not read the pixels of \(format.name).")
                self.image = nil
            }
        } catch {
            self.image = nil
            content = .problem(error.reason.prefix(1).uppercased() + error.reason.dropFirst() + ".")
        }
    }
}

/// Red, green, blue and alpha, row by row from the top.
struct Pixels: Sendable {
    let columns: Int
    let rows: Int
    private let rgba: [UInt8]

    init(columns: Int, rows: Int, rgba: [UInt8]) {
        (self.columns, self.rows, self.rgba) = (columns, rows, rgba)
    }

    /// The same for a terminal.
    var image: TerminalImage? { TerminalImage(width: columns, height: rows, rgba: rgba) }

    /// The colour of a pixel; nil of one that lets more than half of what is behind it through.
    func color(_ column: Int, _ row: Int) -> PixelColor? {
        guard column < columns, row < rows else { return nil }
        let start = (row * columns + column) * 4
        guard rgba[start + 3] > 127 else { return nil }
        return PixelColor(red: rgba[start], green: rgba[start + 1], blue: rgba[start + 2])
    }

    /// As large as fits into so many columns and rows, but no larger than it is; each pixel is the mean
    /// of those it stands for.
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

    /// What is transparent has no say in the colour.
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

/// Showing an image in place of its bytes.
extension DocumentPane {
    /// What of an image the pane has.
    enum PictureState: Sendable {
        /// It is being read.
        case awaited
        case read(Picture)
    }

    /// Whether the bytes have given way to the picture.
    var showsPicture: Bool { picture != nil && !hidesPicture && body?.form == .hex }

    /// Has the picture read, if the bytes are one and nobody asked to see the bytes.
    mutating func notePicture() -> [DocumentPaneEffect] {
        guard picture == nil, let body, body.form == .hex, body.chosenForm == nil,
            body.bytes.isComplete, !body.isGrowing, let format = ImageFormat(of: body.bytes)
        else { return [] }
        picture = .awaited
        return [.picture(body.bytes, format)]
    }

    /// Takes in what was read.
    mutating func take(_ picture: Picture, of bytes: DocumentBytes) {
        if body?.bytes === bytes { self.picture = .read(picture) }
    }

    /// Performs an action on the picture; nil when none is shown, or the bytes are meant.
    mutating func performOnPicture(_ action: Action) -> [DocumentPaneEffect]? {
        guard showsPicture, case .rows = layer else { return nil }
        switch action {
        case .nextForm: hidesPicture = true
        case .up, .down, .left, .right, .pageUp, .pageDown, .first, .last, .open: break
        case .search, .query, .goTo, .copy, .showFault:
            hidesPicture = true
            return nil
        default: return nil
        }
        return []
    }
}
