import Glibc

/// The body of a request, read in pieces while it is sent.
final class UploadSource {
    private enum Bytes {
        case memory([UInt8])
        case file(path: String, descriptor: Int32)
    }

    /// How many bytes there are.
    let count: Int
    private let bytes: Bytes
    private var position = 0

    init(_ body: PreparedRequest.Body) throws(ApusError) {
        switch body {
        case .none:
            bytes = .memory([])
            count = 0
        case .bytes(let array):
            bytes = .memory(array)
            count = array.count
        case .file(let path):
            let (descriptor, size) = try Self.open(path)
            bytes = .file(path: path, descriptor: descriptor)
            count = size
        }
    }

    deinit {
        if case .file(_, let descriptor) = bytes { close(descriptor) }
    }

    private static func open(_ path: String) throws(ApusError) -> (Int32, Int) {
        // Not blocking, so that a pipe without a writer does not hold the engine.
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ApusError(.file(path: path, errno: errno)) }
        var status = stat()
        let failure: Int32 =
            if fstat(descriptor, &status) != 0 {
                errno
            } else if status.st_mode & S_IFMT == S_IFDIR {
                EISDIR
            } else if status.st_mode & S_IFMT != S_IFREG {
                // Its length is unknown, and reading it could wait.
                ESPIPE
            } else {
                0
            }
        guard failure == 0 else {
            close(descriptor)
            throw ApusError(.file(path: path, errno: failure))
        }
        return (descriptor, Int(status.st_size))
    }

    /// Fills `room` with the next bytes; 0 at the end.
    ///
    /// - Throws: `.file` if the file cannot be read or has become shorter, for
    ///   its length was announced.
    func read(into room: UnsafeMutableRawBufferPointer) throws(ApusError) -> Int {
        let wanted = min(room.count, count - position)
        guard wanted > 0 else { return 0 }
        let given: Int
        switch bytes {
        case .memory(let array):
            array.withUnsafeBytes {
                room.copyMemory(from: .init(rebasing: $0[position..<(position + wanted)]))
            }
            given = wanted
        case .file(let path, let descriptor):
            given = pread(descriptor, room.baseAddress, wanted, off_t(position))
            guard given > 0 else {
                throw ApusError(.file(path: path, errno: given < 0 ? errno : EIO))
            }
        }
        position += given
        return given
    }

    /// Goes back, for a redirect or a repetition on a new connection.
    func seek(to offset: Int) -> Bool {
        guard (0...count).contains(offset) else { return false }
        position = offset
        return true
    }
}
