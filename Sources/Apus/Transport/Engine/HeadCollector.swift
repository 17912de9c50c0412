import Documents
import Glibc
import HTTPTypes

/// Collects the lines of a response's head as they arrive.
///
/// libcurl passes every line: interim responses (1xx), redirects, the final response, and trailers after
/// the body. The last head is that of the final response.
final class HeadCollector {
    /// The kind of a line.
    enum Event {
        /// A line that neither begins nor ends a head.
        case line
        /// The first line of another head, after a complete one.
        case begun
        /// The empty line; `finish` parses the head.
        case ended
        /// The heads have more bytes than allowed.
        case tooLong
        /// The heads have more lines than allowed.
        case tooManyLines
    }

    private static let usualRoom = 2 << 10
    /// A larger buffer is not kept for the next transfer.
    private static let keptRoom = 16 << 10

    /// The lines so far, with their line ends.
    ///
    /// Not an array, whose overhead for each short line would exceed the copying.
    private var lines: UnsafeMutableRawPointer
    private var count = 0
    private var room: Int
    private var head: CopyOnWriteBox<ParsedHead>?
    /// Trailer fields (RFC 9110, section 6.5), as received.
    private(set) var trailers: [String] = []
    /// The interim responses before the head.
    private(set) var interim: [HTTPResponse] = []
    /// The number of bytes and lines in all heads and trailers of the transfer.
    private var byteCount = 0
    private var lineCount = 0
    let limits: FieldLimits

    init(limits: FieldLimits = FieldLimits()) {
        self.limits = limits
        room = Self.usualRoom
        lines = .allocate(byteCount: room, alignment: 1)
    }

    deinit { lines.deallocate() }

    /// Whether a line has arrived.
    var isBegun: Bool { byteCount > 0 }
    /// Whether the next line is the first of a head.
    var isAtStart: Bool { count == 0 && head == nil }
    /// Whether the head is complete.
    var isComplete: Bool { head != nil }
    /// The head, once it is complete.
    var response: HTTPResponse? { head?.value.response }
    /// Lines that are not valid fields (RFC 9110), and trailers.
    var irregularLines: [String] {
        let lines = head?.value.irregularLines ?? []
        return trailers.isEmpty ? lines : lines + trailers
    }

    /// Handles a line, including its line end.
    func handle(_ line: UnsafeRawBufferPointer) -> Event {
        byteCount += line.count
        lineCount += 1
        guard byteCount <= limits.bytes else { return .tooLong }
        guard lineCount <= limits.lines else { return .tooManyLines }
        guard head == nil else { return takeAfterEnd(line) }
        if line.count <= 2, line.last == 0x0A, line.count == 1 || line.first == 0x0D {
            return .ended
        }
        append(line)
        return .line
    }

    private func append(_ line: UnsafeRawBufferPointer) {
        guard let start = line.baseAddress else { return }
        if count + line.count > room { grow(to: max(2 * room, count + line.count)) }
        memcpy(lines + count, start, line.count)
        count += line.count
    }

    private func grow(to room: Int) {
        let larger = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 1)
        memcpy(larger, lines, count)
        lines.deallocate()
        lines = larger
        self.room = room
    }

    /// Parses the head from its lines; nil for a valid interim response, or if there are no lines.
    ///
    /// `recent` returns an equal head of an earlier response without parsing.
    func finish(_ recent: HeadCache) -> CopyOnWriteBox<ParsedHead>? {
        let head = recent.head(UnsafeRawBufferPointer(start: lines, count: count))
        count = 0
        // An interim response has no body, but libcurl would follow its framing fields.
        guard let head else { return nil }
        guard !head.value.isInterim || head.value.framingFault != nil else {
            interim.append(head.value.response)
            return nil
        }
        self.head = head
        return head
    }

    /// Resets everything for another transfer.
    func reset() {
        head = nil
        byteCount = 0
        lineCount = 0
        count = 0
        if !trailers.isEmpty { trailers = [] }
        if !interim.isEmpty { interim = [] }
        if room > Self.keptRoom { grow(to: Self.usualRoom) }
    }

    private func takeAfterEnd(_ line: UnsafeRawBufferPointer) -> Event {
        // No field name contains a slash; libcurl accepts "http/" in lowercase too.
        if line.count > 5, line[..<5].elementsEqual("HTTP/".utf8, by: { $0 & 0xDF == $1 & 0xDF }) {
            head = nil
            trailers = []
            interim = []
            append(line)
            return .begun
        }
        var text = line[...]
        if text.last == 0x0A { text.removeLast() }
        if text.last == 0x0D { text.removeLast() }
        if !text.isEmpty { trailers.append(HTTPField.text(of: text)) }
        return .line
    }
}

/// The head of a response, parsed from its lines (RFC 9112, sections 4 and 5).
struct ParsedHead {
    /// Why the length (RFC 9112, section 6.3) or the coding of the body is unclear.
    enum FramingFault {
        /// There are different lengths, in one field or several.
        case severalLengths
        /// The length is not a number of bytes.
        case lengthNotNumber
        /// It has a transfer coding that the request did not offer in `TE` (RFC 9112, section 7). libcurl
        /// would decode it, each piece at once without a limit, and would not check that it is complete.
        case transferCoding

        var detail: String {
            switch self {
            case .severalLengths: "the header gives conflicting lengths for the body"
            case .lengthNotNumber: "the header's Content-Length is not a valid number"
            case .transferCoding:
                "the header's Transfer-Encoding names a coding that was not requested"
            }
        }
    }

