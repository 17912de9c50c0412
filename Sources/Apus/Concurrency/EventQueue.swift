import DequeModule
import Synchronization

/// Events on their way from a producer to one reader, in order.
///
/// The reader takes all that wait at once: waking it for each costs more than a small request.
final class EventQueue<Event: Sendable, Key: Hashable & Sendable>: Sendable {
    /// Where an event stands among those that wait.
    enum Order: Sendable {
        /// Behind them.
        case last
        /// In the place of the one with this key, if one waits; else behind them.
        case newest(Key)
        /// Behind them, and before all that come later with this key.
        case after(Key)
    }

    /// Events in order.
    struct Events: Sendable {
        private var entries: Deque<(event: Event, key: Key?)> = []
        /// Where the newest event of a key stands; the first that ever was has 0.
        private var places: [Key: Int] = [:]
        private var taken = 0

        var isEmpty: Bool { entries.isEmpty }

        mutating func popFirst() -> Event? {
            guard let (event, key) = entries.popFirst() else { return nil }
            if let key, places[key] == taken { places[key] = nil }
            taken += 1
            return event
        }

        mutating func add(_ event: Event, _ order: Order) {
            switch order {
            case .last: entries.append((event, nil))
            case .after(let key):
                places[key] = nil
                entries.append((event, nil))
            case .newest(let key):
                if let place = places[key] {
                    entries[place - taken].event = event
                } else {
                    places[key] = taken + entries.count
                    entries.append((event, key))
                }
            }
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

    /// Hands an event to the reader; one sent after the end is dropped.
    func send(_ event: Event, _ order: Order = .last) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isFinished else { return nil }
            state.events.add(event, order)
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
