import Apus
import Documents
import FoundationEssentials
import GRDB
import Glibc
import HTTPTypes
import Synchronization

/// Why a session cannot be read from a file or a folder, or not be written to one.
public struct SessionFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file or the folder.
    public let path: String
    /// Where in it: "entry 3, request.url", "line 12"; nil for all of it.
    public let place: String?
    /// What is wrong.
    public let detail: String

    package init(_ path: String, at place: String? = nil, _ detail: String) {
        (self.path, self.place, self.detail) = (path, place, detail)
    }

    /// "x.har: entry 3, request.url: this is no URL".
    public var description: String {
        [path, place, detail].compactMap(\.self).joined(separator: ": ")
    }
}

/// An exchange that comes from elsewhere.
package struct ImportedExchange: Sendable {
    package var record: ExchangeRecord
    package var note: String?
    package var isMarked = false
    /// The batch or chain that it belongs to, by its number in the file.
    package var run: (number: Int, kind: RecordedRun.Kind, name: String)?

    package init(_ record: ExchangeRecord) { self.record = record }
}

/// What another history, or a browser, knew of an exchange, and a result cannot say.
package struct ImportedFacts: Sendable {
    package var errorCode: Int?
    package var errorText: String?
    package var decision: String?
    package var source: String?
    /// The sizes of bodies that are missing.
    package var unkeptSize: Int?
    package var unkeptRequestSize: Int?
    /// The header lines that are no fields of the head.
    package var trailers: [String] = []
}

/// A session that came from a file or a folder.
public struct ImportedSession: Sendable, Hashable {
    /// The session.
    public let id: RecordedSession.ID
    /// Its name.
    public let name: String
    /// How many exchanges it has.
    public let count: Int
    /// What was left out, a sentence each.
    public let remarks: [String]
}

/// A session as far as it was imported.
private struct PartlyImported {
    let session: RecordedSession.ID
    var runs: [Int: RecordedRun.ID] = [:]
    var count = 0
    var isWhole = false
}

extension History {
    /// After a transaction of this length others may write.
    private static let importPatience = Duration.seconds(1)
    /// SQLite asks for a file that is in use at least each 100 ms.
    private static let importPause: UInt32 = 120_000

    /// Makes a new session of a HAR file, or of a folder that ``exportSession(_:toFolder:)`` wrote.
    ///
    /// Secrets are masked as those of what is recorded.
    ///
    /// - Parameters:
    ///   - path: the file or the folder, which may be anybody's.
    ///   - name: the session's name; nil for the one that it had, or that of the file.
    /// - Returns: the session.
    /// - Throws: ``SessionFault`` with the place of what is wrong, ``RecordingError`` if it cannot be
    ///   written, `CancellationError`; there is no new session then.
    public func importSession(
        from path: String,
        named name: String? = nil
    ) async throws -> ImportedSession {
        try await importSession(from: SessionSource(path), named: name) { _ in nil }
    }

    /// The same of what was read before, where a name that a session has already may be a fault.
    package func importSession(
        from source: SessionSource,
        named name: String?,
        isKnown: @escaping @Sendable (_ name: String) -> SessionFault?
    ) async throws -> ImportedSession {
        let name = try name ?? source.name()
        let imported = try await importing(as: name, isKnown: isKnown) { try source.exchanges() }
        return ImportedSession(
            id: imported.session,
            name: name,
            count: imported.count,
            remarks: source.remarks
        )
    }

