import HTTPTypes
import NIOCore
import Synchronization

final class RequestReader: @unchecked Sendable {
    // @unchecked because only one task reads at a time: the connection's, or while a handler runs, the one
    // that reads the body. `BodyGate` ensures this.
    private var chunks: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
    private var buffer = ByteBuffer()
    private var body = BodyState.ended
    /// The trailer fields of the last body, once it is read.
    private(set) var trailers = HTTPFields()

    private enum BodyState {
        case length(Int)
        /// Before the line with the size of a chunk.
        case chunk
        /// In a chunk that has this many bytes left.
        case chunkData(Int)
        case ended
    }

    init(_ chunks: NIOAsyncChannelInboundStream<ByteBuffer>) {
        self.chunks = chunks.makeAsyncIterator()
    }

    /// Whether the body of the last request was read to its end.
    var isAtEnd: Bool { if case .ended = body { true } else { false } }

    private func fill() async throws -> Bool {
        guard var more = try await chunks.next(isolation: #isolation) else { return false }
        guard buffer.readableBytes > 0 else {
            buffer = more
            return true
        }
        // Otherwise the buffer would keep all bytes ever read if no read ends at the end of a line.
        if buffer.readerIndex > buffer.readableBytes { buffer.discardReadBytes() }
        buffer.writeBuffer(&more)
        return true
    }

    /// The next head; nil at the end of the connection.
    func head() async throws -> RequestHead? {
        var lines: [ArraySlice<UInt8>] = []
        var size = 0
        while true {
            let room = RequestHead.limit - size
            guard let line = try await line(upTo: room, first: lines.isEmpty ? 414 : 431) else {
                return nil
            }
            size += line.count + 2
            if line.isEmpty {
                // Some clients send an empty line after a body (RFC 9112, section 2.2).
                if lines.isEmpty { continue }
                break
            }
            guard lines.count <= RequestHead.fieldLimit else { throw Self.tooLong(431) }
            lines.append(line)
        }
        let head = try RequestHead(lines)
        trailers = [:]
        body =
            switch head.framing {
            case .length(0): .ended
            case .length(let count): .length(count)
            case .chunked: .chunk
            }
        return head
    }

    /// The next line without its line end; nil if the connection ended before it.
    ///
    /// - Throws: a fault with this status if the line is longer than the limit.
    private func line(upTo limit: Int, first status: Int) async throws -> ArraySlice<UInt8>? {
        var searched = 0
        while true {
            if let count = lineCount(behind: searched) {
                guard count <= limit + 2 else { throw Self.tooLong(status) }
                let line = (buffer.readBytes(length: count) ?? []).dropLast()
                guard line.last == 0x0D, !line.dropLast().contains(0x0D) else {
                    throw HTTPError(400, "A line does not end with CR and LF.")
                }
                return line.dropLast()
            }
            searched = buffer.readableBytes
            // One more, because the last byte may be the CR.
            guard searched <= limit + 1 else { throw Self.tooLong(status) }
            guard try await fill() else { return nil }
        }
    }

    /// The length of the next line with its line end; nil if the end has not arrived.
    ///
    /// A function of its own, because a view of the buffer that lives while it is filled makes each piece copy
    /// the whole buffer.
    private func lineCount(behind searched: Int) -> Int? {
        let view = buffer.readableBytesView
        let end = view[(view.startIndex + searched)...].firstIndex(of: 0x0A)
        return end.map { $0 - view.startIndex + 1 }
    }

    private static func tooLong(_ status: Int) -> HTTPError {
        HTTPError(
            status,
            status == 414
                ? "The first line has more than \(RequestHead.limit) bytes."
                : "The head has more than \(RequestHead.limit) bytes or "
                    + "\(RequestHead.fieldLimit) fields."
        )
    }

    /// The next piece of the body; nil at its end.
    func piece() async throws -> [UInt8]? {
        while true {
            switch body {
            case .ended: return nil
            case .length(let rest):
                let piece = try await bytes(upTo: rest)
                body = rest == piece.count ? .ended : .length(rest - piece.count)
                return piece
            case .chunk: try await beginChunk()
            case .chunkData(0):
                guard try await line(upTo: 0, first: 400)?.isEmpty == true else {
                    throw HTTPError(400, "A chunk is longer than it says.")
                }
                body = .chunk
            case .chunkData(let rest):
                let piece = try await bytes(upTo: rest)
                body = .chunkData(rest - piece.count)
                return piece
            }
        }
    }

    private func bytes(upTo count: Int) async throws -> [UInt8] {
        if buffer.readableBytes == 0 {
            guard try await fill() else { throw ConnectionError.closedByClient }
        }
        return buffer.readBytes(length: min(count, buffer.readableBytes)) ?? []
    }

    private func beginChunk() async throws {
        guard let line = try await line(upTo: 4096, first: 400) else {
            throw ConnectionError.closedByClient
        }
        let digits = line.prefix { $0 != UInt8(ascii: ";") }
        guard (1...15).contains(digits.count),
            digits.allSatisfy({ Self.isHexDigit($0) }),
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw HTTPError(400, "A chunk has no size.") }
        guard size == 0 else {
            body = .chunkData(size)
            return
        }
        // Trailers must be read before the next request.
        var lines: [ArraySlice<UInt8>] = []
        while true {
            guard let line = try await self.line(upTo: 8192, first: 431) else {
                throw ConnectionError.closedByClient
            }
            if line.isEmpty { break }
            guard lines.count < 100 else { throw Self.tooLong(431) }
            lines.append(line)
        }
        trailers = try RequestHead.fields(lines)
        body = .ended
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x46 ~= byte & 0xDF
    }

