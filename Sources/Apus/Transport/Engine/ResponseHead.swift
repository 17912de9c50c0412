import HTTPTypes

/// The head of an answer, while its lines come in.
///
/// libcurl gives every line: interim answers (1xx), redirects, the answer, and
/// trailers after the body. The last head is the answer's.
struct ResponseHead {
    /// What a line was.
    enum Event {
        /// A line among others.
        case line
        /// The empty line after an interim answer.
        case interimEnded
        /// The empty line after a head.
        case ended
    }

    private static let usualFieldCount = 12

    private(set) var status: HTTPResponse.Status?
    private(set) var fields = HTTPFields()
    /// Lines that are not fields as RFC 9110 has them, and trailers.
    private(set) var irregularLines: [String] = []
    private(set) var isComplete = false
    /// Whether `Content-Length` was given twice, differently (RFC 9112, section 6.3).
    private(set) var hasTwoLengths = false
    private var length: String?
    /// Bytes of all lines, of all heads of the transfer.
    private(set) var byteCount = 0

    /// Whether a line of it was there.
    var isBegun: Bool { byteCount > 0 }

    /// The head, once its empty line was there.
    private(set) var response: HTTPResponse?

    /// Takes a line; `recent` saves making a field that another answer had.
    mutating func take(_ line: UnsafeRawBufferPointer, _ recent: inout RecentFields) -> Event {
        byteCount += line.count
        let line = Self.withoutLineEnd(line)
        if line.starts(with: "HTTP/".utf8), isComplete || status == nil {
            begin(line)
            return .line
        }
        guard !line.isEmpty else { return end() }
        if isComplete {
            keepIrregular(line)
        } else if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
            unfold(line)
        } else {
            addField(line, &recent)
        }
        return .line
    }

    private mutating func begin(_ line: Slice<UnsafeRawBufferPointer>) {
        let rest = line.drop { $0 != 0x20 }.dropFirst()
        let digits = rest.prefix { $0 != 0x20 }
        let code = Int(String(decoding: digits, as: UTF8.self)) ?? 0
        status = .init(
            code: (0...999).contains(code) ? code : 0,
            reasonPhrase: String(decoding: rest.dropFirst(digits.count + 1), as: UTF8.self)
        )
        fields = HTTPFields()
        fields.reserveCapacity(Self.usualFieldCount)
        response = nil
        irregularLines = []
        isComplete = false
        length = nil
    }

    private mutating func end() -> Event {
        guard !isComplete, let status else { return .line }
        // 101 is the last answer of its connection; the others announce one.
        if (100..<200).contains(status.code), status.code != 101 {
            self.status = nil
            fields = HTTPFields()
            return .interimEnded
        }
        isComplete = true
        response = HTTPResponse(status: status, headerFields: fields)
        return .ended
    }

    private mutating func addField(
        _ line: Slice<UnsafeRawBufferPointer>,
        _ recent: inout RecentFields
    ) {
        guard let field = recent.field(UnsafeRawBufferPointer(rebasing: line), Self.field) else {
            return keepIrregular(line)
        }
        if field.name == .contentLength { noteLength(field.value) }
        fields.append(field)
    }

    private static func field(_ line: UnsafeRawBufferPointer) -> HTTPField? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { return nil }
        return HTTPField(name: name, lenientValue: trimmed(line[(colon + 1)...]))
    }

    private mutating func noteLength(_ value: String) {
        if let length, length != value { hasTwoLengths = true }
        length = value
    }

    /// A line that begins with a space belongs to the one before (RFC 9112,
    /// section 5.2).
    private mutating func unfold(_ line: Slice<UnsafeRawBufferPointer>) {
        guard let last = fields.indices.last else { return keepIrregular(line) }
        var value = fields[last].withUnsafeBytesOfValue { Array($0) }
        value.append(0x20)
        value += Self.trimmed(line)
        fields[last] = HTTPField(name: fields[last].name, lenientValue: value)
    }

    private mutating func keepIrregular(_ line: Slice<UnsafeRawBufferPointer>) {
        irregularLines.append(String(decoding: line, as: UTF8.self))
    }

    private static func withoutLineEnd(
        _ line: UnsafeRawBufferPointer
    ) -> Slice<UnsafeRawBufferPointer> {
        var line = line[...]
        if line.last == 0x0A { line.removeLast() }
        if line.last == 0x0D { line.removeLast() }
        return line
    }

    private static func trimmed(
        _ bytes: Slice<UnsafeRawBufferPointer>
    ) -> Slice<UnsafeRawBufferPointer> {
        var bytes = bytes
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return bytes
    }
}
