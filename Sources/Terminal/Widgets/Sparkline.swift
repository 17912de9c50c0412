/// Values side by side, each as the height of a cell: `▁▂▅█▇▅▃`.
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
