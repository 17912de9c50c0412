import Glibc

/// A text converted to UTF-8 from its encoding.
///
/// The encoding is that of the byte order mark, else the `charset` sent with the text, else the one
/// that XML or HTML declares in its first bytes. Invalid bytes become U+FFFD.
struct DecodedText: Sendable {
    /// The original bytes if they are UTF-8 already.
    let text: DocumentBytes
    let faults: [FormattingError]
    /// Whether the task was cancelled, so that the text is only the beginning.
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
            faults = [FormattingError(.unknownEncoding(name), at: 0, start)]
            return
        }
        let converted = converter.convert(bytes)
        text = converted
        isCancelled = converter.isCancelled
        // For HTML, what is not of the encoding is replaced and no fault, as invalid UTF-8 is.
        guard let fault = converter.firstFault, format != .html else {
            faults = []
            return
        }
        faults = [FormattingError(.badEncoding(name), at: fault, converted.position(of: fault))]
    }

    /// The first 64 KiB of the available bytes, in UTF-8; the bytes themselves if they are complete and shorter.
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
        // An empty name counts as missing; iconv would read it as the encoding of the locale.
        let sent = charset.flatMap { $0.isEmpty ? nil : $0 }
        let declared =
            sent
            ?? DeclaredEncoding.find(in: bytes, format: format) { name in
                CharsetConverter.supports(normalised(name))
            }
        guard let name = declared.map(normalised) ?? silentUTF16(bytes) else { return nil }
        return name == "UTF-8" || name == "US-ASCII" ? nil : name
    }

    private static func byteOrderMark(_ bytes: DocumentBytes) -> String? {
        // The padding makes the first four bytes of every text readable.
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

    /// Recognizes UTF-16 without a byte order mark by the zero byte next to an opening bracket or `<`.
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

    /// The name in capital letters; the labels that browsers treat as Windows-1252 become that.
    private static func normalised(_ charset: String) -> String {
        switch charset.asciiUppercased {
        case "UTF8", "UTF-8", "UNICODE-1-1-UTF-8": "UTF-8"
        case "ASCII", "US-ASCII": "US-ASCII"
        case "ISO-8859-1", "ISO8859-1", "LATIN1", "LATIN-1", "L1", "CP1252", "X-CP1252":
            "WINDOWS-1252"
        // RFC 2781, section 4.3: without a mark it is big-endian, but what servers send is little-endian.
        case "UTF-16", "UTF16": "UTF-16LE"
        case "UTF-32", "UTF32": "UTF-32LE"
        case let name: name
        }
    }
}

/// Converts to UTF-8 with the C library's iconv.
struct CharsetConverter: ~Copyable {
    private let handle: iconv_t
    private let isWindows1252: Bool
    /// The offset in the result of the first invalid bytes; nil if all are valid.
    private(set) var firstFault: Int?
    /// Whether the conversion ended early because the task was cancelled.
    private(set) var isCancelled = false

    /// Nil if the system does not support the encoding.
    init?(_ name: String) {
        // iconv would read what follows a slash as options.
        guard !name.contains("/"), let handle = iconv_open("UTF-8", Self.largest(name)),
            handle != iconv_t(bitPattern: -1)
        else { return nil }
        self.handle = handle
        isWindows1252 = name == "WINDOWS-1252"
    }

    /// The larger encoding as which browsers read texts of this one (Encoding standard, section 4.2).
    private static func largest(_ name: String) -> String {
        switch name {
        case "ISO-8859-9", "LATIN5", "L5": "WINDOWS-1254"
        case "TIS-620", "ISO-8859-11": "WINDOWS-874"
        case "GB2312", "GB_2312-80", "CHINESE", "X-GBK", "GBK": "GB18030"
        case "SHIFT_JIS", "SHIFT-JIS", "SJIS", "X-SJIS", "WINDOWS-31J": "CP932"
        case "EUC-KR", "KS_C_5601-1987", "KS_C_5601-1989", "KSC5601", "KOREAN": "CP949"
        case "BIG5", "X-X-BIG5": "BIG5-HKSCS"
        default: name
        }
    }

    /// Whether the system supports the encoding.
    static func supports(_ name: String) -> Bool {
        guard CharsetConverter(name) != nil else { return false }
        return true
    }

    deinit { iconv_close(handle) }

