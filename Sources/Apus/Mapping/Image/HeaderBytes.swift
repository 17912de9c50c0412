import Documents

/// Bytes of a header, none of which need be there.
struct HeaderBytes {
    private let bytes: DocumentBytes

    init(_ bytes: DocumentBytes) { self.bytes = bytes }

    var count: Int { bytes.count }

    subscript(offset: Int) -> UInt8? {
        guard offset >= 0, offset < bytes.count else { return nil }
        return bytes.withUnsafeBytes { $0[offset] }
    }

    func holds(_ expected: String, at offset: Int) -> Bool {
        holds(Array(expected.utf8), at: offset)
    }

    func holds(_ expected: [UInt8], at offset: Int) -> Bool {
        expected.indices.allSatisfy { self[offset + $0] == expected[$0] }
    }

    func big16(_ offset: Int) -> Int? { number([0, 1], offset) }
    func big32(_ offset: Int) -> Int? { number([0, 1, 2, 3], offset) }
    func big64(_ offset: Int) -> Int? { number([0, 1, 2, 3, 4, 5, 6, 7], offset) }
    func little16(_ offset: Int) -> Int? { number([1, 0], offset) }
    func little24(_ offset: Int) -> Int? { number([2, 1, 0], offset) }
    func little32(_ offset: Int) -> Int? { number([3, 2, 1, 0], offset) }

    /// The bytes at these places, the first weighing most; nil if one is missing or it is too large.
    private func number(_ places: [Int], _ offset: Int) -> Int? {
        var value: UInt64 = 0
        for place in places {
            guard let byte = self[offset + place] else { return nil }
            value = value << 8 | UInt64(byte)
        }
        return Int(exactly: value)
    }
}
