package import HTTPTypes
import Synchronization

/// What has come of an answer while its body is still coming, for who looks on.
///
/// It holds the beginning of the body only, so that a stream without end takes no more memory.
package final class LiveBody: Sendable {
    /// The most bytes that it holds.
    package static let limit = 4 << 20

    /// Whether transfers of this task are looked at while they run.
    @TaskLocal package static var isWanted = false

    private struct State {
        var head: HTTPResponse?
        var bytes: [UInt8] = []
        var count = 0
    }

    private let state = Mutex(State())

    init() {}

    /// Notes the head of the answer.
    func begin(_ head: HTTPResponse) { state.withLock { $0.head = head } }

    /// Adds a piece of the body, decoded.
    func append(_ chunk: UnsafeRawBufferPointer) {
        state.withLock { state in
            state.count += chunk.count
            let room = Self.limit - state.bytes.count
            guard room > 0 else { return }
            state.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk.prefix(room)))
        }
    }

    /// How many bytes have come.
    package var count: Int { state.withLock(\.count) }

    /// The head, and as much of the body as is held; nil before the head is there.
    package var received: (head: HTTPResponse, bytes: [UInt8])? {
        state.withLock { state in state.head.map { ($0, state.bytes) } }
    }
}
