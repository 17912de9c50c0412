import Glibc

/// Words for people outside of the screen.
enum StandardError {
    /// Writes a line.
    static func write(_ text: String) {
        let line = Array((text + "\n").utf8)
        _ = line.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Says why the program ends, and gives its exit status.
    static func fail(_ text: String) -> Int32 {
        write("apus: \(text)")
        return 2
    }
}
