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
