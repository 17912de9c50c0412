import Glibc
import HTTPTypes

/// The body of a request, read in pieces while it is sent.
///
/// At most one file or stream is open at a time.
final class UploadSource {
    enum Reading {
        /// The number of bytes read; 0 at the end.
        case bytes(Int)
        /// No bytes yet: the transfer pauses until `wake` is called.
        case pause
    }

    private struct Segment {
        let piece: BodyPiece
        let start: Int
        let count: Int
    }

    private enum Source {
        case none
        case file(Int32)
        case stream(BodyFeed)
    }

    /// The number of bytes; -1 if it is not known.
    let count: Int
    /// Called on any thread when there are bytes after a pause.
    var wake: @Sendable () -> Void = {}
    /// Why the body cannot be sent again; nil if it can.
    private(set) var replayFault: ApusError?
    private let segments: [Segment]
    private var index = 0
    private var position = 0
    private var source = Source.none

    init(_ body: PreparedRequest.Body) throws(ApusError) {
        let pieces: [BodyPiece] =
            switch body {
            case .none: []
            case .bytes(let bytes): [.bytes(bytes)]
            case .file(let path): [.file(path: path)]
            case .multipart(let form): form.pieces()
            case .stream(let stream): [.stream(stream)]
            }
        var segments: [Segment] = []
        var end = 0
        for piece in pieces {
            if case .stream(let stream) = piece, stream.isSpent { throw Self.spent }
            let count = try piece.count()
            guard count != 0 else { continue }
            segments.append(Segment(piece: piece, start: end, count: count < 0 ? .max : count))
            end += count
        }
        self.segments = segments
        count = end
    }

    deinit { leave() }

    /// Whether everything has been read.
    var isAtEnd: Bool { index >= segments.count }

    /// Whether a part of the body is a stream.
    var hasStreams: Bool {
        segments.contains { segment in
            if case .stream = segment.piece { true } else { false }
        }
    }

    /// The body's stream, if the body is nothing else; only such a body may have an unknown length.
    private var openStream: BodyStream? {
        if segments.count == 1, case .stream(let stream) = segments[0].piece { stream } else { nil }
    }

    /// Whether trailer fields may follow the body.
    var mayHaveTrailers: Bool { openStream?.trailers != nil }

    /// The trailer fields, which are known at the end of the body.
    var trailers: HTTPFields { openStream?.trailers?() ?? [:] }

    private static let spent = ApusError(
        .bodyNotReplayable(detail: "a body stream was already sent and can be read only once")
    )

    /// Fills `room` with the next bytes.
    ///
    /// - Throws: `.file` if a file cannot be read or has become shorter; `.bodySource` if a stream failed
    ///   or ended before its announced length.
    func read(into room: UnsafeMutableRawBufferPointer) throws(ApusError) -> Reading {
        guard index < segments.count else { return .bytes(0) }
        let segment = segments[index]
        let offset = position - segment.start
        let wanted = min(room.count, segment.count - offset)
        let given: Int
        switch segment.piece {
        case .bytes(let array):
            array.withUnsafeBytes {
                room.copyMemory(from: .init(rebasing: $0[offset..<(offset + wanted)]))
            }
            given = wanted
        case .file(let path):
            given = pread(try descriptor(path), room.baseAddress, wanted, off_t(offset))
            guard given > 0 else {
                throw ApusError(.file(path: path, errno: given < 0 ? errno : EIO))
            }
        case .stream(let stream):
            let piece = feed(stream).read(into: .init(rebasing: room[..<wanted]))
            guard let count = try count(of: piece, offset, stream) else { return .pause }
            guard count > 0 else {
                leave()
                index += 1
                return .bytes(0)
            }
            given = count
        }
        position += given
        if offset + given == segment.count {
            leave()
            index += 1
        }
        return .bytes(given)
    }

    private func count(
        of piece: BodyFeed.Piece,
        _ offset: Int,
        _ stream: BodyStream
    ) throws(ApusError) -> Int? {
        switch piece {
        case .taken(let count): return count
        case .none: return nil
        case .ended where stream.count < 0: return 0
        case .ended:
            throw ApusError(
                .bodySource(
                    detail: "a body stream ended after \(offset) of \(stream.count) bytes"
                )
            )
        case .failed(let detail): throw ApusError(.bodySource(detail: detail))
        }
    }

    private func leave() {
        switch source {
        case .none: break
        case .file(let descriptor): close(descriptor)
        case .stream(let feed): feed.stop()
        }
        source = .none
    }

    private func descriptor(_ path: String) throws(ApusError) -> Int32 {
        if case .file(let descriptor) = source { return descriptor }
        // Non-blocking, so that a pipe without a writer does not block the engine.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw ApusError(.file(path: path, errno: errno)) }
        source = .file(descriptor)
        return descriptor
    }

    private func feed(_ stream: BodyStream) -> BodyFeed {
        if case .stream(let feed) = source { return feed }
        let feed = BodyFeed(stream, wake: wake)
        source = .stream(feed)
        return feed
    }

    /// Goes back to the first byte, for a redirect, a challenge or a repetition on a new connection;
    /// returns false if that is not possible.
    func seek(to offset: Int) -> Bool {
        guard offset == 0 else { return false }
        leave()
        for segment in segments {
            if case .stream(let stream) = segment.piece, stream.isSpent {
                replayFault = Self.spent
                return false
            }
        }
        index = 0
        position = 0
        return true
    }
}
