import Glibc

/// The body of a response, in memory or, if it is large, in a file.
public enum ResponseBody: Sendable, Hashable {
    /// All bytes, in memory.
    case bytes([UInt8])
    /// A file that contains the bytes.
    case file(BodyFile)

    /// The number of bytes.
    public var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(let file): file.count
        }
    }

    /// Whether there are no bytes.
    public var isEmpty: Bool { count == 0 }

    /// All bytes, read from the file if they are in one.
    ///
    /// - Throws: `ApusError` with the reason `.file` if the file cannot be read.
    public func load() throws(ApusError) -> [UInt8] {
        switch self {
        case .bytes(let bytes): bytes
        case .file(let file): try file.load()
        }
    }

    /// Returns a range of the bytes.
    package func load(_ range: Range<Int>) throws(ApusError) -> [UInt8] {
        switch self {
        case .bytes(let bytes): Array(bytes[range])
        case .file(let file): try FileBytes.read(file.path, range)
        }
    }
}

extension ResponseBody {
    /// Passes all bytes to `body` in pieces of `size` bytes, the last of which may be shorter; a file is
    /// never loaded as a whole.
    ///
    /// - Throws: `ApusError` with the reason `.file` if the file cannot be read, is shorter than expected,
    ///   or, detected at the end, differs from what the cache wrote (`EUCLEAN`); whatever `body` throws.
    package func forEachPiece(
        of size: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        _ = try passPieces(of: size) { piece in
            try body(piece)
            return true
        }
    }

    /// Passes pieces to `goesOn` as `forEachPiece` does, until it returns false.
    ///
    /// - Returns: Whether all bytes were passed; a file is compared with what the cache wrote only then.
    /// - Throws: As `forEachPiece`.
    package func passPieces(
        of size: Int,
        while goesOn: (UnsafeRawBufferPointer) throws -> Bool
    ) throws -> Bool {
        switch self {
        case .bytes(let bytes):
            try bytes.withUnsafeBytes { bytes in
                for start in stride(from: 0, to: bytes.count, by: size) {
                    let end = min(start + size, bytes.count)
                    let piece = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                    guard try goesOn(piece) else { return false }
                }
                return true
            }
        case .file(let file): try file.passPieces(of: size, while: goesOn)
        }
    }
}

extension BodyFile {
    fileprivate func passPieces(
        of size: Int,
        while goesOn: (UnsafeRawBufferPointer) throws -> Bool
    ) throws -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ApusError(.file(path: path, errno: errno)) }
        defer { close(descriptor) }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { room.deallocate() }
        var rest = count
        var found = checksum.map { _ in Checksum() }
        while rest > 0 {
            let wanted = min(size, rest)
            var filled = 0
            while filled < wanted {
                let read = Glibc.read(
                    descriptor,
                    room.baseAddress?.advanced(by: filled),
                    wanted - filled
                )
                if read < 0, errno == EINTR { continue }
                guard read > 0 else {
                    throw ApusError(.file(path: path, errno: read < 0 ? errno : EIO))
                }
                filled += read
            }
            let piece = UnsafeRawBufferPointer(rebasing: room[..<filled])
            found?.update(piece)
            guard try goesOn(piece) else { return false }
            rest -= filled
        }
        guard found?.value == checksum else { throw ApusError(.file(path: path, errno: EUCLEAN)) }
        return true
    }
}

/// A file that holds a response's body.
///
/// A spooled file is removed when nothing refers to it any more. A download, or a file of the cache, stays.
public final class BodyFile: Sendable, Hashable {
    /// Who removes a file.
    public enum Ownership: Sendable, Hashable {
        /// This value, which removes the file when it is deallocated.
        case temporary
        /// Someone else; this value never removes the file.
        case borrowed
    }

    /// The file's path.
    public let path: String
    /// The number of bytes in it.
    public let count: Int
    /// Who removes the file.
    public let ownership: Ownership
    /// The checksum of what the cache wrote; nil if not known.
    let checksum: UInt64?
    /// Keeps other processes from removing its folder as abandoned, even if the cache that owns the file is gone.
    private let lock: FolderLock?

    /// Refers to a file.
    public convenience init(path: String, count: Int, ownership: Ownership) {
        self.init(path: path, count: count, ownership: ownership, checksum: nil, lock: nil)
    }

    init(
        path: String,
        count: Int,
        ownership: Ownership,
        checksum: UInt64?,
        lock: FolderLock?
    ) {
        self.path = path
        self.count = count
        self.ownership = ownership
        self.checksum = checksum
        self.lock = lock
    }

    deinit {
        if ownership == .temporary { unlink(path) }
    }

    /// Reads all bytes of the file.
    ///
    /// - Throws: `ApusError` with the reason `.file`.
    public func load() throws(ApusError) -> [UInt8] {
        try FileBytes.read(path)
    }

    /// Compares path and count.
    public static func == (a: BodyFile, b: BodyFile) -> Bool {
        a.path == b.path && a.count == b.count
    }
    /// Hashes the path.
    public func hash(into hasher: inout Hasher) { hasher.combine(path) }
}
