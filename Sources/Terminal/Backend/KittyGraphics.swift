/// An image that the terminal draws itself, instead of cells.
package final class TerminalImage: Sendable {
    /// The width in pixels.
    package let width: Int
    /// The height in pixels.
    package let height: Int
    /// Red, green, blue and alpha, row by row from the top.
    let rgba: [UInt8]

    /// Makes an image; nil if the number of bytes does not match its size.
    package init?(width: Int, height: Int, rgba: [UInt8]) {
        guard width > 0, height > 0, rgba.count == width * height * 4 else { return nil }
        (self.width, self.height, self.rgba) = (width, height, rgba)
    }
}

/// An image on the screen.
package struct PlacedImage: Equatable, Sendable {
    /// What to show, scaled to fit `place`.
    package let image: TerminalImage
    /// The cells that it may cover, from the upper left corner on.
    package let place: Rect
    /// The cells there when it was placed; if they have changed, the image is covered.
    let cells: [Cell]

    /// Whether both are one image in the same rectangle.
    package static func == (left: PlacedImage, right: PlacedImage) -> Bool {
        left.image === right.image && left.place == right.place
    }
}

/// Shows images on a terminal that has kitty's graphics protocol
/// (https://sw.kovidgoyal.net/kitty/graphics-protocol/).
struct KittyGraphics {
    private struct Known {
        var id: Int
        var shown: PlacedImage
    }

    /// The longest payload of one sequence.
    private static let chunk = 4096

    private var known: [Known] = []
    private var lastID = 0

    /// Forgets all images, which the terminal loses when its screen is cleared.
    mutating func forget() { known = [] }

    /// The sequences that make the terminal show these images, and no others.
    ///
    /// `cell` is the size of a cell in pixels; nil if the terminal does not report it, and cells count as twice
    /// as high as wide.
    mutating func sequences(
        showing images: [PlacedImage],
        cell: (width: Int, height: Int)?
    ) -> String {
        var text = ""
        for old in known where !images.contains(where: { $0.image === old.shown.image }) {
            text += Self.sequence("a=d,d=I,i=\(old.id),q=2")
        }
        known.removeAll { old in !images.contains { $0.image === old.shown.image } }
        for new in images {
            let index = known.firstIndex { $0.shown.image === new.image }
            if let index, known[index].shown == new { continue }
            let extent = Self.extent(of: new, cell: cell)
            let placement = "p=1,c=\(extent.columns),r=\(extent.rows),C=1,q=2"
            // The cursor is saved and restored, so that it stays where ncurses expects it.
            text += "\u{1B}7\u{1B}[\(new.place.y + 1);\(new.place.x + 1)H"
            if let index {
                known[index].shown = new
                text += Self.sequence("a=p,i=\(known[index].id),\(placement)")
            } else {
                lastID += 1
                known.append(Known(id: lastID, shown: new))
                text += Self.transmission(of: new.image, id: lastID, placement)
            }
            text += "\u{1B}8"
        }
        return text
    }

    private static func transmission(
        of image: TerminalImage,
        id: Int,
        _ placement: String
    ) -> String {
        let data = Array(Base64.encode(image.rgba).utf8)
        let size = "f=32,s=\(image.width),v=\(image.height)"
        var text = ""
        for start in stride(from: 0, to: data.count, by: chunk) {
            let end = min(start + chunk, data.count)
            let head = start == 0 ? "a=T,\(size),i=\(id),\(placement)," : ""
            let payload = String(decoding: data[start..<end], as: UTF8.self)
            text += sequence("\(head)m=\(end < data.count ? 1 : 0);\(payload)")
        }
        return text
    }

    private static func sequence(_ text: String) -> String { "\u{1B}_G\(text)\u{1B}\\" }

    /// The largest size in cells in which an image keeps its proportions and fits its rectangle.
    private static func extent(
        of image: PlacedImage,
        cell: (width: Int, height: Int)?
    ) -> (columns: Int, rows: Int) {
        let place = image.place
        let cell = cell ?? (10, 20)
        let (width, height) = (image.image.width * cell.height, image.image.height * cell.width)
        // Rounded to whole cells.
        let columns = (place.rows * width + height / 2) / height
        guard columns > place.columns else { return (max(1, columns), place.rows) }
        return (place.columns, max(1, (place.columns * height + width / 2) / width))
    }
}
