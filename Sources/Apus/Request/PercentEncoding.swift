/// Percent-encoding (RFC 3986 section 2.1).
package enum PercentEncoding {
    /// Escapes all but the unreserved characters (section 2.3), so that the
    /// text stays one name or one value.
    package static func component(_ text: String) -> String {
        encode(text) { isUnreserved($0) }
    }

    /// As `component`, for bytes that need not be UTF-8.
    static func component(bytes: [UInt8]) -> String {
        var out: [UInt8] = []
        for byte in bytes {
            if isUnreserved(byte) { out.append(byte) } else { appendEscape(of: byte, to: &out) }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// As `component`, with `+` for a space (WHATWG URL, form serialisation).
    static func form(_ text: String) -> String {
        encode(text, space: 0x2B) { isUnreserved($0) }
    }

    /// `a=1&b=2`, encoded as a form.
    static func formText(_ pairs: [(String, String)]) -> String {
        pairs.map { "\(form($0.0))=\(form($0.1))" }.joined(separator: "&")
    }

    /// The text with its escapes resolved; nil if that is no UTF-8.
    static func decoded(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        var out: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == 0x25, index + 2 < bytes.count, isHexDigit(bytes[index + 1]),
                isHexDigit(bytes[index + 2]),
                let byte = UInt8(
                    String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self),
                    radix: 16
                )
            {
                out.append(byte)
                index += 3
            } else {
                out.append(bytes[index])
                index += 1
            }
        }
        return String(validating: out, as: UTF8.self)
    }

    /// A name or a value of a query or a form; what is no UTF-8 is mended.
    static func decodedForm(_ text: some StringProtocol) -> String {
        let plain = String(text).replacing("+", with: " ")
        return decoded(plain) ?? plain
    }

    /// Escapes only what may not stand in a path or a query at all; legal
    /// escapes stay, a lone `%` becomes `%25`.
    static func keepingLegal(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        let bytes = UnsafeBufferPointer(rebasing: text)
        if bytes.allSatisfy({ isUnreserved($0) || isReserved($0) }) {
            return String(decoding: bytes, as: UTF8.self)
        }
        var out: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isEscape =
                byte == 0x25 && index + 2 < bytes.count
                && isHexDigit(bytes[index + 1]) && isHexDigit(bytes[index + 2])
            if isEscape || isUnreserved(byte) || isReserved(byte) {
                out.append(byte)
            } else {
                appendEscape(of: byte, to: &out)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func encode(
        _ text: String,
        space: UInt8? = nil,
        keeping isKept: (UInt8) -> Bool
    ) -> String {
        var out: [UInt8] = []
        out.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isKept(byte) {
                out.append(byte)
            } else if byte == 0x20, let space {
                out.append(space)
            } else {
                appendEscape(of: byte, to: &out)
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func appendEscape(of byte: UInt8, to out: inout [UInt8]) {
        let digits = Array("0123456789ABCDEF".utf8)
        out.append(0x25)
        out.append(digits[Int(byte >> 4)])
        out.append(digits[Int(byte & 15)])
    }

    /// Whether a byte never needs an escape (section 2.3).
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func isReserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&")...UInt8(ascii: ","),
            UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "="),
            UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
