import Glibc
import HTTPTypes

/// The head of an answer, read from its lines (RFC 9112, sections 4 and 5).
struct AnswerHead {
    /// The status, which `HTTPResponse` keeps as text.
    let status: Int
    /// Status and fields.
    private(set) var response: HTTPResponse
    /// Lines that are not fields as RFC 9110 has them.
    private(set) var irregularLines: [String] = []
    /// Whether `Content-Length` was given twice, differently (RFC 9112, section 6.3).
    private(set) var hasTwoLengths = false

    /// Reads lines with their ends, without the empty one after them; nil if the first is no
    /// status line.
    ///
    /// `recent` saves making fields that other answers had.
    init?(_ lines: UnsafeRawBufferPointer, _ recent: RecentHeads) {
        var rest = lines[...]
        guard let status = Self.nextLine(&rest), status.starts(with: "HTTP/".utf8) else {
            return nil
        }
        response = HTTPResponse(status: Self.status(status))
        self.status = response.status.code
        var fields: [HTTPField] = []
        fields.reserveCapacity(12)
        while let line = Self.nextLine(&rest) { add(line, to: &fields, recent) }
        noteLengths(fields)
        response.headerFields.replaceSubrange(0..<0, with: fields)
    }

    /// Whether an answer follows that this one only announces (RFC 9110, section 15.2); 101 is
    /// the last of its connection.
    var isInterim: Bool { (100..<200).contains(status) && status != 101 }

    private static func nextLine(
        _ rest: inout Slice<UnsafeRawBufferPointer>
    ) -> UnsafeRawBufferPointer? {
        let bytes = UnsafeRawBufferPointer(rebasing: rest)
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return nil }
        let end =
            memchr(start, 0x0A, bytes.count).map { UnsafeRawPointer($0) - start } ?? bytes.count
        rest = rest.dropFirst(end + 1)
        let isReturned = end > 0 && bytes[end - 1] == 0x0D
        return UnsafeRawBufferPointer(start: start, count: isReturned ? end - 1 : end)
    }

    private static func status(_ line: UnsafeRawBufferPointer) -> HTTPResponse.Status {
        let rest = line.drop { $0 != 0x20 }.dropFirst()
        let digits = rest.prefix { $0 != 0x20 }
        let code = Int(String(decoding: digits, as: UTF8.self)) ?? 0
        return .init(
            code: (0...999).contains(code) ? code : 0,
            reasonPhrase: String(decoding: rest.dropFirst(digits.count + 1), as: UTF8.self)
        )
    }

    private mutating func add(
        _ line: UnsafeRawBufferPointer,
        to fields: inout [HTTPField],
        _ recent: RecentHeads
    ) {
        if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
            unfold(line, into: &fields)
        } else if let field = recent.field(line) {
            fields.append(field)
        } else {
            keepIrregular(line)
        }
    }

    /// A line that begins with a space belongs to the one before (RFC 9112, section 5.2).
    private mutating func unfold(_ line: UnsafeRawBufferPointer, into fields: inout [HTTPField]) {
        guard let last = fields.popLast() else { return keepIrregular(line) }
        var value = last.withUnsafeBytesOfValue { Array($0) }
        value.append(0x20)
        value += line[...].trimmed
        fields.append(HTTPField(name: last.name, lenientValue: value))
    }

    private mutating func noteLengths(_ fields: [HTTPField]) {
        var length: String?
        for field in fields where field.name == .contentLength {
            if let length, length != field.value { hasTwoLengths = true }
            length = field.value
        }
    }

    private mutating func keepIrregular(_ line: UnsafeRawBufferPointer) {
        irregularLines.append(String(decoding: line, as: UTF8.self))
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// The bytes without white space at their ends (RFC 9110, section 5.5).
    var trimmed: Slice<UnsafeRawBufferPointer> {
        var bytes = self
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return bytes
    }
}
