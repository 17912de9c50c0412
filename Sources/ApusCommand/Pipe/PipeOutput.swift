import Apus
import Dispatch
import Glibc
import Synchronization
import Terminal

/// Writes lines to a descriptor on its own thread.
///
/// `write` waits only while more than 64 MiB are pending. So a client may send all its requests before it reads
/// the first response.
final class PipeOutput: Sendable {
    /// With this many pending bytes, `write` waits.
    private static let limit = 64 << 20
    /// Small lines are joined up to this size; a line with longer bodies is generated only when it is written.
    private static let pieceSize = 128 << 10

    /// Pending output.
    private enum Piece {
        case bytes([UInt8])
        /// A line whose bodies have `count` bytes.
        case object(ResponseObject, count: Int)

        var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .object(_, let count): count
            }
        }
    }

    private struct State {
        var pieces: [Piece] = []
        var pending = 0
        var isWriting = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var failure: CommandError?
        var hasReader = true
        var isCut = false
        /// Whether nothing more is written, because of a failure or a cut.
        var isClosed = false
        var ended: @Sendable () -> Void = {}

        mutating func append(_ piece: Piece, joiningUpTo size: Int) {
            pending += piece.count
            guard case .bytes(let line) = piece, case .bytes(var last)? = pieces.last,
                last.count + line.count <= size
            else { return pieces.append(piece) }
            // Removed from the array first, so that it grows in place.
            pieces.removeLast()
            last += line
            pieces.append(.bytes(last))
        }

        /// Subtracts written bytes; returns the writers that may continue.
        mutating func written(
            _ count: Int,
            limit: Int
        ) -> [CheckedContinuation<Void, Never>] {
            pending -= count
            guard pending < limit else { return [] }
            defer { waiting = [] }
            return waiting
        }
    }

    private let descriptor: Int32
    private let isTerminal: Bool
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "apus.pipe.output")

    init(descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
    }

    /// Why writing failed; nil if it did not.
    var failure: CommandError? { state.withLock { $0.failure } }

    /// Whether more can be written; if not, all earlier lines may still have been read.
    var isOpen: Bool { state.withLock { !$0.isClosed && $0.hasReader } }

    /// Queues an object as a line of JSON; waits only while too much is pending.
    func write(_ object: ResponseObject) async {
        let count = object.bodyCount
        await write(count > Self.pieceSize ? .object(object, count: count) : line(of: object))
    }

    /// Generates a line in memory.
    private func line(of object: ResponseObject) -> Piece {
        var line: [UInt8] = []
        do {
            try object.writeLine { line.append(contentsOf: $0) }
        } catch {
            // The body's file is gone. The line would not be valid JSON, so it is dropped.
            close(because: Self.failure(error))
            return .bytes([])
        }
        guard isTerminal else { return .bytes(line) }
        return .bytes(TerminalGate.shown(String(decoding: line, as: UTF8.self), as: .json))
    }

    private func write(_ piece: Piece) async {
        await withCheckedContinuation { continuation in
            let (begins, goesOn) = state.withLock { state in
                guard !state.isClosed else { return (false, true) }
                state.append(piece, joiningUpTo: Self.pieceSize)
                let goesOn = state.pending < Self.limit
                if !goesOn { state.waiting.append(continuation) }
                defer { state.isWriting = true }
                return (!state.isWriting, goesOn)
            }
            if begins { queue.async { [self] in drain() } }
            if goesOn { continuation.resume() }
        }
    }

    /// Returns when everything is written.
    func finish() async {
        await withCheckedContinuation { continuation in
            // The queue is serial, so earlier writes have ended by then.
            queue.async { continuation.resume() }
        }
    }

    private func drain() {
        while let pieces = removePieces() {
            for piece in pieces {
                do {
                    try put(piece)
                } catch is CancellationError {
                    return close(because: nil)
                } catch {
                    return close(because: Self.failure(error))
                }
                let waiting = state.withLock { $0.written(piece.count, limit: Self.limit) }
                for writer in waiting { writer.resume() }
            }
        }
    }

    /// - Throws: `CommandError`; `CancellationError` if the line was cut.
    private func put(_ piece: Piece) throws {
        switch piece {
        case .bytes(let bytes): try bytes.withUnsafeBytes { try put($0) }
        case .object(let object, _):
            // After a cut, a long line that has not begun is skipped.
            guard !state.withLock({ $0.isCut }) else { return }
            var gate = isTerminal ? TerminalGate(.json) : nil
            try object.writeLine { bytes in
                if state.withLock({ $0.isCut }) { throw CancellationError() }
                var shown: [UInt8] = []
                guard gate != nil else { return try put(bytes) }
                gate?.pass(bytes, into: &shown)
                try shown.withUnsafeBytes { try put($0) }
            }
        }
    }

    private static func failure(_ error: any Error) -> CommandError {
        switch error {
        case let failure as CommandError: failure
        case let error as ApusError: CommandError(error.commandMessage.description)
        default: CommandError("\(error)")
        }
    }

    private func put(_ bytes: UnsafeRawBufferPointer) throws(CommandError) {
        let code = DescriptorWrite.all(bytes, to: descriptor)
        guard code == 0 else { throw CommandError(writing: "standard output", code) }
    }

    private func removePieces() -> [Piece]? {
        state.withLock { state in
            guard !state.pieces.isEmpty else {
                state.isWriting = false
                return nil
            }
            defer { state.pieces = [] }
            return state.pieces
        }
    }

    /// Cuts off a long line that is being written, and drops the lines after it.
    func cut() { state.withLock { $0.isCut = true } }

    /// Calls `ended` when no more can be written.
    ///
    /// A separate thread notices when the reader is gone, because while there are no responses, no write could
    /// fail.
    func watch(ended: @escaping @Sendable () -> Void) {
        state.withLock { $0.ended = ended }
        guard isOpen else { return ended() }
        DispatchQueue(label: "apus.pipe.reader").async { [self] in
            // With no events requested, poll still reports a closed pipe.
            var end = pollfd(fd: descriptor, events: 0, revents: 0)
            while poll(&end, 1, -1) < 0, errno == EINTR {}
            guard end.revents & Int16(POLLERR | POLLHUP) != 0 else { return }
            state.withLock { $0.hasReader = false }
            ended()
        }
    }

    /// Ends the output, and drops the pending lines.
    private func close(because failure: CommandError?) {
        let (waiting, ended) = state.withLock { state in
            state.failure = state.failure ?? failure
            state.isClosed = true
            state.pieces = []
            defer { state.waiting = [] }
            return (state.waiting, state.ended)
        }
        for writer in waiting { writer.resume() }
        ended()
    }
}
