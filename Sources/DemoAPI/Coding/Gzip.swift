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
