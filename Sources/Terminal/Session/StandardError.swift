import Glibc

/// The only way to write to standard error, for messages beside a program's output.
///
/// On a terminal, messages pass `TerminalGate`, because they quote file names, keys and responses. A file or
/// a pipe gets them unchanged.
package enum StandardError {
    /// Whether standard error is a terminal.
    package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes a line.
    package static func write(_ text: String) {
        write(bytes(of: text) + [0x0A])
    }

    /// Writes why the program ends, and returns its exit status.
    package static func fail(_ text: String) -> Int32 {
        write("apus: \(text)")
        return 2
    }

    /// Replaces the current line of the terminal by a text, or clears it.
    package static func redrawLine(_ text: String? = nil) {
        let line = text.map { bytes(of: $0).map { $0 < 0x20 ? 0x20 : $0 } } ?? []
        write(Array("\r\u{1B}[K".utf8) + line)
    }

    private static func bytes(of text: String) -> [UInt8] {
        isTerminal ? TerminalGate.shown(text) : Array(text.utf8)
    }

    private static func write(_ bytes: [UInt8]) {
        // There is nowhere left to report a failed write.
        _ = bytes.withUnsafeBytes { DescriptorWrite.all($0, to: STDERR_FILENO) }
    }
}
