internal import CSQLite
import Glibc
import Synchronization

/// How a connection is opened.
package struct Configuration: Sendable {
    /// The name of the queue that the connection runs on.
    package var label = "apus.sqlite"
    /// Whether the file is only read, and not created.
    package var isReadOnly = false
    /// Whether changes go to a write-ahead log first; always so in a pool.
    package var hasLog = false
    /// How long a statement waits for another connection's lock before it fails with ``ResultCode/busy``.
    package var busyTimeout = Duration.zero
    /// The number of connections of a pool that read.
    package var readerCount = 3
    /// Called with each new connection before anything else uses it.
    package var prepare: @Sendable (Database) throws -> Void = { _ in }

    /// A configuration that can write and waits for no lock.
    package init() {}
}

/// A connection to a database, which one thread uses at a time.
package final class Database {
    let connection: Connection
    /// Prepared statements by their text, to be run again.
    private var statements: [String: Statement] = [:]
    /// More than the program has fixed texts; others contain numbers.
    private static let statementLimit = 200

    /// Opens a file, and creates it unless the configuration forbids it; ":memory:" is a database in memory,
    /// "" one in a temporary file.
    ///
    /// Nothing is read yet, so any file can be opened.
    package init(path: String, configuration: Configuration = Configuration()) throws {
        connection = try Connection(path, isReadOnly: configuration.isReadOnly)
        connection.waitForLocks(atMost: configuration.busyTimeout)
        // A schema, which someone else may have written, must not call functions that do something.
        csqlite_configure(connection.pointer, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
        // A misspelt "column" is an error, not a text.
        csqlite_configure(connection.pointer, SQLITE_DBCONFIG_DQS_DML, 0)
        csqlite_configure(connection.pointer, SQLITE_DBCONFIG_DQS_DDL, 0)
        if configuration.hasLog {
            let mode = try String.fetchOne(self, sql: "PRAGMA journal_mode = WAL")
            guard mode == "wal" else {
                throw DatabaseError(
                    resultCode: .error,
                    message: "the file cannot have a write-ahead log"
                )
            }
        }
        try configuration.prepare(self)
    }

    /// Closes the connection; its statements throw ``ResultCode/misuse`` from now on.
    ///
    /// Otherwise it closes with the last of its statements.
    func close() {
        statements = [:]
        connection.close()
    }

    // MARK: Statements

    /// Prepares a statement that its owner runs step by step.
    package func makeStatement(sql: String) throws -> Statement {
        let (statement, rest) = try Statement.prepare(sql, on: connection)
        guard let statement, rest == nil else {
            throw DatabaseError(resultCode: .misuse, message: "this is not one statement")
        }
        return statement
    }

    /// The statement of a text, prepared for the first of its runs.
    func statement(sql: String) throws -> Statement {
        if let known = statements[sql], !known.isRunning { return known }
        return keep(try makeStatement(sql: sql), sql)
    }

    private func keep(_ statement: Statement, _ sql: String) -> Statement {
        // SQLite runs some of these when it prepares them.
        guard !sql.hasPrefix("PRAGMA") else { return statement }
        if statements.count >= Self.statementLimit { statements = [:] }
        statements[sql] = statement
        return statement
    }

    /// Runs all statements of a text; the arguments are those of the first.
    package func execute(sql: String, arguments: StatementArguments = []) throws {
        if let known = statements[sql], !known.isRunning {
            return try known.execute(arguments: arguments)
        }
        let (statement, rest) = try Statement.prepare(sql, on: connection)
        guard let statement else { return }
        try (rest == nil ? keep(statement, sql) : statement).execute(arguments: arguments)
        if let rest { try execute(sql: rest) }
    }

    /// How many rows the last statement inserted, changed or deleted.
    package var changesCount: Int { Int(sqlite3_changes(connection.pointer)) }

    /// The number of the row that was inserted last.
    package var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(connection.pointer) }

    /// Makes larger texts, blobs and rows an error, ``ResultCode/tooBig``.
    package func limitLength(to bytes: Int) {
        sqlite3_limit(connection.pointer, SQLITE_LIMIT_LENGTH, Int32(clamping: bytes))
    }

    // MARK: Transactions

    /// How a transaction ends.
    package enum TransactionCompletion {
        /// Its changes are kept.
        case commit
        /// Its changes are undone.
        case rollback
    }

    /// When a transaction takes the lock for writing.
    package enum TransactionKind: String {
        /// With its first change.
        case deferred = "BEGIN DEFERRED"
        /// At its start.
        case immediate = "BEGIN IMMEDIATE"
    }

    /// Runs a transaction, which is undone if `body` or the commit throws.
    package func inTransaction(
        _ kind: TransactionKind,
        _ body: () throws -> TransactionCompletion
    ) throws {
        _ = try transaction(kind, commits: { $0 == .commit }, body)
    }

    func transaction<T>(
        _ kind: TransactionKind,
        commits: (T) -> Bool,
        _ body: () throws -> T
    ) throws -> T {
        try execute(sql: kind.rawValue)
        do {
            let result = try body()
            if commits(result) { try execute(sql: "COMMIT") } else { rollBack() }
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    private func rollBack() {
        // An error of the disk may have undone it already.
        guard sqlite3_get_autocommit(connection.pointer) == 0 else { return }
        sqlite3_exec(connection.pointer, "ROLLBACK", nil, nil, nil)
    }

    /// Runs `body` until it is cancelled, which ends a running statement too.
    ///
    /// - Throws: `CancellationError` then.
    func run<T>(
        until cancellation: Cancellation,
        _ body: (Database) throws -> T
    ) throws -> T {
        connection.watch(cancellation)
        defer { connection.watch(nil) }
        do {
            try cancellation.check()
            return try body(self)
        } catch let error as DatabaseError where error.resultCode == .interrupted {
            throw CancellationError()
        }
    }

    // MARK: Whole files

    /// Replaces the content of another database by a copy of this one.
    func backup(to other: Database) throws {
        let target = other.connection
        guard let backup = sqlite3_backup_init(target.pointer, "main", connection.pointer, "main")
        else { throw target.error(sqlite3_errcode(target.pointer)) }
        let code = sqlite3_backup_step(backup, -1)
        let end = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw target.error(end == SQLITE_OK ? code : end) }
    }

    /// Runs `body`, in which a VACUUM empties the file, however damaged it is.
    package func resetting(_ body: () throws -> Void) rethrows {
        csqlite_configure(connection.pointer, SQLITE_DBCONFIG_RESET_DATABASE, 1)
        defer { csqlite_configure(connection.pointer, SQLITE_DBCONFIG_RESET_DATABASE, 0) }
        try body()
    }
}

/// SQLite's connection, which lives as long as a statement of it.
final class Connection {
    private(set) var pointer: OpaquePointer?
    private var cancellation: Cancellation?
    /// About how many steps of a statement's program are done before a cancellation is noticed: 0.1 ms.
    private static let cancellationSteps: Int32 = 4096

    init(_ path: String, isReadOnly: Bool, creates: Bool = true) throws {
        let writing = SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0)
        let access = isReadOnly ? SQLITE_OPEN_READONLY : writing
        // Debian's SQLite takes such a path for a URL with options.
        let file = path.hasPrefix("file:") ? "./\(path)" : path
        let code = sqlite3_open_v2(file, &pointer, access | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK else {
            let error = error(code)
            close()
            throw error
        }
        sqlite3_extended_result_codes(pointer, 1)
    }

    deinit { close() }

    func close() {
        sqlite3_close_v2(pointer)
        pointer = nil
    }

    /// The microseconds between two tries to get a lock.
    private static let lockPause: UInt32 = 2000

    /// Makes statements wait for other connections' locks.
    ///
    /// SQLite's own waiting tries less and less often, so that whoever comes later gets the lock before one that has
    /// waited for long.
    func waitForLocks(atMost limit: Duration) {
        let pauses = limit / .microseconds(Int(Self.lockPause))
        let tries = Int(min(max(0, pauses), Double(Int32.max)))
        sqlite3_busy_handler(
            pointer,
            { limit, count in
                guard Int(count) < Int(bitPattern: limit) else { return 0 }
                usleep(Connection.lockPause)
                return 1
            },
            UnsafeMutableRawPointer(bitPattern: tries)
        )
    }

    /// Ends statements once this is cancelled; nil lets them run to their end.
    func watch(_ cancellation: Cancellation?) {
        self.cancellation = cancellation
        let context = cancellation.map { Unmanaged.passUnretained($0).toOpaque() }
        // sqlite3_interrupt would be without effect between two statements.
        sqlite3_progress_handler(
            pointer,
            context == nil ? 0 : Self.cancellationSteps,
            { context in
                guard let context else { return 0 }
                let cancellation = Unmanaged<Cancellation>.fromOpaque(context)
                return cancellation.takeUnretainedValue().isCancelled ? 1 : 0
            },
            context
        )
    }

    /// Throws unless a statement may run.
    func check() throws {
        guard pointer != nil else {
            throw DatabaseError(resultCode: .misuse, message: "the connection is closed")
        }
        try cancellation?.check()
    }

    /// The error of a call on this connection that has just returned a code.
    func error(_ code: Int32) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: code),
            message: sqlite3_errmsg(pointer).map { String(cString: $0) }
        )
    }
}

/// Whether the task that waits for a database was cancelled.
final class Cancellation: Sendable {
    private let flag = Atomic(false)

    var isCancelled: Bool { flag.load(ordering: .relaxed) }

    func cancel() { flag.store(true, ordering: .relaxed) }

    func check() throws(CancellationError) {
        if isCancelled { throw CancellationError() }
    }
}
