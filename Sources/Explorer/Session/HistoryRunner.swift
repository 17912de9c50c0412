import Apus
import Dispatch
import Documents
import FoundationEssentials
import Recordings
import Sharing
import Synchronization
import Terminal
import TreeView
import Workspaces

/// Runs the effects on the history, and has exchanges recorded.
@MainActor
final class HistoryRunner {
    let history: History
    private let send: @Sendable (HistoryMessage) -> Void
    private var watch: HistoryWatch?
    /// The reads that run; a newer one of the same kind cancels the older one.
    private var readings: [Reading: Task<Void, Never>] = [:]
    /// The newest write; each waits for the one before it.
    private var writing: Task<Void, Never>?
    /// The refresh that follows the one under way.
    private var nextRefresh: Refresh?
    /// The session that is recorded; nil if there is none.
    private(set) var session: Task<BegunSession?, Never>?
    private var sessionName: String?
    /// Finds the server that a session is shared on.
    private let servers: TeamServers
    private let sharingProblem = Mutex<String?>(nil)
    private let report: @Sendable (SharingMessage) -> Void
    /// Whether a message about a change is already scheduled.
    private let isChangeReported = Mutex(false)

    /// The delay of a message about changes, which collects several: a batch writes forty times a second.
    private nonisolated static let changePause = DispatchTimeInterval.milliseconds(200)
    /// The most responses in which a value is looked up.
    nonisolated static let valueLimit = 500

    private enum Reading: Hashable {
        case lines, changes
        case parts(RecordedRun.ID)
        case exchange, command, values, sessions
    }

    private struct Refresh {
        var filter: HistoryFilter?
        var count: Int
        var generation: Int
    }

    init(
        _ history: History,
        session name: String?,
        servers: TeamServers = TeamServers(),
        report: @escaping @Sendable (SharingMessage) -> Void = { _ in },
        send: @escaping @Sendable (HistoryMessage) -> Void
    ) {
        self.history = history
        (self.servers, self.report) = (servers, report)
        self.send = send
        history.onNotice { notice in
            switch notice {
            case .stopped: send(.stopped(notice.description))
            case .setAside, .unread, .delayed, .lost:
                send(.notice(Notice(kind: .warning, text: notice.description)))
            }
        }
        if let name {
            let choice = servers.given.map { ServerChoice(chosen: $0.address) }
            beginSession(name, sharing: choice)
        }
    }

    /// Why the session is not shared for now; nil if it is, or is not to be.
    var problemOfSharing: String? { sharingProblem.withLock(\.self) }

    /// Records the exchanges of a provider.
    var plugin: any Plugin { .recording(to: history) { _ in nil } }

    func perform(_ effect: HistoryEffect) {
        switch effect {
        case .load(let filter, let position, let generation):
            load(filter, before: position, generation)
        case .refresh(let filter, let count, let generation):
            refresh(Refresh(filter: filter, count: count, generation: generation))
        case .loadParts(let run):
            read(.parts(run)) { [send] history throws(RecordingError) in
                var filter = HistoryFilter()
                filter.run = run
                let page = try await history.page(matching: filter, limit: SessionList.partLimit)
                send(.parts(run, page))
            }
        case .open(let exchange, let neighbor, let comparing):
            read(.exchange) { [send] history throws(RecordingError) in
                try await Self.show(exchange, beside: neighbor, comparing, in: history, send)
            }
        case .openPart(let run, let index): openPart(of: run, at: index)
        case .openLatest(let series): openLatest(of: series)
        case .mark(let id, let isMarked):
            change(id) { history throws(RecordingError) in try await history.mark(id, isMarked) }
        case .note(let id, let note):
            change(id) { history throws(RecordingError) in try await history.note(note, on: id) }
        case .rename(let change, let workspace):
            write { history throws(RecordingError) in
                switch change {
                case .move(let old, to: let new):
                    try await history.rename(target: old, to: new, in: workspace)
                case .renameEnvironment(let old, to: let new):
                    try await history.rename(environment: old, to: new, in: workspace)
                default: break
                }
            }
        case .copyCommand(let id): copyCommand(of: id)
        case .beginSession(let name, let choice): beginSession(name, sharing: choice)
        case .endSession: endSession()
        case .listSessions:
            read(.sessions) { [send] history throws(RecordingError) in
                send(.sessions(try await history.sessions()))
            }
        case .values(let series, let path, let generation): find(path, in: series, generation)
        case .endValues: readings[.values]?.cancel()
        }
    }

