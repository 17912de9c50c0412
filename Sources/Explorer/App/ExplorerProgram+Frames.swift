import Apus
import Documents
package import Terminal

/// Runs the explorer without a terminal, for tests, pages and bug reports.
extension ExplorerProgram {
    /// A script to play, and how to write its frames.
    package struct Frames: Sendable {
        /// The keys to type.
        package var script: KeyScript
        /// The size of the screen.
        package var size: Size
        /// Whether colors are written too.
        package var isColored: Bool

        /// Takes a script, the screen size and whether to write colors.
        package init(script: KeyScript, size: Size, isColored: Bool) {
            (self.script, self.size, self.isColored) = (script, size, isColored)
        }
    }

    /// Plays a script and returns its frames and the exit status.
    ///
    /// Each frame follows a form feed and a line that names the input.
    package func play(_ frames: Frames) throws(ScreenStartError) -> (text: String, status: Int32) {
        Document.keepMemory(atMost: 16 << 20)
        let screen = try ScreenStart.withoutTerminal(
            theme: theme,
            configuration: StandardFolders.configuration
        )
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
