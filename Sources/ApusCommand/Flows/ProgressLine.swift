import Terminal

/// A line on standard error that is drawn again and again; nothing when that is no terminal.
struct ProgressLine {
    private static let interval = Duration.milliseconds(80)

    private let isShown = StandardError.isTerminal
    private var drawn: ContinuousClock.Instant?

    /// Draws the text, unless the last one is too young.
    mutating func draw(_ text: @autoclosure () -> String) {
        guard isShown else { return }
        let now = ContinuousClock.now
        if let drawn, now - drawn < Self.interval { return }
        drawn = now
        StandardError.redrawLine(text())
    }

    /// Takes the line away, so that something else can be written.
    mutating func clear() {
        guard isShown, drawn != nil else { return }
        drawn = nil
        StandardError.redrawLine()
    }
}
