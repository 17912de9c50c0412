import Glibc

/// Cuts pieces of a text into its lines.
struct LineSplitter {
    /// How long a line may be.
    let limit: Int
    private var pending: [UInt8] = []
    private var isTooLong = false

    init(limit: Int) { self.limit = limit }

    /// Takes a piece, and gives away each line that ends in it; nil for one that is too long.
    mutating func take(_ piece: UnsafeRawBufferPointer, _ handOut: ([UInt8]?) -> Void) {
        var rest = piece
        while let start = rest.baseAddress, let end = memchr(start, 0x0A, rest.count) {
            let count = UnsafeRawPointer(end) - start
            append(UnsafeRawBufferPointer(rebasing: rest[..<count]))
            rest = UnsafeRawBufferPointer(rebasing: rest[(count + 1)...])
            endLine(handOut)
        }
        append(rest)
    }

    /// Gives away what is left after the last line end.
    mutating func finish(_ handOut: ([UInt8]?) -> Void) {
        guard isTooLong || !pending.isEmpty else { return }
        endLine(handOut)
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        isTooLong = isTooLong || bytes.count > limit - pending.count
        // The rest of it is passed over: a line without end costs no more memory.
        if isTooLong { pending = [] } else { pending.append(contentsOf: bytes) }
    }

    private mutating func endLine(_ handOut: ([UInt8]?) -> Void) {
        let line = isTooLong ? nil : pending
        pending = []
        isTooLong = false
        handOut(line)
    }
}
