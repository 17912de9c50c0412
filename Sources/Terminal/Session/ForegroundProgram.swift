import CNcurses
import Glibc

/// Runs a program that has the terminal to itself.
enum ForegroundProgram {
    /// Waits for its end: the exit status, 128+n after signal n, 127 when it could not be started.
    static func run(_ arguments: [String]) -> Int32 {
        guard !arguments.isEmpty else { return 127 }
        let copies = arguments.map { strdup($0) }
        defer {
            for copy in copies { free(copy) }
        }
        let pointers = copies.map { UnsafePointer($0) } + [nil]
        return pointers.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map(cn_run) ?? 127
        }
    }
}
