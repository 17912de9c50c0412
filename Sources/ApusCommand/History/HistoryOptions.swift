import Apus
import ArgumentParser
import Dispatch
import FoundationEssentials
import Recordings
import Synchronization
import Terminal

/// Whether a command's requests are recorded, and in which session.
struct HistoryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Record into the session of this name, a new one if there is none; what is in a session is \
            kept until that is deleted.
            """,
            valueName: "name"
        )
    )
    var session: String?

    @Flag(help: "Record nothing. Default: all that is sent, secrets masked (apus help sessions).")
    var noHistory = false

    @Flag(help: "Record secrets as they are. Default: ••••••, or ••1, ••2 … in a session.")
    var keepSecrets = false

    func validate() throws {
        if noHistory, session != nil {
            throw ValidationError("--session cannot be combined with --no-history.")
        }
        if noHistory, keepSecrets {
            throw ValidationError("--keep-secrets cannot be combined with --no-history.")
        }
        if session?.isEmpty == true { throw ValidationError("--session takes a name.") }
    }

    /// What records; `secrets` are masked wherever they stand.
    func recorder(secrets: Set<String> = []) -> HistoryRecorder {
        HistoryRecorder(
            history { .forCommand(secrets: Array(secrets), keepsSecrets: $0) },
            session: session
        )
    }

    /// The user's history, made by who says where its notices go; nil if nothing is to be recorded.
    func history(_ make: (_ keepsSecrets: Bool) -> History) -> History? {
        noHistory ? nil : make(keepSecrets)
    }
}

extension History {
    /// The user's history; it says on standard error if it was set aside, or cannot be written any more.
    static func forCommand(secrets: [String] = [], keepsSecrets: Bool = false) -> History {
        History(
            secrets: secrets,
            keepsSecrets: keepsSecrets,
            notice: { notice in
                switch notice {
                case .setAside, .unread, .delayed: StandardError.write("apus: \(notice)")
                case .stopped(let error): HistoryRecorder.tell(error)
                }
            }
        )
    }
}

/// What records the requests of one command; it fails none of them.
final class HistoryRecorder: Sendable {
    /// How long an interruption waits before it looks whether what is still to be written gets on.
    private static let patience = DispatchTimeInterval.milliseconds(500)
    /// How often it looks while nothing does: to mask a large body takes seconds.
    private static let quietLimit = 10

    private struct State {
        /// Nil when nothing is to be recorded, or it cannot be.
        var history: History?
        var session: RecordedSession.ID?
        var run: RecordedRun.ID?
        var isWaiting = false
    }

    private let sessionName: String?
    private let state: Mutex<State>

    /// Makes one; without a history it does nothing.
    init(_ history: History?, session: String?) {
        sessionName = session
        state = Mutex(State(history: history))
    }

    /// Says why there is no recording.
    fileprivate static func tell(_ error: RecordingError) {
        StandardError.write("apus: Nothing is recorded: \(error)")
    }

    /// Opens the history in the background, while the command does other things.
    func openAhead() { state.withLock(\.history)?.openAhead() }

    /// Finds or makes the session; the first call, unless that is ``begin(_:named:in:total:)``.
    func begin() async {
        await opening { (history: History) async throws(RecordingError) in
            guard let sessionName else { return }
            let session = try await history.session(named: sessionName)
            state.withLock { $0.session = session }
        }
    }

    /// Finds or makes the session, and begins a batch or a chain.
    func begin(
        _ kind: RecordedRun.Kind,
        named name: String,
        in environment: String?,
        total: Int
    ) async {
        await begin()
        await opening { (history: History) async throws(RecordingError) in
            let run = try await history.beginRun(
                kind,
                named: name,
                environment: environment,
                total: total,
                in: state.withLock(\.session)
            )
            state.withLock { $0.run = run }
        }
    }

    private func opening(_ work: (History) async throws(RecordingError) -> Void) async {
        guard let history = state.withLock(\.history) else { return }
        await waiting(for: history) {
            do throws(RecordingError) {
                try await work(history)
            } catch {
                Self.tell(error)
                state.withLock { $0.history = nil }
            }
        }
    }

    /// What has a provider record its exchanges; nothing before `begin`.
    var plugins: [any Plugin] {
        let state = state.withLock(\.self)
        guard let history = state.history else { return [] }
        return [.recording(to: history, session: state.session) { _ in ExchangeOrigin() }]
    }

    /// What says of each target of the batch or the chain that it is sent from there; after `begin`.
    func recording(
        from origin: ExchangeOrigin
    ) -> @Sendable (Int, String?, any TargetType) -> any TargetType {
        let run = state.withLock(\.run)
        return { place, step, target in
            let known = target as? RecordedTarget
            var recorded = known ?? RecordedTarget(target, origin: origin.of(target))
            (recorded.origin.run, recorded.origin.place, recorded.origin.step) = (run, place, step)
            return recorded
        }
    }

    /// Records an exchange.
    func record(_ exchange: ExchangeRecord, from origin: ExchangeOrigin) async {
        let state = state.withLock(\.self)
        var exchange = exchange
        exchange.origin = origin
        await state.history?.record(exchange, in: state.session)
    }

    /// Does a command's work, records what is not recorded yet, and writes what is left.
    ///
    /// - Returns: the work's exit status, or 2 where all went well but the session that was named has not
    ///   all of it.
    func closing(
        after work: () async throws -> Int32,
        recording record: () async -> Void = {}
    ) async throws -> Int32 {
        let status: Int32
        do {
            status = try await work()
        } catch {
            await record()
            await close()
            throw error
        }
        await record()
        let isWhole = await close()
        return status == 0 && !isWhole && sessionName != nil ? ExitStatus.usage : status
    }

    /// Writes what is left; false if something could not be recorded.
    @discardableResult private func close() async -> Bool {
        let state = state.withLock(\.self)
        guard let history = state.history else { return false }
        return await waiting(for: history) {
            // What cannot be written was told, or changes nothing of what is recorded.
            if let run = state.run { try? await history.end(run) }
            if let session = state.session { try? await history.end(session) }
            // Nobody waits here for what the next reader does.
            await history.leave()
            guard history.lostCount > 0 else { return history.failure == nil }
            if history.failure == nil {
                let count = ExchangeTable.count(history.lostCount)
                StandardError.write("apus: \(count) not recorded: \(history.path) was in use")
            }
            return false
        }
    }

    /// Waits for the history; after an interruption as long as it gets on, for a disk may not answer.
    private func waiting<T>(for history: History, _ work: () async -> T) async -> T {
        state.withLock { $0.isWaiting = true }
        defer { state.withLock { $0.isWaiting = false } }
        return await withTaskCancellationHandler(operation: work) {
            watch(history, behind: nil, quietTimes: 0)
        }
    }

    /// Looks every so often whether the history gets on, and gives up when it does not.
    private func watch(_ history: History, behind last: Int?, quietTimes: Int) {
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [self] in
            guard state.withLock(\.isWaiting) else { return }
            let (count, progress) = history.unwritten
            let quietTimes = progress == last ? quietTimes + 1 : 0
            let exchanges = ExchangeTable.count(count)
            guard count > 0, quietTimes < Self.quietLimit else {
                if count > 0 { StandardError.write("apus: \(exchanges) not recorded: interrupted") }
                CommandRun.giveUp()
            }
            if last == nil {
                StandardError.write("apus: recording \(exchanges); a second ctrl-c ends at once")
            }
            watch(history, behind: progress, quietTimes: quietTimes)
        }
    }
}
