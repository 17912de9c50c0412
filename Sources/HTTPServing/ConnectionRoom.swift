import NIOCore
import NIOPosix
import Synchronization

/// Limits how many connections are served at once, and keeps room for clients that do not keep the server
/// waiting.
///
/// At the limit, a new connection replaces one whose client keeps the server waiting: of the address with
/// the most connections, the one that has waited longest. Otherwise a thousand unfinished requests would keep
/// everyone else out.
final class ConnectionRoom: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: ConnectionTimer] = [:]
        /// Those that are being closed; they still count until they have ended.
        var closing: Set<ObjectIdentifier> = []
        /// The accepting task, while it waits.
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let limits: HTTPServer.Limits
    private let state = Mutex(State())

    init(_ limits: HTTPServer.Limits) { self.limits = limits }

    /// Waits until there is room, and takes it; only one task at a time may wait.
    ///
    /// Takes it at once if the task is cancelled, since the server then ends all connections.
    func enter(_ connection: ConnectionTimer) async {
        while !Task.isCancelled, let delay = makeRoom() { await change(within: delay) }
        connection.awaitHead()
        state.withLock { $0.connections[ObjectIdentifier(connection)] = connection }
    }

    /// Makes room, because a connection has ended.
    func leave(_ connection: ConnectionTimer) {
        let waiting = state.withLock { state in
            state.connections[ObjectIdentifier(connection)] = nil
            state.closing.remove(ObjectIdentifier(connection))
            return state.waiting.take()
        }
        waiting?.resume()
    }

    /// Closes a connection if there is no room.
    ///
    /// - Returns: nil if there is room; else when to look again at the latest.
    private func makeRoom() -> Duration? {
        let (victim, delay) = state.withLock { state -> (ConnectionTimer?, Duration?) in
            guard state.connections.count >= limits.connections else { return (nil, nil) }
            // One at a time: each newcomer needs room for one.
            guard state.closing.isEmpty else { return (nil, limits.patience) }
            let counts = state.connections.values.reduce(into: [:]) { counts, timer in
                counts[timer.address, default: 0] += 1
            }
            let slow = state.connections.compactMap { id, timer in
                timer.wait.map {
                    (id: id, timer: timer, count: counts[timer.address] ?? 0, wait: $0)
                }
            }
            guard let first = slow.max(by: { ($0.count, $0.wait) < ($1.count, $1.wait) }) else {
                return (nil, limits.patience)
            }
            guard first.wait >= limits.patience else { return (nil, limits.patience - first.wait) }
            state.closing.insert(first.id)
            return (first.timer, limits.patience)
        }
        victim?.close()
        return delay
    }

    /// Waits until a connection ends, a time limit passes, or the task is cancelled.
    private func change(within delay: Duration) async {
        // One that comes late, for a wait that has ended, only makes the next wait look again.
        let wake: @Sendable () -> Void = { [self] in
            state.withLock { $0.waiting.take() }?.resume()
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiting in
                let isFull = state.withLock { state in
                    let isFull = state.connections.count >= limits.connections
                    if isFull { state.waiting = waiting }
                    return isFull
                }
                guard isFull else { return waiting.resume() }
                if Task.isCancelled { return wake() }
                MultiThreadedEventLoopGroup.singleton.any()
                    .scheduleTask(in: TimeAmount(delay), wake)
            }
        } onCancel: {
            wake()
        }
    }
}
