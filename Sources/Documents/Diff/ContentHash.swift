/// The hashes by which a comparison finds values that may be equal.
///
/// Values with equal hashes are always compared byte by byte or value by value. So a collision, by chance
/// or by intent, can make the alignment worse but never hides a difference.
enum ContentHash {
    @inline(__always) static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = (a ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: b ^ 0xD6E8_FEB8_6659_FD93)
        // The sum keeps a factor of zero from hiding the other one.
        return (product.high ^ product.low) &+ a
    }

    /// The hash of bytes, and whether there is a backslash; eight bytes after them must be readable.
    @inline(__always) static func bytes(
        _ start: UnsafePointer<UInt8>,
        count: Int
    ) -> (hash: UInt64, hasBackslash: Bool) {
        let text = UnsafeRawPointer(start)
        var hash = UInt64(truncatingIfNeeded: count)
        var slashes: UInt64 = 0
        var at = 0
        while at &+ 8 <= count {
            let word = text.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            slashes |= slashBits(word)
            hash = mix(hash, word)
            at &+= 8
        }
        if at < count {
            let unused = UInt64(truncatingIfNeeded: 64 &- (count &- at) &* 8)
            let word = text.loadUnaligned(fromByteOffset: at, as: UInt64.self) & (~0 &>> unused)
            slashes |= slashBits(word)
            hash = mix(hash, word)
        }
        return (hash, slashes != 0)
    }

    static func bytes(_ bytes: [UInt8]) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: bytes.count)
        var at = 0
        while at < bytes.count {
            var word: UInt64 = 0
            let end = min(at + 8, bytes.count)
            for index in at..<end { word |= UInt64(bytes[index]) << UInt64((index - at) * 8) }
            hash = mix(hash, word)
            at = end
        }
        return hash
    }

    static func number(_ number: DecimalNumber) -> UInt64 {
        var hash = self.number(number.leading, number.exponent, number.isNegative)
        if !number.rest.isEmpty { hash = mix(hash, bytes(number.rest)) }
        if !number.wideExponent.isEmpty { hash = mix(hash, bytes(number.wideExponent)) }
        return hash
    }

    /// The hash that `number` gives, without making a `DecimalNumber`, for numbers of at most 18 bytes without
    /// an exponent; nil for others.
    @inline(__always) static func shortNumber(_ text: UnsafeRawBufferPointer) -> UInt64? {
        guard text.count <= 18 else { return nil }
        var magnitude: UInt64 = 0
        var fraction = 0
        var hasPoint = false
        let isNegative = text.first == 0x2D
        for at in (isNegative ? 1 : 0)..<text.count {
            let digit = text[at] &- 0x30
            if digit < 10 {
                magnitude = magnitude &* 10 &+ UInt64(digit)
                fraction &+= hasPoint ? 1 : 0
            } else {
                guard text[at] == 0x2E else { return nil }
                hasPoint = true
            }
        }
        guard magnitude != 0 else { return number(0, 0, false) }
        let digits = PowerOfTen.digitCount(magnitude)
        let leading = magnitude &* PowerOfTen.table[DecimalNumber.leadingDigits - digits]
        return number(leading, digits - 1 - fraction, isNegative)
    }

    @inline(__always) private static func number(
        _ leading: UInt64,
        _ exponent: Int,
        _ isNegative: Bool
    ) -> UInt64 {
        mix(leading, UInt64(bitPattern: Int64(exponent)) &* 2 &+ (isNegative ? 1 : 0))
    }

    /// Nonzero if a byte of the word is a backslash.
    @inline(__always) private static func slashBits(_ word: UInt64) -> UInt64 {
        let other = word ^ 0x5C5C_5C5C_5C5C_5C5C
        return (other &- 0x0101_0101_0101_0101) & ~other & 0x8080_8080_8080_8080
    }
}

/// Hashes every value by content, regardless of white space, escapes and the order of keys.
///
/// Makes one pass in the order of the text. A container's hash is complete when the first value after it is
/// reached. Open containers are on an explicit stack, so depth only costs memory.
struct SubtreeHashing {
    /// The number of values to hash between two checks for cancellation.
    static let slice = 1 << 16

    private struct Frame {
        let node: Int
        let end: Int
        let isObject: Bool
        var hash: UInt64
    }

    private let side: ComparedDocument
    private var open: [Frame] = []

    init(_ side: ComparedDocument) {
        self.side = side
    }

    /// Hashes every value; nil if it was cancelled.
    mutating func run(_ isCancelled: () -> Bool) -> [UInt64]? {
        // With no capacity, the initializer would write its count into the shared empty array.
        guard side.count > 0 else { return [] }
        var wasCancelled = false
        let hashes = [UInt64](unsafeUninitializedCapacity: side.count) { hashes, count in
            var node = 0
            while node < side.count {
                if isCancelled() {
                    wasCancelled = true
                    break
                }
                let end = min(node + Self.slice, side.count)
                hash(node..<end, into: hashes)
                node = end
            }
            close(before: node, into: hashes)
            count = node
        }
        return wasCancelled ? nil : hashes
    }

    private mutating func hash(
        _ nodes: Range<Int>,
        into hashes: UnsafeMutableBufferPointer<UInt64>
    ) {
        for node in nodes {
            close(before: node, into: hashes)
            let kind = side.kind(node)
            if kind.isContainer {
                let isObject = kind == .object
                let end = node + side.size(node)
                open.append(Frame(node: node, end: end, isObject: isObject, hash: isObject ? 2 : 1))
            } else {
                let hash = side.scalarHash(node, kind)
                hashes[node] = hash
                add(hash, of: node)
            }
        }
    }

    /// Completes the containers that end before a value.
    @inline(__always) private mutating func close(
        before node: Int,
        into hashes: UnsafeMutableBufferPointer<UInt64>
    ) {
        while let last = open.last, last.end <= node {
            open.removeLast()
            let hash = ContentHash.mix(last.hash, last.isObject ? 0xB : 0xA)
            hashes[last.node] = hash
            add(hash, of: last.node)
        }
    }

    @inline(__always) private mutating func add(_ hash: UInt64, of node: Int) {
        let last = open.count - 1
        guard last >= 0, !side.isIgnored(node) else { return }
        if open[last].isObject {
            open[last].hash &+= ContentHash.mix(side.keyHash(node), hash)
        } else {
            open[last].hash = ContentHash.mix(open[last].hash, hash)
        }
    }
}
