import Apus
import FoundationEssentials
import Recordings
import Terminal
import TreeView

/// The lines of the history, back to the first day, and how they are shown.
struct SessionList {
    /// A line of the pane.
    enum Line: Equatable {
        /// A run of this program that is still running or not in the history yet.
        case run(RunID)
        /// The day of the lines below it, such as "yesterday".
        case day(String)
        case entry(HistoryEntry)
        /// An exchange of an open batch or chain.
        case part(RecordedExchange)
    }

    /// What is shown before the path of a request.
    enum Distinction: Equatable {
        case none
        /// The requests went to more than one host.
        case host
        /// They went to one host, but from more than one workspace.
        case workspace
    }

    /// The number of lines requested at a time.
    static let pageSize = 200
    /// The most exchanges that are shown of an open batch or chain.
    static let partLimit = 1_000

    /// Whether requests and responses are recorded.
    var hasHistory = false
    /// Whether it has secrets, too, so that nothing of it may be shared.
    var keepsSecrets = false
    /// Why recording has stopped; nil while it goes on.
    var recordingProblem: String?
    /// The session that is being recorded by name; nil if there is none.
    var status: SessionStatus?
    /// The filter's input; nil if there is no filter.
    var filter: ListFilter?
    /// The error in the filter's input; nil if there is none.
    private(set) var filterProblem: String?
    private(set) var scroll = ListScroll(margin: 1)
    private(set) var lines: [Line] = []
    /// Identifies the expected pages; pages of an earlier filter are ignored.
    private(set) var generation = 0
    /// The exchanges that were marked since the program started; only these are compared.
    ///
    /// The history keeps marks (`is:marked`), but one of yesterday's must not take part in today's comparison.
    var marks: Set<RecordedExchange.ID> = []
    /// The errors of failed exchanges.
    private(set) var errors: [RecordedExchange.ID: String] = [:]

    /// What distinguishes the lines besides their paths.
    private(set) var distinction = Distinction.none
    private var entries: [HistoryEntry] = []
    private var next: HistoryPosition? = .newest
    private var isLoading = false
    /// The open batches and chains with their exchanges, oldest first.
    private var parts: [RecordedRun.ID: [RecordedExchange]] = [:]

    /// The line under the cursor.
    var selected: Line? { lines.indices.contains(scroll.selection) ? lines[scroll.selection] : nil }

    /// The exchange under the cursor.
    var selectedExchange: RecordedExchange? {
        switch selected {
        case .entry(.exchange(let exchange)), .part(let exchange): exchange
        case .run, .day, .entry(.run), nil: nil
        }
    }

    /// All known exchanges, to find the marked ones.
    var exchanges: [RecordedExchange] {
        entries.compactMap(\.exchange) + parts.values.joined()
    }

    /// The known exchanges that were marked in this run of the program, oldest first.
    var marked: [RecordedExchange] {
        exchanges.filter { marks.contains($0.id) }.sorted { $0.id < $1.id }
    }

    /// Why something that belongs to one request cannot be done with the line under the cursor.
    func noRequestHere(_ what: String) -> String {
        switch selected {
        case .entry(.run(let run)) where !isOpen(run.id):
            "\(what) is for one request: enter opens this line, then choose one"
        case .entry(.run): "\(what) is for one request: choose one of those below"
        case .run: "\(what) is for one request that has ended; this line is still running"
        case .day, .entry(.exchange), .part, nil:
            filter == nil
                ? "\(what) is for one request, and nothing has been sent yet"
                : "\(what) is for one request, and none matches the filter"
        }
    }

    /// The newest exchange of each target of a workspace in an environment, among the newest entries.
    func latest(of workspace: String, in environment: String) -> [String: RecordedExchange] {
        var latest: [String: RecordedExchange] = [:]
        for case .exchange(let exchange) in entries.prefix(2_000) {
            let origin = exchange.origin
            guard let target = origin.target, origin.workspace == workspace,
                origin.environment == environment, latest[target] == nil
            else { continue }
            latest[target] = exchange
        }
        return latest
    }

