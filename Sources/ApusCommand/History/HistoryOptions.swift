import Apus
import ArgumentParser
import Dispatch
import FoundationEssentials
import Recordings
import SessionBuckets
import Sharing
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
        ),
        completion: WorkspaceCompletions.sessions
    )
    var session: String?

    @Option(
        help: ArgumentHelp(
            """
            Share the session while it is recorded, on the Redis server redis://host:port/db; \
            `apus watch` shows it there. Needs --session.
            """,
            valueName: "url"
        )
    )
    var share: String?

    @OptionGroup var team: TeamKeyOptions

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
        if share != nil, session == nil { throw ValidationError("--share needs --session NAME.") }
        if share != nil, keepSecrets {
            throw ValidationError(
                "--share cannot be combined with --keep-secrets: what is shared leaves with its secrets masked."
            )
        }
    }

    /// Where the session is shared; nil if it is not to be shared.
    ///
    /// - Throws: `CommandError` if the address or the key cannot be used.
    func server() throws -> TeamServer? { try share.map { try team.server(at: $0) } }

    private func sharing() throws -> (any SessionSharing)? {
        guard let session, let server = try server() else { return nil }
        return SessionSharer(server.stream(named: session), named: session)
    }

    /// Makes the recorder, which masks `secrets` wherever they occur.
    func recorder(secrets: Set<String> = []) throws -> HistoryRecorder {
        HistoryRecorder(
            history { .forCommand(secrets: Array(secrets), keepsSecrets: $0) },
            session: session,
            sharing: try sharing()
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
                case .stopped(let error): CommandRecorderHost.report(error)
                }
            }
        ).fetchingFromBuckets()
    }

    /// The same history, which gets the bodies of pulled sessions when they are needed.
    func fetchingFromBuckets() -> History {
        let bodies = SharedBodies()
        fetchBodies { try await bodies.bytes(of: $0) }
        return self
    }
}

extension HistoryRecorder {
    /// Makes the recorder of a command, which does nothing without a history.
    convenience init(
        _ history: History?,
        session: String?,
        sharing: (any SessionSharing)? = nil
    ) {
        self.init(history, session: session, sharing: sharing, host: CommandRecorderHost())
    }

    /// Does a command's work, calls `record`, and writes the exchanges that are still waiting.
    ///
    /// - Returns: The work's exit status, or 2 if that is 0 but the named session is incomplete.
    func closing(
        after work: () async throws -> Int32,
        recording record: () async -> Void = {}
    ) async throws -> Int32 {
        let (status, isWhole) = try await performing(work, recording: record)
        return status == 0 && !isWhole ? ExitStatus.usage : status
    }
}

/// Prints a recorder's notices, and ends the program if it is interrupted while the history writes nothing.
final class CommandRecorderHost: RecorderHost {
    /// After an interruption, how often it checks whether writing makes progress.
    private static let patience = DispatchTimeInterval.milliseconds(500)
    /// How many checks may find no progress; masking a large body takes seconds.
    private static let quietLimit = 10

    private let isWaiting = Atomic(false)

    func report(_ notice: HistoryRecorder.Notice) {
        switch notice {
        case .stopped(let error): Self.report(error)
        case .sharing(let text): StandardError.write("apus: \(text)")
        case .lost(let count, let path):
            let exchanges = ExchangeTable.count(count)
            StandardError.write("apus: \(exchanges) not recorded: \(path) was in use")
        }
    }

    /// Reports why nothing is recorded.
    static func report(_ error: RecordingError) {
        StandardError.write("apus: Nothing is recorded: \(error)")
    }

    /// Waits for the history; after an interruption only while it makes progress, because a disk may hang.
    func waiting<Result>(for history: History, _ work: () async -> Result) async -> Result {
        isWaiting.store(true, ordering: .releasing)
        defer { isWaiting.store(false, ordering: .releasing) }
        return await withTaskCancellationHandler(operation: work) {
            watch(history, after: nil, quietTimes: 0)
        }
    }

    /// Checks every `patience` whether the history makes progress, and ends the program if it does not, or if
    /// everything is written.
    private func watch(_ history: History, after last: Int?, quietTimes: Int) {
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [self] in
            guard isWaiting.load(ordering: .acquiring) else { return }
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
            watch(history, after: progress, quietTimes: quietTimes)
        }
    }
}
