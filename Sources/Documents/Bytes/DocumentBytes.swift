import Glibc
import Synchronization

/// The bytes of one body: immutable, and followed by 64 zero bytes so that scanners need no bounds checks.
///
/// The memory never moves while the object lives. Streamed bytes only grow at their end.
public final class DocumentBytes: Sendable {
    static let padding = 64

    // Safe to share: the memory is written only before an initializer or factory returns, or after the
    // published count, and is freed only in deinit.
    nonisolated(unsafe) let base: UnsafePointer<UInt8>
    /// The maximum number of bytes.
    let capacity: Int
    /// The final number of bytes; nil if it is unknown, as for a pipe.
    public let expectedCount: Int?
    let source: ByteSource?
    private let mappedSize: Int
    private let loaded: Atomic<Int>

    /// The number of bytes read so far, without the padding.
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

    /// The bytes of a range as text; invalid UTF-8 becomes U+FFFD.
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
            // An array of this size would end the program too.
            preconditionFailure("no memory for \(bytes.count) bytes")
        }
        if let source = bytes.baseAddress { memcpy(memory, source, bytes.count) }
        memset(memory + bytes.count, 0, padding)
        return UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
    }
}

extension DocumentBytes {
    /// Reads a file to its end.
    ///
    /// The file is never mapped: if another process truncated a mapped file, SIGBUS would end the program.
    public static func reading(file path: String) throws(DocumentError) -> DocumentBytes {
        let descriptor = try openFile(path)
        defer { close(descriptor) }
        return try read(descriptor, path: path)
    }

    /// Reads an open descriptor to its end; it stays open.
    public static func reading(descriptor: Int32) throws(DocumentError) -> DocumentBytes {
        try read(descriptor, path: nil)
    }

    /// The largest input that is read: half of this machine's memory, but 64 MiB of a device, which may not end.
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

extension DocumentBytes {
    /// A range as text, cut to at most `limit` bytes but not inside a character.
    ///
    /// Invalid UTF-8 becomes U+FFFD.
    func cutText(_ range: Range<Int>, limit: Int) -> (text: String, isCut: Bool) {
        guard range.count > limit else { return (string(in: range), false) }
        var end = range.lowerBound + max(0, limit)
        // At most three steps back: a longer sequence is not UTF-8 and may be cut anywhere.
        let earliest = max(range.lowerBound, end - 3)
        while end > earliest && base[end] & 0xC0 == 0x80 { end -= 1 }
        return (string(in: range.lowerBound..<end), true)
    }

    /// The first offset at or after `offset` where a character begins.
    func characterStart(from offset: Int, in range: Range<Int>) -> Int {
        var at = min(max(offset, range.lowerBound), range.upperBound)
        let latest = min(range.upperBound, at + 3)
        while at > range.lowerBound && at < latest && base[at] & 0xC0 == 0x80 { at += 1 }
        return at
    }
}

extension DocumentBytes {
    /// The line and column of a byte; takes time proportional to `offset`.
    func position(of offset: Int) -> TextPosition {
        let offset = max(0, min(offset, count))
        var line = 1
        var start = 0
        while start < offset, let found = memchr(base + start, 0x0A, offset - start) {
            start = UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
            line += 1
        }
        var column = 1
        for index in start..<offset where base[index] & 0xC0 != 0x80 { column += 1 }
        return TextPosition(line: line, column: column)
    }
}

/// A position in a text by line and column.
public struct TextPosition: Equatable, Sendable {
    /// The line number, from 1.
    public let line: Int
    /// The number of the character in its line, from 1.
    public let column: Int

    /// Makes a position of a line and a column.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }
}