    /// Whether there is nothing to show and nothing is loading.
    var isEmpty: Bool { entries.isEmpty && !isLoading }

    // MARK: Loading

    /// The next page to request; nil unless the visible lines are near the end of the known ones.
    mutating func nextPage() -> HistoryPosition? {
        guard !isLoading, let next, scroll.visible.upperBound + Self.pageSize / 2 >= lines.count
        else { return nil }
        isLoading = true
        return next
    }

    /// Starts over, with another filter.
    mutating func restart() {
        generation += 1
        (entries, errors, parts) = ([], [:], [:])
        (next, isLoading) = (.newest, false)
    }

    /// The number of lines that a refresh requests: about as many as are known, because those may have changed.
    var refreshSize: Int { min(1_000, max(Self.pageSize, entries.count)) }

    /// Appends a page that follows the known entries.
    mutating func append(_ page: HistoryPage) {
        isLoading = false
        entries = (entries + page.entries).sortedByStart
        errors.merge(page.errors) { $1 }
        next = page.next
    }

    /// The requested page does not arrive; the next move requests it again.
    mutating func stopLoading() { isLoading = false }

    /// Puts the newest entries in front; older known ones stay after them.
    mutating func refresh(_ page: HistoryPage) {
        errors.merge(page.errors) { $1 }
        guard let position = page.next else {
            (entries, next) = (page.entries.sortedByStart, nil)
            return
        }
        let older = entries.filter { entry in
            switch entry {
            case .exchange(let exchange): exchange.id < position.exchange
            case .run(let run): run.id.number < position.run
            }
        }
        entries = (page.entries + older).sortedByStart
        if older.isEmpty { next = position }
    }

    /// Shows the exchanges of an opened batch or chain.
    mutating func open(_ run: RecordedRun.ID, _ page: HistoryPage) {
        parts[run] = page.entries.compactMap(\.exchange).reversed()
        errors.merge(page.errors) { $1 }
    }

    /// Closes a batch or chain; returns false if it was not open.
    mutating func close(_ run: RecordedRun.ID) -> Bool { parts.removeValue(forKey: run) != nil }

    /// Whether a batch or chain is open.
    func isOpen(_ run: RecordedRun.ID) -> Bool { parts[run] != nil }

    /// Replaces an exchange by itself with a changed mark or note.
    mutating func replace(_ exchange: RecordedExchange) {
        if let index = entries.firstIndex(where: { $0.exchange?.id == exchange.id }) {
            entries[index] = .exchange(exchange)
        }
        guard let run = exchange.origin.run,
            let index = parts[run]?.firstIndex(where: { $0.id == exchange.id })
        else { return }
        parts[run]?[index] = exchange
    }

    // MARK: Lines

    /// Parses the filter's input, whose error goes to ``filterProblem``; nil passes everything.
    mutating func readFilter(at now: Moment, in zone: TimeZone?) -> HistoryFilter? {
        filterProblem = nil
        guard let text = filter?.text, !text.allSatisfy(\.isWhitespace) else { return nil }
        do throws(HistoryFilterError) {
            return try HistoryFilter(text, now: now.wall, timeZone: zone)
        } catch {
            filterProblem = error.description
            return nil
        }
    }

