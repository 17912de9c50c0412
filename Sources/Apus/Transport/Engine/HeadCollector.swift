import Glibc
import HTTPTypes

/// The head of a transfer's answer, while its lines come in.
///
/// libcurl gives every line: interim answers (1xx), redirects, the answer, and
/// trailers after the body. The last head is the answer's.
final class HeadCollector {
    /// What a line was.
    enum Event {
        /// A line among others.
        case line
        /// The first line of another head, after one that was whole.
        case begun
        /// The empty line: `finish` makes the head.
        case ended
        /// There are more bytes than heads may have.
        case tooLong
        /// There are more lines than heads may have.
        case tooManyLines
    }

    private static let usualRoom = 2 << 10
    /// More memory than this is not kept for the next transfer.
    private static let keptRoom = 16 << 10

    /// The lines so far, with their ends: not an array, which would cost more than the copy
    /// for each of an answer's many short lines.
    private var lines: UnsafeMutableRawPointer
    private var count = 0
    private var room: Int
    private var head: CopyOnWriteBox<ParsedHead>?
    /// Fields of trailers (RFC 9110, section 6.5), as they came.
    private(set) var trailers: [String] = []
    /// Bytes and lines of all heads of the transfer, and of trailers.
    private var byteCount = 0
    private var lineCount = 0
    let limits: FieldLimits

    init(limits: FieldLimits = FieldLimits()) {
        self.limits = limits
        room = Self.usualRoom
        lines = .allocate(byteCount: room, alignment: 1)
    }

    deinit { lines.deallocate() }

    /// Whether a line of it was there.
    var isBegun: Bool { byteCount > 0 }
    /// Whether the next line is the first of it, or of an interim one.
    var isAtStart: Bool { count == 0 && head == nil }
    /// Whether its empty line was there.
    var isComplete: Bool { head != nil }
    /// The head, once its empty line was there.
    var response: HTTPResponse? { head?.value.response }
    /// Lines that are not fields as RFC 9110 has them, and trailers.
    var irregularLines: [String] {
        let lines = head?.value.irregularLines ?? []
        return trailers.isEmpty ? lines : lines + trailers
    }

    /// Takes a line with its end.
    func take(_ line: UnsafeRawBufferPointer) -> Event {
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

    /// Makes the head out of its lines; nil if it is an interim one as they should be.
    ///
    /// `recent` saves making what another answer had.
    func finish(_ recent: RecentHeads) -> CopyOnWriteBox<ParsedHead>? {
        let head = recent.head(UnsafeRawBufferPointer(start: lines, count: count))
        count = 0
        // An interim one says nothing of a body, but libcurl would go by what it said.
        guard let head, !head.value.isInterim || head.value.framingFault != nil else { return nil }
        self.head = head
        return head
    }

    /// Forgets everything, for another transfer.
    func reset() {
        head = nil
        byteCount = 0
        lineCount = 0
        count = 0
        if !trailers.isEmpty { trailers = [] }
        if room > Self.keptRoom { grow(to: Self.usualRoom) }
    }

    private func takeAfterEnd(_ line: UnsafeRawBufferPointer) -> Event {
        // No field's name has a slash; libcurl reads this in small letters too.
        if line.count > 5, line[..<5].elementsEqual("HTTP/".utf8, by: { $0 & 0xDF == $1 & 0xDF }) {
            head = nil
            trailers = []
            append(line)
            return .begun
        }
        var text = line[...]
        if text.last == 0x0A { text.removeLast() }
        if text.last == 0x0D { text.removeLast() }
        if !text.isEmpty { trailers.append(String(decoding: text, as: UTF8.self)) }
        return .line
    }
}

/// The head of an answer, read from its lines (RFC 9112, sections 4 and 5).
struct ParsedHead {
    /// Why nobody can tell where a body ends (RFC 9112, section 6.3), or what it is.
    enum FramingFault {
        /// The lengths differ, in one field or in several.
        case severalLengths
        /// The length is no number of bytes.
        case lengthNotNumber
        /// It is coded for the transfer in a way that `TE` would have to name (RFC 9112, section 7).
        /// libcurl would decode it, all of a piece at once, and never looks at its end.
        case transferCoding

        /// What it is, in words.
        var detail: String {
            switch self {
            case .severalLengths: "the header gives two lengths for one body"
            case .lengthNotNumber: "the header's Content-Length is no number of bytes"
            case .transferCoding:
                "the header's Transfer-Encoding names a coding that was not asked for"
            }
        }
    }

    /// A field whose next lines may belong to it.
    private struct FoldedField {
        let name: HTTPField.Name
        var value: [UInt8]
    }

    /// The status, which `HTTPResponse` keeps as text.
    let status: Int
    /// Status and fields.
    private(set) var response: HTTPResponse
    /// Lines that are not fields as RFC 9110 has them.
    private(set) var irregularLines: [String] = []
    /// What is wrong with `Content-Length` or `Transfer-Encoding`; nil if nothing.
    private(set) var framingFault: FramingFault?

    /// Reads lines with their ends, without the empty one after them; nil if there are none.
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

    /// The status; 0 for a line that is not as RFC 9112, section 4, has it.
    ///
    /// libcurl takes other white space too, and would see a status that we do not.
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

    /// A line that begins with a space belongs to the one before (RFC 9112, section 5.2).
    ///
    /// The field is made when all its lines are there, not anew for each.
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

    /// libcurl takes `3, 4` for 3 and `0x3` for 0; equal lengths are one (RFC 9112, section 6.3).
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

    /// `identity` is none; older servers name it.
    private mutating func noteTransferCodings(_ fields: [HTTPField]) {
        let values = fields.filter { $0.name == .transferEncoding }.map(\.value)
        guard !values.isEmpty else { return }
        let areKnown = FieldList(values).members
            .allSatisfy { ["chunked", "identity"].contains($0.lowercased()) }
        if !areKnown { framingFault = .transferCoding }
    }

    private mutating func keepIrregular(_ line: UnsafeRawBufferPointer) {
        irregularLines.append(String(decoding: line, as: UTF8.self))
    }
}

extension HTTPField {
    /// Reads a line of a head; nil if it has no name (RFC 9112, section 5).
    fileprivate init?(_ line: UnsafeRawBufferPointer) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
            let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
        else { return nil }
        self.init(name: name, lenientValue: line[(colon + 1)...].trimmed)
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
