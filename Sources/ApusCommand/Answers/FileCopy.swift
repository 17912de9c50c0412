import Glibc

/// Copies a file in pieces.
enum FileCopy {
    private static let pieceSize = 1 << 18

    /// Writes all bytes of the file at `path`.
    static func copy(_ path: String, to output: inout StandardOutput) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandFailure("\(path): \(systemMessage(errno))") }
        defer { close(descriptor) }
        try copy(descriptor, named: path, to: &output)
    }

    /// Writes what is left of a descriptor, each piece as it comes.
    ///
    /// - Throws: `CommandFailure`; `CancellationError` if the task is cancelled meanwhile.
    static func copy(
        _ descriptor: Int32,
        named name: String,
        to output: inout StandardOutput
    ) throws {
        var buffer = [UInt8](repeating: 0, count: pieceSize)
        let cancellation = LateCancellation()
        while true {
            try cancellation.check()
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw CommandFailure("\(name): \(systemMessage(errno))") }
            try buffer.withUnsafeBytes {
                try output.write(UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            try output.flush(more: count > 0)
            if count == 0 { return }
        }
    }
}
