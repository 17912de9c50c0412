import DequeModule
import Synchronization

/// A queue of events from a producer to one reader.
///
/// The reader takes all waiting events at once, because waking it for each one costs more than a small request.
final class EventQueue<Event: Sendable, Key: Hashable & Sendable>: Sendable {
    /// Where an event goes among those that wait to be read.
    enum Order: Sendable {
        /// At the end.
        case last
        /// Replaces the waiting event with this key; at the end if there is none.
        case newest(Key)
        /// At the end; later events with this key do not replace earlier ones but come after it.
        case after(Key)
    }

    struct Events: Sendable {
        private var entries: Deque<(event: Event, key: Key?)> = []
        /// The position of the newest event of a key, counted from the first event ever.
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

    /// Swaps the empty `events` for those that wait; waits for the first, and returns none after the end.
    ///
    /// Only one reader at a time may call this.
    func receive(into events: inout Events) async {
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

    /// Sends an event to the reader; ignored after the end.
    func send(_ event: Event, _ order: Order = .last) {
        let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.isFinished else { return nil }
            state.events.add(event, order)
            return state.reader.take()
        }
        reader?.resume()
    }

    /// Ends the queue; waiting events can still be read.
    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            return state.reader.take()
        }
        reader?.resume()
    }

    /// - Returns: Whether there is nothing to wait for.
    private func exchange(_ events: inout Events) -> Bool {
        state.withLock { state in
            swap(&state.events, &events)
            return state.isFinished || !events.isEmpty
        }
    }
}
