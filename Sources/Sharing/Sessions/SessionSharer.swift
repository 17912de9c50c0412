import Apus
package import Recordings
import Synchronization

/// Appends what a session records to a stream, as the history has it: with its secrets masked.
///
/// The history is the queue: what could not be appended, because the server was gone, is read there again.
/// ```
/// HistoryWatch ─ something was recorded ─┐
///                                        ├─▶ mark the session as shared, append what is new ─▶ report a change
/// every few seconds ─────────────────────┘
/// ```
package final class SessionSharer: SessionSharing {
    private enum Health { case new, working, failing }

    private struct State {
        var session: RecordedSession.ID?
        var history: History?
        /// The last exchange that was appended or was there before.
        var last: RecordedExchange.ID = 0
        var task: Task<Void, Never>?
        var report: @Sendable (SharingNotice) -> Void = { _ in }
        var health = Health.new
    }

    /// How long what is left is tried at the end.
    private static let patience = Duration.seconds(5)
    private static let pause = Duration.seconds(1)

    private let stream: SessionStream
    private let name: String
    private let interval: Duration
    private let state = Mutex(State())
    private let (changes, changed) = AsyncStream.makeStream(
        of: Void.self,
        bufferingPolicy: .bufferingNewest(1)
    )

    package var address: String { stream.address }

    /// Makes what shares a session of this name; `interval` is how often it is marked as shared, and the server
    /// that is gone is tried again.
    package init(
        _ stream: SessionStream,
        named name: String,
        every interval: Duration = .seconds(3)
    ) {
        (self.stream, self.name, self.interval) = (stream, name, interval)
    }

    package func begin(
        _ session: RecordedSession.ID,
        of history: History,
        report: @escaping @Sendable (SharingNotice) -> Void
    ) async {
        let last = await newest(of: session, in: history)
        state.withLock { state in
            (state.session, state.history, state.last) = (session, history, last)
            state.report = report
        }
        let task = Task.detached { [self, changed] in
            let watch = HistoryWatch(path: history.path) { changed.yield() }
            // What was recorded before it watched.
            changed.yield()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.tick() }
                for await _ in self.changes { _ = await self.appendNew() }
                group.cancelAll()
            }
            withExtendedLifetime(watch) {}
        }
        state.withLock { $0.task = task }
    }

    private func tick() async {
        while (try? await Task.sleep(for: interval)) != nil { changed.yield() }
    }

    package func end() async {
        let task = state.withLock { $0.task.take() }
        changed.finish()
        await task?.value
        let deadline = ContinuousClock.now + Self.patience
        while await !appendNew() {
            // Returns early if the task is cancelled, and then gives up.
            guard ContinuousClock.now < deadline, (try? await Task.sleep(for: Self.pause)) != nil
            else { return await reportLost() }
        }
        // A mark that stays ends by itself in seconds.
        try? await stream.mark(isShared: false)
    }

    private func reportLost() async {
        let (session, history, last) = state.withLock { ($0.session, $0.history, $0.last) }
        guard let session, let history else { return }
        // A task of its own, because a cancelled one reads nothing. A history that cannot be read has been reported.
        let lost = await Task.detached {
            (try? await history.exchanges(of: session, after: last))?.count ?? 0
        }.value
        if lost > 0 { state.withLock(\.report)(.lost(lost)) }
    }

    private func newest(of session: RecordedSession.ID, in history: History) async
        -> RecordedExchange.ID
    {
        var filter = HistoryFilter()
        filter.session = session
        // A history that cannot be read records nothing either, which has been reported.
        return (try? await history.exchanges(matching: filter, limit: 1))?.first?.id ?? 0
    }

    /// Appends what the session has more than the stream; false if the server did not take it.
    private func appendNew() async -> Bool {
        let (session, history, last) = state.withLock { ($0.session, $0.history, $0.last) }
        guard let session, let history else { return true }
        do {
            try await stream.mark(isShared: true)
            for id in try await history.exchanges(of: session, after: last) {
                if let har = try await history.har(of: id, session: name) {
                    try await stream.append(har)
                }
                state.withLock { $0.last = id }
            }
        } catch let fault as RedisFault {
            // Nobody waits any more for the answer of a server that may be there.
            if !Task.isCancelled { fail("\(fault)") }
            return false
        } catch {
            fail("\(error)")
            return true
        }
        succeed()
        return true
    }

    private func fail(_ reason: String) {
        let report = state.withLock { state -> (@Sendable (SharingNotice) -> Void)? in
            guard state.health != .failing else { return nil }
            state.health = .failing
            return state.report
        }
        report?(.failed(reason))
    }

    private func succeed() {
        let (former, report) = state.withLock { state in
            defer { state.health = .working }
            return (state.health, state.report)
        }
        switch former {
        case .new: report(.began)
        case .working: break
        case .failing: report(.recovered)
        }
    }
}
