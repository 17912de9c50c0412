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

/// What is known of an exchange beside its messages, as names and texts.
///
/// | name | value |
/// |---|---|
/// | `note`, `marked`, `target`, `workspace`, `environment`, `step`, `place` | as the history has them |
/// | `run` | `1 chain Sign up`: its number in the file, what it is, its name |
/// | `variable NAME` | a value that the request was made of |
/// | `error` | `2201 Could not connect …`: its number, its words |
/// | `source`, `attempts`, `decision`, `answered by` | where the answer came from, and why |
/// | `trailer` | a header line behind the body, or one that is no field |
/// | `not kept` | `request 52428800`: the size of a body that is missing |
/// | `cut off` | `yes`: the answer ended too early |
/// | `started`, `took`, `phases`, `wire`, `remote`, `connection` | what is another each time |
package enum ExchangeFactsText {
    package typealias Fact = (name: String, value: String)

    package static func facts(of whole: RecordedWhole, run: (Int, RecordedRun)?) -> [Fact] {
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
        for line in metrics?.irregularHeaderLines ?? [] { add("trailer", line) }
        if let size = whole.unkeptRequestSize { add("not kept", "request \(size)") }
        if let size = whole.unkeptSize { add("not kept", "answer \(size)") }
        if whole.response?.isComplete == false, whole.unkeptSize == nil { add("cut off", "yes") }
        for event in whole.events {
            add("event", "\(milliseconds(event.offset)) \(event.name) \(event.detail)")
        }
        add("started", time(exchange.started))
        add("took", milliseconds(exchange.duration))
        if let phases = exchange.phases ?? metrics?.phases {
            add("phases", Self.times(of: phases).map(milliseconds).joined(separator: " "))
        }
        if let metrics, metrics.bytesSent > 0 || metrics.bytesReceived > 0 {
            add("wire", "\(metrics.bytesSent) \(metrics.bytesReceived)")
        }
        add("remote", metrics?.remoteAddress)
        if metrics?.reusedConnection == true { add("connection", "reused") }
        return facts
    }

    /// Puts a fact into an exchange.
    ///
    /// - Returns: false if its name or its value is unknown.
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
        case _ where fact.name.hasPrefix("variable "):
            exchange.record.origin.variables[String(fact.name.dropFirst(9))] = value
        case "error":
            guard let words = words(2), let code = Int(words[0]), (1000...9999).contains(code)
            else {
                return false
            }
            exchange.record.imported.errorCode = code
            exchange.record.imported.errorText = words[1]
        case "source": exchange.record.imported.source = value
        case "attempts":
            guard let count = Int(value), (1...1_000_000).contains(count) else { return false }
            exchange.record.attempts = count
        case "decision": exchange.record.imported.decision = value
        case "not kept":
            guard let words = words(2), let size = Int(words[1]), size >= 0 else { return false }
            switch words[0] {
            case "request": exchange.record.imported.unkeptRequestSize = size
            case "answer": exchange.record.imported.unkeptSize = size
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
            guard times.count == 7 else { return false }
            record.changeMetrics {
                $0.phases = TransferMetrics.Phases(
                    nameLookup: times[0],
                    connect: times[1],
                    secureConnect: times[2],
                    preTransfer: times[3],
                    firstByte: times[4],
                    total: times[5],
                    redirects: times[6]
                )
            }
        case "wire":
            let counts = value.split(separator: " ").compactMap { Int($0) }.filter { $0 >= 0 }
            guard counts.count == 2 else { return false }
            record.changeMetrics { ($0.bytesSent, $0.bytesReceived) = (counts[0], counts[1]) }
        case "answered by": record.changeMetrics { $0.effectiveURL = value }
        case "trailer": record.changeMetrics { $0.irregularHeaderLines.append(value) }
        case "remote": record.changeMetrics { $0.remoteAddress = value }
        case "connection": record.changeMetrics { $0.reusedConnection = value == "reused" }
        default: return false
        }
        return true
    }

    static func times(of phases: TransferMetrics.Phases) -> [Duration] {
        [
            phases.nameLookup, phases.connect, phases.secureConnect, phases.preTransfer,
            phases.firstByte, phases.total, phases.redirects,
        ]
    }

    // MARK: values

    /// "2026-11-23T15:22:36.120Z".
    static func time(_ date: Date) -> String {
        let milliseconds = Int((date.timeIntervalSince1970 * 1000).rounded())
        let rest = ((milliseconds % 1000) + 1000) % 1000
        let seconds = Date(timeIntervalSince1970: Double((milliseconds - rest) / 1000))
        return seconds.formatted(Date.ISO8601FormatStyle()).dropLast() + "."
            + String("\(1000 + rest)".dropFirst()) + "Z"
    }

    /// A time of ISO 8601, with or without a fraction; nil if it is none.
    static func date(_ text: String) -> Date? {
        guard text.utf8.count <= 64, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let fraction = text.firstIndex(of: ".").map { start in
            text[start...].prefix { $0 == "." || $0.isNumber }
        }
        let whole = fraction.map { text.replacing($0, with: "") } ?? text
        guard let seconds = try? Date.ISO8601FormatStyle().parse(whole),
            abs(seconds.timeIntervalSince1970) < 2e11
        else { return nil }
        return seconds.addingTimeInterval(fraction.flatMap { Double("0\($0)") } ?? 0)
    }

    /// Milliseconds, to the microsecond: "12.345 ms" is "12.345".
    static func milliseconds(_ duration: Duration) -> String {
        let microseconds = max(0, Int((duration / .microseconds(1)).rounded()))
        return "\(microseconds / 1000)." + String("\(1000 + microseconds % 1000)".dropFirst())
    }

    static func duration(_ text: String) -> Duration? {
        guard let milliseconds = Double(text), (0...1e12).contains(milliseconds) else { return nil }
        return .microseconds(Int((milliseconds * 1000).rounded()))
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
