import Glibc

/// Keys with their quotes and colons, written once and copied wherever they are needed.
struct WrittenKeys: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [Int] = []

    /// The number of keys.
    var count: Int { ends.count }

    /// Adds the last key.
    mutating func append(_ name: UnsafeBufferPointer<UInt8>) {
        var key = JSONTokenWriter(limit: .max, expected: name.count + 8)
        key.key(name)
        bytes.append(contentsOf: UnsafeBufferPointer(start: key.base, count: key.count))
        ends.append(bytes.count)
    }

    /// Where a key is in `bytes`.
    func range(_ index: Int) -> Range<Int> { (index > 0 ? ends[index - 1] : 0)..<ends[index] }

    /// Writes a key.
    @inline(__always) func write(_ index: Int, _ writer: inout JSONTokenWriter) {
        let range = range(index)
        bytes.withUnsafeBufferPointer { bytes in
            writer.writtenKey(UnsafeBufferPointer(rebasing: bytes[range]))
        }
    }
}
