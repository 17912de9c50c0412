/// Terminals send newlines of a paste as carriage returns; text has `\n`.
enum PastedText {
    static func decode(_ bytes: [UInt8]) -> String {
        guard bytes.contains(0x0D) else { return String(decoding: bytes, as: UTF8.self) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            if byte == 0x0D {
                result.append(0x0A)
            } else if byte != 0x0A || index == 0 || bytes[index - 1] != 0x0D {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
