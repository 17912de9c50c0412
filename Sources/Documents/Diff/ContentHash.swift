/// The hashes by which a comparison finds what may be equal.
///
/// They only propose: whatever they call equal is compared byte by byte or value by value, so a
/// collision, by chance or made, can cost a worse alignment but never hides a difference.
enum ContentHash {
    @inline(__always) static func mix(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = (a ^ 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: b ^ 0xD6E8_FEB8_6659_FD93)
        // The sum keeps a factor of zero from swallowing the other one.
        return (product.high ^ product.low) &+ a
    }

    /// The hash of bytes behind which eight more may be read, and whether a backslash is among them.
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
        let exponent = UInt64(bitPattern: Int64(number.exponent))
        var hash = mix(number.leading, exponent &* 2 &+ (number.isNegative ? 1 : 0))
        if !number.rest.isEmpty { hash = mix(hash, bytes(number.rest)) }
        if !number.wideExponent.isEmpty { hash = mix(hash, bytes(number.wideExponent)) }
        return hash
    }

    /// Not zero when a byte of the word is a backslash.
    @inline(__always) private static func slashBits(_ word: UInt64) -> UInt64 {
        let other = word ^ 0x5C5C_5C5C_5C5C_5C5C
        return (other &- 0x0101_0101_0101_0101) & ~other & 0x8080_8080_8080_8080
    }
}
