/// Progress, drawn in the first row of a rectangle.
package enum Gauge {
    /// Draws a known fraction, exact to the eighth of a cell.
    package static func draw(
        fraction: Double,
        in rect: Rect,
        into grid: inout Grid,
        look: Look,
        fill: StyleID? = nil
    ) {
        let line = rect.row(0)
        guard !line.isEmpty else { return }
        let style = fill ?? look.theme[.gaugeFill]
        grid.fill(line, with: look.symbols.gaugeTrack, style: look.theme[.gaugeTrack])
        let known = fraction.isFinite ? min(max(fraction, 0), 1) : 0
        // Rounded down, so that a full gauge means done.
        let eighths = Int(known * Double(line.columns * 8))
        let (whole, rest) = eighths.quotientAndRemainder(dividingBy: 8)
        let full = look.symbols.gaugeEighths[7]
        grid.fill(line.splitLeft(whole).0, with: full, style: style)
        guard rest > 0 else { return }
        let part = look.symbols.gaugeEighths[rest - 1]
        // ASCII symbols have no thin steps, so the track stays.
        guard part != " " else { return }
        grid.put(part, x: line.x + whole, y: line.y, style: style)
    }

    /// Draws a block that moves to and fro, for an unknown total.
    ///
    /// `phase` rises by one at each step.
    package static func drawUnknown(
        phase: Int,
        in rect: Rect,
        into grid: inout Grid,
        look: Look
    ) {
        let line = rect.row(0)
        guard !line.isEmpty else { return }
        grid.fill(line, with: look.symbols.gaugeTrack, style: look.theme[.gaugeTrack])
        let block = max(1, line.columns / 3)
        let way = line.columns - block
        let step = way == 0 ? 0 : ((phase % (2 * way)) + 2 * way) % (2 * way)
        let place = step <= way ? step : 2 * way - step
        let part = Rect(x: line.x + place, y: line.y, columns: block, rows: 1)
        grid.fill(part, with: look.symbols.gaugeUnknown, style: look.theme[.gaugeUnknown])
    }

    /// Draws pips, `▰▰▰▱▱`, for how much of something is left.
    package static func drawPips(
        fraction: Double,
        in rect: Rect,
        into grid: inout Grid,
        look: Look,
        fill: StyleID? = nil
    ) {
        let line = rect.row(0)
        let known = fraction.isFinite ? min(max(fraction, 0), 1) : 0
        // Rounded up, so that a pip is full until none of it is left.
        let left = Int((known * Double(line.columns)).rounded(.up))
        let (full, empty) = line.splitLeft(left)
        let style = fill ?? look.theme[.freshnessFresh]
        grid.fill(full, with: look.symbols.freshFull, style: style)
        grid.fill(empty, with: look.symbols.freshEmpty, style: look.theme[.gaugeTrack])
    }
}

/// Values as bars side by side, each in one cell: `▁▂▅█▇▅▃`.
package enum Sparkline {
    /// Draws the last values that fit, the highest of them as a full cell.
    package static func draw(
        _ values: [Double],
        in rect: Rect,
        into grid: inout Grid,
        look: Look,
        style: StyleID
    ) {
        let line = rect.row(0)
        let shown = values.suffix(line.columns)
        let highest = shown.filter(\.isFinite).max() ?? 0
        let levels = look.symbols.sparkline
        for (place, value) in shown.enumerated() where value.isFinite && value > 0 {
            let level = min(levels.count - 1, Int(value / highest * Double(levels.count)))
            grid.put(levels[level], x: line.x + place, y: line.y, style: style)
        }
    }
}
