import GRDBSQLite

/// Holds the lock that reads take, while they come one on the heels of the other.
///
/// SQLite asks the kernel for a lock at the beginning of each read and gives it back at its end:
/// two calls that take as long as all the rest (measured: 9.4 µs for a row of 2 KB with them,
/// 5.7 without). It counts the holders of a process, and asks only for the first and the last. So
/// a read that stays open on another connection spares all others the calls. They remain what they
/// are: each sees what any process committed before it.
///
/// The log of writes cannot begin anew while a read is open. So it is let go every few
/// milliseconds, before each write of this process, and when nobody reads any more.
final class ReadHold {
    /// Reads between looks at the clock.
    private static let step = 64
    /// Reads that take longer together are not worth it.
    private static let pace = Duration.milliseconds(4)
    private static let longest = Duration.milliseconds(5)

    private let path: String
    private var open: (connection: ReaderConnection, statement: OpaquePointer)?
    private var reads = 0
    private var lastLook: ContinuousClock.Instant?
    private var heldSince: ContinuousClock.Instant?

    /// Opens nothing before many reads come.
    init(_ path: String) { self.path = path }

    /// Counts a read that is about to come; whether it made the lock be held.
    func willRead() -> Bool {
        reads &+= 1
        guard reads % Self.step == 0 else { return false }
        let now = ContinuousClock.now
        defer { lastLook = now }
        guard let heldSince else {
            guard let lastLook, now - lastLook < Self.pace else { return false }
            return hold(since: now)
        }
        if now - heldSince > Self.longest { letGo() }
        return false
    }

    /// Ends the read that holds the lock.
    func letGo() {
        guard heldSince != nil else { return }
        sqlite3_reset(open?.statement)
        heldSince = nil
    }

    /// Leaves a read open; false if it cannot be begun, which costs nothing but speed.
    private func hold(since now: ContinuousClock.Instant) -> Bool {
        do {
            let (connection, statement) = try opened()
            guard try connection.step(statement) else { return false }
            heldSince = now
            return true
        } catch {
            return false
        }
    }

    private func opened() throws -> (ReaderConnection, OpaquePointer) {
        if let open { return open }
        let connection = try ReaderConnection(path)
        let opened = (connection, try connection.prepared("SELECT size FROM total"))
        open = opened
        return opened
    }
}
