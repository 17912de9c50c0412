/// The `%41` of URLs (RFC 3986 section 2.1).
enum PercentEncoding {
    /// The text meant; the text itself when it holds a broken escape or what is meant is not UTF-8.
    static func decode(_ text: some StringProtocol) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return String(text) }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = value(of: rest.prefix(2)) else {
                return String(text)
            }
            bytes.append(value)
            rest.removeFirst(2)
        }
        return String(validating: bytes, as: UTF8.self) ?? String(text)
    }

    /// Everything but the unreserved characters escaped, so that it can stand as a value in a
    /// query.
    static func encode(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            if isUnreserved(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
    }

    private static func value(of digits: some Sequence<UInt8>) -> UInt8? {
        digits.reduce(UInt8?.some(0)) { value, digit in
            guard let value, let number = Character(Unicode.Scalar(digit)).hexDigitValue else {
                return nil
            }
            return value << 4 | UInt8(number)
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
