/// A PNG encoder for 8-bit RGB pixels.
enum PNG {
    /// The file of a picture given as `width * height * 3` bytes, row by row.
    static func encode(width: Int, height: Int, pixels: [UInt8]) -> [UInt8] {
        var scanlines: [UInt8] = []
        for row in 0..<height {
            scanlines.append(0)  // filter: none
            scanlines += pixels[(row * width * 3)..<((row + 1) * width * 3)]
        }
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let header = bigEndian(width) + bigEndian(height) + [8, 2, 0, 0, 0]
        return signature + chunk("IHDR", header) + chunk("IDAT", zlib(scanlines))
            + chunk("IEND", [])
    }

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let checked = Array(type.utf8) + content
        return bigEndian(content.count) + checked + bigEndian(Int(CRC32(of: checked).value))
    }

    private static func zlib(_ input: [UInt8]) -> [UInt8] {
        var low = 1
        var high = 0
        for byte in input {
            low = (low + Int(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return [0x78, 0x01] + Deflate.compress(input) + bigEndian(high << 16 | low)
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
