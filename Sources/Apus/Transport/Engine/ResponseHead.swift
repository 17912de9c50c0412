import HTTPTypes

/// The head of a transfer's answer, while its lines come in.
///
/// libcurl gives every line: interim answers (1xx), redirects, the answer, and
/// trailers after the body. The last head is the answer's.
struct ResponseHead {
    /// What a line was.
    enum Event {
        /// A line among others.
        case line
        /// The first line of another head, after one that was whole.
        case begun
        /// The empty line: `finish` makes the head.
        case ended
        /// There are more bytes than a head may have.
        case tooLong
    }

    /// A head of more bytes than this is no head.
    static let maximumSize = 1 << 20
    /// More memory than this is not kept for the next transfer.
    private static let keptSize = 16 << 10

    /// The lines so far, with their ends.
    private var lines: [UInt8] = []
    private var head: Box<AnswerHead>?
    /// Fields of trailers (RFC 9110, section 6.5), as they came.
    private var trailers: [String] = []
    /// Bytes of all lines, of all heads of the transfer.
    private var byteCount = 0

    /// Whether a line of it was there.
    var isBegun: Bool { byteCount > 0 }
    /// Whether its empty line was there.
    var isComplete: Bool { head != nil }
    /// The head, once its empty line was there.
    var response: HTTPResponse? { head?.value.response }
    /// Lines that are not fields as RFC 9110 has them, and trailers.
    var irregularLines: [String] { (head?.value.irregularLines ?? []) + trailers }
    /// Whether `Content-Length` was given twice, differently (RFC 9112, section 6.3).
    var hasTwoLengths: Bool { head?.value.hasTwoLengths == true }

    /// Takes a line with its end.
    mutating func take(_ line: UnsafeRawBufferPointer) -> Event {
        byteCount += line.count
        guard byteCount <= Self.maximumSize else { return .tooLong }
        guard head == nil else { return takeAfterEnd(line) }
        if line.first == 0x0A || line.first == 0x0D && line.count == 2 { return .ended }
        lines.append(contentsOf: line)
        return .line
    }

    /// Makes the head out of its lines; nil if it is an interim one.
    ///
    /// `recent` saves making what another answer had.
    mutating func finish(_ recent: inout RecentHeads) -> Box<AnswerHead>? {
        let head = lines.withUnsafeBytes { recent.head($0) }
        lines.removeAll(keepingCapacity: true)
        guard let head, !head.value.isInterim else { return nil }
        self.head = head
        return head
    }

    /// Forgets everything, for another transfer.
    mutating func reset() {
        head = nil
        byteCount = 0
        if !trailers.isEmpty { trailers = [] }
        lines.removeAll(keepingCapacity: lines.capacity <= Self.keptSize)
    }

    private mutating func takeAfterEnd(_ line: UnsafeRawBufferPointer) -> Event {
        if line.starts(with: "HTTP/".utf8) {
            head = nil
            trailers = []
            lines.append(contentsOf: line)
            return .begun
        }
        var text = line[...]
        if text.last == 0x0A { text.removeLast() }
        if text.last == 0x0D { text.removeLast() }
        if !text.isEmpty { trailers.append(String(decoding: text, as: UTF8.self)) }
        return .line
    }
}
