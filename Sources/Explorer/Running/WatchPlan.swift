import Apus
import Documents
import FoundationEssentials
import Recordings
import Terminal

/// How a target is watched, as the user types it: `5s`, `1 min until status:200`, `10s until $.state == "done"`.
///
/// A condition alone, with or without `until`, is tested every five seconds.
struct WatchPlan: Equatable, Sendable {
    /// When it stops by itself.
    enum Condition: Equatable, Sendable {
        /// The response has one of these statuses.
        case status(ClosedRange<Int>)
        /// A comparison with a value of the response is true.
        case value(JSONPath)
    }

    static let shortest = Duration.seconds(1)
    static let longest = Duration.seconds(3600)
    private static let usual = Duration.seconds(5)

    var interval: Duration
    var condition: Condition?
    /// The condition as typed.
    var conditionText: String?

    init(_ text: String) throws(WatchPlanError) {
        let (time, condition) = Self.parts(of: text.trimmed)
        if time.isEmpty, condition != nil {
            interval = Self.usual
        } else if let interval = Quantity.duration(Self.withoutEvery(time)),
            (Self.shortest...Self.longest).contains(interval)
        {
            self.interval = interval
        } else {
            throw WatchPlanError(
                text: time.isEmpty
                    ? "type how often it is sent: 5s, or 2 min"
                    : "\"\(time)\" is not a time between 1 s and 1 h; type 5s, or 2 min"
            )
        }
        guard let condition else { return }
        conditionText = condition
        self.condition = try Self.condition(condition)
    }

    /// The time and the condition, which begins after `until`, or with `$`, `.` or a word and a colon.
    private static func parts(of text: String) -> (time: String, condition: String?) {
        // `state == "done"` is a comparison that lacks its `$`, not a time.
        let isComparison = text.contains { "=<>!".contains($0) }
        if isComparison, text.first?.isNumber == false, !text.lowercased().hasPrefix("every "),
            !text.lowercased().hasPrefix("until ")
        {
            return ("", text)
        }
        var time: [Substring] = []
        var rest = text[...]
        while let word = rest.split(maxSplits: 1, whereSeparator: \.isWhitespace).first {
            let isUntil = ["until", "till"].contains(word.lowercased())
            let isCondition =
                word.lowercased().hasPrefix("status") || word.contains { "$.:=[<>!".contains($0) }
            if isUntil || isCondition && !isNumber(word) {
                let condition = isUntil ? rest[word.endIndex...] : rest[word.startIndex...]
                return (time.joined(separator: " "), condition.trimmed)
            }
            time.append(word)
            rest = rest[word.endIndex...]
            rest = rest.drop(while: \.isWhitespace)
        }
        return (text, nil)
    }

    /// Whether a word is a number with a point, as in `1.5 min`.
    private static func isNumber(_ word: Substring) -> Bool {
        word.first?.isNumber == true && !word.contains { "$:=[<>!".contains($0) }
    }

    /// The time without the word that the prompt begins with.
    private static func withoutEvery(_ time: String) -> String {
        time.lowercased().hasPrefix("every ") ? String(time.dropFirst(6)).trimmed : time
    }