    /// Cancels all reads; the returned function ends the session and writes what is left.
    ///
    /// That function must not need this actor, because the main thread blocks until it is done.
    func end() -> @Sendable () async -> Void {
        for task in readings.values { task.cancel() }
        (watch, nextRefresh) = (nil, nil)
        return { [history, session, writing] in
            await writing?.value
            if let session = await session?.value {
                await Self.end(session.sharing, of: history)
                try? await history.end(session.id)
            }
            await history.close()
        }
    }

    private typealias Work = @Sendable (History) async throws(RecordingError) -> Void

    /// Does some work; an error is shown to the user.
    private nonisolated func attempt(_ work: Work) async {
        do throws(RecordingError) {
            try await work(history)
        } catch  where !Task.isCancelled {
            send(.notice(Notice(kind: .failure, text: error.description)))
        } catch {}
    }

    private func read(
        _ reading: Reading,
        _ work: @escaping Work,
        then next: @escaping @MainActor @Sendable () -> Void = {}
    ) {
        readings[reading]?.cancel()
        readings[reading] = Task.detached {
            await self.attempt(work)
            if !Task.isCancelled { await next() }
        }
    }

    /// Changes the history after all earlier changes; the end of the program waits for it.
    private func write(_ work: @escaping Work) {
        writing = Task.detached { [former = writing] in
            await former?.value
            await self.attempt(work)
        }
    }

    /// Changes an exchange, and reports the changed one.
    private func change(_ id: RecordedExchange.ID, _ work: @escaping Work) {
        write { [send] history throws(RecordingError) in
            try await work(history)
            if let whole = try await history.exchange(id) { send(.replaced(whole.exchange)) }
        }
    }

    private func copyCommand(of id: RecordedExchange.ID) {
        read(.command) { [send] history throws(RecordingError) in
            guard let whole = try await history.exchange(id) else { return }
            do throws(ReplayError) {
                let command = CurlCommand(try whole.requestToCopy(), environment: [:])
                send(.copied(command.text, what: command.name))
            } catch {
                send(.notice(Notice(kind: .warning, text: "not copied: \(error)")))
            }
        }
    }

    private func load(
        _ filter: HistoryFilter?,
        before position: HistoryPosition,
        _ generation: Int
    ) {
        let work: Work = { [send] history throws(RecordingError) in
            do throws(RecordingError) {
                let page = try await history.page(
                    matching: filter,
                    before: position,
                    limit: SessionList.pageSize
                )
                send(.loaded(page, generation: generation))
            } catch {
                send(.loadFailed(generation: generation))
                throw error
            }
        }
        // The file and its folder exist only after the first read.
        read(.lines, work) { self.beginWatching() }
    }

    private func beginWatching() {
        guard watch == nil else { return }
        watch = HistoryWatch(path: history.path) { [weak self] in self?.reportChange() }
        // Nobody has reported what was written between the read and now.
        reportChange()
    }

    private nonisolated func reportChange() {
        guard
            !isChangeReported.withLock({ isReported in
                defer { isReported = true }
                return isReported
            })
        else { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + Self.changePause) {
            [weak self] in
            guard let self else { return }
            isChangeReported.withLock { $0 = false }
            send(.changed)
        }
    }

    /// Reads the newest lines.
    ///
    /// If a read is under way, another one follows it. Cancelling the first would mean that with constant writes
    /// no read ever ends.
    private func refresh(_ refresh: Refresh) {
        guard readings[.changes] == nil else {
            nextRefresh = refresh
            return
        }
        let (session, name) = (session, sessionName)
        let work: Work = { [send] history throws(RecordingError) in
            let page = try await history.page(matching: refresh.filter, limit: refresh.count)
            send(.refreshed(page, generation: refresh.generation))
            if let name, let id = await session?.value?.id {
                send(.session(SessionStatus(name: name, count: try await history.count(of: id))))
            }
        }
        read(.changes, work) { self.refreshAgain() }
    }

    private func refreshAgain() {
        readings[.changes] = nil
        guard let next = nextRefresh else { return }
        nextRefresh = nil
        refresh(next)
    }

    // MARK: Opening

