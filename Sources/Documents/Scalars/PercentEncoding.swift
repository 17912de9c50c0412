/// Percent-encoding (RFC 3986 section 2.1).
package enum PercentEncoding {
    /// Escapes all but the unreserved characters (section 2.3), so that the text stays one name or one value.
    package static func component(_ text: String) -> String {
        encode(text) { isUnreserved($0) }
    }

    /// Like `component`, for bytes that need not be UTF-8.
    package static func component(bytes: [UInt8]) -> String {
        var out: [UInt8] = []
        for byte in bytes {
            if isUnreserved(byte) { out.append(byte) } else { appendEscape(of: byte, to: &out) }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Like `component`, but with `+` for a space (WHATWG URL, form serialization).
    package static func form(_ text: String) -> String {
        encode(text, space: 0x2B) { isUnreserved($0) }
    }

    /// Encodes names and values as a form: `a=1&b=2`.
    package static func formText(_ pairs: [(String, String)]) -> String {
        pairs.map { "\(form($0.0))=\(form($0.1))" }.joined(separator: "&")
    }

    /// Decodes the escapes; a `%` without two hex digits stays, and `firstFault` is the index of the first one.
    package static func decode(
        _ text: [UInt8],
        plusIsSpace: Bool = false
    ) -> (bytes: [UInt8], firstFault: Int?) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var firstFault: Int?
        var index = 0
        while index < text.count {
            if let byte = escapedByte(in: text, at: index) {
                bytes.append(byte)
                index += 3
            } else {
                if text[index] == 0x25 { firstFault = firstFault ?? index }
                bytes.append(plusIsSpace && text[index] == 0x2B ? 0x20 : text[index])
                index += 1
            }
        }
        return (bytes, firstFault)
    }

    /// The text with its escapes decoded; nil if the result is not UTF-8.
    package static func decoded(_ text: some StringProtocol) -> String? {
        String(validating: decode(Array(text.utf8)).bytes, as: UTF8.self)
    }

    /// Decodes a name or a value of a query or a form; escapes stay if the result is not UTF-8.
    package static func decodedForm(_ text: some StringProtocol) -> String {
        guard text.utf8.contains(where: { $0 == 0x25 || $0 == 0x2B }) else { return String(text) }
        return String(validating: decode(Array(text.utf8), plusIsSpace: true).bytes, as: UTF8.self)
            ?? String(decoding: text.utf8.map { $0 == 0x2B ? 0x20 : $0 }, as: UTF8.self)
    }

    /// The byte that the escape at `index` stands for; nil if there is none.
    @inlinable  // cache keys use this for each byte of a URL
    package static func escapedByte(in text: [UInt8], at index: Int) -> UInt8? {
        guard text[index] == 0x25, index + 2 < text.count,
            let high = HexDigit.value(text[index + 1]), let low = HexDigit.value(text[index + 2])
        else { return nil }
        return high << 4 | low
    }

    /// Escapes only characters that are not allowed in a path or a query.
    ///
    /// A `%` always stays, even if it begins no escape, so that the server gets what was written.
    package static func keepingLegal(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        let bytes = UnsafeBufferPointer(rebasing: text)
        if bytes.allSatisfy(isSent) { return String(decoding: bytes, as: UTF8.self) }
        var out: [UInt8] = []
        for byte in bytes {
            if isSent(byte) { out.append(byte) } else { appendEscape(of: byte, to: &out) }
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func isSent(_ byte: UInt8) -> Bool {
        isUnreserved(byte) || isReserved(byte) || byte == UInt8(ascii: "%")
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
        out.append(0x25)
        for digit in [byte >> 4, byte & 15] { out.append(digit < 10 ? 0x30 + digit : 0x37 + digit) }
    }

    /// Whether a byte never needs an escape (section 2.3).
    @inlinable  // cache keys use this for each byte of a URL
    package static func isUnreserved(_ byte: UInt8) -> Bool {
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
}
