import Glibc

/// Reads the bytes of files.
package enum FileBytes {
    /// Reads all bytes of the file at `path`.
    ///
    /// - Throws: `ApusError` with the reason `.file`.
    package static func read(_ path: String) throws(ApusError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ApusError(.file(path: path, errno: errno)) }
        defer { close(descriptor) }
        return try read(descriptor, of: path)
    }

    /// Reads all bytes of an open file.
    package static func read(_ descriptor: Int32, of path: String) throws(ApusError) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw ApusError(.file(path: path, errno: errno))
        }
        // A pipe or a file in /proc has no size; it is read in pieces to its end.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(status.st_size) + 1)
        while let count = try chunk(of: descriptor, at: path, into: &bytes), count > 0 {}
        return bytes
    }

    /// Reads a range of bytes of the file at `path`.
    ///
    /// - Throws: `ApusError` with the reason `.file`.
    package static func read(_ path: String, _ range: Range<Int>) throws(ApusError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ApusError(.file(path: path, errno: errno)) }
        defer { close(descriptor) }
        guard lseek(descriptor, range.lowerBound, SEEK_SET) >= 0 else {
            throw ApusError(.file(path: path, errno: errno))
        }
        return try read(descriptor, range.count, of: path)
    }

    /// Reads the next `wanted` bytes of an open file.
    ///
    /// - Throws: `ApusError` with the reason `.file`, also if there are fewer bytes.
    static func read(
        _ descriptor: Int32,
        _ wanted: Int,
        of path: String
    ) throws(ApusError) -> [UInt8] {
        // With a capacity of 0, the initializer would write its count into the shared empty array.
        guard wanted > 0 else { return [] }
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
            count = 0
            while count < wanted {
                let piece = Glibc.read(
                    descriptor,
                    buffer.baseAddress?.advanced(by: count),
                    wanted - count
                )
                if piece < 0, errno == EINTR { continue }
                guard piece > 0 else {
                    failure = piece < 0 ? errno : EIO
                    return
                }
                count += piece
            }
        }
        guard failure == 0 else { throw ApusError(.file(path: path, errno: failure)) }
        return bytes
    }

    private static func chunk(
        of descriptor: Int32,
        at path: String,
        into bytes: inout [UInt8]
    ) throws(ApusError) -> Int? {
        let wanted = max(4096, bytes.capacity - bytes.count)
        var count = 0
        var failure: Int32 = 0
        let piece = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, initialized in
            repeat {
                count = Glibc.read(descriptor, buffer.baseAddress, wanted)
            } while count < 0 && errno == EINTR
            failure = count < 0 ? errno : 0
            initialized = max(0, count)
        }
        guard failure == 0 else { throw ApusError(.file(path: path, errno: failure)) }
        bytes.append(contentsOf: piece)
        return count
    }
}

/// Reads and writes files in pieces, so that memory use does not depend on their size.
package enum FilePieces {
    /// 256 KiB; larger pieces are not faster.
    private static let size = 256 << 10

    /// Passes every piece to `body` until the end, an error, or `false` from `body`.
    ///
    /// - Returns: Whether the end was reached; if not, and `body` did not return false, `errno` says why.
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

    /// Writes all bytes; returns false on an error and leaves it in `errno`.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
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

    /// Passes every piece of the file at `path` to `body`.
    ///
    /// Throws `PrivateFileError` with `EINVAL` if it is not a regular file, which might never end.
    package static func forEach(
        ofFile path: String,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw PrivateFileError(path: path, errno: errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw PrivateFileError(path: path, errno: EINVAL)
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
        if !isWhole { throw PrivateFileError(path: path, errno: errno) }
    }
}
