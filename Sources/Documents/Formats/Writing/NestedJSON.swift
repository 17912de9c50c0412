/// Text inside of another format that may be JSON.
enum NestedJSON {
    /// Writes a text as the JSON that it is, as it is written; else as a string.
    static func write(_ text: UnsafeBufferPointer<UInt8>, _ writer: inout JSONTokenWriter) {
        let json = trimmed(text)
        if isJSON(json) { writer.token(json) } else { writer.string(text) }
    }

    /// Whether a text without blanks around it is one JSON value.
    static func isJSON(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = text.first else { return false }
        switch first {
        case 0x7B, 0x5B, 0x22, 0x2D, 0x30...0x39, 0x74, 0x66, 0x6E:
            let document = Document.parse(DocumentBytes(copying: UnsafeRawBufferPointer(text)))
            return document.fault == nil
        default: return false
        }
    }

    static func trimmed(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        guard let first = text.firstIndex(where: { !isBlank($0) }),
            let last = text.lastIndex(where: { !isBlank($0) })
        else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(rebasing: text[first...last])
    }
}
