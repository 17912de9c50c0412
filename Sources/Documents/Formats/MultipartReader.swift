import Glibc

/// Reads multipart bodies (RFC 2046; RFC 7578 for forms) as an array of parts.
///
/// Leaves out the text before the first boundary and after the last, which is for old mail readers. A part
/// that is multipart itself becomes a nested array.
enum MultipartReader {
    /// A multipart body that is being read.
    private struct Level {
        let scanner: MultipartScanner
        let end: Int
        /// The offset after the boundary line before the next part; nil if there is no next part.
        var next: Int?
    }

    /// Parts nested deeper are shown as text.
    private static let depthLimit = 16

    static func read(_ out: inout JSONConversion, boundary: String) {
        var levels: [Level] = []
        out.writer.beginArray()
        levels.append(level(out.start..<out.text.count, boundary, &out))
        while let level = levels.last {
            guard let start = level.next else {
                levels.removeLast()
                out.writer.endArray()
                if !levels.isEmpty { out.writer.endObject() }
                continue
            }
            if out.shouldStop(at: start) { return }
            let delimiter = level.scanner.delimiter(from: start)
            if delimiter == nil { out.fault(.missingFinalBoundary, at: level.end) }
            let isLast = delimiter?.isFinal ?? true
            levels[levels.count - 1].next = isLast ? nil : delimiter?.end
            let range = start..<max(start, delimiter?.partEnd ?? level.end)
            // Nothing after the last boundary line: the body was cut off there, and no part follows.
            if delimiter == nil && range.isEmpty { continue }
            let part = MultipartPart(range, &out)
            part.writeHead(&out)
            if let inner = part.innerBoundary, levels.count < depthLimit {
                out.writer.key("content")
                out.writer.beginArray()
                levels.append(Self.level(part.body, inner, &out))
            } else {
                part.writeContent(&out)
                out.writer.endObject()
            }
        }
    }

    private static func level(
        _ range: Range<Int>,
        _ boundary: String,
        _ out: inout JSONConversion
    ) -> Level {
        let scanner = MultipartScanner(out.text, in: range, boundary: boundary)
        let first = scanner.delimiter(from: range.lowerBound)
        if first == nil { out.fault(.missingBoundary, at: range.lowerBound) }
        let next = first.flatMap { $0.isFinal ? nil : $0.end }
        return Level(scanner: scanner, end: range.upperBound, next: next)
    }
}

/// Finds the boundary lines of a multipart body (RFC 2046, section 5.1.1).
struct MultipartScanner {
    /// One boundary line.
    struct Delimiter {
        /// Where the part before it ends, without the line end, which belongs to the boundary.
        let partEnd: Int
        /// The offset after the boundary's own line end.
        let end: Int
        let isFinal: Bool
    }

    private let text: DocumentBytes
    private let boundary: [UInt8]
    private let range: Range<Int>

    init(_ text: DocumentBytes, in range: Range<Int>, boundary: String) {
        self.text = text
        self.range = range
        self.boundary = Array("--".utf8) + Array(boundary.utf8)
    }

    /// The first boundary line at or after `lineStart`.
    func delimiter(from lineStart: Int) -> Delimiter? {
        var line = lineStart
        while line < range.upperBound {
            if let found = delimiter(atLine: line) { return found }
            let left = range.upperBound - line
            guard let feed = memchr(text.base + line, 0x0A, left) else { return nil }
            line = UnsafeRawPointer(feed) - UnsafeRawPointer(text.base) + 1
        }
        return nil
    }

    private func delimiter(atLine line: Int) -> Delimiter? {
        guard line + boundary.count <= range.upperBound,
            memcmp(text.base + line, boundary, boundary.count) == 0
        else { return nil }
        var at = line + boundary.count
        let isFinal = byte(at) == 0x2D && byte(at + 1) == 0x2D
        if isFinal { at += 2 }
        while byte(at) == 0x20 || byte(at) == 0x09 { at += 1 }
        // A longer word is a different boundary, or text.
        guard byte(at) == nil || byte(at) == 0x0A || (byte(at) == 0x0D && byte(at + 1) == 0x0A)
        else { return nil }
        let end = min(at + (byte(at) == 0x0D ? 2 : 1), range.upperBound)
        return Delimiter(partEnd: partEnd(before: line), end: end, isFinal: isFinal)
    }

    private func partEnd(before line: Int) -> Int {
        guard line > range.lowerBound else { return line }
        let hasReturn = line - 2 >= range.lowerBound && text.base[line - 2] == 0x0D
        return line - (hasReturn ? 2 : 1)
    }

    private func byte(_ at: Int) -> UInt8? { at < range.upperBound ? text.base[at] : nil }
}

/// One part of a multipart body.
struct MultipartPart {
    private struct Header {
        let name: String
        var value: String
    }

    /// The approximate bytes of a header in memory until it is written.
    private static let headerSize = 128

    /// The number of bytes shown of a binary part.
    private static let shownBytes = 32

