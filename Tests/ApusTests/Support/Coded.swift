import CZlib

@testable import Apus

/// Bodies as servers code them.
enum Coded {
    /// A body of that many lines, in which not all is the same.
    static func text(lines: Int) -> [UInt8] {
        Array((0..<lines).map { "\($0): \($0 &* 0x9E37_79B9 % 1_000_003)\n" }.joined().utf8)
    }

    static func bytes(_ body: [UInt8], by coding: BodyDecoder.Coding) -> [UInt8] {
        switch coding {
        case .gzip: zlib(body, Int32(CZLIB_FORMAT_GZIP))
        case .deflate: zlib(body, Int32(CZLIB_FORMAT_ZLIB))
        case .brotli: brotli(body)
        case .zstd: zstd(body)
        }
    }

    /// The codings one after the other, as `Content-Encoding` lists them.
    static func bytes(_ body: [UInt8], by codings: [BodyDecoder.Coding]) -> [UInt8] {
        codings.reduce(body) { bytes($0, by: $1) }
    }

    /// DEFLATE without zlib's header and checksum.
    static func bareDeflate(_ body: [UInt8]) -> [UInt8] {
        Array(bytes(body, by: .deflate).dropFirst(2).dropLast(4))
    }

    private static func zlib(_ body: [UInt8], _ format: Int32) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: czlib_bound(body.count)) { output, count in
            guard let start = output.baseAddress else { return }
            count = czlib_compress(body, body.count, format, start)
        }
    }

    /// Brotli that leaves all as it is (RFC 7932, section 9.2), in a window of 64 KiB.
    private static func brotli(_ body: [UInt8]) -> [UInt8] {
        var coded: [UInt8] = []
        for start in stride(from: 0, to: body.count, by: 1 << 16) {
            let piece = body[start..<min(start + 1 << 16, body.count)]
            // The window's one bit comes before the first header: neither the last one, nor empty,
            // a length of 16 bits, and not compressed.
            let header = ((piece.count - 1) << 3 | 1 << 19) << (start == 0 ? 1 : 0)
            coded += (0..<3).map { UInt8(truncatingIfNeeded: header >> (8 * $0)) } + piece
        }
        // The last one, which is empty.
        return coded + [coded.isEmpty ? 0x06 : 0x03]
    }

    /// A mebibyte of zeros.
    static let brotliZeros: [UInt8] = [
        0x5B, 0xFF, 0xFF, 0x8F, 0x7F, 0x02, 0x20, 0x1E, 0x0B, 0x04, 0x72, 0xEF, 0x1F, 0x00,
    ]

    /// Magic number, no checksum, a window of 128 KiB, which is also the largest block.
    private static let zstdHeader: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]

    /// Zstandard that leaves all as it is (RFC 8878, section 3.1.1.2).
    private static func zstd(_ body: [UInt8]) -> [UInt8] {
        var coded = zstdHeader
        for start in stride(from: 0, to: body.count, by: 1 << 17) {
            let piece = body[start..<min(start + 1 << 17, body.count)]
            coded +=
                (0..<3).map { UInt8(truncatingIfNeeded: (piece.count << 3) >> (8 * $0)) } + piece
        }
        return coded + [0x01, 0x00, 0x00]
    }

    /// Zeros as zstd has them: blocks of one repeated byte.
    static func zstdZeros(mebibytes: Int) -> [UInt8] {
        zstdHeader + (0..<8 * mebibytes).flatMap { _ in [0x02, 0x00, 0x10, 0x00] as [UInt8] }
            + [0x01, 0x00, 0x00]
    }

    /// A response whose length is that of its body, or that comes in chunks.
    static func answer(
        _ body: [UInt8],
        coding: String,
        isChunked: Bool = false,
        fields: String = ""
    ) -> [UInt8] {
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n\(fields)"
        guard isChunked else {
            return Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
        }
        let start = "\(head)Transfer-Encoding: chunked\r\n\r\n\(String(body.count, radix: 16))\r\n"
        return Array(start.utf8) + body + Array("\r\n0\r\n\r\n".utf8)
    }
}