    /// Reads and discards bytes until the client closes its side.
    ///
    /// - Returns: false if the client sends more than `limit` bytes.
    func drain(_ limit: Int) async throws -> Bool {
        var count = buffer.readableBytes
        while count <= limit, let more = try await chunks.next(isolation: #isolation) {
            count += more.readableBytes
        }
        return count <= limit
    }
}

/// Lets only one task at a time read the body of a request, and none once it is closed.
///
/// A task that a handler started may still be reading after the handler has returned, for example an upload
/// whose server responds early. The connection waits for it before reading on.
final class BodyGate: Sendable {
    private struct State {
        var isReading = false
        var isClosed = false
        var closing: CheckedContinuation<Void, Never>?
        var trailers = HTTPFields()
    }

    private let state = Mutex(State())

    /// The next piece of the body; nil at its end.
    ///
    /// - Throws: `CancellationError` once the gate is closed, or if another task is reading.
    func piece(_ reader: RequestReader) async throws -> [UInt8]? {
        let mayRead = state.withLock { state in
            guard !state.isReading, !state.isClosed else { return false }
            state.isReading = true
            return true
        }
        guard mayRead else { throw CancellationError() }
        defer {
            let closing = state.withLock { state in
                state.isReading = false
                return state.closing.take()
            }
            closing?.resume()
        }
        let piece = try await reader.piece()
        if piece == nil { state.withLock { $0.trailers = reader.trailers } }
        return piece
    }

    /// The trailer fields; empty before the body's end.
    var trailers: HTTPFields { state.withLock(\.trailers) }

    /// Ends reading.
    ///
    /// - Returns: false if a task is still reading.
    func close() -> Bool {
        state.withLock { state in
            state.isClosed = true
            return !state.isReading
        }
    }

    /// Ends reading, and waits for a task that is still reading.
    func closed() async {
        await withCheckedContinuation { caller in
            let isIdle = state.withLock { state in
                state.isClosed = true
                if state.isReading { state.closing = caller }
                return !state.isReading
            }
            if isIdle { caller.resume() }
        }
    }
}
