package import Apus
package import FoundationEssentials
import GRDB
import HTTPTypes

/// Appends exchanges to a session's file.
///
/// When `record` returns, the exchange is on disk and synced: nothing that
/// happens to the process or the machine afterwards loses it.
package actor SessionRecorder {
    private let directory: String
    private let mask: CredentialMask
    private let clock: @Sendable () -> Date
    private var queue: DatabaseQueue?

    /// The file; nil before the first exchange.
    package private(set) var path: String?

    /// Makes a recorder; the file is made with the first exchange.
    ///
    /// - Parameters:
    ///   - directory: the folder of sessions.
    ///   - mask: takes secrets out; by default all that are known by their names.
    ///   - clock: tells the time that names the session.
    package init(
        directory: String = SessionFile.standardDirectory,
        mask: CredentialMask = CredentialMask(),
        clock: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.directory = directory
        self.mask = mask
        self.clock = clock
    }

    /// Records an exchange; returns when it cannot be lost any more.
    ///
    /// - Returns: its number in the session.
    @discardableResult
    package func record(_ exchange: ExchangeRecord) async throws(RecordingError) -> Int64 {
        let queue = try opened()
        let row = ExchangeRow(exchange, mask: mask)
        do {
            return try await queue.write { db in try row.insert(into: db) }
        } catch {
            throw RecordingError(.write, path: path ?? directory, detail: String(describing: error))
        }
    }

    /// Closes the file; another exchange begins a new session.
    package func close() {
        // What was recorded is committed; a fault in closing loses nothing.
        try? queue?.close()
        queue = nil
        path = nil
    }

    private func opened() throws(RecordingError) -> DatabaseQueue {
        if let queue { return queue }
        do {
            try PrivateFiles.makeFolder(directory)
            let path = try newFile()
            var configuration = Configuration()
            configuration.label = "apus.session"
            configuration.busyMode = .timeout(5)
            configuration.journalMode = .wal
            configuration.prepareDatabase { db in
                // A recorded exchange was promised to survive, so every commit is synced.
                try db.execute(sql: "PRAGMA synchronous = FULL")
            }
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.write { db in try db.execute(sql: SessionFile.schema) }
            self.queue = queue
            self.path = path
            return queue
        } catch {
            throw RecordingError(.open, path: directory, detail: String(describing: error))
        }
    }

    private func newFile() throws -> String {
        let now = clock()
        for number in 1...1000 {
            let path = "\(directory)/\(SessionFile.name(at: now, number: number))"
            if try PrivateFiles.makeFile(path) { return path }
        }
        throw RecordingError(.open, path: directory, detail: "1000 sessions began in this second")
    }
}
