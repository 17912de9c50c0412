import Glibc

/// A file in pieces, so that its size does not show in memory.
package enum FilePieces {
    /// 256 KiB: beyond it, reading gets no faster here.
    private static let size = 256 << 10

    /// Gives every piece to `body` until the end, an error, or `false` from `body`.
    ///
    /// - Returns: whether the end was reached; else `errno` tells why not.
    static func forEach(
        of descriptor: Int32,
        _ body: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = read(descriptor, buffer.baseAddress, size)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return count == 0 }
            guard body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return false }
        }
    }

    /// Writes all bytes; false on an error, which `errno` tells.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = Glibc.write(
                descriptor,
                bytes.baseAddress?.advanced(by: offset),
                bytes.count - offset
            )
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            offset += count
        }
        return true
    }

    /// Gives every piece of the file at `path` to `body` until the end.
    ///
    /// What is no ordinary file, and may have no end, is a fault.
    package static func forEach(
        ofFile path: String,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw PrivateFiles.Fault(path: path, errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw PrivateFiles.Fault(path: path, errno: EINVAL)
        }
        var failure: (any Error)?
        let isWhole = forEach(of: descriptor) { piece in
            do {
                try body(piece)
            } catch {
                failure = error
            }
            return failure == nil
        }
        if let failure { throw failure }
        if !isWhole { throw PrivateFiles.Fault(path: path, errno: errno) }
    }
}
