package import HTTPTypes
import Synchronization

/// The part of a response received so far, for a caller that watches the transfer.
///
/// It holds only the start of the body, so that an endless stream does not use more and more memory.
package final class LiveBody: Sendable {
    /// The most bytes that are held.
    package static let limit = 4 << 20

    /// Whether transfers started by this task provide a `LiveBody`.
    @TaskLocal package static var isWanted = false

    private struct State {
        var head: HTTPResponse?
        var bytes: [UInt8] = []
        var count = 0
    }

    private let state = Mutex(State())

    init() {}

    func begin(_ head: HTTPResponse) { state.withLock { $0.head = head } }

    /// Adds a decoded piece of the body.
    func append(_ chunk: UnsafeRawBufferPointer) {
        state.withLock { state in
            state.count += chunk.count
            let room = Self.limit - state.bytes.count
            guard room > 0 else { return }
            state.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk.prefix(room)))
        }
    }

    /// The number of bytes received, also those that are not held.
    package var count: Int { state.withLock(\.count) }

    /// The head and the bytes that are held; nil before the head has arrived.
    package var received: (head: HTTPResponse, bytes: [UInt8])? {
        state.withLock { state in state.head.map { ($0, state.bytes) } }
    }
}