    /// Makes a new session of exchanges from elsewhere: all of them, or there is none.
    func importing(
        as name: String,
        patience: Duration = importPatience,
        isKnown: @escaping @Sendable (_ name: String) -> SessionFault? = { _ in nil },
        _ exchanges:
            @escaping @Sendable () throws -> AnySequence<Result<ImportedExchange, SessionFault>>
    ) async throws -> (session: RecordedSession.ID, count: Int) {
        let isCancelled = Mutex(false)
        return try await withTaskCancellationHandler {
            try await writing { [self] pool -> Result<PartlyImported, any Error> in
                do {
                    let exchanges = try exchanges().makeIterator()
                    return .success(
                        try importAll(as: name, pool, patience, isKnown) {
                            if isCancelled.withLock(\.self) { throw CancellationError() }
                            return try exchanges.next()?.get()
                        }
                    )
                } catch {
                    // The transaction was rolled back, and with it the new numbers.
                    state.withLock { $0.numbers = [:] }
                    guard error is SessionFault || error is CancellationError else { throw error }
                    return .failure(error)
                }
            }.map { ($0.session, $0.count) }.get()
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    /// Writes in parts, so that others record in between.
    ///
    /// Until the last one the session's name says that it is not whole: this process may be killed.
    private func importAll(
        as name: String,
        _ pool: DatabasePool,
        _ patience: Duration,
        _ isKnown: (_ name: String) -> SessionFault?,
        _ nextExchange: () throws -> ImportedExchange?
    ) throws -> PartlyImported {
        var committed: PartlyImported?
        do {
            var exchange = try nextExchange()
            while true {
                let part = try pool.write { db in
                    var part = try committed ?? beginImport(of: name, isKnown, db)
                    // Numbers are indexed in their order: what others recorded in between has lower ones.
                    if let end = try Inbox.last(in: db) {
                        _ = try Inbox.takeIn(upTo: end, atOnce: .max, bodies, db)
                    }
                    let end = ContinuousClock.now + patience
                    while let one = exchange {
                        try insert(one, into: &part, db)
                        guard .now < end else { return part }
                        exchange = try nextExchange()
                    }
                    try endImport(of: name, &part, db)
                    return part
                }
                committed = part
                if part.isWhole { return part }
                exchange = try nextExchange()
                usleep(Self.importPause)
            }
        } catch {
            // What cannot be deleted either has a name that says what it is.
            if let session = committed?.session { _ = try? delete(session, in: pool) }
            throw error
        }
    }

    private func beginImport(
        of name: String,
        _ isKnown: (_ name: String) -> SessionFault?,
        _ db: Database
    ) throws -> PartlyImported {
        let names = "SELECT 1 FROM session WHERE name = ?"
        if let fault = isKnown(name),
            try Bool.fetchOne(db, sql: names, arguments: [name]) == true
        {
            throw fault
        }
        let unfinished = "\(name) (not all of it was imported)"
        return PartlyImported(session: try Self.insertSession(named: unfinished, at: now, db))
    }

    private func endImport(of name: String, _ part: inout PartlyImported, _ db: Database) throws {
        let session = part.session.number
        try db.execute(
            sql: "UPDATE session SET ended = ?, name = ? WHERE id = ?",
            arguments: [now, name, session]
        )
        try db.execute(
            sql: "UPDATE run SET ended = ? WHERE session = ?",
            arguments: [now, session]
        )
        part.isWhole = true
    }

    private func insert(
        _ exchange: ImportedExchange,
        into part: inout PartlyImported,
        _ db: Database
    ) throws {
        part.count += 1
        var record = exchange.record
        if let run = exchange.run {
            if part.runs[run.number] == nil {
                part.runs[run.number] = try Self.insertRun(
                    run.kind,
                    named: run.name,
                    record.origin.environment,
                    nil,
                    in: part.session,
                    at: now,
                    db
                )
            }
            record.origin.run = part.runs[run.number]
        }
        let bytes = try row(of: .record(record, part.session), db)
        let last = try Int64.fetchOne(
            db.cachedStatement(sql: "UPDATE total SET last = last + 1 RETURNING last")
        )
        guard let id = last else { throw BodyStore.Damage(description: "the history has no total") }
        var row = try bytes.withUnsafeBytes { try WaitingRow(reading: $0) }
        try row.insert(as: id, bodies, into: db)
        guard exchange.note != nil || exchange.isMarked else { return }
        try db.cachedStatement(sql: "UPDATE exchange SET note = ?, marked = ? WHERE id = ?")
            .execute(arguments: [exchange.note, exchange.isMarked, id])
    }

    /// Gives a session's exchanges, the oldest first, with the batch or chain that each belongs to, by its
    /// number from 1.
    package func forEachWhole(
        of exchanges: [RecordedExchange],
        _ body: (RecordedWhole, _ run: (Int, RecordedRun)?) async throws -> Void
    ) async throws {
        var runs: [RecordedRun.ID: (Int, RecordedRun)] = [:]
        for exchange in exchanges {
            try Task.checkCancellation()
            if let id = exchange.origin.run, runs[id] == nil, let run = try await run(id) {
                runs[id] = (runs.count + 1, run)
            }
            guard let whole = try await self.exchange(exchange.id) else { continue }
            try await body(whole, exchange.origin.run.flatMap { runs[$0] })
        }
    }

    /// All exchanges that a filter lets pass, the oldest first.
    ///
    /// - Throws: ``RecordingError`` also if some wait that cannot be read now.
    package func all(matching filter: HistoryFilter) async throws -> [RecordedExchange] {
        try await takeInAll()
        var found: [RecordedExchange] = []
        while true {
            let page = try await exchanges(matching: filter, before: found.last?.id, limit: 1000)
            found += page
            if page.count < 1000 { return found.reversed() }
        }
    }

    /// Writes a session as a folder of text files, one for an exchange, that is read well, compared well
    /// by version control, and imported again.
    ///
    /// - Parameters:
    ///   - session: the session.
    ///   - path: a new folder, an empty one, or one that a session was written to, which is replaced.
    /// - Throws: ``SessionFault``, ``RecordingError``.
    public func exportSession(_ session: RecordedSession.ID, toFolder path: String) async throws {
        let name = try await sessions().first { $0.id == session }?.name
        var filter = HistoryFilter()
        filter.session = session
        try await export(try await all(matching: filter), of: name ?? "", toFolder: path)
    }

    package func export(
        _ exchanges: [RecordedExchange],
        of session: String,
        toFolder path: String
    ) async throws {
        let folder = SessionFolder(path)
        try folder.begin(session: session)
        var number = 0
        try await forEachWhole(of: exchanges) { whole, run in
            number += 1
            try folder.add(whole, number: number, of: exchanges.count, run: run)
        }
    }

    /// Writes exchanges as HAR 1.2, an entry in a line.
    package func exportHAR(
        _ exchanges: [RecordedExchange],
        of session: String,
        creator version: String,
        to write: ([UInt8]) throws -> Void
    ) async throws {
        try write(Array(HARWriter.begin(session: session, creator: version).utf8))
        var isFirst = true
        try await forEachWhole(of: exchanges) { whole, run in
            for entry in try HARWriter(whole, run: run).entries() {
                if !isFirst { try write(Array(HARWriter.separator.utf8)) }
                isFirst = false
                try write(try entry.bytes())
            }
        }
        try write(Array(HARWriter.end.utf8))
    }
}

extension ExchangeRecord {
    /// Changes the answer, if there is one.
    mutating func changeResponse(_ change: (inout Response) -> Void) {
        switch result {
        case .success(var response):
            change(&response)
            result = .success(response)
        case .failure(var error):
            guard var response = error.response else { return }
            change(&response)
            error.response = response
            result = .failure(error)
        }
    }

    mutating func changeMetrics(_ change: (inout TransferMetrics) -> Void) {
        changeResponse { response in
            var metrics = response.metrics ?? TransferMetrics()
            change(&metrics)
            response.metrics = metrics
        }
    }

    /// The result as far as an imported one has it: an error where there was one.
    mutating func settleResult() {
        if case let lines = imported.trailers, !lines.isEmpty {
            changeMetrics { $0.irregularHeaderLines = lines }
        }
        guard imported.errorCode != nil, case .success(let response) = result else { return }
        result = .failure(ApusError(.transport(code: 0, detail: ""), response: response))
    }
}
