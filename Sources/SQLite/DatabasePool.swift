internal import Dispatch
import Synchronization

/// A database that is read on threads of its own.
package protocol DatabaseReader: Sendable {
    /// Runs `body` on a state of the database that nothing changes meanwhile, and undoes what it writes.
    func read<T>(_ body: (Database) throws -> T) throws -> T

    /// Runs `body` as the synchronous `read` does; if the task is cancelled, throws `CancellationError` as soon
    /// as the running statement ends.
    func read<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T
}

/// A connection that does one thing after another, on a queue of its own.
package final class DatabaseQueue: DatabaseReader, @unchecked Sendable {
    private enum State {
        case unopened(path: String, Configuration)
        case open(Database)
        case closed
    }

    private let queue: DispatchQueue
    // @unchecked because this is only used on the queue.
    private var state: State

    /// Opens a file, and creates it unless the configuration forbids it; "" is a temporary file.
    package convenience init(path: String, configuration: Configuration = Configuration()) throws {
        self.init(later: path, configuration)
        _ = try queue.sync { try opened() }
    }

    /// Makes a database in memory.
    package convenience init(configuration: Configuration = Configuration()) throws {
        try self.init(path: ":memory:", configuration: configuration)
    }

    /// Opens a file when it is first used.
    init(later path: String, _ configuration: Configuration) {
        queue = DispatchQueue(label: configuration.label)
        state = .unopened(path: path, configuration)
    }

    private func opened() throws -> Database {
        switch state {
        case .open(let database): return database
        case .closed: throw DatabaseError(resultCode: .misuse, message: "the connection is closed")
        case .unopened(let path, let configuration):
            let database = try Database(path: path, configuration: configuration)
            state = .open(database)
            return database
        }
    }

    /// Closes the connection after what is running on it; what comes later throws ``ResultCode/misuse``.
    package func close() throws { queue.sync { closeUnused() } }

    /// Closes the connection, which nobody uses any more.
    fileprivate func closeUnused() {
        if case .open(let database) = state { database.close() }
        state = .closed
    }

    package func read<T>(_ body: (Database) throws -> T) throws -> T {
        try writeWithoutTransaction { db in
            try db.transaction(.deferred, commits: { _ in false }) { try body(db) }
        }
    }

    package func read<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writeWithoutTransaction { db in
            try db.transaction(.deferred, commits: { _ in false }) { try body(db) }
        }
    }

    /// Runs `body` in a transaction, which is undone if it throws.
    package func write<T>(_ body: (Database) throws -> T) throws -> T {
        try writeWithoutTransaction { db in
            try db.transaction(.immediate, commits: { _ in true }) { try body(db) }
        }
    }

    /// Runs `body` in a transaction; if the task is cancelled before the commit, nothing is written.
    package func write<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writeWithoutTransaction { db in
            try db.transaction(.immediate, commits: { _ in true }) { try body(db) }
        }
    }

    /// Runs `body`, each statement of which is a transaction unless it begins one.
    package func writeWithoutTransaction<T>(_ body: (Database) throws -> T) throws -> T {
        try queue.sync { try body(opened()) }
    }

    /// Runs `body` without a transaction around it; if the task is cancelled, throws `CancellationError` as
    /// soon as the running statement ends.
    package func writeWithoutTransaction<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (caller: CheckedContinuation<T, any Error>) in
                queue.async { [self] in
                    caller.resume(with: Result { try opened().run(until: cancellation, body) })
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Replaces the content of another database by a copy of this one.
    package func backup(to other: DatabaseQueue) throws {
        try writeWithoutTransaction { db in
            try other.writeWithoutTransaction { try db.backup(to: $0) }
        }
    }
}

/// Connections to a file with a write-ahead log: one writes, while several read what was committed before.
package final class DatabasePool: DatabaseReader {
    private let writer: DatabaseQueue
    private let readers: [DatabaseQueue]
    /// How many are using each of the readers, or wait for it.
    private let users: Mutex<[Int]>

    /// Opens a file, and creates it.
    package init(path: String, configuration: Configuration = Configuration()) throws {
        var configuration = configuration
        configuration.hasLog = true
        writer = try DatabaseQueue(path: path, configuration: configuration)
        configuration.hasLog = false
        configuration.isReadOnly = true
        readers = (0..<max(1, configuration.readerCount)).map { [configuration] _ in
            DatabaseQueue(later: path, configuration)
        }
        users = Mutex(readers.map { _ in 0 })
    }

    deinit {
        // First, for the connection that closes last empties the log, and it must be one that may write. Not on
        // their queues: one of them may be what releases this.
        for reader in readers { reader.closeUnused() }
    }

    /// Closes all connections after what is running on them, and empties the log unless another process uses it.
    package func close() throws {
        for reader in readers { try reader.close() }
        try writer.close()
    }

    /// The reader that the fewest use.
    private func borrowReader() -> Int {
        users.withLock { users in
            let index = users.indices.min { users[$0] < users[$1] } ?? 0
            users[index] += 1
            return index
        }
    }

    private func giveBack(_ reader: Int) { users.withLock { $0[reader] -= 1 } }

    package func read<T>(_ body: (Database) throws -> T) throws -> T {
        let reader = borrowReader()
        defer { giveBack(reader) }
        return try readers[reader].read(body)
    }

    package func read<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        let reader = borrowReader()
        defer { giveBack(reader) }
        return try await readers[reader].read(body)
    }

    /// Reads without a transaction: each statement sees what was committed before it.
    package func unsafeRead<T>(_ body: (Database) throws -> T) throws -> T {
        let reader = borrowReader()
        defer { giveBack(reader) }
        return try readers[reader].writeWithoutTransaction(body)
    }

    /// Runs `body` in a transaction, which is undone if it throws.
    package func write<T>(_ body: (Database) throws -> T) throws -> T { try writer.write(body) }

    /// Runs `body` in a transaction; if the task is cancelled before the commit, nothing is written.
    package func write<T: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> T
    ) async throws -> T {
        try await writer.write(body)
    }

    /// Runs `body` on the writer, each statement of which is a transaction unless it begins one.
    package func writeWithoutTransaction<T>(_ body: (Database) throws -> T) throws -> T {
        try writer.writeWithoutTransaction(body)
    }

    /// Replaces the content of another database by a copy of this one.
    package func backup(to other: DatabaseQueue) throws {
        try unsafeRead { db in try other.writeWithoutTransaction { try db.backup(to: $0) } }
    }
}
