import Glibc

/// Converts to UTF-8 with the C library's iconv.
struct CharsetConverter: ~Copyable {
    private let handle: iconv_t
    /// The byte of the result where the first bytes stand that are not of the encoding.
    private(set) var firstFault: Int?
    /// Whether it ended early because the task was cancelled.
    private(set) var isCancelled = false

    /// Nil when the system does not know the encoding.
    init?(_ name: String) {
        // A slash would be read as options of iconv.
        guard !name.contains("/"), let handle = iconv_open("UTF-8", name),
            handle != iconv_t(bitPattern: -1)
        else { return nil }
        self.handle = handle
    }

    deinit { iconv_close(handle) }

    /// The whole text, without its byte order mark; U+FFFD for what is not of the encoding.
    mutating func convert(_ bytes: DocumentBytes) -> DocumentBytes {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + bytes.count / 8 + 64)
        var at = 0
        var looks = 0
        while at < bytes.count {
            looks += 1
            // A small text is not worth a second beginning.
            if looks & 15 == 0 && Task.isCancelled {
                isCancelled = true
                break
            }
            let (used, isBroken) = convertPiece(bytes, from: at, into: &output)
            at += used
            guard isBroken else { continue }
            firstFault = firstFault ?? output.count
            output.append(contentsOf: "\u{FFFD}".utf8)
            at += 1
        }
        let hasMark = output.starts(with: "\u{FEFF}".utf8)
        return output.withUnsafeBytes {
            DocumentBytes(copying: UnsafeRawBufferPointer(rebasing: $0[(hasMark ? 3 : 0)...]))
        }
    }

    /// Converts up to 64 KiB; `isBroken` when the next byte cannot be converted.
    private func convertPiece(
        _ bytes: DocumentBytes,
        from start: Int,
        into output: inout [UInt8]
    ) -> (used: Int, isBroken: Bool) {
        let length = bytes.count - start
        var left = length
        var isBroken = false
        // iconv does not write to the text, though its declaration has no const.
        var input: UnsafeMutablePointer<CChar>? = UnsafeMutableRawPointer(
            mutating: bytes.base + start
        ).assumingMemoryBound(to: CChar.self)
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64 << 10) { room in
            var target = room.baseAddress
            var free = room.count
            let result = iconv(handle, &input, &left, &target, &free)
            // E2BIG only says that the room is full.
            isBroken = result == -1 && errno != E2BIG
            let written = UnsafeRawBufferPointer(
                rebasing: UnsafeRawBufferPointer(room)[..<(room.count - free)]
            )
            output.append(contentsOf: written)
        }
        return (length - left, isBroken)
    }
}
