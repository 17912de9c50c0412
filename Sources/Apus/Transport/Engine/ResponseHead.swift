import Glibc
import HTTPTypes

/// The head of a transfer's answer, while its lines come in.
///
/// libcurl gives every line: interim answers (1xx), redirects, the answer, and
/// trailers after the body. The last head is the answer's.
final class ResponseHead {
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

    /// What all heads of a transfer and its trailers may have together.
    struct Limits {
        var bytes = 1 << 20
        var lines = 10_000
    }

    private static let usualRoom = 2 << 10
    /// More memory than this is not kept for the next transfer.
    private static let keptRoom = 16 << 10

    /// The lines so far, with their ends: not an array, which would cost more than the copy
    /// for each of an answer's many short lines.
    private var lines: UnsafeMutableRawPointer
    private var count = 0
    private var room: Int
    private var head: Box<AnswerHead>?
    /// Fields of trailers (RFC 9110, section 6.5), as they came.
    private var trailers: [String] = []
    /// Bytes and lines of all heads of the transfer, and of trailers.
    private var byteCount = 0
    private var lineCount = 0
    let limits: Limits

    init(limits: Limits = Limits()) {
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

    /// Makes the head out of its lines; nil if it is an interim one.
    ///
    /// `recent` saves making what another answer had.
    func finish(_ recent: RecentHeads) -> Box<AnswerHead>? {
        let head = recent.head(UnsafeRawBufferPointer(start: lines, count: count))
        count = 0
        guard let head, !head.value.isInterim else { return nil }
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
        if line.starts(with: "HTTP/".utf8) {
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
