/// The body of a streamed answer, in chunks.
///
/// It can be read once.
///
/// Cancelling the reading task, or dropping the iterator or the sequence unread,
/// ends the transfer.
struct BodyChunks: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    /// Ends the transfer when it goes away.
    final class Lease: Sendable {
        let transfer: CurlTransfer
        let window: BodyWindow
        let engine: CurlEngine

        init(_ transfer: CurlTransfer, _ window: BodyWindow, _ engine: CurlEngine) {
            self.transfer = transfer
            self.window = window
            self.engine = engine
        }

        deinit { cancel() }

        func cancel() { engine.post(.cancel(transfer)) }
    }

    /// Reads the chunks.
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
