import Apus
package import Recordings
import Synchronization

/// Appends what a session records to a stream, as the history has it: with its secrets masked.
///
/// The history is the queue: what could not be appended, because the server was gone, is read there again.
package final class SessionSharer: SessionSharing {
    private struct State {
        var session: RecordedSession.ID?
        var history: History?
        /// The last exchange that was appended or was there before.
        var last: RecordedExchange.ID = 0
        var task: Task<Void, Never>?
        var report: @Sendable (String) -> Void = { _ in }
        var isFailing = false
    }

    /// How long what is left is tried at the end.
    private static let patience = Duration.seconds(5)
    private static let pause = Duration.seconds(1)

    private let stream: SessionStream
    private let name: String
    private let state = Mutex(State())
    private let (changes, changed) = AsyncStream.makeStream(
        of: Void.self,
        bufferingPolicy: .bufferingNewest(1)
    )

    /// Makes what shares a session of this name.
    package init(_ stream: SessionStream, named name: String) {
        (self.stream, self.name) = (stream, name)
    }

    package func begin(
        _ session: RecordedSession.ID,
        of history: History,
        report: @escaping @Sendable (String) -> Void
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
            for await _ in changes {
                // A server that is gone is tried again with the next exchange, or at the end.
                _ = await appendNew()
            }
            withExtendedLifetime(watch) {}
        }
        state.withLock { $0.task = task }
    }

    package func end() async {
        let task = state.withLock { $0.task.take() }
        changed.finish()
        await task?.value
        let deadline = ContinuousClock.now + Self.patience
        while await !appendNew(), ContinuousClock.now < deadline {
            // Returns early if the task is cancelled, and then gives up.
            guard (try? await Task.sleep(for: Self.pause)) != nil else { break }
        }
    }

    private func newest(of session: RecordedSession.ID, in history: History) async
        -> RecordedExchange.ID
    {
        var filter = HistoryFilter()
        filter.session = session
        // A history that cannot be read records nothing either, which has been reported.
        return (try? await history.exchanges(matching: filter, limit: 1))?.first?.id ?? 0
    }

    private func report(_ text: String) { state.withLock(\.report)(text) }

    /// Appends what the session has more than the stream; false if that failed.
    private func appendNew() async -> Bool {
        let (session, history, last) = state.withLock { ($0.session, $0.history, $0.last) }
        guard let session, let history else { return true }
        do {
            for id in try await history.exchanges(of: session, after: last) {
                if let har = try await history.har(of: id, session: name) {
                    try await stream.append(har)
                }
                state.withLock { $0.last = id }
            }
        } catch let fault as RedisFault {
            let isNew = state.withLock { state in
                defer { state.isFailing = true }
                return !state.isFailing
            }
            if isNew { report("The session is not shared for now: \(fault) (\(stream.address)).") }
            return false
        } catch {
            report("The session is not shared: \(error)")
            return true
        }
        state.withLock { $0.isFailing = false }
        return true
    }
}
