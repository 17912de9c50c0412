import Glibc

/// Words for people beside a program's output: the one way to standard error.
///
/// What they quote, a file's name, a key, an answer, passes `TerminalGate` when a terminal shows them; a
/// file or a pipe has them as they are.
package enum StandardError {
    /// Whether somebody looks at it on a terminal.
    package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes a line.
    package static func write(_ text: String) {
        write(bytes(of: text) + [0x0A])
    }

    /// Says why the program ends, and gives its exit status.
    package static func fail(_ text: String) -> Int32 {
        write("apus: \(text)")
        return 2
    }

    /// Puts a text in the place of the terminal's line, or takes the line away.
    package static func redrawLine(_ text: String? = nil) {
        let line = text.map { bytes(of: $0).map { $0 < 0x20 ? 0x20 : $0 } } ?? []
        write(Array("\r\u{1B}[K".utf8) + line)
    }

    private static func bytes(of text: String) -> [UInt8] {
        isTerminal ? TerminalGate.shown(text) : Array(text.utf8)
    }

    private static func write(_ bytes: [UInt8]) {
        // There is nobody left who could be told that it cannot be written.
        _ = bytes.withUnsafeBytes { DescriptorWrite.all($0, to: STDERR_FILENO) }
    }
}
