import Dispatch
import Glibc
import Synchronization

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
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "apus.pipe.output")
    private let failed: @Sendable () -> Void

    /// Makes an output; `failed` is called once if it cannot be written.
    init(descriptor: Int32, failed: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        self.failed = failed
    }

    /// Why it could not be written; nil if all went well.
    var failure: CommandFailure? { state.withLock { $0.failure } }

    /// Writes a line, whole, and returns at once or when there is room.
    func write(_ line: [UInt8]) async {
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
                let code = writeNow(piece)
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

    /// The error's number, or 0.
    private func writeNow(_ bytes: [UInt8]) -> Int32 {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return errno }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return 0
        }
    }

    private func fail(_ code: Int32) {
        let waiting = state.withLock { state in
            state.failure = CommandFailure(
                "the output cannot be written: \(systemMessage(code))"
            )
            state.pieces = []
            defer { state.waiting = [] }
            return state.waiting
        }
        for writer in waiting { writer.resume() }
        failed()
    }
}
