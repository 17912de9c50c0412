import CCurl
import Glibc
import Synchronization

/// Closes connections that occupy the engine's thread.
///
/// ```
/// engine's thread:   begins ── libcurl moves all transfers, callbacks ── ends ── begins ── …
///                      └─ after a rest: begins the watchdog's thread
/// watchdog's:        look ── look ── … the same step for a second of processor time ─▶ shutdown
/// ```
/// libcurl keeps reading from an HTTP/2 connection as long as there are bytes that give the stream nothing:
/// empty DATA, PRIORITY, WINDOW_UPDATE. Meanwhile it calls none of our callbacks and does not check its own
/// time limits, so only another thread can end it. OpenSSL, and the response of a proxy to CONNECT, are read
/// likewise. The connection that is being read is found by its unread bytes, because those of the others can
/// only grow.
///
/// The limit is in processor time of the thread, because a process that was stopped, or that got no
/// processor, was not held up by a server.
final class TurnWatchdog: Sendable {
    /// How long libcurl may work without any callback.
    private static let limit = Duration.seconds(1)
    private static let interval = Duration.milliseconds(100)
    /// The watchdog's thread ends after this many checks of an idle engine.
    private static let calmCount = 20
    private static let sampleCount = 20
    private static let readCount = 4
    private static let sampleInterval = Duration.milliseconds(2)

    /// Odd while libcurl is at work; changes whenever the engine's thread has made progress.
    private let step = Atomic<UInt>(0)
    private let isWatched = Atomic(false)
    private let hasCut = Atomic(false)
    private let sockets = Mutex<Set<Int32>>([])
    /// The sockets that had a peer when they were closed, until their numbers are used again.
    private let closedConnections = Mutex<Set<Int32>>([])
    /// The clock of the engine thread's processor time.
    private let clock: clockid_t

    /// Watches the calling thread.
    init() {
        var clock = clockid_t()
        pthread_getcpuclockid(pthread_self(), &clock)
        self.clock = clock
    }

    // MARK: engine's thread

    /// Called before libcurl advances the transfers.
    func turnBegins() {
        step.wrappingAdd(1, ordering: .sequentiallyConsistent)
        if !isWatched.load(ordering: .sequentiallyConsistent) { beginWatch() }
    }

    func turnEnds() { step.wrappingAdd(1, ordering: .relaxed) }

    /// Called when a head, a piece of a body or a new socket is handled, because libcurl is not stuck then.
    func noteProgress() {
        // No other thread writes it.
        step.store(step.load(ordering: .relaxed) &+ 2, ordering: .relaxed)
    }

    /// Whether a connection was closed since the last call.
    func takeCut() -> Bool {
        hasCut.load(ordering: .relaxed) && hasCut.exchange(false, ordering: .relaxed)
    }

    func opened(_ socket: Int32) {
        _ = sockets.withLock { $0.insert(socket) }
        _ = closedConnections.withLock { $0.remove(socket) }
    }

    /// Whether a socket is connected, or was when it was closed.
    func hadPeer(_ socket: Int32) -> Bool {
        if sockets.withLock({ $0.contains(socket) }) { return Self.hasPeer(socket) }
        return closedConnections.withLock { $0.contains(socket) }
    }

    private static func hasPeer(_ socket: Int32) -> Bool {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(socket, $0, &size) == 0
            }
        }
    }

    /// Closes a socket, whose number may then be reused for another file.
    func close(_ socket: Int32) -> Int32 {
        _ = sockets.withLock { $0.remove(socket) }
        if Self.hasPeer(socket) { _ = closedConnections.withLock { $0.insert(socket) } }
        return Glibc.close(socket)
    }

    private func beginWatch() {
        guard !isWatched.exchange(true, ordering: .sequentiallyConsistent) else { return }
        var thread = pthread_t()
        let failure = DetachedThread.begin(&thread, named: "apus-watchdog") { self.watch() }
        // On failure, the next turn tries again.
        if failure != 0 { isWatched.store(false, ordering: .relaxed) }
    }

    // MARK: watchdog's thread

    private func watch() {
        var seen = step.load(ordering: .relaxed)
        var began = processorTime
        var calm = 0
        while true {
            Self.sleep(Self.interval)
            let now = step.load(ordering: .sequentiallyConsistent)
            if now != seen {
                (seen, began, calm) = (now, processorTime, 0)
            } else if seen % 2 == 1 {
                if processorTime - began >= Self.limit { cutWhatIsRead(at: seen) }
            } else {
                calm += 1
                if calm >= Self.calmCount, mayRest(at: seen) { return }
            }
        }
    }

    /// Whether the watchdog's thread may end; a turn that begins meanwhile is watched by it or by a new one.
    private func mayRest(at seen: UInt) -> Bool {
        isWatched.store(false, ordering: .sequentiallyConsistent)
        return step.load(ordering: .sequentiallyConsistent) == seen
            || isWatched.exchange(true, ordering: .sequentiallyConsistent)
    }

    private func cutWhatIsRead(at seen: UInt) {
        var unread: [Int32: Int32] = [:]
        var reads: [Int32: Int] = [:]
        for _ in 0..<Self.sampleCount {
            sockets.withLock { sockets in
                for socket in sockets {
                    let count = Self.unreadCount(of: socket)
                    defer { unread[socket] = count }
                    guard let before = unread[socket], count < before,
                        step.load(ordering: .relaxed) == seen
                    else { continue }
                    // If many connections open at the same time, each is read only once or twice.
                    reads[socket, default: 0] += 1
                    guard reads[socket, default: 0] >= Self.readCount else { continue }
                    hasCut.store(true, ordering: .relaxed)
                    // The bytes already received are still read; later ones are rejected with a reset.
                    shutdown(socket, Int32(SHUT_RDWR))
                }
            }
            Self.sleep(Self.sampleInterval)
        }
    }

    private static func unreadCount(of socket: Int32) -> Int32 {
        var count: Int32 = 0
        return ioctl(socket, UInt(FIONREAD), &count) == 0 ? count : 0
    }

    private var processorTime: Duration { .nanoseconds(ccurl_processor_time(clock)) }

    private static func sleep(_ duration: Duration) {
        usleep(useconds_t(duration / .microseconds(1)))
    }
}
