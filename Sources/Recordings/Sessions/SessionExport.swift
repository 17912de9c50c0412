import Documents

extension History {
    /// Calls `body` with each exchange in full, in the given order, and with the run that it belongs to.
    ///
    /// Runs are numbered from 1. Bodies that are not here yet are fetched. Exchanges that were deleted meanwhile are
    /// skipped, and bodies that are damaged or cannot be fetched are left out: `damaged` is called with the exchange and with what is missing.
    package func forEachWhole(
        of exchanges: [RecordedExchange],
        damaged: (RecordedExchange.ID, String) -> Void = { _, _ in },
        _ body: (ExchangeDetails, _ run: (Int, RecordedRun)?) async throws -> Void
    ) async throws {
        var runs: [RecordedRun.ID: (Int, RecordedRun)] = [:]
        for exchange in exchanges {
            try Task.checkCancellation()
            if let id = exchange.origin.run, runs[id] == nil, let run = try await run(id) {
                runs[id] = (runs.count + 1, run)
            }
            var read: ExchangeDetails?
            do {
                read = try await fetchedExchange(exchange.id)
            } catch {
                guard error.isOfRow else { throw error }
                damaged(exchange.id, "it is damaged and left out: \(error.detail)")
            }
            guard let whole = read else { continue }
            for damage in whole.damage { damaged(exchange.id, damage) }
            try await body(whole, exchange.origin.run.flatMap { runs[$0] })
        }
    }

    /// All exchanges that match a filter, oldest first.
    ///
    /// - Throws: ``RecordingError``, also if another process keeps those in the inbox from being taken in.
    package func all(matching filter: HistoryFilter) async throws -> [RecordedExchange] {
        do {
            try await takeInAll()
        } catch {
            // If it is not another process that keeps them there, a copy is read instead.
            guard !error.isBusy, await canReadInbox() else { throw error }
        }
        var found: [RecordedExchange] = []
        while true {
            let page = try await exchanges(matching: filter, before: found.last?.id, limit: 1000)
            found += page
            if page.count < 1000 { return found.reversed() }
        }
    }

    /// Writes a session as a folder of text files, one for each exchange.
    ///
    /// The files are easy to read, version control can compare them, and they can be imported again.
    ///
    /// - Parameters:
    ///   - session: the session.
    ///   - path: a new or empty folder, or one with an exported session, which is replaced.
    /// - Throws: ``SessionFileError`` if the folder cannot be written, ``RecordingError`` if the history cannot be
    ///   read.
    public func exportSession(_ session: RecordedSession.ID, toFolder path: String) async throws {
        let name = try await sessions().first { $0.id == session }?.name
        var filter = HistoryFilter()
        filter.session = session
        try await export(try await all(matching: filter), of: name ?? "", toFolder: path)
    }

    package func export(
        _ exchanges: [RecordedExchange],
        of session: String,
        toFolder path: String,
        damaged: (RecordedExchange.ID, String) -> Void = { _, _ in }
    ) async throws {
        let folder = SessionFolder(path)
        try folder.begin(session: session)
        var number = 0
        try await forEachWhole(of: exchanges, damaged: damaged) { whole, run in
            number += 1
            try folder.add(whole, number: number, of: exchanges.count, run: run)
        }
    }

    /// Writes exchanges as HAR 1.2, one entry per line.
    package func exportHAR(
        _ exchanges: [RecordedExchange],
        of session: String,
        creator version: String,
        to write: ([UInt8]) throws -> Void,
        damaged: (RecordedExchange.ID, String) -> Void = { _, _ in }
    ) async throws {
        try write(Array(HARWriter.begin(session: session, creator: version).utf8))
        var isFirst = true
        try await forEachWhole(of: exchanges, damaged: damaged) { whole, run in
            for entry in try HARWriter(whole, run: run).entries() {
                if !isFirst { try write(Array(HARWriter.separator.utf8)) }
                isFirst = false
                try write(try entry.bytes())
            }
        }
        try write(Array(HARWriter.end.utf8))
    }
}
