import Glibc
import Terminal

/// Text for people that is not the program's output.
enum StandardError {
    /// Writes a line.
    static func write(_ text: String) {
        let line = Array((text + "\n").utf8)
        // There is nobody left who could be told that it cannot be written.
        _ = line.withUnsafeBytes { DescriptorWrite.all($0, to: STDERR_FILENO) }
    }
}
