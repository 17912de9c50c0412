import Dispatch
import Glibc
import Synchronization
import Terminal

/// Lines on their way to a descriptor, written on a thread of their own as soon as they are there.
///
/// Who writes a line waits only while very much is pending: a reader that sends all its requests
/// before it reads the first answer gets by.
final class PipeOutput: Sendable {
    /// As many pending bytes let writers wait.
    private static let limit = 64 << 20
    /// Small lines are put together up to this size.
    private static let pieceSize = 128 << 10

    private struct State {
        var pieces: [[UInt8]] = []
        var pending = 0
        var isWriting = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var failure: CommandFailure?
        var hasReader = true
        var ended: @Sendable () -> Void = {}

        mutating func append(_ line: [UInt8], joiningUpTo size: Int) {
            pending += line.count
            if let last = pieces.indices.last, pieces[last].count + line.count <= size {
                pieces[last] += line
            } else {
                pieces.append(line)
            }
        }

        /// Counts what was written; gives back who may go on.
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

    /// Why it could not be written; nil if all went well.
    var failure: CommandFailure? { state.withLock { $0.failure } }

    /// Whether more can be written; what was written before may all have been read.
    var isOpen: Bool { state.withLock { $0.failure == nil && $0.hasReader } }

    /// Writes a line of JSON, whole, and returns at once or when there is room.
    func write(_ line: [UInt8]) async {
        let line =
            isTerminal
            ? TerminalGate.shown(String(decoding: line, as: UTF8.self), as: .json) : line
        await withCheckedContinuation { continuation in
            let (begins, goesOn) = state.withLock { state in
                guard state.failure == nil else { return (false, true) }
                state.append(line, joiningUpTo: Self.pieceSize)
                let goesOn = state.pending < Self.limit
                if !goesOn { state.waiting.append(continuation) }
                defer { state.isWriting = true }
                return (!state.isWriting, goesOn)
            }
            if begins { queue.async { [self] in drain() } }
            if goesOn { continuation.resume() }
        }
    }

    /// Returns when all is written.
    func finish() async {
        await withCheckedContinuation { continuation in
            // The queue is serial: whatever was begun is over then.
            queue.async { continuation.resume() }
        }
    }

    private func drain() {
        while let pieces = take() {
            for piece in pieces {
                let code = piece.withUnsafeBytes { DescriptorWrite.all($0, to: descriptor) }
                guard code == 0 else { return fail(code) }
                let waiting = state.withLock { $0.written(piece.count, limit: Self.limit) }
                for writer in waiting { writer.resume() }
            }
        }
    }

    private func take() -> [[UInt8]]? {
        state.withLock { state in
            guard !state.pieces.isEmpty else {
                state.isWriting = false
                return nil
            }
            defer { state.pieces = [] }
            return state.pieces
        }
    }

    /// Calls `ended` when no more can be written.
    ///
    /// The reader's going away is noticed on a thread of its own: who is asked nothing writes
    /// nothing, and would wait for ever.
    func watch(ended: @escaping @Sendable () -> Void) {
        state.withLock { $0.ended = ended }
        guard isOpen else { return ended() }
        DispatchQueue(label: "apus.pipe.reader").async { [self] in
            // Asked for nothing, poll tells when the other end is closed all the same.
            var end = pollfd(fd: descriptor, events: 0, revents: 0)
            while poll(&end, 1, -1) < 0, errno == EINTR {}
            guard end.revents & Int16(POLLERR | POLLHUP) != 0 else { return }
            state.withLock { $0.hasReader = false }
            ended()
        }
    }

    private func fail(_ code: Int32) {
        let (waiting, ended) = state.withLock { state in
            state.failure = CommandFailure(writing: "standard output", code)
            state.pieces = []
            defer { state.waiting = [] }
            return (state.waiting, state.ended)
        }
        for writer in waiting { writer.resume() }
        ended()
    }
}
