/// Hexadecimal digits, both ways.
enum HexDigit {
    @inline(__always) static func value(_ byte: UInt8) -> UInt8? {
        if byte &- 0x30 < 10 { return byte &- 0x30 }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    static func digit(_ value: UInt8) -> UInt8 {
        let value = value & 15
        return value < 10 ? 0x30 + value : 0x61 + value - 10
    }
}
