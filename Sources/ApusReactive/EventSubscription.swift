import OpenCombine
import Synchronization

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
        let reader = reader
        task.withLock { task in
            if task == nil { task = Task { await reader.run() } }
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
