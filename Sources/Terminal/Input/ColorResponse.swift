/// Follows the text of a terminal's response about a color: `11;rgb:ffff/ffff/ffff`, without `ESC ]` and its end.
///
/// A byte that cannot stand where it comes is a key that was typed while the response came in pieces.
struct ColorResponse {
    /// No response is longer, in bytes.
    static let longest = 64

    private var taken: [UInt8] = []

    /// Whether bytes begin like a response about a color: `ESC ]` and the first digit of 10 to 19.
    static func mayBegin(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.starts(with: "\u{1B}]1".utf8)
    }

    /// Whether bytes begin with the whole number of a color, from `ESC ]10;` to `ESC ]19;`.
    static func begins(_ bytes: [UInt8]) -> Bool {
        mayBegin(bytes) && bytes.count > 4 && isDigit(bytes[3]) && bytes[4] == UInt8(ascii: ";")
    }

    /// Takes the next byte; false if it cannot come next.
    mutating func takes(_ byte: UInt8) -> Bool {
        guard allows(byte) else { return false }
        taken.append(byte)
        return true
    }

    private func allows(_ byte: UInt8) -> Bool {
        switch taken.count {
        case 0: return byte == UInt8(ascii: "1")
        case 1: return Self.isDigit(byte)
        case 2: return byte == UInt8(ascii: ";")
        default: break
        }
        let text = taken.dropFirst(3)
        if text.first == UInt8(ascii: "#") { return text.count <= 12 && Self.isHexadecimal(byte) }
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
            if text.isEmpty, byte == UInt8(ascii: "#") { return true }
            let word = Array(text) + [byte]
            return "rgb:".utf8.starts(with: word) || "rgba:".utf8.starts(with: word)
        }
        let parts = text[(colon + 1)...].split(
            separator: UInt8(ascii: "/"),
            omittingEmptySubsequences: false
        )
        let digits = parts.last?.count ?? 0
        if byte == UInt8(ascii: "/") { return digits > 0 && parts.count < 4 }
        return digits < 4 && Self.isHexadecimal(byte)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || 0x41...0x46 ~= byte || 0x61...0x66 ~= byte
    }
}
