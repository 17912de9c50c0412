import Apus
import Documents
public import FoundationEssentials

/// A search in a history, as a user types it: `status:5xx method:post after:yesterday "not found"`.
///
/// | Term | Matches |
/// |---|---|
/// | `status:404`, `status:5xx`, `status:400-499`, `status:error` | that status, class or range; a failure |
/// | `method:post` | that method |
/// | `host:`, `target:`, `env:`, `workspace:`, `url:` | names or URLs that contain the text |
/// | `source:cache`, `source:server`, … | responses from that source; `cache` is memory and disk |
/// | `after:`, `before:` | `2026-11-23`, `2026-11-23T15:30`, `15:30`, `today`, `yesterday`, `30m`, `2h`, `7d` |
/// | `session:NAME`, `is:marked`, `is:noted` | exchanges of that session, with a mark, with a note |
/// | `body:TEXT`, `note:TEXT` | bodies or notes that contain the text |
/// | anything else | exchanges with the text anywhere: method, URL, fields, bodies, error, note |
///
/// A value with spaces goes in quotation marks, and so does a text with a colon that looks like a term. An exchange must match all terms; only of several `status:`,
/// `method:`, `source:` or `session:` terms, one is enough. Case is ignored except in session names.
public struct HistoryFilter: Sendable, Hashable {
    /// The statuses that match; if empty and `passesErrors` is false, every exchange matches.
    public var statuses: [ClosedRange<Int>] = []
    /// Whether exchanges that failed match, in addition to those with a status in `statuses`.
    public var passesErrors = false
    /// The methods that match; empty for all.
    public var methods: [String] = []
    /// Texts that must all be in the host.
    public var hosts: [String] = []
    /// Texts that must all be in the URL.
    public var urls: [String] = []
    /// Texts that must all be in the target's name.
    public var targets: [String] = []
    /// Texts that must all be in the environment's name.
    public var environments: [String] = []
    /// Texts that must all be in the workspace's name.
    public var workspaces: [String] = []
    /// Where responses came from: "server", "cache", "memory", "disk", "gateway", "stub", "replay",
    /// "synthetic"; empty for anywhere.
    public var sources: [String] = []
    /// Only exchanges that began at this time or later match.
    public var after: Date?
    /// Only exchanges that began before this time match.
    public var before: Date?
    /// The names of the sessions that match; empty for all.
    public var sessions: [String] = []
    /// The session to search; nil for all.
    public var session: RecordedSession.ID?
    /// The batch, chain or watch to search; nil for all.
    public var run: RecordedRun.ID?
    /// Whether only marked exchanges match.
    public var isMarked = false
    /// Whether only exchanges with a note match.
    public var isNoted = false
    /// Texts that must each be in a body.
    public var bodies: [String] = []
    /// Texts that must all be in the note.
    public var notes: [String] = []
    /// Texts that must each be somewhere in the exchange.
    public var words: [String] = []

    /// A filter that matches everything.
    public init() {}

    /// Parses a search that a user typed.
    ///
    /// - Parameters:
    ///   - text: the terms, separated by spaces.
    ///   - now: the time that `today` and `2h` are relative to.
    ///   - timeZone: the time zone of days and times of day; nil for the user's own.
    /// - Throws: ``HistoryFilterError`` for an invalid term.
    public init(
        _ text: String,
        now: Date = Date(),
        timeZone: TimeZone? = nil
    ) throws(HistoryFilterError) {
        for term in Self.terms(of: text) {
            try add(term, TimeWords(now: now, timeZone: timeZone))
        }
    }

    private struct Term {
        var text: String
        /// The first colon outside quotation marks; nil if there is none.
        var colon: String.Index?
    }

