import GRDBSQLite

/// Keeps a read open while reads come one on the heels of the other.
///
/// SQLite asks the kernel for a lock at the beginning of each read and gives it back at its end,
/// and looks for what was committed meanwhile: a third of the time (measured: 4.2 µs for a row of
/// 2 KB, 2.9 in a read that is open). So one is left open for all. None of them sees anything old:
/// before each, the header of the log's index tells whether any process has committed since, and
/// if so, the read is ended.
///
/// The log of writes cannot begin anew while a read is open. So it is let go every few
/// milliseconds, before each write of this process, and when nobody reads any more.
final class ReadHold {
    /// Reads between looks at the clock.
    private static let step = 64
    /// Reads that take longer together are not worth it.
    private static let pace = Duration.milliseconds(4)
    private static let longest = Duration.milliseconds(5)

    private let connection: ReaderConnection
    private let begin: OpaquePointer
    private let end: OpaquePointer
    private var index: LogIndex?
    private var reads = 0
    private var lastLook: ContinuousClock.Instant?
    private var heldSince: ContinuousClock.Instant?

    /// Holds nothing before many reads come.
    init(_ connection: ReaderConnection) throws {
        self.connection = connection
        begin = try connection.prepared("BEGIN")
        end = try connection.prepared("COMMIT")
    }

    /// Sees to it that the read that is about to come finds all that was committed; whether it is
    /// the first of those that one stays open for.
    func willRead() throws -> Bool {
        if heldSince != nil, let index, index.hasChanged { try letGo() }
        reads &+= 1
        guard reads % Self.step == 0 else { return false }
        let now = ContinuousClock.now
        defer { lastLook = now }
        guard let heldSince else {
            guard let lastLook, now - lastLook < Self.pace else { return false }
            return try hold(since: now)
        }
        if now - heldSince > Self.longest { try letGo() }
        return false
    }

    /// Ends the read that is open.
    func letGo() throws {
        guard heldSince != nil else { return }
        try connection.run(end)
        heldSince = nil
    }

    /// Leaves a read open, unless it cannot be told when it is old.
    private func hold(since now: ContinuousClock.Instant) throws -> Bool {
        // What is committed after this look and before the first read is in the read already: then
        // the next begins anew without need.
        index = index ?? connection.logIndex
        guard index?.look() == true else { return false }
        try connection.run(begin)
        heldSince = now
        return true
    }
}
