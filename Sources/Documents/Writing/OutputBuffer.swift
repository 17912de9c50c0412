import Glibc

/// Collects output and passes it to a sink in pieces of at most `capacity` bytes.
package struct OutputBuffer: ~Copyable {
    package typealias Sink = (UnsafeRawBufferPointer) throws -> Void

    package static let capacity = 256 << 10
    /// Short runs are copied as a whole vector, which may reach this many bytes past the last one.
    private static let slack = 16

    private let base: UnsafeMutablePointer<UInt8>
    private var count = 0
    private let sink: Sink

    init(_ sink: @escaping Sink) {
        base = .allocate(capacity: Self.capacity + Self.slack)
        self.sink = sink
    }

    deinit { base.deallocate() }

    /// Calls `body` with a buffer, and sends what is left in it.
    package static func with(_ sink: Sink, _ body: (inout OutputBuffer) throws -> Void) throws {
        try withoutActuallyEscaping(sink) { sink in
            var output = OutputBuffer(sink)
            try body(&output)
            try output.flush()
        }
    }

    @inline(__always) mutating func append(_ byte: UInt8) throws {
        if count == Self.capacity { try flush() }
        base[count] = byte
        count &+= 1
    }

    @inline(__always) mutating func append(_ bytes: UnsafePointer<UInt8>, _ length: Int) throws {
        guard length <= Self.capacity &- count else { return try appendLong(bytes, length) }
        memcpy(base + count, bytes, length)
        count &+= length
    }

    /// Appends bytes after which at least 16 more may be read.
    @inline(__always) mutating func append(
        padded bytes: UnsafePointer<UInt8>,
        _ length: Int
    ) throws {
        guard length <= 16 && length <= Self.capacity &- count else {
            return try append(bytes, length)
        }
        let vector = UnsafeRawPointer(bytes).loadUnaligned(as: SIMD16<UInt8>.self)
        UnsafeMutableRawPointer(base + count).storeBytes(of: vector, as: SIMD16<UInt8>.self)
        count &+= length
    }

    mutating func append(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            try append(start, bytes.count)
        }
    }

    /// Appends a text.
    package mutating func append(_ text: String) throws {
        var text = text
        try text.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return }
            try append(start, bytes.count)
        }
    }

    /// Appends bytes as a JSON string.
    mutating func appendQuoted(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        try append(0x22)
        try appendEscaped(bytes)
        try append(0x22)
    }

    /// Appends UTF-8 as a part of a JSON string, without quotes; it may be cut anywhere.
    package mutating func appendEscaped(_ bytes: UnsafeBufferPointer<UInt8>) throws {
        try QuotedText.escape(bytes) { piece in
            if let start = piece.baseAddress { try append(start, piece.count) }
        }
    }

    /// Appends bytes as they are.
    package mutating func append(bytes: UnsafeBufferPointer<UInt8>) throws {
        if let start = bytes.baseAddress { try append(start, bytes.count) }
    }

    /// Appends a text as a JSON string.
    package mutating func appendQuoted(_ text: String) throws {
        var text = text
        try text.withUTF8 { try appendQuoted($0) }
    }

    @inline(never) private mutating func appendLong(
        _ bytes: UnsafePointer<UInt8>,
        _ length: Int
    ) throws {
        var at = 0
        while at < length {
            if count == Self.capacity { try flush() }
            let piece = min(length - at, Self.capacity - count)
            memcpy(base + count, bytes + at, piece)
            count += piece
            at += piece
        }
    }

    @inline(never) mutating func flush() throws {
        guard count > 0 else { return }
        let piece = UnsafeRawBufferPointer(start: base, count: count)
        count = 0
        try sink(piece)
    }
}
