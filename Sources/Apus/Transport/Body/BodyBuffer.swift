import Synchronization

/// Holds the part of a streamed body that has arrived but has not been read.
///
/// The engine's thread adds chunks and one task reads them. Each read takes everything that is held, because
/// larger pieces mean fewer thread switches (this alone raised the rate from 0.69 to 0.85 of a plain C loop's).
final class BodyBuffer: Sendable {
    /// The most bytes that are held, unless a single chunk is larger.
    static let size = 256 << 10

    enum Piece {
        /// Bytes; if `resumes`, the transfer paused because the buffer was full and must be resumed.
        case bytes([UInt8], resumes: Bool)
        /// The body is complete.
        case end
        /// The body ended with an error.
        case failed(ApusError)
    }

    private struct State {
        var bytes: [UInt8] = []
        var isPaused = false
        var end: Piece?
        var metrics: TransferMetrics?
        var reader: CheckedContinuation<Void, Never>?
        var largest = 0
    }

    private let state = Mutex(State())

    /// The most bytes that were held at any time so far.
    var highWaterMark: Int { state.withLock { $0.largest } }

    /// Appends a chunk; returns false if there is no room, and the transfer must pause.
    func offer(_ chunk: UnsafeRawBufferPointer) -> Bool {
        let (isTaken, reader) = state.withLock { state in
            guard state.bytes.isEmpty || state.bytes.count + chunk.count <= Self.size else {
                state.isPaused = true
                return (false, CheckedContinuation<Void, Never>?.none)
            }
            state.bytes.append(contentsOf: chunk)
            state.largest = max(state.largest, state.bytes.count)
            return (true, state.reader.take())
        }
        reader?.resume()
        return isTaken
    }

    /// The transfer's metrics, once it has ended.
    var metrics: TransferMetrics? { state.withLock(\.metrics) }

    /// Ends the body; bytes that are held can still be read.
    func finish(_ error: ApusError?, _ metrics: TransferMetrics? = nil) {
        let reader = state.withLock { state in
            if state.end == nil {
                state.end = error.map { .failed($0) } ?? .end
                state.metrics = metrics
            }
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Returns all bytes that are held; waits until there are some or the body ends.
    func next() async -> Piece {
        while true {
            if let piece = state.withLock({ Self.removePiece(from: &$0) }) { return piece }
            await withCheckedContinuation { continuation in
                let isReady = state.withLock { state in
                    guard state.bytes.isEmpty, state.end == nil else { return true }
                    state.reader = continuation
                    return false
                }
                if isReady { continuation.resume() }
            }
        }
    }

    private static func removePiece(from state: inout State) -> Piece? {
        guard !state.bytes.isEmpty else { return state.end }
        let piece = Piece.bytes(state.bytes, resumes: state.isPaused)
        state.bytes = []
        state.isPaused = false
        return piece
    }
}

/// The body of a streamed response, in chunks.
///
/// It can be read only once.
///
/// Cancelling the reading task, or dropping the iterator or the sequence unread,
/// ends the transfer.
struct BodyChunks: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    /// Cancels the transfer when it is deallocated.
    final class Lease: Sendable {
        let transfer: CurlTransfer
        let window: BodyBuffer
        let engine: CurlEngine

        init(_ transfer: CurlTransfer, _ window: BodyBuffer, _ engine: CurlEngine) {
            self.transfer = transfer
            self.window = window
            self.engine = engine
        }

        deinit { cancel() }

        func cancel() { engine.post(.cancel(transfer)) }
    }

    final class Iterator: AsyncIteratorProtocol {
        private let lease: Lease

        init(_ lease: Lease) { self.lease = lease }

        deinit { lease.cancel() }

        func next() async throws -> [UInt8]? {
            let lease = lease
            let piece = await withTaskCancellationHandler {
                await lease.window.next()
            } onCancel: {
                lease.cancel()
            }
            switch piece {
            case .bytes(let bytes, let resumes):
                if resumes { lease.engine.post(.unpause(lease.transfer)) }
                return bytes
            case .end: return nil
            case .failed(let error): throw error
            }
        }
    }

    let lease: Lease

    func makeAsyncIterator() -> Iterator { Iterator(lease) }
}
