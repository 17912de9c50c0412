import OpenCombine
import Synchronization

/// A subscriber that asks for as much as it is told to, and notes what it gets.
///
/// It is unchecked because the subscription, which is not sendable, is only
/// touched by the test itself: `subscribe` hands it over before it returns.
final class Collector<Input: Sendable, Failure: Error>: Subscriber, @unchecked Sendable {
    private struct State {
        var values: [Input] = []
        var completion: Subscribers.Completion<Failure>?
        var completionCount = 0
    }

    /// Something was received.
    let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation
    private let state = Mutex(State())
    private var subscription: (any Subscription)?
    private let more: Subscribers.Demand

    /// - Parameter more: what is asked for after each value.
    init(more: Subscribers.Demand = .none) {
        self.more = more
        (changes, changed) = AsyncStream.makeStream()
    }

    var values: [Input] { state.withLock(\.values) }
    var completion: Subscribers.Completion<Failure>? { state.withLock(\.completion) }
    var completionCount: Int { state.withLock(\.completionCount) }

    func request(_ demand: Subscribers.Demand) { subscription?.request(demand) }
    func cancel() { subscription?.cancel() }
    func letGo() { subscription = nil }

    /// Waits until this is true; it is looked at after everything received.
    func wait(until isReached: (Collector) -> Bool) async {
        if isReached(self) { return }
        for await _ in changes where isReached(self) { return }
    }

    func receive(subscription: any Subscription) {
        self.subscription = subscription
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        state.withLock { $0.values.append(input) }
        changed.yield()
        return more
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        state.withLock {
            $0.completion = completion
            $0.completionCount += 1
        }
        changed.yield()
    }
}
