import Glibc

/// Whole files to bytes.
package enum FileBytes {
    /// All bytes of the file at `path`.
    ///
    /// - Throws: `ApusError` with the reason `.file`.
    package static func read(_ path: String) throws(ApusError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ApusError(.file(path: path, errno: errno)) }
        defer { close(descriptor) }
        return try read(descriptor, of: path)
    }

    /// All bytes of an open file.
    static func read(_ descriptor: Int32, of path: String) throws(ApusError) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw ApusError(.file(path: path, errno: errno))
        }
        // A pipe or a file of /proc has no size: it is read in pieces to its end.
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(status.st_size) + 1)
        while let count = try chunk(of: descriptor, at: path, into: &bytes), count > 0 {}
        return bytes
    }

    /// Some bytes of the file at `path`.
    ///
    /// - Throws: `ApusError` with the reason `.file`.
    package static func read(_ path: String, _ range: Range<Int>) throws(ApusError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ApusError(.file(path: path, errno: errno)) }
        defer { close(descriptor) }
        guard lseek(descriptor, range.lowerBound, SEEK_SET) >= 0 else {
            throw ApusError(.file(path: path, errno: errno))
        }
        // Without room the initialiser would write its count into the empty array that all share.
        guard !range.isEmpty else { return [] }
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            count = 0
            while count < range.count {
                let piece = Glibc.read(
                    descriptor,
                    buffer.baseAddress?.advanced(by: count),
                    range.count - count
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
