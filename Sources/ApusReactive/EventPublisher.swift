import Dispatch
public import OpenCombine
import Synchronization

/// The events of an exchange, a batch or a chain as a publisher.
///
/// Each subscriber begins an exchange of its own, at its first demand. Events
/// wait until they are asked for; only progress that is out of date is dropped.
/// Cancelling the subscription cancels the transfer. Values arrive on the main actor if they were
/// subscribed to there, else on a thread of Swift's pool; `receive(on:)` chooses another.
public struct EventPublisher<Events: AsyncSequence & Sendable>: Publisher
where Events.Element: Sendable, Events.Failure == Never {
    /// An event.
    public typealias Output = Events.Element
    /// An event tells of failures; the publisher has none.
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

/// Reads events for one subscriber, as many as it asks for.
///
/// ```
/// request ──▶ demand ┐
///                    ├─▶ one task: next event ─▶ what it means ─▶ wait for demand ─▶ receive
/// events ────────────┘
/// ```
/// The task is owned by the subscription: it begins with the first demand and
/// ends with the events, or when the subscription is cancelled or let go.
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
    // A closure that is written on the main actor belongs to it, and traps if it is called elsewhere.
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
    /// The part that the task holds: not the subscription, which may be let go.
    ///
    /// It is unchecked because only its one task calls the subscriber, one call
    /// after the other, as the rules for subscribers ask.
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

        /// The end is not an event that has to be asked for, so reading goes on
        /// without demand, and only values wait for it.
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

/// The main actor's queue: on Linux no thread is the main actor's own.
private enum MainQueue {
    private static let key = DispatchSpecificKey<Bool>()
    private static let mark: Void = DispatchQueue.main.setSpecific(key: key, value: true)

    /// Whether this is called there.
    static var isCurrent: Bool {
        mark
        return DispatchQueue.getSpecific(key: key) != nil
    }
}

/// Lets as many values through as were asked for.
final class DemandGate: Sendable {
    private struct State {
        var demand = Subscribers.Demand.none
        var isClosed = false
        var waiter: CheckedContinuation<Bool, Never>?
    }

    private let state = Mutex(State())

    /// Whether it lets nothing through any more.
    var isClosed: Bool { state.withLock(\.isClosed) }

    /// Lets so many more through.
    func add(_ demand: Subscribers.Demand) {
        let waiter = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            state.demand += demand
            guard state.demand > .none, let waiter = state.waiter.take() else { return nil }
            state.demand -= 1
            return waiter
        }
        waiter?.resume(returning: true)
    }

    /// Lets nothing through any more, and sends the one that waits away.
    func close() {
        let waiter = state.withLock { state in
            state.isClosed = true
            return state.waiter.take()
        }
        waiter?.resume(returning: false)
    }

    /// Waits until a value may pass; false if none may any more.
    ///
    /// One waits at a time.
    func pass() async -> Bool {
        await withCheckedContinuation { continuation in
            let answer: Bool? = state.withLock { state in
                if state.isClosed { return false }
                if state.demand > .none {
                    state.demand -= 1
                    return true
                }
                state.waiter = continuation
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
    }
}
