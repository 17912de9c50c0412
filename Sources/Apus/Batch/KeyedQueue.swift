import DequeModule
import Synchronization

/// Events on their way to one reader, where of the events with one key only the
/// newest waits.
///
/// Several requests report their progress in turns, so that looking at the last
/// event alone, as `EventQueue` does, would let them pile up.
final class KeyedQueue<Event: Sendable, Key: Hashable & Sendable>: Sendable {
    private enum Entry {
        case event(Event)
        case newest(Key)
    }

    private struct State {
        var entries: Deque<Entry> = []
        var newest: [Key: Event] = [:]
        var reader: CheckedContinuation<Event?, Never>?
        var isFinished = false

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

    private let state = Mutex(State())

    /// How many events wait.
    var count: Int { state.withLock { $0.entries.count } }

    /// The next event; nil after the last.
    ///
    /// One reader at a time.
    func next() async -> Event? {
        await withCheckedContinuation { continuation in
            let ready: Event?? = state.withLock { state in
                if let event = state.popFirst() { return .some(event) }
                if state.isFinished { return .some(nil) }
                state.reader = continuation
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// Hands an event to the reader; one that waits with the same key gives way to it.
    func send(_ event: Event, key: Key? = nil) {
        let reader = state.withLock { state in
            if let reader = state.reader.take() { return Optional(reader) }
            state.append(event, key)
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
