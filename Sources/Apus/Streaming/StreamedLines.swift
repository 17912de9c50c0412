/// The lines of a body, as UTF-8 text, as they arrive.
///
/// A line ends with a line feed, a carriage return, or both, which are not part of it; the last one may end with
/// the body. Bytes that are not UTF-8 become U+FFFD. Errors and cancellation are those of ``StreamedBytes``.
public struct StreamedLines: AsyncSequence, Sendable {
    /// A line without its end.
    public typealias Element = String
    /// Why there are no more lines.
    public typealias Failure = ApusError

    /// The most bytes that a line may have, unless a call says otherwise: 1 MiB.
    public static let standardLimit = 1 << 20

    private let bytes: StreamedBytes
    private let limit: Int

    init(_ bytes: StreamedBytes, limit: Int = standardLimit) {
        self.bytes = bytes
        self.limit = limit
    }

    /// Reads the lines.
    public struct Iterator: AsyncIteratorProtocol {
        private var chunks: StreamedBytes.Iterator
        private var splitter = LineSplitter()
        private let limit: Int
        private var isOver = false

        init(_ chunks: StreamedBytes.Iterator, limit: Int) {
            self.chunks = chunks
            self.limit = limit
        }

        /// The next line; nil after the last.
        public mutating func next() async throws(ApusError) -> String? {
            while !isOver {
                if let line = splitter.next() { return String(decoding: line, as: UTF8.self) }
                guard splitter.count <= limit else { throw await tooLarge() }
                guard let chunk = try await chunks.next() else {
                    isOver = true
                    return splitter.last().map { String(decoding: $0, as: UTF8.self) }
                }
                splitter.append(chunk)
            }
            return nil
        }

        /// Ends the transfer, because a line, or what the caller makes of lines, is too large.
        mutating func tooLarge() async -> ApusError {
            isOver = true
            let error = ApusError(.bodyTooLarge(limit: limit), request: chunks.request?.line)
            await chunks.end(with: error)
            return error
        }
    }

    /// Starts to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(bytes.makeAsyncIterator(), limit: limit)
    }
}

/// Splits bytes that arrive in chunks into lines.
struct LineSplitter {
    private var bytes: [UInt8] = []
    /// Where the next line begins, and up to where there is no end of a line.
    private var (start, searched) = (0, 0)
    /// Whether a line feed that comes next belongs to the carriage return before it.
    private var skipsLineFeed = false

    /// The number of bytes of the line that has not ended yet.
    var count: Int { bytes.count - start }

    mutating func append(_ chunk: [UInt8]) {
        // What was returned is removed here, so that each byte is moved at most once.
        if start > 0 {
            bytes.removeFirst(start)
            (start, searched) = (0, searched - start)
        }
        bytes += chunk
    }

    /// The next line that has ended, without its end; nil if there is none.
    mutating func next() -> ArraySlice<UInt8>? {
        if skipsLineFeed, start < bytes.count {
            if bytes[start] == UInt8(ascii: "\n") { start += 1 }
            skipsLineFeed = false
            searched = max(searched, start)
        }
        let end = bytes[searched...].firstIndex {
            $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
        }
        guard let end else {
            searched = bytes.count
            return nil
        }
        defer { (start, searched) = (end + 1, end + 1) }
        skipsLineFeed = bytes[end] == UInt8(ascii: "\r")
        return bytes[start..<end]
    }

    /// What follows the last end of a line; nil if nothing does.
    mutating func last() -> ArraySlice<UInt8>? {
        defer { start = bytes.count }
        return start < bytes.count ? bytes[start...] : nil
    }
}
