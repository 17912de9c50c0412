package import HTTPTypes

/// The value of a header field as text.
extension HTTPField {
    /// The value as text that loses nothing.
    ///
    /// Bytes that are UTF-8 are read as such. In any other value each byte is a character from U+0000 to U+00FF
    /// (ISO 8859-1).
    package var text: String {
        withUnsafeBytesOfValue { bytes in
            // Where a part was masked, the rest need not be UTF-8, but no real value has a mask.
            bytes.firstRange(of: Self.mask) == nil
                ? Self.text(of: bytes) : String(decoding: bytes, as: UTF8.self)
        }
    }

    private static let mask = Array("••".utf8)

    /// Whether the value's bytes are UTF-8.
    package var isUTF8: Bool {
        withUnsafeBytesOfValue { String(validating: $0, as: UTF8.self) != nil }
    }

    /// The text of these bytes, as in `text`.
    package static func text(of bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = String.UnicodeScalarView()
        for byte in bytes { text.append(Unicode.Scalar(byte)) }
        return String(text)
    }

    /// The field whose value has these characters as bytes, as `text` of a value that is not UTF-8; nil if
    /// some are above U+00FF.
    package init?(name: HTTPField.Name, latin1 text: String) {
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            guard let byte = UInt8(exactly: scalar.value) else { return nil }
            bytes.append(byte)
        }
        self.init(name: name, lenientValue: bytes)
    }

    /// A header line as its name and value; nil if the name is not a token or the value has a control character.
    package init?(line: String) {
        let scalars = line.unicodeScalars
        guard let colon = scalars.firstIndex(of: ":"),
            let name = HTTPField.Name(String(scalars[..<colon]))
        else { return nil }
        let value = scalars[scalars.index(after: colon)...]
        guard !value.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F }) else {
            return nil
        }
        self.init(name: name, value: String(value))
    }
}
