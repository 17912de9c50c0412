import Documents
package import Terminal

/// The explorer without a terminal, for tests, pages and reports of faults.
extension ExplorerProgram {
    /// How its frames are written.
    package struct Frames: Sendable {
        /// What is typed.
        package var script: KeyScript
        /// The size of the screen.
        package var size: Size
        /// Whether colours are written, too.
        package var isColored: Bool

        /// Makes a wish.
        package init(script: KeyScript, size: Size, isColored: Bool) {
            (self.script, self.size, self.isColored) = (script, size, isColored)
        }
    }

    /// Plays a script; gives its frames, each behind a form feed and a line that says what was typed, and
    /// the exit status.
    package func play(_ frames: Frames) throws(ScreenStartError) -> (text: String, status: Int32) {
        Document.keepMemory(atMost: 16 << 20)
        let screen = try ScreenStart.withoutTerminal(theme: theme)
        return try withApp(screen) { app, mailbox throws(ScreenStartError) in
            var text = ""
            let session = FrameSession(
                app: app,
                mailbox: mailbox,
                size: frames.size,
                theme: screen.theme
            )
            let status = session.run(frames.script) { grid, theme, line in
                let rows = frames.isColored ? grid.coloredRows(theme: theme) : grid.textRows
                let title = line.map { "\($0.number): \($0.text)" } ?? "start"
                text += "\u{0C}\(title)\n\(rows.joined(separator: "\n"))\n"
            }
            return (text, status)
        }
    }
}