    /// Makes the lines again, those of running `runs` before the history's; the cursor stays on its line.
    mutating func arrange(_ runs: RunLog, at now: Date, in zone: TimeZone?, height: Int) {
        defer { distinction = Self.distinction(of: exchanges) }
        let (kept, old) = (selected?.identity, scroll)
        let wasAtTop = old.offset == 0 && lines.prefix(old.selection).allSatisfy(\.isDay)
        lines = filter == nil ? runs.running.map { .run($0.id) } : []
        var days = DayNames(now: now, zone: zone)
        var unrecorded = filter == nil ? runs.unrecorded : []
        let hidden = Set(runs.running.compactMap(\.recordedRun))
        for entry in entries {
            if case .run(let run) = entry, hidden.contains(run.id) { continue }
            while let run = unrecorded.last, run.date >= entry.started {
                append(.run(run.id), of: unrecorded.removeLast().date, &days)
            }
            append(.entry(entry), of: entry.started, &days)
            if case .run(let run) = entry, let exchanges = parts[run.id] {
                lines += exchanges.map { .part($0) }
            }
        }
        // An older run belongs after lines that are not loaded yet.
        if entries.isEmpty || next == nil {
            for run in unrecorded.reversed() { append(.run(run.id), of: run.date, &days) }
        }
        scroll.update(count: lines.count, height: height)
        if wasAtTop {
            scroll.select(0)
        } else if let kept, let index = lines.firstIndex(where: { $0.identity == kept }) {
            // New lines above must not move the line under the cursor.
            scroll.scroll(by: index - old.selection)
            scroll.select(index)
        }
        skipDay()
    }

    private static func distinction(of exchanges: [RecordedExchange]) -> Distinction {
        let origin = exchanges.first?.origin.workspace
        let host = exchanges.first?.host
        if exchanges.contains(where: { $0.host != host }) { return .host }
        return exchanges.contains { $0.origin.workspace != origin } ? .workspace : .none
    }

    private mutating func append(_ line: Line, of time: Date, _ days: inout DayNames) {
        if let day = days.change(at: time) { lines.append(.day(day)) }
        lines.append(line)
    }

    // MARK: Moving

    mutating func fit(height: Int) { scroll.update(count: lines.count, height: height) }

    mutating func select(_ index: Int) {
        scroll.select(index)
        skipDay()
    }

    mutating func move(_ action: Action) {
        scroll.move(action)
        skipDay(isUp: [.up, .pageUp].contains(action))
    }

    /// Scrolls as the wheel does.
    mutating func scroll(by rows: Int) {
        scroll.scroll(by: rows)
        skipDay(isUp: rows < 0)
    }

    /// The cursor cannot stand on a day.
    private mutating func skipDay(isUp: Bool = false) {
        guard selected?.isDay == true else { return }
        scroll.move(by: isUp && scroll.selection > 0 ? -1 : 1)
    }
}

extension RecordedExchange {
    /// The host and port of its URL, as written.
    var host: Substring {
        let url = request.url
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        return url[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    }

    /// Its path, with what distinguishes it from others of the same path.
    func shownTarget(_ distinction: SessionList.Distinction) -> String {
        switch distinction {
        case .none: requestTarget
        case .host: "\(host)\(requestTarget)"
        case .workspace: origin.workspace.map { "\($0)  \(requestTarget)" } ?? requestTarget
        }
    }
}

extension [HistoryEntry] {
    /// The newest first, by when they began: the history has them in the order in which they ended.
    fileprivate var sortedByStart: [HistoryEntry] {
        // Most are in order already, and equal ones keep it.
        let isSorted = zip(self, dropFirst()).allSatisfy { $0.started >= $1.started }
        guard !isSorted else { return self }
        return enumerated().sorted {
            ($1.element.started, $0.offset) < ($0.element.started, $1.offset)
        }.map(\.element)
    }
}

extension SessionList.Line {
    fileprivate var isDay: Bool { if case .day = self { true } else { false } }

    /// What stays the same when the line changes.
    fileprivate enum Identity: Equatable {
        case run(RunID)
        case day(String)
        case exchange(Int64)
        case recordedRun(RecordedRun.ID)
    }

    fileprivate var identity: Identity {
        switch self {
        case .run(let id): .run(id)
        case .day(let name): .day(name)
        case .entry(.exchange(let exchange)), .part(let exchange): .exchange(exchange.id)
        case .entry(.run(let run)): .recordedRun(run.id)
        }
    }
}