    private static func condition(_ text: String) throws(WatchPlanError) -> Condition {
        guard !text.isEmpty else {
            throw WatchPlanError(text: "until what? status:200, or $.state == \"done\"")
        }
        if let value = statusValue(text) {
            do throws(HistoryFilterError) {
                let filter = try HistoryFilter("status:\(value)")
                if let range = filter.statuses.first, filter.statuses.count == 1 {
                    return .status(range)
                }
            } catch {
                throw WatchPlanError(text: error.description)
            }
        }
        guard text.hasPrefix("$") else {
            let name = text.prefix { $0.isLetter || $0.isNumber || "._[]-".contains($0) }
            let word = text.prefix { $0.isLetter }
            let rest = text.dropFirst(word.count)
            if rest.hasPrefix(":"), word.lowercased() != "status" {
                let isNear = Suggestion.nearest(to: String(word), among: ["status"]) != nil
                throw WatchPlanError(
                    text: isNear
                        ? "did you mean status\(rest)?"
                        : "\(word): is no condition; type status:200, or $.state == \"done\""
                )
            }
            if !name.isEmpty, text.contains(where: { "=<>!".contains($0) }) {
                let path = text.hasPrefix(".") || text.hasPrefix("[") ? "$\(text)" : "$.\(text)"
                throw WatchPlanError(text: "did you mean \(path)?")
            }
            throw WatchPlanError(
                text: "a condition is status:200, status:5xx, or a comparison: $.state == \"done\""
            )
        }
        do throws(JSONPathError) {
            // The filter tests the response as the only element of an array.
            return .value(try JSONPath(parsing: "$[?\(withoutRoots(text))]"))
        } catch {
            throw WatchPlanError(text: "\(text): \(error)")
        }
    }

    /// The value of a condition about the status: `status:200`, but also `status == 200` and `Status: 200`.
    private static func statusValue(_ text: String) -> String? {
        guard text.lowercased().hasPrefix("status") else { return nil }
        let rest = text.dropFirst("status".count)
        guard let first = rest.first, ":= ".contains(first) else { return nil }
        return String(rest.drop { ":= ".contains($0) })
    }

    /// The text with `@` for each `$` outside of quotation marks.
    private static func withoutRoots(_ text: String) -> String {
        var quote: Character?
        return String(
            text.map { character in
                if let open = quote {
                    if character == open { quote = nil }
                } else if character == "\"" || character == "'" {
                    quote = character
                } else if character == "$" {
                    return "@"
                }
                return character
            }
        )
    }

    /// Whether a response meets the condition.
    func isReached(by response: Response) -> Bool {
        switch condition {
        case nil: return false
        case .status(let range): return range.contains(response.status)
        case .value(let query):
            guard let bytes = try? response.body.load() else { return false }
            let wrapped = [UInt8(ascii: "[")] + bytes + [UInt8(ascii: "]")]
            let document = Document.parse(DocumentBytes(wrapped))
            return document.fault == nil && !document.nodes(matching: query).isEmpty
        }
    }

    /// Whether two results are equal; reads the files of large bodies.
    static func isSame(
        _ a: Result<Response, ApusError>,
        _ b: Result<Response, ApusError>
    ) -> Bool {
        switch (a, b) {
        case (.success(let a), .success(let b)):
            guard a.status == b.status, a.body.count == b.body.count else { return false }
            let size = 1 << 20
            return stride(from: 0, to: a.body.count, by: size).allSatisfy { start in
                let range = start..<min(start + size, a.body.count)
                // A body that cannot be read counts as different.
                guard let one = try? a.body.load(range) else { return false }
                return one == (try? b.body.load(range))
            }
        case (.failure(let a), .failure(let b)): return a.reason == b.reason
        default: return false
        }
    }
}

/// A target that is sent again at an interval.
struct WatchRunState {
    var method: String
    var target: String
    var plan: WatchPlan
    /// The number of responses, and of those that differed from the one before.
    var responseCount = 0
    var changeCount = 0
    /// When the last different one arrived, since the program started.
    var lastChange: Duration?
    /// The last two results, and how long they took.
    var newest: (result: Result<Response, ApusError>, duration: Duration)?
    var previous: (result: Result<Response, ApusError>, duration: Duration)?
    /// Whether it stopped because its condition was met.
    var isReached = false

    /// Counts and keeps the result of sending it once.
    mutating func append(
        _ result: Result<Response, ApusError>,
        after duration: Duration,
        isChange: Bool,
        at now: Duration
    ) {
        responseCount += 1
        if isChange {
            changeCount += 1
            lastChange = now
        }
        (previous, newest) = (newest, (result, duration))
    }
}

/// Why a text is not a plan.
struct WatchPlanError: Error, Equatable {
    var text: String
}
