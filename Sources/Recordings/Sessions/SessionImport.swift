import Apus
public import FoundationEssentials
import Glibc
package import HTTPTypes
import SQLite
import Synchronization

/// Why a session cannot be read from, or written to, a file or folder.
public struct SessionFileError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The path of the file or folder.
    public let path: String
    /// Where in it: "entry 3, request.url", "line 12"; nil if the fault concerns all of it.
    public let place: String?
    /// What is wrong, in words.
    public let detail: String

    package init(_ path: String, at place: String? = nil, _ detail: String) {
        (self.path, self.place, self.detail) = (path, place, detail)
    }

    /// Path, place and detail: "x.har: entry 3, request.url: not a valid URL".
    public var description: String {
        [path, place, detail].compactMap(\.self).joined(separator: ": ")
    }

    /// The same; also returned by `localizedDescription`.
    public var errorDescription: String? { description }
}

/// A session that was imported from a file or folder.
public struct ImportedSession: Sendable, Hashable {
    /// Identifies the session in the history that it was imported into.
    public let id: RecordedSession.ID
    /// The session's name: the given one, the one in the file, or that of the file.
    public let name: String
    /// The number of its exchanges.
    public let count: Int
    /// What was left out, one sentence for each kind.
    public let remarks: [String]
}

/// The exchanges of a source that cannot be read, which are left out.
private final class FaultyExchanges: Sendable {
    /// The most faults that are reported one by one.
    private static let toldLimit = 20

    private let faults = Mutex((told: [SessionFileError](), count: 0))

    /// The exchanges without those that cannot be read; if there are no others, the first fault.
    func removed(
        from exchanges: AnySequence<Result<ImportedExchange, SessionFileError>>
    ) -> AnySequence<Result<ImportedExchange, SessionFileError>> {
        AnySequence { [faults = self] in
            let source = exchanges.makeIterator()
            var isEmpty = true
            return AnyIterator {
                while let next = source.next() {
                    guard case .failure(let fault) = next else {
                        isEmpty = false
                        return next
                    }
                    faults.note(fault)
                }
                defer { isEmpty = false }
                return isEmpty ? faults.first.map { .failure($0) } : nil
            }
        }
    }

    private var first: SessionFileError? { faults.withLock(\.told).first }

    private func note(_ fault: SessionFileError) {
        faults.withLock { faults in
            faults.count += 1
            if faults.told.count < Self.toldLimit { faults.told.append(fault) }
        }
    }

    /// What was left out, one sentence for each.
    var remarks: [String] {
        let (told, count) = faults.withLock { $0 }
        let texts = told.map { fault in
            let place = fault.place.map { "\($0): " } ?? ""
            let file = fault.path.split(separator: "/").last ?? ""
            // The name of a folder's file says which exchange it is.
            let isEntry = fault.place?.hasPrefix("entry ") == true
            return "\(isEntry ? "" : "\(file): ")\(place)\(fault.detail): left out"
        }
        let rest = count - told.count
        return rest == 0 ? texts : texts + ["\(rest) more left out"]
    }
}

/// The state of an import.
private struct ImportProgress {
    let session: RecordedSession.ID
    var runs: [Int: RecordedRun.ID] = [:]
    var count = 0
    var isWhole = false
}

extension History {
    /// How long a transaction may take before others get to write.
    private static let importPatience = Duration.seconds(1)
    /// The pause between transactions in microseconds; SQLite retries a file in use at least every 100 ms.
    private static let importPause: UInt32 = 120_000

    /// Imports a HAR file, or a folder that ``exportSession(_:toFolder:)`` wrote, as a new session.
    ///
    /// Secrets are masked as in recorded exchanges.
    ///
    /// - Parameters:
    ///   - path: the file or folder. It need not be trusted.
    ///   - name: the session's name; nil for the name in the file, or else the name of the file.
    /// - Returns: the session.
    /// - Throws: ``SessionFileError`` if none of its exchanges can be read, with the position of the first mistake,
    ///   ``RecordingError`` if the history cannot be written, `CancellationError`. No session is made then.
    public func importSession(
        from path: String,
        named name: String? = nil
    ) async throws -> ImportedSession {
        try await importSession(from: SessionSource(path), named: name) { _ in nil }
    }

