import Apus
import Documents
import FoundationEssentials
import HTTPTypes

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

extension History {
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
        try await importSession(from: path, named: name) { _ in }
    }

    /// The same, once its name is known to be right.
    package func importSession(
        from path: String,
        named name: String?,
        checking check: (_ name: String) throws -> Void
    ) async throws -> ImportedSession {
        if SessionFolder.isFolder(path) {
            let folder = SessionFolder(path)
            let own = try name ?? folder.session()
            try check(own)
            return try await importing(folder.exchanges(), as: own)
        }
        let reader = try HARReader(path: path)
        let file = path.split(separator: "/").last ?? ""
        let title = file.hasSuffix(".har") ? file.dropLast(4) : file
        var remarks = reader.leftOut.sorted { $0.key < $1.key }.map { scheme, count in
            "\(count) \(count == 1 ? "entry" : "entries") of \(scheme): left out"
        }
        if reader.webSockets > 0 {
            let count = reader.webSockets
            remarks.append("the messages of \(count) WebSocket\(count == 1 ? "" : "s") left out")
        }
        let own = name ?? reader.session ?? String(title)
        try check(own)
        return try await importing(reader, as: own, remarks: remarks)
    }

    /// Makes a new session of exchanges from elsewhere.
    private func importing(
        _ exchanges: some Sequence<Result<ImportedExchange, SessionFault>>,
        as name: String,
        remarks: [String] = []
    ) async throws -> ImportedSession {
        let session = try await beginSession(named: name)
        var count = 0
        do {
            var marks: [Int: (note: String?, isMarked: Bool)] = [:]
            var runs: [Int: RecordedRun.ID] = [:]
            for exchange in exchanges {
                try Task.checkCancellation()
                var exchange = try exchange.get()
                if let run = exchange.run {
                    if runs[run.number] == nil {
                        runs[run.number] = try await beginRun(
                            run.kind,
                            named: run.name,
                            environment: exchange.record.origin.environment,
                            in: session
                        )
                    }
                    exchange.record.origin.run = runs[run.number]
                }
                if exchange.note != nil || exchange.isMarked {
                    marks[count] = (exchange.note, exchange.isMarked)
                }
                await record(exchange.record, in: session)
                count += 1
            }
            try await flush()
            for run in runs.values { try await end(run) }
            try await mark(marks, of: session, count)
            try await end(session)
        } catch {
            // Half a session is none; what failed is told, whatever becomes of the rest.
            try? await delete(session)
            throw error
        }
        return ImportedSession(id: session, name: name, count: count, remarks: remarks)
    }

    /// Notes and marks exchanges of a new session, by their places.
    private func mark(
        _ marks: [Int: (note: String?, isMarked: Bool)],
        of session: RecordedSession.ID,
        _ count: Int
    ) async throws(RecordingError) {
        guard !marks.isEmpty else { return }
        var filter = HistoryFilter()
        filter.session = session
        let ids = Array(try await exchanges(matching: filter, limit: count).map(\.id).reversed())
        for (place, mark) in marks where ids.indices.contains(place) {
            if let note = mark.note { try await self.note(note, on: ids[place]) }
            if mark.isMarked { try await self.mark(ids[place], true) }
        }
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
            if let id = exchange.origin.run, runs[id] == nil,
                let run = try await self.runs(before: .init(id.number + 1), limit: 1).first,
                run.id == id
            {
                runs[id] = (runs.count + 1, run)
            }
            guard let whole = try await self.exchange(exchange.id) else { continue }
            try await body(whole, exchange.origin.run.flatMap { runs[$0] })
        }
    }

    /// All exchanges that a filter lets pass, the oldest first.
    package func all(matching filter: HistoryFilter) async throws -> [RecordedExchange] {
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
        guard imported.errorCode != nil, case .success(let response) = result else { return }
        result = .failure(ApusError(.transport(code: 0, detail: ""), response: response))
    }
}
