import FoundationEssentials
package import HTTPTypes
import Synchronization

/// A body whose bytes are produced while they are sent.
///
/// The producer waits while 256 KiB or more are buffered, because the network is slower. If it produces
/// fewer bytes than announced, the transfer fails with `.bodySource`; extra bytes are not read.
public struct BodyStream: Sendable, Hashable {
    typealias Put = @Sendable ([UInt8]) async throws -> Void

    /// The length in bytes; -1 if it is unknown.
    public let count: Int
    /// Whether it can be sent a second time, for a redirect, a challenge or a retry.
    public let isReplayable: Bool
    private let source: Source
    /// Returns the trailer fields at the end of the body; nil if the body never has any.
    let trailers: (@Sendable () -> HTTPFields)?

    /// Makes a stream of bytes that can be read once; sending it again fails with `.bodyNotReplayable`.
    public init<Chunks: AsyncSequence & Sendable>(count: Int, once chunks: Chunks)
    where Chunks.Element == [UInt8] {
        self.init(count: count, isReplayable: false) { put in
            for try await chunk in chunks { try await put(chunk) }
        }
    }

    /// Makes a stream of unknown length that can be read once; it is sent in chunks (RFC 9112, 7.1).
    ///
    /// Such a stream cannot be a part of a form.
    public init<Chunks: AsyncSequence & Sendable>(once chunks: Chunks)
    where Chunks.Element == [UInt8] {
        self.init(count: -1, once: chunks)
    }

    /// Makes a stream whose bytes are produced again, from the first, each time it is sent.
    public init<Chunks: AsyncSequence & Sendable>(
        count: Int,
        again makeChunks: @escaping @Sendable () -> Chunks
    ) where Chunks.Element == [UInt8] {
        self.init(count: count, isReplayable: true) { put in
            for try await chunk in makeChunks() { try await put(chunk) }
        }
    }

    /// Makes a stream with trailer fields (RFC 9112, 7.1.2), which are requested at its end.
    package init<Chunks: AsyncSequence & Sendable>(
        once chunks: Chunks,
        trailers: @escaping @Sendable () -> HTTPFields
    ) where Chunks.Element == [UInt8] {
        self.init(count: -1, isReplayable: false, trailers: trailers) { put in
            for try await chunk in chunks { try await put(chunk) }
        }
    }

    private init(
        count: Int,
        isReplayable: Bool,
        trailers: (@Sendable () -> HTTPFields)? = nil,
        run: @escaping @Sendable (Put) async throws -> Void
    ) {
        self.count = count
        self.trailers = trailers
        self.isReplayable = isReplayable
        source = Source(run)
    }

    /// Whether it was read and cannot be read again.
    var isSpent: Bool { !isReplayable && source.isBegun }

    /// Text that no other stream has, not even in another process.
    ///
    /// An object's address would be reused once the stream is gone.
    var identity: String { source.id.uuidString }

    /// The text to show instead of the bytes.
    package var remark: String { count < 0 ? "[a stream]" : "[a stream of \(count) bytes]" }

    /// Produces all bytes, and passes each chunk to `put`.
    func run(_ put: @escaping Put) async throws {
        source.begin()
        try await source.run(put)
    }

    /// Whether two values are the same stream.
    public static func == (a: BodyStream, b: BodyStream) -> Bool { a.source === b.source }
    /// Hashes the stream's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(source)) }

    private final class Source: Sendable {
        let id = UUID()
        let run: @Sendable (Put) async throws -> Void
        private let hasBegun = Mutex(false)

        init(_ run: @escaping @Sendable (Put) async throws -> Void) { self.run = run }

        var isBegun: Bool { hasBegun.withLock { $0 } }
        func begin() { hasBegun.withLock { $0 = true } }
    }
}

/// The bytes of a stream that have been produced but not sent yet.
///
/// A task produces the bytes and the engine's thread takes them; neither holds the lock while it waits for
/// the other.
final class BodyFeed: Sendable {
    /// The producer waits while at least this many bytes are buffered.
    static let size = 256 << 10

    /// The result of taking bytes.
    enum Piece {
        /// This many bytes were taken.
        case taken(Int)
        /// There are no bytes yet; `wake` will be called.
        case none
        /// There will be no more bytes.
        case ended
        /// The stream ended with an error, which the text describes.
        case failed(String)
    }

    private struct State {
        var bytes: [UInt8] = []
        var start = 0
        var end: Piece?
        var isAwaited = false
        var maker: CheckedContinuation<Void, Never>?

        var count: Int { bytes.count - start }
    }

    private let state = Mutex(State())
    private let wake: @Sendable () -> Void
    private let task: Mutex<Task<Void, Never>?> = Mutex(nil)

    /// Starts to produce the bytes.
    ///
    /// `wake` is called from any thread when there are bytes, or the stream has ended, after `take` found none.
    init(_ stream: BodyStream, wake: @escaping @Sendable () -> Void) {
        self.wake = wake
        let maker = Task { [weak self] in
            do {
                try await stream.run { [weak self] chunk in
                    // Otherwise a producer that ignores cancellation would run forever.
                    guard let self, !Task.isCancelled else { throw CancellationError() }
                    await self.put(chunk)
                }
                self?.end(.ended)
            } catch {
                self?.end(.failed(String(describing: error)))
            }
        }
        task.withLock { $0 = maker }
    }

    deinit { stop() }

    /// Cancels the producer.
    func stop() {
        task.withLock { $0 }?.cancel()
        state.withLock { $0.maker.take() }?.resume()
    }

    private func put(_ chunk: [UInt8]) async {
        guard !chunk.isEmpty else { return }
        let isAwaited = state.withLock { state in
            if state.start > 0, state.start == state.bytes.count {
                state.bytes.removeAll(keepingCapacity: true)
                state.start = 0
            }
            state.bytes += chunk
            defer { state.isAwaited = false }
            return state.isAwaited
        }
        if isAwaited { wake() }
        await waitForRoom()
    }

    private func waitForRoom() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let hasRoom = state.withLock { state in
                    guard state.count >= Self.size, !Task.isCancelled else { return true }
                    state.maker = continuation
                    return false
                }
                if hasRoom { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.maker.take() }?.resume()
        }
    }

    private func end(_ piece: Piece) {
        let isAwaited = state.withLock { state in
            state.end = piece
            return state.isAwaited
        }
        if isAwaited { wake() }
    }

    /// Copies the bytes that there are to `room`, as many as fit.
    func read(into room: UnsafeMutableRawBufferPointer) -> Piece {
        let (piece, maker) = state.withLock { state in
            let count = min(room.count, state.count)
            guard count > 0 else {
                state.isAwaited = state.end == nil
                return (state.end ?? .none, CheckedContinuation<Void, Never>?.none)
            }
            state.bytes.withUnsafeBytes {
                room.copyMemory(from: .init(rebasing: $0[state.start..<(state.start + count)]))
            }
            state.start += count
            let maker = state.count < Self.size ? state.maker.take() : nil
            return (.taken(count), maker)
        }
        maker?.resume()
        return piece
    }
}
