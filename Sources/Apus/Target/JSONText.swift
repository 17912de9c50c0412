/// Text to JSON strings (RFC 8259 section 7).
enum JSONText {
    /// Appends `text` in quotes; only what must be escaped is.
    static func append(_ text: String, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                out.append(UInt8(ascii: "\\"))
                out.append(byte)
            case UInt8(ascii: "\n"): out.append(contentsOf: #"\n"#.utf8)
            case UInt8(ascii: "\r"): out.append(contentsOf: #"\r"#.utf8)
            case UInt8(ascii: "\t"): out.append(contentsOf: #"\t"#.utf8)
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                out.append(contentsOf: #"\u"#.utf8)
                out.append(contentsOf: String(repeating: "0", count: 4 - digits.count).utf8)
                out.append(contentsOf: digits.utf8)
            default: out.append(byte)
            }
        }
        out.append(UInt8(ascii: "\""))
    }
}
