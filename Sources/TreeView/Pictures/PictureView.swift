import Documents
import Terminal

/// An image below a line about it, drawn by the terminal or as half blocks, two pixels per cell.
struct PictureView {
    let picture: DocumentPane.PictureState
    /// Whether a column at each side stays blank.
    let isPadded: Bool
    let look: Look

    func draw(in area: Rect, into grid: inout Grid) {
        guard case .read(let picture) = picture else { return }
        let inside = isPadded ? area.inset(left: 1, right: 1) : area
        grid.draw(words(about: picture), in: inside.row(0), style: look[.textMuted])
        let room = inside.inset(top: inside.rows > 8 ? 2 : 1)
        switch picture.content {
        case .problem(let words): Paragraph(words, look[.warning]).draw(in: room, into: &grid)
        case .pixels(let pixels):
            if look.showsImages, let image = picture.image {
                // As with half blocks, no pixel is larger than half a cell.
                let rows = min(room.rows, (image.height + 1) / 2)
                grid.place(image, in: room.first(image.width).inset(bottom: room.rows - rows))
                return
            }
            guard look.colorDepth >= .indexed256, let upper = look.symbols.upperHalf,
                let lower = look.symbols.lowerHalf
            else {
                let words = "This terminal has too few colors for a picture."
                Paragraph(words, look[.textMuted]).draw(in: room, into: &grid)
                return
            }
            draw(pixels, in: room, upper: upper, lower: lower, into: &grid)
        }
    }

    /// `PNG · 640 × 480`.
    private func words(about picture: Picture) -> String {
        guard let size = picture.size else { return picture.format }
        let (width, height) = (Readable.count(size.width), Readable.count(size.height))
        let extent = "\(width) \(look.symbols.times) \(height)"
        return "\(picture.format) \(look.symbols.middleDot) \(extent)"
    }

    private func draw(
        _ pixels: Pixels,
        in area: Rect,
        upper: Unicode.Scalar,
        lower: Unicode.Scalar,
        into grid: inout Grid
    ) {
        let surface = look.theme.surface
        let shown = pixels.fitted(to: area.columns, area.rows * 2)
        for row in 0..<(shown.rows + 1) / 2 {
            for column in 0..<shown.columns {
                let colors = (shown.color(column, row * 2), shown.color(column, row * 2 + 1))
                guard colors != (nil, nil) else { continue }
                // If one half is transparent, the half block of the other one is drawn.
                let isUpper = colors.0 != nil
                let style = grid.style(
                    isUpper ? colors.0 : colors.1,
                    on: isUpper ? colors.1 ?? surface : surface
                )
                let sign = isUpper ? upper : lower
                grid.put(sign, x: area.x + column, y: area.y + row, style: style)
            }
        }
    }
}
