import Glibc

/// Splits text that arrives in pieces into lines.
struct LineSplitter {
    /// The largest number of bytes in a line.
    let limit: Int
    private var pending: [UInt8] = []
    private var isTooLong = false

    init(limit: Int) { self.limit = limit }

    /// Adds a piece, and hands out each line that ends in it; nil for one that is too long.
    mutating func append(_ piece: UnsafeRawBufferPointer, _ handOut: ([UInt8]?) -> Void) {
        var rest = piece
        while let start = rest.baseAddress, let end = memchr(start, 0x0A, rest.count) {
            let count = UnsafeRawPointer(end) - start
            append(UnsafeRawBufferPointer(rebasing: rest[..<count]))
            rest = UnsafeRawBufferPointer(rebasing: rest[(count + 1)...])
            endLine(handOut)
        }
        append(rest)
    }

    /// Hands out the last line, if it has no line end.
    mutating func finish(_ handOut: ([UInt8]?) -> Void) {
        guard isTooLong || !pending.isEmpty else { return }
        endLine(handOut)
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        isTooLong = isTooLong || bytes.count > limit - pending.count
        // The rest of the line is skipped, so that an endless line takes no memory.
        if isTooLong { pending = [] } else { pending.append(contentsOf: bytes) }
    }

    private mutating func endLine(_ handOut: ([UInt8]?) -> Void) {
        let line = isTooLong ? nil : pending
        pending = []
        isTooLong = false
        handOut(line)
    }
}
