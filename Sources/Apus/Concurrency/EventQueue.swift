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

/// Events on their way to one reader, where of the events with one key only the
/// newest waits.
///
/// The reader takes all that wait at once: waking it for each costs more than a
/// small request. Several requests report their progress in turns, so that looking
/// at the last event alone, as `EventQueue` does, would let them pile up.
final class KeyedQueue<Event: Sendable, Key: Hashable & Sendable>: Sendable {
    /// Events in order.
    struct Events: Sendable {
        private enum Entry {
            case event(Event)
            case newest(Key)
        }

        private var entries: Deque<Entry> = []
        private var newest: [Key: Event] = [:]

        var isEmpty: Bool { entries.isEmpty }

        mutating func popFirst() -> Event? {
            guard let entry = entries.popFirst() else { return nil }
            switch entry {
            case .event(let event): return event
            case .newest(let key): return newest.removeValue(forKey: key)
            }
        }

        mutating func append(_ event: Event, _ key: Key?) {
            guard let key else { return entries.append(.event(event)) }
            if newest.updateValue(event, forKey: key) == nil { entries.append(.newest(key)) }
        }
    }

    private struct State {
        var events = Events()
        var reader: CheckedContinuation<Void, Never>?
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Exchanges `events`, of which none is left, for those that wait; waits for the
    /// first, and after the last there are none.
    ///
    /// One reader at a time.
    func take(_ events: inout Events) async {
        let isReady = exchange(&events)
        if isReady { return }
        await withCheckedContinuation { reader in
            let isReady = state.withLock { state in
                if state.isFinished || !state.events.isEmpty { return true }
                state.reader = reader
                return false
            }
            if isReady { reader.resume() }
        }
        _ = exchange(&events)
    }

    /// Hands an event to the reader; one that waits with the same key gives way to it.
    func send(_ event: Event, key: Key? = nil) {
        let reader = state.withLock { state in
            state.events.append(event, key)
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Ends the queue; events that wait are still read.
    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            return state.reader.take()
        }
        reader?.resume()
    }

    /// - Returns: whether there is nothing to wait for.
    private func exchange(_ events: inout Events) -> Bool {
        state.withLock { state in
            swap(&state.events, &events)
            return state.isFinished || !events.isEmpty
        }
    }
}