    /// The terms, without their quotation marks.
    private static func terms(of text: String) -> [Term] {
        var terms: [Term] = []
        var term: Term?
        var isQuoted = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"":
                isQuoted.toggle()
                term = term ?? Term(text: "")
            case _ where !isQuoted && scalar.properties.isWhitespace:
                if let term { terms.append(term) }
                term = nil
            default:
                var open = term ?? Term(text: "")
                if scalar == ":", !isQuoted, open.colon == nil { open.colon = open.text.endIndex }
                open.text.unicodeScalars.append(scalar)
                term = open
            }
        }
        if let term { terms.append(term) }
        return terms.filter { !$0.text.isEmpty }
    }

    private mutating func add(_ term: Term, _ times: TimeWords) throws(HistoryFilterError) {
        guard let colon = term.colon else { return words.append(term.text) }
        let name = term.text[..<colon].lowercased()
        let value = String(term.text[colon...].dropFirst())
        func fault(_ detail: String) -> HistoryFilterError {
            HistoryFilterError(term: term.text, detail: detail)
        }
        func time() throws(HistoryFilterError) -> Date {
            guard let date = times.date(value.lowercased()) else {
                throw fault(
                    "not a time; use 2026-11-23, 2026-11-23T15:30, 15:30, today, yesterday, 2h or 7d"
                )
            }
            return date
        }
        guard Self.names.contains(name) else {
            if let meant = Self.nameMeant(by: name) {
                throw fault(
                    "did you mean \(meant):\(value)? A text in quotation marks is searched as it is"
                )
            }
            // URLs and times have colons too, so a term with an unknown name is text.
            return words.append(term.text)
        }
        guard !value.isEmpty else { throw fault("the value is missing") }
        switch name {
        case "status": try addStatus(value.lowercased(), fault)
        case "method": methods.append(value.uppercased())
        case "host": hosts.append(value)
        case "url": urls.append(value)
        case "target": targets.append(value)
        case "env": environments.append(value)
        case "workspace": workspaces.append(value)
        case "source":
            let known = ["cache"] + ResponseSource.names
            guard known.contains(value.lowercased()) else {
                throw fault("use one of \(known.joined(separator: ", "))")
            }
            sources.append(value.lowercased())
        case "after": after = max(try time(), after ?? .distantPast)
        case "before": before = min(try time(), before ?? .distantFuture)
        case "session": sessions.append(value)
        case "is":
            switch value.lowercased() {
            case "marked": isMarked = true
            case "noted": isNoted = true
            default: throw fault("use is:marked or is:noted")
            }
        case "body": bodies.append(value)
        default: notes.append(value)
        }
    }

    private static let names = [
        "status", "method", "host", "url", "target", "env", "workspace", "source", "after",
        "before", "session", "is", "body", "note",
    ]

    /// Schemes of URLs that are near a name.
    private static let schemes = ["urn", "https", "http"]

    /// The name that was probably meant by an unknown one, such as `stauts` or `environment`.
    private static func nameMeant(by name: String) -> String? {
        let isWord = name.utf8.count > 2 && name.utf8.allSatisfy { (0x61...0x7A).contains($0) }
        guard isWord, !schemes.contains(name) else { return nil }
        let others = ["environment": "env", "state": "status", "code": "status", "verb": "method"]
        return others[name] ?? Suggestion.nearest(to: name, among: names)
    }

    private mutating func addStatus(
        _ value: String,
        _ fault: (String) -> HistoryFilterError
    ) throws(HistoryFilterError) {
        let parts = value.split(separator: "-", omittingEmptySubsequences: false)
        if value == "error" {
            passesErrors = true
        } else if let status = Int(value), (100...999).contains(status) {
            statuses.append(status...status)
        } else if value.count == 3, value.hasSuffix("xx"),
            let hundred = value.first?.wholeNumberValue,
            hundred > 0
        {
            statuses.append(hundred * 100...hundred * 100 + 99)
        } else if parts.count == 2, let low = Int(parts[0]), let high = Int(parts[1]), low <= high {
            statuses.append(low...high)
        } else {
            throw fault("not a status; use 404, 5xx, 400-499 or error")
        }
    }
}

/// Parses times as users write them.
private struct TimeWords {
    let now: Date
    let timeZone: TimeZone?

    func date(_ text: String) -> Date? {
        switch text {
        case "today": day(offset: 0)
        case "yesterday": day(offset: -1)
        default: span(text) ?? timeOfDay(text) ?? calendarDate(text)
        }
    }

    private var today: Int { LocalTime(now, in: timeZone).dayNumber }

    private func day(offset: Int) -> Date {
        LocalTime.date(dayNumber: today + offset, in: timeZone)
    }

    /// The time this long ago: "30m", "2h", "7d".
    private func span(_ text: String) -> Date? {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
        guard let unit = text.last.flatMap({ units[$0] }), let number = Int(text.dropLast()),
            number >= 0
        else { return nil }
        return now - Double(number) * unit
    }

    private func timeOfDay(_ text: String) -> Date? {
        guard let (hour, minute) = Self.time(text[...]) else { return nil }
        return LocalTime.date(dayNumber: today, hour: hour, minute: minute, in: timeZone)
    }

    private func calendarDate(_ text: String) -> Date? {
        let parts = text.split(separator: "t", maxSplits: 1)
        let numbers = parts.first?.split(separator: "-").compactMap { Int($0) } ?? []
        guard numbers.count == 3, (0...9999).contains(numbers[0]), (1...12).contains(numbers[1]),
            (1...31).contains(numbers[2])
        else {
            return nil
        }
        let day = LocalTime.dayNumber(year: numbers[0], month: numbers[1], dayOfMonth: numbers[2])
        guard parts.count == 2 else { return LocalTime.date(dayNumber: day, in: timeZone) }
        guard let (hour, minute) = Self.time(parts[1]) else { return nil }
        return LocalTime.date(dayNumber: day, hour: hour, minute: minute, in: timeZone)
    }

    private static func time(_ text: Substring) -> (Int, Int)? {
        let numbers = text.split(separator: ":").compactMap { Int($0) }
        guard numbers.count == 2, (0...23).contains(numbers[0]), (0...59).contains(numbers[1])
        else {
            return nil
        }
        return (numbers[0], numbers[1])
    }
}

/// Why a text is not a valid filter.
public struct HistoryFilterError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The term that is wrong.
    public let term: String
    /// What is wrong with it, and which values are valid.
    public let detail: String

    /// "status:abc: …".
    public var description: String { "\(term): \(detail)" }

    /// The same; also returned by `localizedDescription`.
    public var errorDescription: String? { description }
}
