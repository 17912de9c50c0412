/// A text in UTF-8, whatever it was in.
///
/// The encoding is the byte order mark's, then the `charset` that came with the text, then the one
/// that XML or HTML declare in their first bytes. Bytes that are not of it become U+FFFD.
struct DecodedText: Sendable {
    /// The bytes that were given when they are UTF-8.
    let text: DocumentBytes
    let faults: [FormatFault]
    /// Whether the text is only the beginning because the task was cancelled.
    let isCancelled: Bool

    init(_ bytes: DocumentBytes, format: DocumentFormat?, charset: String?) {
        guard let name = Self.encoding(of: bytes, format: format, charset: charset) else {
            text = bytes
            faults = []
            isCancelled = false
            return
        }
        guard var converter = CharsetConverter(name) else {
            text = bytes
            isCancelled = false
            let start = TextPosition(line: 1, column: 1)
            faults = [FormatFault(.unknownEncoding(name), at: 0, start)]
            return
        }
        let converted = converter.convert(bytes)
        text = converted
        isCancelled = converter.isCancelled
        guard let fault = converter.firstFault else {
            faults = []
            return
        }
        faults = [FormatFault(.badEncoding(name), at: fault, converted.position(of: fault))]
    }

    /// The first 64 KiB of what is there; the bytes themselves when they are not more.
    static func start(
        of bytes: DocumentBytes,
        as format: DocumentFormat? = nil,
        charset: String? = nil
    ) -> DocumentBytes {
        let name = encoding(of: bytes, format: format, charset: charset)
        let isWhole = bytes.isComplete && bytes.count <= Document.firstWindow
        let part =
            isWhole
            ? bytes
            : bytes.withUnsafeBytes {
                DocumentBytes(
                    copying: UnsafeRawBufferPointer(
                        rebasing: $0[..<min($0.count, Document.firstWindow)]
                    )
                )
            }
        return name == nil ? part : DecodedText(part, format: format, charset: name).text
    }

    /// The encoding to convert from; nil for UTF-8.
    static func encoding(
        of bytes: DocumentBytes,
        format: DocumentFormat?,
        charset: String?
    ) -> String? {
        if let mark = byteOrderMark(bytes) { return mark == "UTF-8" ? nil : mark }
        let declared = charset ?? DeclaredEncoding.find(in: bytes, format: format)
        guard let name = declared.map(normalised) ?? silentUTF16(bytes) else { return nil }
        return name == "UTF-8" || name == "US-ASCII" ? nil : name
    }

    private static func byteOrderMark(_ bytes: DocumentBytes) -> String? {
        // The padding makes the first four bytes readable in every text.
        let base = bytes.base
        guard bytes.count >= 2 else { return nil }
        if bytes.count >= 4, base[0] == 0, base[1] == 0, base[2] == 0xFE, base[3] == 0xFF {
            return "UTF-32BE"
        }
        switch (base[0], base[1]) {
        case (0xFF, 0xFE):
            return bytes.count >= 4 && base[2] == 0 && base[3] == 0 ? "UTF-32LE" : "UTF-16LE"
        case (0xFE, 0xFF): return "UTF-16BE"
        case (0xEF, 0xBB): return bytes.count >= 3 && base[2] == 0xBF ? "UTF-8" : nil
        default: return nil
        }
    }

    /// UTF-16 without a mark, told by the zero beside an opening bracket or a `<`.
    private static func silentUTF16(_ bytes: DocumentBytes) -> String? {
        guard bytes.count >= 4, !bytes.isComplete || bytes.count % 2 == 0 else { return nil }
        let base = bytes.base
        let openers: [UInt8] = [0x7B, 0x5B, 0x3C]
        if openers.contains(base[0]), base[1] == 0, base[2] != 0, base[3] == 0 {
            return "UTF-16LE"
        }
        if base[0] == 0, openers.contains(base[1]), base[2] == 0, base[3] != 0 {
            return "UTF-16BE"
        }
        return nil
    }

    /// The name as iconv knows it; the labels that browsers read as Windows-1252 are that.
    private static func normalised(_ charset: String) -> String {
        switch charset.uppercased() {
        case "UTF8", "UTF-8", "UNICODE-1-1-UTF-8": "UTF-8"
        case "ASCII", "US-ASCII": "US-ASCII"
        case "ISO-8859-1", "ISO8859-1", "LATIN1", "LATIN-1", "L1", "CP1252", "X-CP1252":
            "WINDOWS-1252"
        // RFC 2781 section 4.3: without a mark it is big-endian, but what is sent is little-endian.
        case "UTF-16", "UTF16": "UTF-16LE"
        case "UTF-32", "UTF32": "UTF-32LE"
        case let name: name
        }
    }
}
