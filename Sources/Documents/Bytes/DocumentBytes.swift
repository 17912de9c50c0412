import Glibc
import Synchronization

/// The bytes of one body: immutable, and followed by zero bytes so that scanners need no bounds checks.
///
/// Sixty-four zero bytes stand behind the last byte in every form. The memory never moves while the
/// object lives. Streaming bytes only grow at their end.
public final class DocumentBytes: Sendable {
    static let padding = 64

    // Unsafe because the memory is written only before an initializer or factory returns, or behind
    // the published count, and freed only in deinit.
    nonisolated(unsafe) let base: UnsafePointer<UInt8>
    /// The most bytes there will ever be.
    let capacity: Int
    /// How many bytes there will be; nil when nobody knows, as for a pipe.
    public let expectedCount: Int?
    let source: ByteSource?
    private let mappedSize: Int
    private let loaded: Atomic<Int>

    /// The number of bytes that are there, without the padding.
    public var count: Int { loaded.load(ordering: .acquiring) }

    init(
        adopting base: UnsafePointer<UInt8>,
        count: Int,
        mappedSize: Int,
        capacity: Int,
        expectedCount: Int?,
        source: ByteSource?
    ) {
        self.base = base
        self.mappedSize = mappedSize
        self.capacity = capacity
        self.expectedCount = expectedCount
        self.source = source
        loaded = Atomic(count)
    }

    private convenience init(adopting base: UnsafePointer<UInt8>, count: Int, mappedSize: Int) {
        self.init(
            adopting: base,
            count: count,
            mappedSize: mappedSize,
            capacity: count,
            expectedCount: count,
            source: nil
        )
    }

    func advance(by length: Int) { loaded.wrappingAdd(length, ordering: .releasing) }

    deinit {
        if mappedSize > 0 {
            munmap(UnsafeMutableRawPointer(mutating: base), mappedSize)
        } else {
            free(UnsafeMutableRawPointer(mutating: base))
        }
    }

    /// Copies the bytes of an array into padded memory.
    public convenience init(_ bytes: [UInt8]) {
        let copy = bytes.withUnsafeBytes(Self.paddedCopy)
        self.init(adopting: copy, count: bytes.count, mappedSize: 0)
    }

    /// Copies a buffer into padded memory.
    public convenience init(copying bytes: UnsafeRawBufferPointer) {
        self.init(adopting: Self.paddedCopy(of: bytes), count: bytes.count, mappedSize: 0)
    }

    /// Calls `body` with the bytes; the pointer is valid as long as this object lives.
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(start: base, count: count))
    }

    /// The bytes of a range as text; what is not UTF-8 becomes U+FFFD.
    public func string(in range: Range<Int>) -> String {
        let range = range.clamped(to: 0..<count)
        return String(
            decoding: UnsafeBufferPointer(start: base + range.lowerBound, count: range.count),
            as: UTF8.self
        )
    }

    /// A copy of the bytes of a range.
    public func array(in range: Range<Int>) -> [UInt8] {
        let range = range.clamped(to: 0..<count)
        return Array(UnsafeBufferPointer(start: base + range.lowerBound, count: range.count))
    }

    private static func paddedCopy(of bytes: UnsafeRawBufferPointer) -> UnsafePointer<UInt8> {
        guard let memory = malloc(bytes.count + padding) else {
            // As an array of this size would.
            preconditionFailure("no memory for \(bytes.count) bytes")
        }
        if let source = bytes.baseAddress { memcpy(memory, source, bytes.count) }
        memset(memory + bytes.count, 0, padding)
        return UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
    }
}

extension DocumentBytes {
    /// Maps a file that only this program writes, such as a spooled response body.
    ///
    /// A mapped file that somebody else truncates ends the program with SIGBUS: use
    /// `reading(file:)` for files of others.
    public static func mapping(
        ownedFile path: String
    ) throws(DocumentError) -> DocumentBytes {
        let descriptor = try openFile(path)
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw DocumentError(stage: .open, path: path, code: errno)
        }
        let count = Int(status.st_size)
        // One anonymous mapping that is longer than the file, the file laid over it: the padding
        // exists even when the file ends at a page boundary.
        let size = (count + padding + 4095) & ~4095
        guard
            let memory = mmap(nil, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            memory != MAP_FAILED
        else { throw DocumentError(stage: .memory, path: path, code: errno) }
        let bytes = DocumentBytes(
            adopting: UnsafePointer(memory.assumingMemoryBound(to: UInt8.self)),
            count: count,
            mappedSize: size
        )
        guard count > 0 else { return bytes }
        let over = mmap(memory, count, PROT_READ, MAP_PRIVATE | MAP_FIXED, descriptor, 0)
        guard over != MAP_FAILED else {
            throw DocumentError(stage: .map, path: path, code: errno)
        }
        return bytes
    }

    /// Reads a file of somebody else to its end.
    public static func reading(file path: String) throws(DocumentError) -> DocumentBytes {
        let descriptor = try openFile(path)
        defer { close(descriptor) }
        return try read(descriptor, path: path)
    }

    /// Reads an open descriptor to its end; it stays open.
    public static func reading(descriptor: Int32) throws(DocumentError) -> DocumentBytes {
        try read(descriptor, path: nil)
    }

    /// The most that is read of a file: half of this machine's memory, and little of a device, which
    /// may have no end.
    static func largest(of status: stat) -> Int {
        let kind = status.st_mode & S_IFMT
        if kind == S_IFCHR || kind == S_IFBLK { return 64 << 20 }
        let memory = max(1 << 18, sysconf(Int32(_SC_PHYS_PAGES))) * sysconf(Int32(_SC_PAGESIZE))
        return memory / 2
    }

    static func openFile(_ path: String) throws(DocumentError) -> Int32 {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw DocumentError(stage: .open, path: path, code: errno)
        }
        return descriptor
    }

    private static func read(
        _ descriptor: Int32,
        path: String?
    ) throws(DocumentError) -> DocumentBytes {
        var status = stat()
        let expected = fstat(descriptor, &status) == 0 ? Int(max(0, status.st_size)) : 0
        let limit = largest(of: status)
        guard expected <= limit else {
            throw DocumentError(stage: .limit(limit), path: path, code: EFBIG)
        }
        var capacity = expected + padding + 4096
        guard var memory = malloc(capacity) else {
            throw DocumentError(stage: .memory, path: path, code: errno)
        }
        var count = 0
        while true {
            if capacity - count <= padding {
                guard let larger = realloc(memory, capacity * 2) else {
                    free(memory)
                    throw DocumentError(stage: .memory, path: path, code: ENOMEM)
                }
                memory = larger
                capacity *= 2
            }
            let got = Glibc.read(
                descriptor,
                memory + count,
                min(capacity - count - padding, 1 << 30)
            )
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else {
                let code = errno
                free(memory)
                throw DocumentError(stage: .read, path: path, code: code)
            }
            if got == 0 { break }
            count += got
            guard count <= limit else {
                free(memory)
                throw DocumentError(stage: .limit(limit), path: path, code: EFBIG)
            }
        }
        memset(memory + count, 0, padding)
        let base = UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
        return DocumentBytes(adopting: base, count: count, mappedSize: 0)
    }
}