    /// Imports a session from a source that has already been opened.
    ///
    /// - Parameters:
    ///   - source: the source.
    ///   - name: the session's name; nil for the source's name.
    ///   - isKnown: returns the fault to throw if a session with this name exists; nil to allow it.
    /// - Returns: the session.
    /// - Throws: the same as ``importSession(from:named:)``.
    package func importSession(
        from source: SessionSource,
        named name: String?,
        isKnown: @escaping @Sendable (_ name: String) -> SessionFileError?
    ) async throws -> ImportedSession {
        let name = try name ?? source.name()
        let leftOut = FaultyExchanges()
        let imported = try await importing(as: name, isKnown: isKnown) {
            leftOut.removed(from: try source.exchanges())
        }
        return ImportedSession(
            id: imported.session,
            name: name,
            count: imported.count,
            remarks: source.remarks + leftOut.remarks
        )
    }

    /// Imports exchanges as a new session: either all of them, or no session is made.
    func importing(
        as name: String,
        patience: Duration = importPatience,
        isKnown: @escaping @Sendable (_ name: String) -> SessionFileError? = { _ in nil },
        _ exchanges:
            @escaping @Sendable () throws -> AnySequence<Result<ImportedExchange, SessionFileError>>
    ) async throws -> (session: RecordedSession.ID, count: Int) {
        let isCancelled = Mutex(false)
        return try await withTaskCancellationHandler {
            try await writing { [self] pool -> Result<ImportProgress, any Error> in
                do {
                    let exchanges = try exchanges().makeIterator()
                    return .success(
                        try importAll(as: name, pool, patience, isKnown) {
                            if isCancelled.withLock(\.self) { throw CancellationError() }
                            return try exchanges.next()?.get()
                        }
                    )
                } catch {
                    // The rollback has undone the new numbers too.
                    state.withLock { $0.numbers = [:] }
                    guard error is SessionFileError || error is CancellationError else {
                        throw error
                    }
                    return .failure(error)
                }
            }.map { ($0.session, $0.count) }.get()
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    /// Imports in several transactions, so that others can record in between.
    ///
    /// Until the last one, the session's name says that it is incomplete, in case this process is killed.
    private func importAll(
        as name: String,
        _ pool: DatabasePool,
        _ patience: Duration,
        _ isKnown: (_ name: String) -> SessionFileError?,
        _ nextExchange: () throws -> ImportedExchange?
    ) throws -> ImportProgress {
        var committed: ImportProgress?
        do {
            var exchange = try nextExchange()
            while true {
                let part = try pool.write { db in
                    var part = try committed ?? beginImport(of: name, isKnown, db)
                    // Numbers are indexed in order, so take in first what others have recorded in between.
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
            // If the session cannot be deleted either, its name says that it is incomplete.
            if let session = committed?.session { _ = try? delete(session, in: pool) }
            throw error
        }
    }

    private func beginImport(
        of name: String,
        _ isKnown: (_ name: String) -> SessionFileError?,
        _ db: Database
    ) throws -> ImportProgress {
        let names = "SELECT 1 FROM session WHERE name = ?"
        if let fault = isKnown(name),
            try Bool.fetchOne(db, sql: names, arguments: [name]) == true
        {
            throw fault
        }
        let unfinished = "\(name) (import incomplete)"
        return ImportProgress(session: try Self.insertSession(named: unfinished, at: now, db))
    }

    private func endImport(of name: String, _ part: inout ImportProgress, _ db: Database) throws {
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
        into part: inout ImportProgress,
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
        let id = try Inbox.takeNumbers(1, in: db)
        var row = try bytes.withUnsafeBytes { try WaitingRow(reading: $0) }
        try row.insert(as: id, bodies, into: db)
        guard exchange.note != nil || exchange.isMarked else { return }
        try db.execute(
            sql: "UPDATE exchange SET note = ?, marked = ? WHERE id = ?",
            arguments: [exchange.note, exchange.isMarked, id]
        )
    }
}

/// An exchange to import from a file or folder.
package struct ImportedExchange: Sendable {
    package var record: ExchangeRecord
    package var note: String?
    package var isMarked = false
    /// The run that it belongs to, with the run's number in the file; nil if it belongs to none.
    package var run: (number: Int, kind: RecordedRun.Kind, name: String)?

    package init(_ record: ExchangeRecord) { self.record = record }
}

/// The facts of an imported exchange that a `Result` of this process cannot express.
package struct ImportedFacts: Sendable {
    package var errorCode: Int?
    package var errorText: String?
    package var decision: String?
    package var source: String?
    /// The sizes of missing bodies, in bytes.
    package var unkeptSize: Int?
    package var unkeptRequestSize: Int?
    /// The response's body, if it is left where the session is pulled from.
    package var remoteBody: RemoteBody?
    /// The header lines after the body.
    package var trailers: [String] = []
    /// The header lines that are not valid fields.
    package var malformedLines: [String] = []
    /// The interim responses before the final one.
    package var interimResponses: [HTTPResponse] = []
}

extension ExchangeRecord {
    /// Changes the response, if there is one.
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

    /// Completes the result of an imported exchange: sets its irregular lines and interim responses, and makes
    /// it an error if it was one.
    mutating func settleResult() {
        let (malformed, trailers) = (imported.malformedLines, imported.trailers)
        if !malformed.isEmpty || !trailers.isEmpty {
            changeMetrics {
                $0.irregularHeaderLines = malformed + trailers
                $0.trailerCount = trailers.count
            }
        }
        if case let responses = imported.interimResponses, !responses.isEmpty {
            changeMetrics { $0.interimResponses = responses }
        }
        guard imported.errorCode != nil, case .success(let response) = result else { return }
        result = .failure(ApusError(.transport(code: 0, detail: ""), response: response))
    }
}

/// The source of an imported session: a HAR file, which is already parsed, or a folder.
package struct SessionSource: Sendable {
    private let path: String
    /// Nil for a folder.
    private let har: HARReader?
    private let remote: [String: RemoteBody]

    /// Opens a source: parses a HAR file, while the files of a folder are read one by one later.
    ///
    /// - Parameters:
    ///   - path: the file or folder.
    ///   - remote: the bodies of responses that are not in the folder, by the names of their files.
    /// - Throws: ``SessionFileError`` if a HAR file cannot be read.
    package init(_ path: String, remote: [String: RemoteBody] = [:]) throws(SessionFileError) {
        (self.path, self.remote) = (path, remote)
        har = SessionFolder.isFolder(path) ? nil : try HARReader(path: path)
    }

    /// The session's name; for a HAR file without one, the name of the file.
    func name() throws(SessionFileError) -> String {
        guard let har else { return try SessionFolder(path).session() }
        let file = path.split(separator: "/").last ?? ""
        return har.session ?? String(file.hasSuffix(".har") ? file.dropLast(4) : file)
    }

    /// What is left out, one sentence for each kind.
    var remarks: [String] {
        guard let har else { return [] }
        var remarks = har.leftOut.sorted { $0.key < $1.key }.map { scheme, count in
            "\(count) \(count == 1 ? "entry" : "entries") "
                + (scheme.isEmpty ? "without a URL: left out" : "of \(scheme): left out")
        }
        if case let count = har.webSockets, count > 0 {
            remarks.append("the messages of \(count) WebSocket\(count == 1 ? "" : "s") left out")
        }
        return remarks
    }

    /// The exchanges in order, and the faults of those that cannot be read.
    func exchanges() throws(SessionFileError) -> AnySequence<
        Result<ImportedExchange, SessionFileError>
    > {
        if let har { return AnySequence(har) }
        return AnySequence(try SessionFolder(path, remote: remote).exchanges())
    }
}
