import Glibc

/// Cuts pieces of a text into its lines.
struct LineSplitter {
    private var pending: [UInt8] = []

    /// Takes a piece, and gives away each line that ends in it.
    mutating func take(_ piece: UnsafeRawBufferPointer, _ handOut: ([UInt8]) -> Void) {
        var rest = piece
        while let start = rest.baseAddress, let end = memchr(start, 0x0A, rest.count) {
            let count = UnsafeRawPointer(end) - start
            pending.append(contentsOf: rest[..<count])
            rest = UnsafeRawBufferPointer(rebasing: rest[(count + 1)...])
            let line = pending
            pending = []
            handOut(line)
        }
        pending.append(contentsOf: rest)
    }

    /// Gives away what is left after the last line end.
    mutating func finish(_ handOut: ([UInt8]) -> Void) {
        guard !pending.isEmpty else { return }
        handOut(pending)
        pending = []
    }
}
