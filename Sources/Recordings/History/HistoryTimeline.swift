import Apus
package import FoundationEssentials
import SQLite

/// An entry of the history list: a single exchange, or a batch, chain or watch with all of its exchanges.
package enum HistoryEntry: Sendable, Hashable {
    case exchange(RecordedExchange)
    case run(RecordedRun)

    /// When it began.
    package var started: Date {
        switch self {
        case .exchange(let exchange): exchange.started
        case .run(let run): run.started
        }
    }
}

/// A page of history entries, newest first.
package struct HistoryPage: Sendable {
    /// The entries, newest first.
    package var entries: [HistoryEntry] = []
    /// The error texts of the exchanges that failed.
    package var errors: [RecordedExchange.ID: String] = [:]
    /// Where the next page begins; nil if this is the last page.
    package var next: HistoryPosition?

    package init() {}
}

/// A position between the entries of a history.
package struct HistoryPosition: Sendable, Hashable {
    /// The next exchanges are those before this one.
    package var exchange: Int64 = .max
    /// The next runs are those before this one.
    package var run: Int64 = .max

    /// The position before the newest entry.
    package static let newest = HistoryPosition()
}

/// Exchanges that repeat the same request over time: of one target in one environment, or with the same key.
package enum ExchangeSeries: Sendable, Hashable {
    /// The exchanges of a target. `path` is the part of the URL after the host, because a target may be sent
    /// with different parameters; nil for any path.
    case target(String, workspace: String?, environment: String?, path: String?)
    /// The exchanges with the same replay key as this one.
    case like(RecordedExchange.ID)

    /// The series that an exchange belongs to.
    package init(_ exchange: RecordedExchange) {
        let origin = exchange.origin
        self =
            origin.target.map {
                .target(
                    $0,
                    workspace: origin.workspace,
                    environment: origin.environment,
                    path: exchange.requestTarget
                )
            } ?? .like(exchange.id)
    }
}

extension History {
    /// A page of the history list.
    ///
    /// Without a filter, each batch, chain or watch is one entry. With a filter, the page has the single
    /// exchanges that match, including those of runs.
    package func page(
        matching filter: HistoryFilter? = nil,
        before position: HistoryPosition = .newest,
        limit: Int = 100
    ) async throws(RecordingError) -> HistoryPage {
        var page = HistoryPage()
        if let filter {
            let found = try await exchanges(
                matching: filter,
                before: position.exchange,
                limit: limit
            )
            page.entries = found.map { .exchange($0) }
            page.next = found.count < limit ? nil : found.last.map { .init(exchange: $0.id) }
        } else {
            page = try await lines(before: position, limit: limit)
        }
        page.errors = try await errorTexts(of: page.entries.compactMap(\.exchange))
        return page
    }

    private func lines(
        before position: HistoryPosition,
        limit: Int
    ) async throws(RecordingError) -> HistoryPage {
        try await read { db in
            let exchanges = try Row.fetchAll(
                db,
                sql: """
                    SELECT \(ExchangeReader.columns) FROM exchange WHERE run IS NULL AND id < ?
                    ORDER BY id DESC LIMIT ?
                    """,
                arguments: [position.exchange, limit]
            ).map { HistoryEntry.exchange(try ExchangeReader.exchange($0)) }
            let runs = try Row.fetchAll(
                db,
                sql: "SELECT * FROM run WHERE count > 0 AND id < ? ORDER BY id DESC LIMIT ?",
                arguments: [position.run, limit]
            ).compactMap { try Self.run($0).map { HistoryEntry.run($0) } }
            return Self.merged(exchanges, runs, after: position, limit: limit)
        }
    }

    /// Merges exchanges and runs, the later one first; each list keeps its own order.
    private static func merged(
        _ exchanges: [HistoryEntry],
        _ runs: [HistoryEntry],
        after position: HistoryPosition,
        limit: Int
    ) -> HistoryPage {
        var page = HistoryPage()
        var next = position
        var (exchanges, runs) = (exchanges[...], runs[...])
        while page.entries.count < limit {
            let isRun =
                switch (exchanges.first, runs.first) {
                case (let exchange?, let run?): run.started > exchange.started
                case (nil, _?): true
                case (_, nil): false
                }
            guard let entry = isRun ? runs.popFirst() : exchanges.popFirst() else { return page }
            page.entries.append(entry)
            switch entry {
            case .exchange(let exchange): next.exchange = exchange.id
            case .run(let run): next.run = run.id.number
            }
        }
        page.next = next
        return page
    }

    /// The newest exchanges of a series, newest first; with an end, only those before it.
    package func exchanges(
        in series: ExchangeSeries,
        before end: RecordedExchange.ID? = nil,
        limit: Int
    ) async throws(RecordingError) -> [RecordedExchange] {
        try await rows(of: series, "id < ? ORDER BY id DESC", end ?? .max, limit)
    }

    /// The exchange of a series that follows another; nil after the newest.
    package func exchange(
        in series: ExchangeSeries,
        after start: RecordedExchange.ID
    ) async throws(RecordingError) -> RecordedExchange? {
        try await rows(of: series, "id > ? ORDER BY id", start, 1).first
    }

    private func rows(
        of series: ExchangeSeries,
        _ condition: String,
        _ id: Int64,
        _ limit: Int
    ) async throws(RecordingError) -> [RecordedExchange] {
        let membership: String
        var arguments: StatementArguments
        switch series {
        case .target(let target, let workspace, let environment, let path):
            membership = """
                target = ? AND workspace IS ? AND environment IS ?
                AND (?4 IS NULL OR substr(url, length(url) - length(?4) + 1) = ?4)
                """
            arguments = [target, workspace, environment, path]
        case .like(let other):
            membership = "key = (SELECT key FROM exchange WHERE id = ?)"
            arguments = [other]
        }
        arguments += [id, limit]
        let sql = """
            SELECT \(ExchangeReader.columns) FROM exchange WHERE (\(membership)) AND \(condition) LIMIT ?
            """
        return try await read { [arguments] db in
            try Row.fetchAll(db, sql: sql, arguments: arguments).map(ExchangeReader.exchange)
        }
    }

    /// The number of exchanges of a session.
    package func count(
        of session: RecordedSession.ID
    ) async throws(RecordingError) -> Int {
        try await read { db in
            try Int.fetchOne(
                db,
                sql: "SELECT count(*) FROM exchange WHERE session = ?",
                arguments: [session.number]
            ) ?? 0
        }
    }
}

extension RecordedExchange {
    /// The part of the URL after the host: "/users/7".
    package var requestTarget: String { RecordedURL(request.url)?.path ?? request.url }
}

extension HistoryEntry {
    /// The exchange; nil for a run.
    package var exchange: RecordedExchange? {
        if case .exchange(let exchange) = self { exchange } else { nil }
    }
}
