import Apus
import FoundationEssentials
import HTTPTypes

/// An exchange's facts other than its messages, as names and texts.
///
/// | name | value |
/// |---|---|
/// | `note`, `marked`, `target`, `workspace`, `environment`, `step`, `place` | as in the history |
/// | `run` | `1 chain Sign up`: the run's number in the file, its kind and its name |
/// | `variable NAME` | the value of a variable used in the request |
/// | `error` | `2201 Could not connect …`: the error's number and text |
/// | `source`, `attempts`, `decision`, `answered by` | where the response came from, and why |
/// | `trailer` | a header line after the body |
/// | `malformed` | a header line that is not a valid field |
/// | `interim` | an interim response (1xx): its status and phrase, and its fields, one per line |
/// | `not kept` | `request 52428800`: the size of a missing body in bytes |
/// | `cut off` | `yes`: the response ended too early |
/// | `event` | `1.250 willSend …`: its time in milliseconds, its name and details |
/// | `started`, `took`, `wire`, `remote`, `connection` | values that differ each time; times in milliseconds |
/// | `phases` | the ends of name lookup, connecting, TLS, preparing, first byte and total; the redirects' time |
package enum ExportedFacts {
    package typealias Fact = (name: String, value: String)

    /// The largest size in bytes that is accepted, so that sums of sizes cannot overflow.
    static let sizeLimit = 1 << 50

    package static func facts(of whole: ExchangeDetails, run: (Int, RecordedRun)?) -> [Fact] {
        let exchange = whole.exchange
        let origin = exchange.origin
        let metrics = whole.response?.metrics
        var facts: [Fact] = []
        func add(_ name: String, _ value: String?) {
            if let value { facts.append((name, value)) }
        }
        add("note", exchange.note)
        if exchange.isMarked { add("marked", "yes") }
        add("target", origin.target)
        add("workspace", origin.workspace)
        add("environment", origin.environment)
        if let (number, run) = run { add("run", "\(number) \(run.kind.rawValue) \(run.name)") }
        add("place", origin.place.map { "\($0)" })
        add("step", origin.step)
        for (name, value) in whole.variables.sorted(by: { $0.key < $1.key }) {
            add("variable \(name)", value)
        }
        if let code = exchange.errorCode { add("error", "\(code) \(whole.errorText ?? "")") }
        if exchange.source != "server" { add("source", exchange.source) }
        if exchange.attempts > 1 { add("attempts", "\(exchange.attempts)") }
        add("decision", whole.decision)
        if let url = metrics?.effectiveURL, url != whole.request.url { add("answered by", url) }
        for response in metrics?.interimResponses ?? [] { add("interim", text(of: response)) }
        for line in metrics?.malformedHeaderLines ?? [] { add("malformed", line) }
        for line in metrics?.trailers ?? [] { add("trailer", line) }
        if let size = whole.unkeptRequestSize { add("not kept", "request \(size)") }
        if let size = whole.unkeptSize { add("not kept", "response \(size)") }
        if whole.response?.isComplete == false, whole.unkeptSize == nil { add("cut off", "yes") }
        for event in whole.events {
            add("event", "\(milliseconds(event.offset)) \(event.name) \(event.detail)")
        }
        add("started", time(exchange.started))
        add("took", milliseconds(exchange.duration))
        if let phases = exchange.phases ?? metrics?.phases {
            add("phases", phases.times.map(milliseconds).joined(separator: " "))
        }
        if let metrics, metrics.bytesSent > 0 || metrics.bytesReceived > 0 {
            add("wire", "\(metrics.bytesSent) \(metrics.bytesReceived)")
        }
        add("remote", metrics?.remoteAddress)
        if metrics?.reusedConnection == true { add("connection", "reused") }
        return facts
    }

    /// Sets a fact of an exchange.
    ///
    /// - Returns: false if the name is unknown or the value is invalid.
    package static func apply(_ fact: Fact, to exchange: inout ImportedExchange) -> Bool {
        let value = fact.value
        func words(_ count: Int) -> [String]? {
            let words = value.unicodeScalars.split(
                separator: " ",
                maxSplits: count - 1,
                omittingEmptySubsequences: false
            ).map { String($0) }
            return words.count == count ? words : nil
        }
        switch fact.name {
        case "note": exchange.note = value
        case "marked": exchange.isMarked = value == "yes"
        case "target": exchange.record.origin.target = value
        case "workspace": exchange.record.origin.workspace = value
        case "environment": exchange.record.origin.environment = value
        case "step": exchange.record.origin.step = value
        case "place":
            guard let place = Int(value), place >= 0 else { return false }
            exchange.record.origin.place = place
        case "run":
            guard let words = words(3), let number = Int(words[0]),
                let kind = RecordedRun.Kind(rawValue: words[1])
            else { return false }
            exchange.run = (number, kind, words[2])
        case _ where fact.name.utf8.starts(with: "variable ".utf8):
            let name = String(fact.name.unicodeScalars.dropFirst(9))
            exchange.record.origin.variables[name] = value
        case "error":
            guard let words = words(2), let code = Int(words[0]), (1000...9999).contains(code)
            else {
                return false
            }
            exchange.record.imported.errorCode = code
            exchange.record.imported.errorText = words[1]
        case "source":
            guard ResponseSource.names.contains(value) else { return false }
            exchange.record.imported.source = value
        case "attempts":
            guard let count = Int(value), (1...1_000_000).contains(count) else { return false }
            exchange.record.attempts = count
        case "decision": exchange.record.imported.decision = value
        case "not kept":
            guard let words = words(2), let size = Int(words[1]), (0...sizeLimit).contains(size)
            else {
                return false
            }
            switch words[0] {
            case "request": exchange.record.imported.unkeptRequestSize = size
            case "response": exchange.record.imported.unkeptSize = size
            default: return false
            }
        case "event":
            guard let words = words(3), let offset = duration(words[0]) else { return false }
            exchange.record.events.append(RecordedEvent(words[1], at: offset, detail: words[2]))
        case "started":
            guard let date = date(value) else { return false }
            exchange.record.started = date
        case "took":
            guard let duration = duration(value) else { return false }
            exchange.record.duration = duration
        case "trailer":
            // Collected here and set once, by `settleResult`, because each change of the metrics copies them.
            guard exchange.record.imported.trailers.count < FieldLimits.mostLines else {
                return false
            }
            exchange.record.imported.trailers.append(value)
        case "malformed":
            guard exchange.record.imported.malformedLines.count < FieldLimits.mostLines else {
                return false
            }
            exchange.record.imported.malformedLines.append(value)
        case "interim":
            guard exchange.record.imported.interimResponses.count < FieldLimits.mostLines,
                let response = interimResponse(value)
            else { return false }
            exchange.record.imported.interimResponses.append(response)
        default: return apply(fact, toMetricsOf: &exchange.record)
        }
        return true
    }

    private static func apply(_ fact: Fact, toMetricsOf record: inout ExchangeRecord) -> Bool {
        let value = fact.value
        switch fact.name {
        case "cut off": record.changeResponse { $0.isComplete = value != "yes" }
        case "phases":
            let times = value.split(separator: " ").compactMap { duration(String($0)) }
            guard let phases = TransferMetrics.Phases(times: times) else { return false }
            record.changeMetrics { $0.phases = phases }
        case "wire":
            let counts = value.split(separator: " ").compactMap { Int($0) }.filter(
                (0...sizeLimit).contains
            )
            guard counts.count == 2 else { return false }
            record.changeMetrics { ($0.bytesSent, $0.bytesReceived) = (counts[0], counts[1]) }
        case "answered by": record.changeMetrics { $0.effectiveURL = value }
        case "remote": record.changeMetrics { $0.remoteAddress = value }
        case "connection": record.changeMetrics { $0.reusedConnection = value == "reused" }
        default: return false
        }
        return true
    }

    // MARK: interim responses

    /// An interim response as text: `103 Early Hints`, and a line for each field.
    private static func text(of response: HTTPResponse) -> String {
        let status = response.status
        let phrase = status.reasonPhrase.isEmpty ? "" : " \(status.reasonPhrase)"
        return
            (["\(status.code)\(phrase)"]
            + response.headerFields.map { "\($0.name.rawName): \($0.text)" })
            .joined(separator: "\n")
    }

    /// Parses what `text(of:)` wrote; nil if the text is not an interim response.
    private static func interimResponse(_ text: String) -> HTTPResponse? {
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ", maxSplits: 1).map { String($0) }
        guard let code = words.first.flatMap({ Int($0) }), (100..<200).contains(code) else {
            return nil
        }
        var response = HTTPResponse(
            status: .init(code: code, reasonPhrase: words.count > 1 ? words[1] : "")
        )
        for line in lines.dropFirst() {
            guard let field = HTTPField(line: String(line)),
                response.headerFields.appendForeign(field)
            else { return nil }
        }
        return response
    }

    // MARK: values

    /// A time as text: "2026-11-23T15:22:36.120Z".
    static func time(_ date: Date) -> String {
        let milliseconds = Int((date.timeIntervalSince1970 * 1000).rounded())
        let rest = ((milliseconds % 1000) + 1000) % 1000
        let seconds = Date(timeIntervalSince1970: Double((milliseconds - rest) / 1000))
        return seconds.formatted(Date.ISO8601FormatStyle()).dropLast() + "."
            + String("\(1000 + rest)".dropFirst()) + "Z"
    }

    /// Parses an ISO 8601 time, with or without a fraction; nil if the text is not one.
    static func date(_ text: String) -> Date? {
        guard text.utf8.count <= 64, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let fraction = text.firstIndex(of: ".").map { start in
            text[start...].prefix { $0 == "." || $0.isNumber }
        }
        let whole = fraction.map { text.replacing($0, with: "") } ?? text
        guard let seconds = try? Date.ISO8601FormatStyle().parse(whole) else { return nil }
        let date = seconds.addingTimeInterval(fraction.flatMap { Double("0\($0)") } ?? 0)
        return TimeColumn.range.contains(date) ? date : nil
    }

    /// A duration in milliseconds with three decimals: "12.345".
    static func milliseconds(_ duration: Duration) -> String {
        let microseconds = Int(min(max(0, (duration / .microseconds(1)).rounded()), 1e15))
        return "\(microseconds / 1000)." + String("\(1000 + microseconds % 1000)".dropFirst())
    }

    static func duration(_ text: String) -> Duration? {
        guard let milliseconds = Double(text), (0...1e12).contains(milliseconds) else { return nil }
        return .microseconds(Int((milliseconds * 1000).rounded()))
    }
}
