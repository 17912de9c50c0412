extension DocumentBytes {
    /// The encoding that a Content-Type names; nil when it names none.
    package static func charset(inContentType contentType: String?) -> String? {
        MediaType(contentType)?.parameter("charset")
    }

    /// The text, with U+FFFD for what is not of its encoding, and the first such place.
    ///
    /// The encoding is the byte order mark's, which is left out of the text, then `charset`, then
    /// UTF-8. An encoding that the system does not know is a fault, and the text is read as UTF-8.
    package func decodedText(charset: String? = nil) -> (text: String, fault: FormatFault?) {
        let decoded = DecodedText(self, format: nil, charset: charset)
        return decoded.text.withUnsafeBytes { bytes in
            let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            let content = bytes[mark...]
            if let text = String(validating: content, as: UTF8.self) {
                return (text, decoded.faults.first)
            }
            let offset = mark + Self.firstInvalidByte(of: content)
            let fault = FormatFault(
                .badEncoding("UTF-8"),
                at: offset,
                decoded.text.position(of: offset)
            )
            return (String(decoding: content, as: UTF8.self), decoded.faults.first ?? fault)
        }
    }

    /// How many bytes at the start are UTF-8.
    private static func firstInvalidByte(of bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while case .valid(let scalar) = parser.parseScalar(from: &iterator) {
            offset += scalar.count
        }
        return offset
    }
}