    private func openPart(of run: RecordedRun.ID, at place: Int) {
        read(.exchange) { [send] history throws(RecordingError) in
            guard let found = try await Self.exchange(at: place, of: run, in: history) else {
                return send(.notice(Self.end("it is not in the history yet")))
            }
            try await Self.show(found, beside: .none, false, in: history, send)
        }
    }

    private func openLatest(of series: ExchangeSeries) {
        read(.exchange) { [send] history throws(RecordingError) in
            guard let latest = try await history.exchanges(in: series, limit: 1).first else {
                return send(.notice(Self.end("the history has no response to this request")))
            }
            try await Self.show(latest, beside: .older, true, in: history, send)
        }
    }

    /// The exchange at a place of a run.
    private nonisolated static func exchange(
        at place: Int,
        of run: RecordedRun.ID,
        in history: History
    ) async throws(RecordingError) -> RecordedExchange? {
        var filter = HistoryFilter()
        filter.run = run
        var position: HistoryPosition? = .newest
        while let before = position, !Task.isCancelled {
            let page = try await history.page(
                matching: filter,
                before: before,
                limit: SessionList.partLimit
            )
            let found = page.entries.lazy.compactMap(\.exchange).first { $0.origin.place == place }
            if let found { return found }
            position = page.next
        }
        return nil
    }

    nonisolated static func end(_ text: String) -> Notice {
        Notice(kind: .information, text: text)
    }

    // MARK: Sessions

    /// Returns when what was recorded is shared, or that is given up.
    private nonisolated static func end(
        _ sharing: (any SessionSharing)?,
        of history: History
    ) async {
        guard let sharing else { return }
        // What cannot be written cannot be shared either, and has been reported.
        try? await history.flush()
        await sharing.end()
    }

    private func beginSession(_ name: String, sharing choice: ServerChoice? = nil) {
        sessionName = name
        session = Task.detached { [self, history, send] in
            do throws(RecordingError) {
                let id = try await history.session(named: name)
                send(.session(SessionStatus(name: name, count: try await history.count(of: id))))
                let sharing = choice.flatMap { sharer(of: name, on: $0) }
                if let sharing { await begin(sharing, id, named: name) }
                return BegunSession(id: id, sharing: sharing)
            } catch {
                send(.sessionFailed(name))
                send(.notice(Notice(kind: .failure, text: error.description)))
                return nil
            }
        }
    }

    /// What shares a session; nil if that is refused, which is reported.
    private nonisolated func sharer(
        of name: String,
        on choice: ServerChoice
    ) -> (any SessionSharing)? {
        do throws(SharedStoreError) {
            let server = try servers.server(choice)
            return SessionSharer(server.stream(named: name), named: name)
        } catch {
            report(.refused(session: name, error.description))
            return nil
        }
    }

    private nonisolated func begin(
        _ sharing: any SessionSharing,
        _ session: RecordedSession.ID,
        named name: String
    ) async {
        let address = sharing.address
        await sharing.begin(session, of: history) { [self] notice in
            note(notice, at: address)
            report(.own(session: name, notice, at: address))
        }
    }

    private nonisolated func note(_ notice: SharingNotice, at address: String) {
        switch notice {
        case .began, .recovered: sharingProblem.withLock { $0 = nil }
        case .failed(let reason): sharingProblem.withLock { $0 = "\(reason) (\(address))" }
        case .lost: break
        }
    }

    private func endSession() {
        let (old, name) = (session, sessionName)
        (session, sessionName) = (nil, nil)
        write { [self, send] history throws(RecordingError) in
            guard let begun = await old?.value, let name else { return }
            await Self.end(begun.sharing, of: history)
            sharingProblem.withLock { $0 = nil }
            try await history.end(begun.id)
            let count = try await history.count(of: begun.id)
            let exchanges = count == 1 ? "1 exchange" : "\(Readable.count(count)) exchanges"
            send(
                .notice(
                    Notice(
                        kind: .information,
                        text:
                            "The session \(name) has ended: \(exchanges). Use it with apus replay or apus serve."
                    )
                )
            )
        }
    }

    // MARK: Recording

    /// The origin of exchanges of a catalog, or of one of its targets.
    func origin(_ place: CatalogPlace, of item: CatalogID? = nil) -> ExchangeOrigin {
        ExchangeOrigin(
            target: item?.description,
            workspace: place.catalog,
            environment: place.environment
        )
    }

