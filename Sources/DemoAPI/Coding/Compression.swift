/// DEFLATE (RFC 1951) in one block with the fixed codes: enough to compress JSON to a fifth.
struct Deflate {
    private var output: [UInt8] = []
    private var pendingBits: UInt64 = 0
    private var pendingCount = 0

    static func compress(_ input: [UInt8]) -> [UInt8] {
        var encoder = Deflate()
        encoder.put(0b011, count: 3)  // last block, fixed codes
        encoder.encode(input)
        encoder.putCode(0, count: 7)  // end of block
        encoder.put(0, count: (8 - encoder.pendingCount % 8) % 8)
        return encoder.output
    }

    private mutating func encode(_ input: [UInt8]) {
        var lastSeen = [Int](repeating: -1, count: 1 << 15)
        var position = 0
        while position < input.count {
            let (length, distance) = Self.match(in: input, at: position, &lastSeen)
            if length >= 3 {
                putLength(length)
                putDistance(distance)
                position += length
            } else {
                putLiteral(Int(input[position]))
                position += 1
            }
        }
    }

    /// The match with the latest place that starts with the same three bytes; length 0 when
    /// there is none.
    private static func match(
        in input: [UInt8],
        at position: Int,
        _ lastSeen: inout [Int]
    ) -> (length: Int, distance: Int) {
        guard position + 3 <= input.count else { return (0, 0) }
        let key =
            Int(input[position]) << 16 | Int(input[position + 1]) << 8 | Int(input[position + 2])
        let slot = (key &* 0x9E37_79B1 >> 12) & 0x7FFF
        let candidate = lastSeen[slot]
        lastSeen[slot] = position
        guard candidate >= 0, position - candidate <= 32_768 else { return (0, 0) }
        let limit = min(258, input.count - position)
        var length = 0
        while length < limit, input[candidate + length] == input[position + length] { length += 1 }
        return (length, position - candidate)
    }
}

// The fixed codes, RFC 1951 section 3.2.6.
extension Deflate {
    private mutating func putLiteral(_ symbol: Int) {
        switch symbol {
        case 0..<144: putCode(0x30 + symbol, count: 8)
        case 144..<256: putCode(0x190 + symbol - 144, count: 9)
        case 256..<280: putCode(symbol - 256, count: 7)
        default: putCode(0xC0 + symbol - 280, count: 8)
        }
    }

    private mutating func putLength(_ length: Int) {
        if length == 258 { return putLiteral(285) }
        let value = length - 3
        let extra = max(0, Self.log2(value) - 2)
        putLiteral(257 + (value >> extra) + extra * 4)
        put(UInt64(value & ((1 << extra) - 1)), count: extra)
    }

    private mutating func putDistance(_ distance: Int) {
        let value = distance - 1
        let extra = max(0, Self.log2(value) - 1)
        putCode((value >> extra) + extra * 2, count: 5)
        put(UInt64(value & ((1 << extra) - 1)), count: extra)
    }

    private static func log2(_ value: Int) -> Int {
        value == 0 ? 0 : Int.bitWidth - 1 - value.leadingZeroBitCount
    }

    /// Huffman codes go highest bit first, everything else lowest bit first.
    private mutating func putCode(_ code: Int, count: Int) {
        var reversed: UInt64 = 0
        for bit in 0..<count where code >> bit & 1 == 1 { reversed |= 1 << (count - 1 - bit) }
        put(reversed, count: count)
    }

    private mutating func put(_ bits: UInt64, count: Int) {
        pendingBits |= bits << pendingCount
        pendingCount += count
        while pendingCount >= 8 {
            output.append(UInt8(truncatingIfNeeded: pendingBits))
            pendingBits >>= 8
            pendingCount -= 8
        }
    }
}

/// The checksum of gzip and PNG, fed in pieces.
struct CRC32: Sendable {
    private var register: UInt32 = 0xFFFF_FFFF

    var value: UInt32 { ~register }

    /// The value as eight hexadecimal digits.
    var text: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    init() {}

    init(of bytes: some Sequence<UInt8>) {
        update(bytes)
    }

    mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            register = Self.table[Int(UInt8(truncatingIfNeeded: register) ^ byte)] ^ (register >> 8)
        }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? (value >> 1) ^ 0xEDB8_8320 : value >> 1
        }
    }
}

/// The gzip format (RFC 1952) around a DEFLATE stream.
enum Gzip {
    static func compress(_ input: [UInt8]) -> [UInt8] {
        let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        let trailer = [CRC32(of: input).value, UInt32(truncatingIfNeeded: input.count)]
        return header + Deflate.compress(input)
            + trailer.flatMap { value in
                (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
            }
    }
}
