import Dispatch
public import OpenCombine
import Synchronization

#if !Publishers
#error("ApusReactive needs a trait of Apus: .package(url: …, from: …, traits: [\"Publishers\"])")
#endif

/// The events of an exchange, a batch or a chain as a publisher.
///
/// Each subscriber starts an exchange of its own at its first demand. Events wait until they are requested;
/// only outdated progress is dropped. Cancelling the subscription cancels the transfer. Values arrive on the
/// main actor if they were subscribed to there, else on a thread of Swift's pool; `receive(on:)` chooses
/// another.
public struct EventPublisher<Events: AsyncSequence & Sendable>: Publisher
where Events.Element: Sendable, Events.Failure == Never {
    /// An event of the sequence, in order.
    public typealias Output = Events.Element
    /// The publisher never fails; events report failures.
    public typealias Failure = Never

    private let events: Events

    init(_ events: Events) { self.events = events }

    /// Attaches a subscriber; nothing is sent before its first demand.
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Never {
        subscriber.receive(
            subscription: EventSubscription(events, AnySubscriber(subscriber)) { event in
                .value(event)
            }
        )
    }
}

/// Reads events for one subscriber, and delivers as many as it requests.
///
/// ```
/// request ──▶ demand ┐
///                    ├─▶ one task: next event ─▶ what it means ─▶ wait for demand ─▶ receive
/// events ────────────┘
/// ```
/// The subscription owns the task, which begins with the first demand and ends with the events, or when the
/// subscription is cancelled or released.
final class EventSubscription<
    Events: AsyncSequence & Sendable,
    Input: Sendable,
    Failure: Error
>: Subscription, Sendable where Events.Element: Sendable, Events.Failure == Never {
    /// What an event means to the subscriber.
    enum Meaning {
        case value(Input)
        case nothing
        case end(Subscribers.Completion<Failure>)
    }

    private let reader: Reader
    // A closure that is written on the main actor is isolated to it, and traps if it is called elsewhere.
    private let isOnMain = MainQueue.isCurrent
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(
        _ events: Events,
        _ downstream: AnySubscriber<Input, Failure>,
        meaning: @escaping @Sendable (Events.Element) -> Meaning
    ) {
        reader = Reader(events, downstream, meaning)
    }

    deinit { cancel() }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        reader.gate.add(demand)
        let (reader, isOnMain) = (reader, isOnMain)
        task.withLock { task in
            guard task == nil else { return }
            task =
                isOnMain
                ? Task { @MainActor in await reader.run() } : Task { await reader.run() }
        }
    }

    func cancel() {
        reader.gate.close()
        task.withLock { $0 }?.cancel()
    }
}

extension EventSubscription {
    /// The part that the task holds, instead of the subscription, which may be released.
    ///
    /// It is unchecked because only its one task calls the subscriber, one call after the other, as the
    /// rules for subscribers require.
    final class Reader: @unchecked Sendable {
        let gate = DemandGate()
        private let events: Events
        private let downstream: AnySubscriber<Input, Failure>
        private let meaning: @Sendable (Events.Element) -> Meaning

        init(
            _ events: Events,
            _ downstream: AnySubscriber<Input, Failure>,
            _ meaning: @escaping @Sendable (Events.Element) -> Meaning
        ) {
            self.events = events
            self.downstream = downstream
            self.meaning = meaning
        }

        /// Reads on without demand, because completion needs none; only values wait for demand.
        func run() async {
            guard !gate.isClosed else { return }
            for await event in events {
                switch meaning(event) {
                case .nothing: if gate.isClosed { return }
                case .value(let value):
                    guard await gate.pass() else { return }
                    gate.add(downstream.receive(value))
                case .end(let completion):
                    end(completion)
                    return
                }
            }
            end(.finished)
        }

        private func end(_ completion: Subscribers.Completion<Failure>) {
            if !gate.isClosed { downstream.receive(completion: completion) }
            gate.close()
        }
    }
}

/// Detects the main actor by its queue, because on Linux it has no thread of its own.
private enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let mark: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    /// Whether the caller runs on the main queue.
    static var isCurrent: Bool {
        mark
        return DispatchQueue.getSpecific(key: key) != nil
    }
}

/// Passes on only as many values as the subscriber has requested.
final class DemandGate: Sendable {
    private struct State {
        var demand = Subscribers.Demand.none
        var isClosed = false
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())

    /// Whether no more values may pass.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Lets as many more values pass.
    func add(_ demand: Subscribers.Demand) {
        let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            state.demand += demand
            guard state.demand > .none, let waiter = state.waiter.take() else { return nil }
            state.demand -= 1
            return waiter
        }
        waiter?.resume(returning: true)
    }

    /// Lets no more values pass; a waiting `pass()` returns false.
    func close() {
        let waiter = state.withLock { state in
            state.isClosed = true
            return state.waiter.take()
        }
        waiter?.resume(returning: false)
    }

    /// Waits until a value may pass; false once the gate is closed.
    ///
    /// Only one caller may wait at a time.
    func pass() async -> Bool {
        await withCheckedContinuation { continuation in
            let response: Bool? = state.withLock { state in
                if state.isClosed { return false }
                if state.demand > .none {
                    state.demand -= 1
                    return true
                }
                state.waiter = continuation
                return nil
            }
            if let response { continuation.resume(returning: response) }
        }
    }
}
