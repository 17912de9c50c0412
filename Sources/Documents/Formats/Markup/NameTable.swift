/// Names of elements and attributes by number, found by their bytes without making strings.
struct NameTable: Sendable {
    /// The names as keys of JSON.
    private(set) var keys = WrittenKeys()
    /// The names one after the other, each behind its prefix.
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// By hash, one more than the number, or 0; a power of two of them.
    private var slots = [UInt32](repeating: 0, count: 256)

    /// The number of names.
    var count: Int { ends.count }

    /// The number of a name behind a prefix such as `@`; 0 stands for no prefix.
    mutating func number(of name: UnsafeBufferPointer<UInt8>, prefix: UInt8) -> UInt32 {
        let mask = slots.count - 1
        var slot = Self.hash(name, prefix) & mask
        while slots[slot] > 0 {
            let number = Int(slots[slot]) - 1
            if isName(number, name, prefix) { return UInt32(number) }
            slot = (slot + 1) & mask
        }
        return add(name, prefix, at: slot)
    }

    private mutating func add(
        _ name: UnsafeBufferPointer<UInt8>,
        _ prefix: UInt8,
        at slot: Int
    ) -> UInt32 {
        let number = UInt32(truncatingIfNeeded: ends.count)
        bytes.append(prefix)
        bytes.append(contentsOf: name)
        ends.append(bytes.count)
        let key = (prefix > 0 ? [prefix] : []) + Array(name)
        key.withUnsafeBufferPointer { keys.append($0) }
        slots[slot] = number + 1
        if ends.count * 2 > slots.count { enlarge() }
        return number
    }

    private mutating func enlarge() {
        slots = Array(repeating: 0, count: slots.count * 4)
        let mask = slots.count - 1
        bytes.withUnsafeBufferPointer { bytes in
            for number in 0..<ends.count {
                let range = range(number)
                let name = UnsafeBufferPointer(rebasing: bytes[range.dropFirst()])
                var slot = Self.hash(name, bytes[range.lowerBound]) & mask
                while slots[slot] > 0 { slot = (slot + 1) & mask }
                slots[slot] = UInt32(truncatingIfNeeded: number + 1)
            }
        }
    }

    private func range(_ number: Int) -> Range<Int> {
        (number > 0 ? ends[number - 1] : 0)..<ends[number]
    }

    private func isName(
        _ number: Int,
        _ name: UnsafeBufferPointer<UInt8>,
        _ prefix: UInt8
    ) -> Bool {
        let range = range(number)
        guard range.count == name.count + 1, bytes[range.lowerBound] == prefix else { return false }
        var at = range.lowerBound + 1
        for byte in name {
            if bytes[at] != byte { return false }
            at += 1
        }
        return true
    }

    /// FNV-1a, with its high bits where the slot is taken from.
    private static func hash(_ name: UnsafeBufferPointer<UInt8>, _ prefix: UInt8) -> Int {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(prefix)
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return Int(truncatingIfNeeded: hash ^ hash >> 32)
    }
}
