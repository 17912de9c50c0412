import Apus
import Documents
import FoundationEssentials
import Recordings
import Terminal

/// Recorded exchanges in lines with aligned columns.
struct ExchangeTable {
    private let rows: [[String]]
    private let requests: [String]

    init(_ exchanges: [RecordedExchange], errors: [RecordedExchange.ID: String], now: Date) {
        rows = exchanges.map { exchange in
            [
                String(exchange.id), Self.time(exchange.started, now: now),
                exchange.origin.environment ?? "", exchange.status.map { String($0) } ?? "---",
                exchange.source ?? "", Readable.duration(exchange.duration),
                exchange.source == nil ? "" : Readable.bytes(exchange.size),
            ]
        }
        requests = exchanges.map { exchange in
            let error = errors[exchange.id].map { ": \($0)" } ?? ""
            let note = exchange.note.map { "  (\($0))" } ?? ""
            return "\(exchange.request)\(error)\(note)"
        }
    }

    /// A line for each exchange.
    var lines: [String] { AlignedColumns.lines(rows, endingWith: requests) }

    /// Reports that there is no exchange with this number; returns the exit status.
    static func tellNone(_ number: RecordedExchange.ID) -> Int32 {
        StandardError.write("apus: the history has no exchange \(number)")
        return ExitStatus.negative
    }

    /// "1 exchange", "12 exchanges".
    static func count(_ count: Int) -> String { count == 1 ? "1 exchange" : "\(count) exchanges" }

    /// The time of day, with the date unless it is today.
    static func time(_ date: Date, now: Date) -> String {
        let style = Date.ISO8601FormatStyle(timeZone: .local(at: date))
        let time = date.formatted(style.time(includingFractionalSeconds: false))
        let isToday =
            LocalTime(date, in: nil).dayNumber == LocalTime(now, in: nil).dayNumber
        return isToday ? time : "\(date.formatted(style.year().month().day())) \(time.prefix(5))"
    }
}

/// A recorded exchange as the members of a JSON object, version 1.
enum ExchangeJSON {
    static func members(
        of exchange: RecordedExchange,
        session: String?,
        error: String?
    ) -> ResponseJSON.Members {
        let origin = exchange.origin
        return [
            ("number", JSON(exchange.id)), ("started", time(exchange.started)),
            ("session", text(session)), ("target", text(origin.target)),
            ("workspace", text(origin.workspace)), ("environment", text(origin.environment)),
            ("run", origin.run.map { JSON($0.number) } ?? .null),
            ("place", origin.place.map { JSON($0) } ?? .null), ("step", text(origin.step)),
            ("method", JSON(exchange.request.method)), ("url", JSON(exchange.request.url)),
            ("status", exchange.status.map { JSON($0) } ?? .null),
            (
                "error",
                exchange.errorCode.map { code in
                    JSON(members: [("reason", JSON(code)), ("message", text(error))])
                } ?? .null
            ),
            ("source", text(exchange.source)),
            ("milliseconds", ResponseJSON.milliseconds(exchange.duration)),
            ("size", JSON(exchange.size)), ("attempts", JSON(exchange.attempts)),
            ("marked", JSON(exchange.isMarked)), ("note", text(exchange.note)),
        ]
    }

    /// ISO 8601, to the millisecond; null for nil.
    static func time(_ date: Date?) -> JSON {
        date.map { JSON($0.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))) }
            ?? .null
    }

    private static func text(_ text: String?) -> JSON { text.map { JSON($0) } ?? .null }
}