    /// The range after the empty line.
    let body: Range<Int>
    private let start: Int
    private let headers: [Header]

    /// Reads the head of the part that is in a range.
    init(_ range: Range<Int>, _ out: inout JSONConversion) {
        start = range.lowerBound
        var headers: [Header] = []
        var at = range.lowerBound
        while at < range.upperBound {
            let line = Self.line(out.text, at..<range.upperBound)
            at = line.next
            if line.content.isEmpty { break }
            if out.shouldStop(at: at, holding: headers.count * Self.headerSize) { break }
            Self.append(header: line.content, to: &headers, &out)
        }
        self.headers = headers
        body = at..<range.upperBound
    }

    /// The boundary of a part that is multipart itself; else nil.
    var innerBoundary: String? {
        guard let type = value(of: "content-type"), let media = MediaType(type),
            media.name.hasPrefix("multipart/")
        else { return nil }
        return media.parameter("boundary")
    }

    /// Opens the part's object and writes its name, file name and headers.
    func writeHead(_ out: inout JSONConversion) {
        out.mark(start)
        out.writer.beginObject()
        let disposition = value(of: "content-disposition").map { HeaderParameters($0) }
        for name in ["name", "filename"] {
            guard let value = disposition.flatMap({ Self.parameter(name, of: $0) }) else {
                continue
            }
            out.writer.key(name)
            out.writer.string(value)
        }
        guard !headers.isEmpty else { return }
        out.writer.key("headers")
        out.writer.beginObject()
        for header in headers {
            out.writer.key(header.name)
            out.writer.string(header.value)
        }
        out.writer.endObject()
    }

    /// Writes the content: JSON unchanged, text, or the size and first bytes.
    func writeContent(_ out: inout JSONConversion) {
        out.writer.key("content")
        out.mark(body.lowerBound)
        let type = MediaType(value(of: "content-type"))
        let bytes = out.slice(body)
        if type?.isJSON ?? false {
            NestedJSON.write(bytes, &out.writer)
        } else if let charset = type?.parameter("charset"), type?.isText ?? false {
            let copy = DocumentBytes(copying: UnsafeRawBufferPointer(bytes))
            let decoded = DecodedText(copy, format: nil, charset: charset).text
            decoded.withUnsafeBytes { out.writer.string($0.assumingMemoryBound(to: UInt8.self)) }
        } else if !bytes.contains(0) && UTF8Text.isValid(bytes) {
            out.writer.string(bytes)
        } else {
            writeBinary(bytes, &out)
        }
    }

    private func writeBinary(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ out: inout JSONConversion
    ) {
        out.writer.beginObject()
        out.writer.key("#size")
        out.writer.token(String(bytes.count))
        out.writer.key("#bytes")
        let shown = bytes.prefix(Self.shownBytes).map(HexDigit.pair)
        let rest = bytes.count > Self.shownBytes ? " …" : ""
        out.writer.string(shown.joined(separator: " ") + rest)
        out.writer.endObject()
    }

    // MARK: - Headers

    private func value(of name: String) -> String? {
        headers.first { $0.name.asciiLowercased == name }?.value
    }

    /// A parameter, in its extended form if it has one (RFC 8187, section 3.2).
    private static func parameter(_ name: String, of header: HeaderParameters) -> String? {
        header[name + "*"].flatMap(extended) ?? header[name]
    }

    private static func extended(_ value: String) -> String? {
        let parts = value.unicodeScalars
            .split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let bytes = DocumentBytes(
            PercentEncoding.decode(Array(Substring(parts[2]).utf8)).bytes
        )
        let text = DecodedText(bytes, format: nil, charset: String(parts[0])).text
        return text.string(in: 0..<text.count)
    }

    private static func append(
        header line: Range<Int>,
        to headers: inout [Header],
        _ out: inout JSONConversion
    ) {
        let isFolded =
            out.text.base[line.lowerBound] == 0x20 || out.text.base[line.lowerBound] == 0x09
        if isFolded, let last = headers.indices.last {
            // Appended in place, because a value may be folded over any number of lines.
            headers[last].value += " " + trimmed(out.text.string(in: line)[...])
            return
        }
        guard let colon = line.first(where: { out.text.base[$0] == 0x3A }) else {
            return out.fault(.badHeader, at: line.lowerBound)
        }
        let name = out.text.string(in: line.lowerBound..<colon)
        let value = trimmed(out.text.string(in: colon + 1..<line.upperBound)[...])
        headers.append(Header(name: name, value: value))
    }

    private static func trimmed(_ text: Substring) -> String {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }

    private static func line(
        _ text: DocumentBytes,
        _ range: Range<Int>
    ) -> (content: Range<Int>, next: Int) {
        guard let feed = range.first(where: { text.base[$0] == 0x0A }) else {
            return (range, range.upperBound)
        }
        let hasReturn = feed > range.lowerBound && text.base[feed - 1] == 0x0D
        return (range.lowerBound..<(hasReturn ? feed - 1 : feed), feed + 1)
    }
}
