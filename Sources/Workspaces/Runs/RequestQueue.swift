import Apus
import Synchronization

/// The requests of a run, each filled in when its turn comes, so that they need not fit in memory together.
final class RequestQueue: Sequence, IteratorProtocol, Sendable {
    /// A request, and its index among all of its part.
    typealias Item = (index: Int, request: RunPlan.Request)
    /// A request that could not be filled in.
    typealias Unprepared = (request: RunPlan.Request, fault: RunFailure.Unprepared)

    /// A request that is sent.
    struct Sent {
        let item: Item
        let target: WorkspaceTarget
    }

    private struct State {
        /// How many items were looked at.
        var reached = 0
        /// How many were filled in.
        var preparedCount = 0
        /// Those under way, by their indices among those that were filled in.
        var sent: [Int: Sent] = [:]
        var unprepared: [Unprepared] = []
    }

    private let items: [Item]
    private let state = Mutex(State())

    init(_ items: [Item]) { self.items = items }

    /// Fills in the next request; what cannot be filled in is left for `removeUnprepared`.
    func next() -> WorkspaceTarget? {
        while let item = nextItem() {
            // Not under the lock, because it may read files.
            switch item.request.target() {
            case .success(let target):
                state.withLock { state in
                    state.sent[state.preparedCount] = Sent(item: item, target: target)
                    state.preparedCount += 1
                }
                return target
            case .failure(let fault): state.withLock { $0.unprepared.append((item.request, fault)) }
            }
        }
        return nil
    }

    private func nextItem() -> Item? {
        state.withLock { state in
            guard state.reached < items.count else { return nil }
            defer { state.reached += 1 }
            return items[state.reached]
        }
    }

    /// The request that was filled in as the one at an index, while it is under way.
    ///
    /// - Parameters:
    ///   - index: From 0.
    ///   - isRepeated: Whether a batch with a rate sends them in turn, again and again.
    /// - Returns: The request; nil if it is not under way.
    func sent(at index: Int, isRepeated: Bool) -> Sent? {
        state.withLock { state in
            guard isRepeated else { return state.sent[index] }
            return state.preparedCount == 0 ? nil : state.sent[index % state.preparedCount]
        }
    }

    /// Forgets a request that has ended.
    func remove(at index: Int) { state.withLock { $0.sent[index] = nil } }

    /// Those that could not be filled in since the last call.
    func removeUnprepared() -> [Unprepared] {
        state.withLock { state in
            defer { state.unprepared = [] }
            return state.unprepared
        }
    }
}
