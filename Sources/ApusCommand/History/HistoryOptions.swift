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
            Record into the session of this name. It is created if necessary, and kept until you \
            delete it.
            """,
            valueName: "name"
        )
    )
    var session: String?

    @Flag(
        help: """
            Record nothing. Default: everything is recorded, with secrets masked (apus help \
            sessions).
            """
    )
    var noHistory = false

    @Flag(help: "Record secrets unmasked. Default: ••••••, or ••1, ••2 … in a session.")
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

    /// Makes the recorder, which masks `secrets` wherever they occur.
    func recorder(secrets: Set<String> = []) -> HistoryRecorder {
        HistoryRecorder(
            history { .forCommand(secrets: Array(secrets), keepsSecrets: $0) },
            session: session
        )
    }

    /// The user's history, made by `make`; nil if nothing is to be recorded.
    func history(_ make: (_ keepsSecrets: Bool) -> History) -> History? {
        noHistory ? nil : make(keepSecrets)
    }
}

/// Which history a command reads or changes.
struct HistoryChoice: ParsableArguments {
    @Flag(help: "Use the demo's history: what `apus demo` records is kept apart from yours.")
    var demo = false
}

extension History {
    /// The user's history or the demo's, which prints its notices on standard error.
    static func forCommand(
        ofDemo: Bool = false,
        secrets: [String] = [],
        keepsSecrets: Bool = false
    ) -> History {
        History(
            path: ofDemo ? demoPath : standardPath,
            secrets: secrets,
            keepsSecrets: keepsSecrets,
            notice: { notice in
                switch notice {
                case .setAside, .unread, .delayed, .lost: StandardError.write("apus: \(notice)")
                case .stopped(let error): HistoryRecorder.tell(error)
                }
            }
        )
    }
}

/// Records the requests of one command, none of which fails if recording does.
final class HistoryRecorder: Sendable {
    /// After an interruption, how often it checks whether writing makes progress.
    private static let patience = DispatchTimeInterval.milliseconds(500)
    /// How many checks may find no progress; masking a large body takes seconds.
    private static let quietLimit = 10

    private struct State {
        /// Nil if nothing is to be recorded, or recording has failed.
        var history: History?
        var session: RecordedSession.ID?
        var run: RecordedRun.ID?
        var isWaiting = false
    }

    private let sessionName: String?
    private let state: Mutex<State>

    /// Makes a recorder, which does nothing without a history.
    init(_ history: History?, session: String?) {
        sessionName = session
        state = Mutex(State(history: history))
    }

    /// Reports why nothing is recorded.
    fileprivate static func tell(_ error: RecordingError) {
        StandardError.write("apus: Nothing is recorded: \(error)")
    }

    /// Opens the history in the background, while the command does other things.
    func openAhead() { state.withLock(\.history)?.openAhead() }

    /// Finds or makes the session.
    ///
    /// Must be the first call, unless ``begin(_:named:in:total:)`` is.
    func begin() async {
        await opening { (history: History) async throws(RecordingError) in
            guard let sessionName else { return }
            let session = try await history.session(named: sessionName)
            state.withLock { $0.session = session }
        }
    }

    /// Finds or makes the session, and begins the run of a batch or a chain.
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

    /// The plugins that record a provider's exchanges; valid after `begin`.
    var plugins: [any Plugin] {
        let state = state.withLock(\.self)
        guard let history = state.history else { return [] }
        return [.recording(to: history, session: state.session) { _ in ExchangeOrigin() }]
    }

    /// Returns a function that adds the origin, run and step to each target; valid after `begin`.
    func recording(
        from origin: ExchangeOrigin
    ) -> @Sendable (Int, String?, any TargetType) -> any TargetType {
        let run = state.withLock(\.run)
        return { place, step, target in
            let known = target as? RecordingTarget
            var recorded = known ?? RecordingTarget(target, origin: origin.of(target))
            (recorded.origin.run, recorded.origin.place, recorded.origin.step) = (run, place, step)
            return recorded
        }
    }

    /// Records an exchange.
    ///
    /// - Returns: the request's path as it is recorded; nil if nothing is.
    @discardableResult func record(
        _ exchange: ExchangeRecord,
        from origin: ExchangeOrigin
    ) async -> String? {
        let state = state.withLock(\.self)
        var exchange = exchange
        exchange.origin = origin
        return await state.history?.recordingPath(of: exchange, in: state.session)
    }

    /// Does a command's work, calls `record`, and writes the exchanges that are still waiting.
    ///
    /// - Returns: the work's exit status, or 2 if that is 0 but the named session is incomplete.
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

    /// Writes the waiting exchanges; false if something was not recorded.
    @discardableResult private func close() async -> Bool {
        let state = state.withLock(\.self)
        guard let history = state.history else { return false }
        return await waiting(for: history) {
            // A failure was reported already, or does not affect the recorded exchanges.
            if let run = state.run { try? await history.end(run) }
            if let session = state.session { try? await history.end(session) }
            // Work that the next reader can do is left to it.
            await history.leave()
            guard history.lostCount > 0 else { return history.failure == nil }
            if history.failure == nil {
                let count = ExchangeTable.count(history.lostCount)
                StandardError.write("apus: \(count) not recorded: \(history.path) was in use")
            }
            return false
        }
    }

    /// Waits for the history; after an interruption only while it makes progress, because a disk may hang.
    private func waiting<T>(for history: History, _ work: () async -> T) async -> T {
        state.withLock { $0.isWaiting = true }
        defer { state.withLock { $0.isWaiting = false } }
        return await withTaskCancellationHandler(operation: work) {
            watch(history, behind: nil, quietTimes: 0)
        }
    }

    /// Checks every `patience` whether the history makes progress, and ends the program if it does not, or if
    /// everything is written.
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
                StandardError.write(
                    "apus: still recording \(exchanges); press ctrl-c again to quit now"
                )
            }
            watch(history, behind: progress, quietTimes: quietTimes)
        }
    }
}