    /// Converts the whole text without its byte order mark; invalid bytes become U+FFFD.
    mutating func convert(_ bytes: DocumentBytes) -> DocumentBytes {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + bytes.count / 8 + 64)
        var at = 0
        var looks = 0
        while at < bytes.count {
            looks += 1
            // Checked only every 16 pieces, so that a small text is always converted whole.
            if looks & 15 == 0 && Task.isCancelled {
                isCancelled = true
                break
            }
            let (used, isBroken) = convertPiece(bytes, from: at, into: &output)
            at += used
            guard isBroken else { continue }
            // The five bytes that iconv does not know there are controls (Encoding standard, windows-1252).
            if isWindows1252, 0x80...0x9F ~= bytes.base[at] {
                output.append(contentsOf: [0xC2, bytes.base[at]])
                at += 1
                continue
            }
            firstFault = firstFault ?? output.count
            output.append(contentsOf: "\u{FFFD}".utf8)
            at += 1
        }
        let hasMark = output.starts(with: "\u{FEFF}".utf8)
        return output.withUnsafeBytes {
            DocumentBytes(copying: UnsafeRawBufferPointer(rebasing: $0[(hasMark ? 3 : 0)...]))
        }
    }

    /// Converts up to 64 KiB; `isBroken` if the next byte cannot be converted.
    private func convertPiece(
        _ bytes: DocumentBytes,
        from start: Int,
        into output: inout [UInt8]
    ) -> (used: Int, isBroken: Bool) {
        let length = bytes.count - start
        var left = length
        var isBroken = false
        // iconv does not write to its input, though the parameter is not const.
        var input: UnsafeMutablePointer<CChar>? = UnsafeMutableRawPointer(
            mutating: bytes.base + start
        ).assumingMemoryBound(to: CChar.self)
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64 << 10) { room in
            var target = room.baseAddress
            var free = room.count
            let result = iconv(handle, &input, &left, &target, &free)
            // E2BIG only means that the buffer is full.
            isBroken = result == -1 && errno != E2BIG
            let written = UnsafeRawBufferPointer(
                rebasing: UnsafeRawBufferPointer(room)[..<(room.count - free)]
            )
            output.append(contentsOf: written)
        }
        return (length - left, isBroken)
    }
}

/// The encoding that XML or HTML declares in its first bytes.
enum DeclaredEncoding {
    /// HTML must declare its encoding within these bytes (HTML standard, 13.2.3.2).
    private static let window = 1024

    /// The name in an XML declaration or in HTML's `<meta charset>`; nil if there is none.
    ///
    /// A name in HTML that nobody knows is none, as for browsers.
    static func find(
        in bytes: DocumentBytes,
        format: DocumentFormat?,
        isKnown: (String) -> Bool
    ) -> String? {
        guard format == .xml || format == .html else { return nil }
        let head = bytes.array(in: 0..<min(bytes.count, window))
        let isDeclared = head.starts(with: "<?xml".utf8)
        if isDeclared, let end = head.firstIndex(of: 0x3E),
            let name = value(of: "encoding", in: head[..<end])
        {
            let name = utf8IfWide(name)
            return format == .xml || isKnown(name) ? name : nil
        }
        guard format == .html, let name = value(of: "charset", in: head[...]).map(utf8IfWide),
            isKnown(name)
        else { return nil }
        return name
    }

    /// A declaration that is readable byte by byte cannot be in UTF-16 or UTF-32, whatever it says.
    private static func utf8IfWide(_ name: String) -> String {
        let isWide =
            name.asciiUppercased.hasPrefix("UTF-16") || name.asciiUppercased.hasPrefix("UTF-32")
        return isWide ? "UTF-8" : name
    }

    private static func value(of name: String, in head: ArraySlice<UInt8>) -> String? {
        let name = Array(name.utf8)
        var at = head.startIndex
        while at + name.count < head.endIndex {
            defer { at += 1 }
            guard head[at..<at + name.count].elementsEqual(name, by: { $0 | 0x20 == $1 })
            else { continue }
            var rest = head[(at + name.count)...].drop { $0 <= 0x20 }
            guard rest.first == 0x3D else { continue }
            rest = rest.dropFirst().drop { $0 <= 0x20 || $0 == 0x22 || $0 == 0x27 }
            let value = rest.prefix { isNameByte($0) }
            return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
        }
        return nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5F: true
        default: false
        }
    }
}

extension DocumentBytes {
    /// The encoding that a Content-Type names; nil if it names none.
    package static func charset(inContentType contentType: String?) -> String? {
        MediaType(contentType)?.parameter("charset")
    }

    /// The decoded text, with U+FFFD for invalid bytes, and the first fault.
    ///
    /// The encoding is that of the byte order mark, which is left out of the text, else `charset`, else
    /// UTF-8. An unsupported encoding is a fault, and the text is read as UTF-8.
    package func decodedText(charset: String? = nil) -> (text: String, fault: FormattingError?) {
        let decoded = DecodedText(self, format: nil, charset: charset)
        return decoded.text.withUnsafeBytes { bytes in
            let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
            let content = bytes[mark...]
            if let text = String(validating: content, as: UTF8.self) {
                return (text, decoded.faults.first)
            }
            let offset = mark + Self.firstInvalidByte(of: content)
            let fault = FormattingError(
                .badEncoding("UTF-8"),
                at: offset,
                decoded.text.position(of: offset)
            )
            return (String(decoding: content, as: UTF8.self), decoded.faults.first ?? fault)
        }
    }

    /// The number of bytes before the first invalid one.
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
