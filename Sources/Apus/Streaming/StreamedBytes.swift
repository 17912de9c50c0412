/// The body of a response, in chunks as they arrive.
///
/// The sequence throws ``ApusError`` if there is no response, the status is refused, or the body ends early. The
/// server waits while nobody reads. Cancelling the reading task or dropping the iterator ends the transfer.
public struct StreamedBytes: AsyncSequence, Sendable {
    /// A chunk of at least one byte.
    public typealias Element = [UInt8]
    /// Why there are no more bytes.
    public typealias Failure = ApusError

    typealias Open = @Sendable () async throws(ApusError) -> ResponseStream

    private let open: Open

    /// The body of a response that `open` gets for each reader.
    init(_ open: @escaping Open) { self.open = open }

    /// The body of a response that is there.
    init(_ stream: ResponseStream) { open = { () throws(ApusError) in stream } }

    /// Reads the chunks.
    public struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case unopened(Open)
            case open(any AsyncIteratorProtocol<[UInt8], any Error>, ResponseStream)
            case over
        }

        private var state: State

        init(_ open: @escaping Open) { state = .unopened(open) }

        /// The next chunk; nil after the last.
        public mutating func next() async throws(ApusError) -> [UInt8]? {
            if case .unopened(let open) = state {
                // If this throws, there is nothing more to read.
                state = .over
                let stream = try await open()
                state = .open(stream.body.makeAsyncIterator(), stream)
            }
            guard case .open(var chunks, let stream) = state else { return nil }
            state = .over
            do {
                while let chunk = try await chunks.next(isolation: #isolation) {
                    guard !chunk.isEmpty else { continue }
                    state = .open(chunks, stream)
                    return chunk
                }
            } catch {
                let error = ApusError(bodyFault: error, of: stream.response)
                await stream.ending.end(error)
                throw error
            }
            await stream.ending.end(nil)
            return nil
        }

        /// Gives the rest of the body up for a reason of the reader's, which ends the transfer.
        mutating func end(with error: ApusError) async {
            guard case .open(_, let stream) = state else { return }
            state = .over
            await stream.ending.end(error)
        }

        /// The request that the bytes respond to; nil before the first chunk and after the last.
        var request: PreparedRequest? {
            if case .open(_, let stream) = state { stream.response.request } else { nil }
        }
    }

    /// Starts to read.
    public func makeAsyncIterator() -> Iterator { Iterator(open) }
}

extension ApusError {
    /// Converts an error that ended a body; a transport may throw any.
    fileprivate init(bodyFault error: any Error, of response: Response) {
        self = ApusError(hookFault: error, of: "the transport")
        request = request ?? response.request.line
        self.response = self.response ?? response
    }
}