    /// A field that the next lines may continue.
    private struct FoldedField {
        let name: HTTPField.Name
        var value: [UInt8]
    }

    /// The status code; cached here because `HTTPResponse` stores it as text.
    let status: Int
    /// The status and fields.
    private(set) var response: HTTPResponse
    /// Lines that are not valid fields (RFC 9110).
    private(set) var irregularLines: [String] = []
    /// What is wrong with `Content-Length` or `Transfer-Encoding`; nil if nothing is.
    private(set) var framingFault: FramingFault?

    /// Parses lines with their line ends, without the final empty line; nil if there are no lines.
    init?(_ lines: UnsafeRawBufferPointer) {
        var rest = lines[...]
        guard let status = Self.nextLine(&rest) else { return nil }
        response = HTTPResponse(status: Self.status(status))
        self.status = response.status.code
        var fields: [HTTPField] = []
        fields.reserveCapacity(12)
        var folded: FoldedField?
        while let line = Self.nextLine(&rest) { add(line, to: &fields, &folded) }
        end(&folded, in: &fields)
        noteLengths(fields)
        noteTransferCodings(fields)
        response.headerFields.replaceSubrange(0..<0, with: fields)
    }

    /// Whether another response follows this one (RFC 9110, section 15.2); 101 is the last HTTP response on
    /// its connection.
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

    /// The status; code 0 for a line that is not valid (RFC 9112, section 4).
    ///
    /// libcurl accepts other white space too and would see a status that we do not.
    private static func status(_ line: UnsafeRawBufferPointer) -> HTTPResponse.Status {
        let rest = line.drop { $0 != 0x20 }.dropFirst()
        let digits = rest.prefix { $0 != 0x20 }
        var code = 0
        if line.starts(with: "HTTP/".utf8), digits.count == 3,
            digits.allSatisfy({ 0x30...0x39 ~= $0 })
        {
            code = digits.reduce(0) { 10 * $0 + Int($1 - 0x30) }
        }
        return .init(
            code: code,
            reasonPhrase: String(decoding: rest.dropFirst(digits.count + 1), as: UTF8.self)
        )
    }

    private mutating func add(
        _ line: UnsafeRawBufferPointer,
        to fields: inout [HTTPField],
        _ folded: inout FoldedField?
    ) {
        if line.first == UInt8(ascii: " ") || line.first == UInt8(ascii: "\t") {
            return unfold(line, &folded, &fields)
        }
        end(&folded, in: &fields)
        if let field = HTTPField(line) {
            fields.append(field)
        } else {
            keepIrregular(line)
        }
    }

    /// Adds a line that begins with white space to the field before it (RFC 9112, section 5.2).
    ///
    /// The field is made once, after its last line.
    private mutating func unfold(
        _ line: UnsafeRawBufferPointer,
        _ folded: inout FoldedField?,
        _ fields: inout [HTTPField]
    ) {
        if folded == nil, let last = fields.popLast() {
            folded = .init(name: last.name, value: last.withUnsafeBytesOfValue { Array($0) })
        }
        guard folded != nil else { return keepIrregular(line) }
        folded?.value.append(0x20)
        folded?.value.append(contentsOf: line[...].trimmed)
    }

    private func end(_ folded: inout FoldedField?, in fields: inout [HTTPField]) {
        guard let whole = folded.take() else { return }
        fields.append(HTTPField(name: whole.name, lenientValue: whole.value))
    }

    /// Checks `Content-Length`; equal lengths count as one (RFC 9112, section 6.3).
    ///
    /// libcurl reads `3, 4` as 3 and `0x3` as 0.
    private mutating func noteLengths(_ fields: [HTTPField]) {
        var length: Int?
        for field in fields where field.name == .contentLength {
            let members = field.value.split(separator: ",", omittingEmptySubsequences: false)
            for member in members {
                let digits = member.utf8.drop { $0 == 0x20 || $0 == 0x09 }
                let text = digits.prefix { 0x30...0x39 ~= $0 }
                let rest = digits[text.endIndex...]
                guard rest.allSatisfy({ $0 == 0x20 || $0 == 0x09 }), let own = Int(Substring(text))
                else {
                    framingFault = .lengthNotNumber
                    return
                }
                if let length, length != own { framingFault = .severalLengths }
                length = own
            }
        }
    }

    /// Checks `Transfer-Encoding`; `identity` means no coding, and older servers send it.
    private mutating func noteTransferCodings(_ fields: [HTTPField]) {
        let values = fields.filter { $0.name == .transferEncoding }.map(\.value)
        guard !values.isEmpty else { return }
        let areKnown = FieldList(values).members
            .allSatisfy { ["chunked", "identity"].contains($0.asciiLowercased) }
        if !areKnown { framingFault = .transferCoding }
    }

    private mutating func keepIrregular(_ line: UnsafeRawBufferPointer) {
        irregularLines.append(HTTPField.text(of: line))
    }
}

extension HTTPField {
    /// Parses a line of a head; nil if it has no valid name (RFC 9112, section 5).
    fileprivate init?(_ line: UnsafeRawBufferPointer) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { return nil }
        self.init(name: name, lenientValue: line[(colon + 1)...].trimmed)
    }
}

extension Slice<UnsafeRawBufferPointer> {
    /// The bytes without leading and trailing white space (RFC 9110, section 5.5).
    var trimmed: Slice<UnsafeRawBufferPointer> {
        var bytes = self
        while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        return bytes
    }
}
