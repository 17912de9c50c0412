package import Apus
import Synchronization

/// Records the requests of one command, none of which fails if recording does.
package final class HistoryRecorder: Sendable {
    /// What its host is told.
    package enum Notice: Sendable {
        /// Nothing is recorded.
        case stopped(RecordingError)
        /// This many exchanges were not recorded, because the history at this path was in use.
        case lost(count: Int, path: String)
        /// Something happened to what shares the session.
        case sharing(String)
    }

    private struct State {
        /// Nil if nothing is to be recorded, or recording has failed.
        var history: History?
        var session: RecordedSession.ID?
        var run: RecordedRun.ID?
        /// How many requests of the run are not as expected; nil if nothing is expected.
        var failedCount: Int?
    }

    private let sessionName: String?
    private let sharing: (any SessionSharing)?
    private let host: any RecorderHost
    private let state: Mutex<State>

    /// Makes a recorder, which does nothing without a history.
    ///
    /// - Parameters:
    ///   - history: The history; nil to record nothing.
    ///   - session: The name of the session to record into; nil for none.
    ///   - sharing: Shares the session while it is recorded; nil for nobody.
    ///   - host: Who reports its notices, and waits for the history.
    package init(
        _ history: History?,
        session: String?,
        sharing: (any SessionSharing)? = nil,
        host: any RecorderHost
    ) {
        sessionName = session
        self.sharing = sharing
        self.host = host
        state = Mutex(State(history: history))
    }

    /// Opens the history in the background, while the command does other things.
    package func openAhead() { state.withLock(\.history)?.openAhead() }

    /// Finds or makes the session.
    ///
    /// Must be the first call, unless ``begin(_:named:in:total:)`` is.
    package func begin() async {
        await opening { (history: History) async throws(RecordingError) in
            guard let sessionName else { return }
            let session = try await history.session(named: sessionName)
            state.withLock { $0.session = session }
            guard let sharing else { return }
            let address = sharing.address
            await sharing.begin(session, of: history) { [host] notice in
                if let text = notice.text(of: address) { host.report(.sharing(text)) }
            }
        }
    }

    /// Finds or makes the session, and begins the run of a batch or a chain.
    package func begin(
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
        await host.waiting(for: history) {
            do throws(RecordingError) {
                try await work(history)
            } catch {
                host.report(.stopped(error))
                state.withLock { $0.history = nil }
            }
        }
    }

    /// The plugins that record a provider's exchanges; valid after `begin`.
    package var plugins: [any Plugin] {
        let state = state.withLock(\.self)
        guard let history = state.history else { return [] }
        return [.recording(to: history, session: state.session) { _ in ExchangeOrigin() }]
    }

    /// The plugins that record only the exchanges of `RecordingTarget`s; valid after `begin`.
    package var pluginsOfNamed: [any Plugin] {
        let state = state.withLock(\.self)
        guard let history = state.history else { return [] }
        return [.recording(to: history, session: state.session) { _ in nil }]
    }

    /// Returns a function that adds the origin, run and step to each target; valid after `begin`.
    package func recording(
        from origin: ExchangeOrigin
    ) -> @Sendable (Int, String?, any TargetType) -> any TargetType {
        let run = state.withLock(\.run)
        return { place, step, target in
            RecordingTarget(target, partOf: run, at: place, step: step, from: origin)
        }
    }

    /// Says how many requests of the run are not as expected.
    package func setFailedCount(_ count: Int) { state.withLock { $0.failedCount = count } }

    /// Records an exchange.
    ///
    /// - Returns: The request's path as it is recorded; nil if nothing is.
    @discardableResult package func record(
        _ exchange: ExchangeRecord,
        from origin: ExchangeOrigin
    ) async -> String? {
        let state = state.withLock(\.self)
        var exchange = exchange
        exchange.origin = origin
        return await state.history?.recordingPath(of: exchange, in: state.session)
    }

    /// Performs a command's work, calls `record`, and writes the exchanges that are still waiting.
    ///
    /// - Returns: What the work returned, and whether a session that was named has everything.
    package func performing<Result>(
        _ work: () async throws -> Result,
        recording record: () async -> Void = {}
    ) async throws -> (result: Result, isWhole: Bool) {
        let result: Result
        do {
            result = try await work()
        } catch {
            await record()
            await close()
            throw error
        }
        await record()
        let isWhole = await close()
        return (result, isWhole || sessionName == nil)
    }

    /// Writes the waiting exchanges; false if something was not recorded.
    @discardableResult private func close() async -> Bool {
        let state = state.withLock(\.self)
        guard let history = state.history else { return false }
        return await host.waiting(for: history) {
            // A failure was reported already, or does not affect the recorded exchanges.
            if let sharing, state.session != nil {
                try? await history.flush()
                await sharing.end()
            }
            if let run = state.run {
                try? await history.end(run, failedCount: state.failedCount)
            }
            if let session = state.session { try? await history.end(session) }
            // Work that the next reader can do is left to it.
            await history.leave()
            guard history.lostCount > 0 else { return history.failure == nil }
            if history.failure == nil {
                host.report(.lost(count: history.lostCount, path: history.path))
            }
            return false
        }
    }
}

/// Reports what a recorder has to say, and waits for the history as long as its program wants to.
package protocol RecorderHost: Sendable {
    /// Reports a notice to the user.
    func report(_ notice: HistoryRecorder.Notice)
    /// Does work that waits for the history; a program that is interrupted meanwhile may end itself.
    func waiting<Result>(for history: History, _ work: () async -> Result) async -> Result
}
