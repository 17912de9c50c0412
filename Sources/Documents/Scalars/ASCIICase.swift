/// Names and tokens of HTTP compare as ASCII (RFC 9110, section 5.6.2).
///
/// `lowercased()` also makes a "k" of U+212A KELVIN SIGN, and `uppercased()` an "S" of U+017F: a name that another
/// server takes for a different one would be mistaken for a known one.
extension StringProtocol {
    /// This text with A to Z in lowercase, and every other character as it is.
    package var asciiLowercased: String {
        replacingASCII(UInt8(ascii: "A")...UInt8(ascii: "Z")) { $0 | 0x20 }
    }

    /// This text with a to z in uppercase, and every other character as it is.
    package var asciiUppercased: String {
        replacingASCII(UInt8(ascii: "a")...UInt8(ascii: "z")) { $0 & ~0x20 }
    }

    private func replacingASCII(
        _ letters: ClosedRange<UInt8>,
        _ replace: (UInt8) -> UInt8
    ) -> String {
        guard utf8.contains(where: letters.contains) else { return String(self) }
        return String(decoding: utf8.map { letters.contains($0) ? replace($0) : $0 }, as: UTF8.self)
    }
}
