import Glibc

/// Text for people that is not the program's output.
enum StandardError {
    /// Writes a line.
    static func write(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
