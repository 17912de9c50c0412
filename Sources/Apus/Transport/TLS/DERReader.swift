/// Reads values in DER (X.690): a tag, a length, the contents.
///
/// A certificate is the server's text, so nothing is read past an end, and nothing recurses.
struct DERReader {
    /// A value: its tag, and its contents.
    struct Value {
        var tag: UInt8
        var bytes: ArraySlice<UInt8>

        /// A reader of the values in it.
        var inside: DERReader { DERReader(bytes) }
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The next value; nil at the end, or if it is not DER.
    mutating func next() -> Value? {
        var rest = rest
        // Tags of more than one byte (31) do not occur in certificates.
        guard let tag = rest.popFirst(), tag & 0x1F != 0x1F, let first = rest.popFirst() else {
            return nil
        }
        var count = Int(first)
        if first >= 0x80 {
            guard (0x81...0x84).contains(first) else { return nil }
            count = 0
            for _ in 0..<(first & 0x7F) {
                guard let byte = rest.popFirst() else { return nil }
                count = count << 8 | Int(byte)
            }
        }
        guard count <= rest.count else { return nil }
        self.rest = rest.dropFirst(count)
        return Value(tag: tag, bytes: rest.prefix(count))
    }

    /// The next value if it has this tag; otherwise nothing is read.
    mutating func next(_ tag: UInt8) -> Value? {
        var copy = self
        guard let value = copy.next(), value.tag == tag else { return nil }
        self = copy
        return value
    }

    /// All values up to the end, or up to what is not DER.
    var values: [Value] {
        var reader = self
        var values: [Value] = []
        while let value = reader.next() { values.append(value) }
        return values
    }
}

extension DERReader.Value {
    /// The tags that are read.
    enum Tag {
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let octetString: UInt8 = 0x04
        static let identifier: UInt8 = 0x06
        static let sequence: UInt8 = 0x30
        static let set: UInt8 = 0x31
    }

    /// An object identifier as numbers: "2.5.4.3".
    var identifier: String {
        var numbers: [UInt64] = []
        var number: UInt64 = 0
        for byte in bytes {
            // A number of more than 57 bits is none that is known here.
            number = (number & (1 << 57 - 1)) << 7 | UInt64(byte & 0x7F)
            guard byte & 0x80 == 0 else { continue }
            if numbers.isEmpty {
                let first = min(number / 40, 2)
                numbers = [first, number - first * 40]
            } else {
                numbers.append(number)
            }
            number = 0
        }
        return numbers.map(String.init).joined(separator: ".")
    }

    /// A string of any of the types that names have.
    var string: String {
        switch tag {
        case 0x1E:
            let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2)
                .map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
            return String(decoding: units, as: UTF16.self)
        case 0x14:
            return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        default: return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// A time as `2027-02-06 12:00:00 GMT`; nil if it is none (RFC 5280, section 4.1.2.5).
    var time: String? {
        var digits = bytes
        guard digits.popLast() == UInt8(ascii: "Z"),
            digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        var text = String(decoding: digits, as: UTF8.self)
        switch (tag, text.count) {
        case (0x17, 12): text = (text < "5" ? "20" : "19") + text
        case (0x18, 14): break
        default: return nil
        }
        func part(_ start: Int, _ count: Int = 2) -> Substring {
            text.dropFirst(start).prefix(count)
        }
        return "\(part(0, 4))-\(part(4))-\(part(6)) \(part(8)):\(part(10)):\(part(12)) GMT"
    }
}