    /// Begins a run in the history; nil if that cannot be written, which is shown to the user.
    func begin(
        _ kind: RecordedRun.Kind,
        _ id: RunID,
        named name: String,
        total: Int?,
        in place: CatalogPlace
    ) async -> RunRecording? {
        let session = await session?.value?.id
        do throws(RecordingError) {
            let run = try await history.beginRun(
                kind,
                named: name,
                environment: place.environment,
                total: total,
                in: session
            )
            send(.recordedRun(id, run))
            var origin = origin(place)
            origin.run = run
            return RunRecording(history: history, run: run, origin: origin, session: session)
        } catch {
            send(.notice(Notice(kind: .failure, text: error.description)))
            return nil
        }
    }

    // MARK: Values over time

    private func find(_ path: String, in series: ExchangeSeries, _ generation: Int) {
        read(.values) { [send] history throws(RecordingError) in
            var (found, end): ([PastValue], RecordedExchange.ID?) = ([], nil)
            while found.count < Self.valueLimit {
                let page = try await history.exchanges(in: series, before: end, limit: 20)
                for exchange in page {
                    guard let whole = try await history.fetchedExchange(exchange.id) else {
                        continue
                    }
                    found.append(PastValue(of: path, in: whole))
                    if Task.isCancelled { return }
                }
                guard page.count == 20, let last = page.last else { break }
                end = last.id
                send(.values(found, isWhole: false, generation: generation))
            }
            send(.values(found, isWhole: true, generation: generation))
        }
    }
}

/// A session that is recorded.
struct BegunSession: Sendable {
    let id: RecordedSession.ID
    /// Shares it; nil for nobody.
    let sharing: (any SessionSharing)?
}

/// The recording of a batch, a chain or a watch.
struct RunRecording: Sendable {
    let history: History
    let run: RecordedRun.ID
    let origin: ExchangeOrigin
    let session: RecordedSession.ID?

    /// The target, made to record its exchange as a part of the run.
    @Sendable func target(
        _ place: Int,
        _ step: String?,
        _ target: any TargetType
    ) -> any TargetType {
        RecordingTarget(target, partOf: run, at: place, step: step, from: origin, session: session)
    }

    /// Records a named target, under that name in place of a step's.
    func target(_ place: Int, _ name: String, _ target: any TargetType) -> any TargetType {
        var origin = origin.of(target, named: name)
        origin.place = place
        return RecordingTarget(target, origin: origin, session: session)
    }

    /// Ends it, and says what came of it; an error is ignored, because it was shown before or does not affect the recorded
    /// exchanges.
    func end(_ outcome: RunOutcome = RunOutcome()) async {
        try? await history.end(run, failedCount: outcome.failedCount)
    }
}

/// What came of a run whose responses are compared with what is expected of them.
struct RunOutcome {
    private var failed = 0
    private var isChecked = false

    /// How many of its requests are not as expected; nil if nothing is expected of any.
    var failedCount: Int? { isChecked ? failed : nil }

    /// Counts a request: by what is expected of it, or else by its status as the history does.
    mutating func count(_ summary: ExchangeSummary, isMet: Bool?) {
        if isMet != nil { isChecked = true }
        if !(isMet ?? summary.isGood) { failed += 1 }
    }

    /// Counts what is expected of a run as a whole.
    mutating func count(_ judgement: [CheckedResponse.Item]) {
        guard !judgement.isEmpty else { return }
        isChecked = true
        failed = max(failed, judgement.allSatisfy(\.isMet) ? 0 : 1)
    }
}

extension ExchangeSummary {
    /// Whether there is a response that is no error.
    fileprivate var isGood: Bool {
        if case .success(let response) = result { response.status < 400 } else { false }
    }
}

/// A catalog and an environment, by the names that the history keeps.
struct CatalogPlace: Sendable {
    var catalog: String
    var environment: String
}

extension PastValue {
    /// The most characters of a value's text.
    private static let longestText = 1024

    /// Reads the value at a JSONPath of an exchange's response.
    fileprivate init(of path: String, in whole: ExchangeDetails) {
        exchange = whole.exchange
        (text, number) = (nil, nil)
        guard let response = whole.response,
            let tree = try? response.value(using: .document),
            let value = try? JSON(document: tree.document).at(path: path), value.exists
        else { return }
        number = value.double
        text = value.text().map { String($0.prefix(Self.longestText)) }
    }
}
