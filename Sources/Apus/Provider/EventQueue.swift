import DequeModule
import Synchronization

/// Events on their way from a producer to one reader.
final class EventQueue<Event: Sendable>: Sendable {
    private struct State {
        var events: Deque<Event> = []
        var reader: CheckedContinuation<Event?, Never>?
        var isFinished = false
    }

    private let state = Mutex(State())
    private let isSuperseded: @Sendable (_ waiting: Event, _ new: Event) -> Bool

    /// Makes a queue in which a waiting event gives way to the one sent right
    /// after it, if `isSuperseded` says so.
    init(supersedingWhere isSuperseded: @escaping @Sendable (Event, Event) -> Bool) {
        self.isSuperseded = isSuperseded
    }

    /// The next event; nil after the last.
    ///
    /// One reader at a time.
    func next() async -> Event? {
        await withCheckedContinuation { continuation in
            let ready: Event?? = state.withLock { state in
                if let event = state.events.popFirst() { return .some(event) }
                if state.isFinished { return .some(nil) }
                state.reader = continuation
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// Hands an event to the reader; one sent after the end is dropped.
    func send(_ event: Event) {
        let reader = state.withLock { state -> CheckedContinuation<Event?, Never>? in
            guard !state.isFinished else { return nil }
            if let reader = state.reader.take() { return Optional(reader) }
            if let last = state.events.last, isSuperseded(last, event) { state.events.removeLast() }
            state.events.append(event)
            return nil
        }
        reader?.resume(returning: event)
    }

    /// Ends the queue; events that wait are still read.
    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            return state.reader.take()
        }
        reader?.resume(returning: nil)
    }
}
