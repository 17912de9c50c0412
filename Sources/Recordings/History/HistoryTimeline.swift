import Apus
package import FoundationEssentials
import GRDB

/// A line of a history: an exchange of its own, or a batch or a chain with all of its exchanges.
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

/// A part of a history's lines, the newest first.
package struct HistoryPage: Sendable {
    /// The lines.
    package var entries: [HistoryEntry] = []
    /// Why those failed that did, in words.
    package var errors: [RecordedExchange.ID: String] = [:]
    /// Where the next page begins; nil behind the last.
    package var next: HistoryPosition?

    package init() {}
}

/// A place between the lines of a history.
package struct HistoryPosition: Sendable, Hashable {
    /// Exchanges before this one come next.
    package var exchange: Int64 = .max
    /// Runs before this one come next.
    package var run: Int64 = .max

    /// Before the newest line.
    package static let newest = HistoryPosition()
}

/// Answers to the same question over time: of one target in one environment, or to one request.
package enum ExchangeSeries: Sendable, Hashable {
    /// `path` is what the URL says after the host, for a target is sent with other parameters, too; nil for
    /// all of them.
    case target(String, workspace: String?, environment: String?, path: String?)
    /// Requests with the key of this one.
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
    /// A page of what a person reads: batches and chains as one line each; with a filter, the exchanges
    /// that pass, wherever they stand.
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
                    SELECT \(WholeRow.columns) FROM exchange WHERE run IS NULL AND id < ?
                    ORDER BY id DESC LIMIT ?
                    """,
                arguments: [position.exchange, limit]
            ).map { HistoryEntry.exchange(try WholeRow.exchange($0)) }
            let runs = try Row.fetchAll(
                db,
                sql: "SELECT * FROM run WHERE count > 0 AND id < ? ORDER BY id DESC LIMIT ?",
                arguments: [position.run, limit]
            ).compactMap { try Self.run($0).map { HistoryEntry.run($0) } }
            return Self.merged(exchanges, runs, after: position, limit: limit)
        }
    }

    /// Each in its own order; between the two the later comes first.
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

    /// The newest exchanges of a series, the newest first; with an end only those before it.
    package func exchanges(
        in series: ExchangeSeries,
        before end: RecordedExchange.ID? = nil,
        limit: Int
    ) async throws(RecordingError) -> [RecordedExchange] {
        try await rows(of: series, "id < ? ORDER BY id DESC", end ?? .max, limit)
    }

    /// The exchange of a series that follows one; nil behind the newest.
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
            SELECT \(WholeRow.columns) FROM exchange WHERE (\(membership)) AND \(condition) LIMIT ?
            """
        return try await read { [arguments] db in
            try Row.fetchAll(db, sql: sql, arguments: arguments).map(WholeRow.exchange)
        }
    }

    /// How many exchanges a session has.
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
    /// What the URL says after the host: "/users/7".
    package var requestTarget: String { RecordedURL(request.url)?.path ?? request.url }
}

extension HistoryEntry {
    /// The exchange, if it is one of its own.
    package var exchange: RecordedExchange? {
        if case .exchange(let exchange) = self { exchange } else { nil }
    }
}
