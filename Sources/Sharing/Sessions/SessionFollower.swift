package import Recordings

/// Reads a session that someone shares, and records it here.
package struct SessionFollower: Sendable {
    /// What came of an entry of the stream.
    package enum Event: Sendable {
        /// An exchange was recorded here, under this number.
        case exchange(RecordedExchange)
        /// So many exchanges were gone before they were read.
        case missed(Int)
        /// Something is not the team's, or cannot be read, for this reason.
        case refused(String)
        /// The server cannot be reached now.
        case failed(RedisFault)
        /// The server can be reached again.
        case recovered
    }

    private static let wait = Duration.seconds(1)
    private static let pause = Duration.seconds(1)

    private let stream: SessionStream
    private let history: History
    private let session: RecordedSession.ID

    /// Makes a follower that records into a session of `history`.
    package init(_ stream: SessionStream, into session: RecordedSession.ID, of history: History) {
        (self.stream, self.session, self.history) = (stream, session, history)
    }

    /// Follows the stream until the task is cancelled, or `isDone` returns true after an event.
    ///
    /// - Parameters:
    ///   - fromNow: whether what was shared before is left out.
    ///   - isDone: called with each event, in order.
    /// - Throws: `RedisFault` if the server cannot be used at the beginning, `RecordingError` if nothing can
    ///   be recorded here.
    package func follow(
        fromNow: Bool,
        _ isDone: (Event) async throws -> Bool
    ) async throws {
        var position = fromNow ? try await stream.end() : SessionStream.beginning
        // The first call tells whether the server can be used at all.
        var entries = try await stream.entries(after: position, wait: .milliseconds(1))
        var expected: Int? = fromNow ? nil : 1
        var isFailing = false
        while true {
            try Task.checkCancellation()
            for entry in entries {
                position = entry.position
                if let wanted = expected, entry.number > wanted,
                    try await isDone(.missed(entry.number - wanted))
                {
                    return
                }
                expected = max(entry.number + 1, expected ?? 0)
                for event in try await record(entry) where try await isDone(event) { return }
            }
            let next = await next(after: position)
            // One that is cancelled has no fault to report.
            try Task.checkCancellation()
            switch next {
            case .success(let next):
                entries = next
                if isFailing, try await isDone(.recovered) { return }
                isFailing = false
            case .failure(let fault):
                entries = []
                if !isFailing, try await isDone(.failed(fault)) { return }
                isFailing = true
                try await Task.sleep(for: Self.pause)
            }
        }
    }

    private func next(
        after position: String
    ) async -> Result<[SessionStream.Entry], RedisFault> {
        do throws(RedisFault) {
            return .success(try await stream.entries(after: position, wait: Self.wait))
        } catch {
            return .failure(error)
        }
    }

    private func record(_ entry: SessionStream.Entry) async throws -> [Event] {
        guard let content = entry.content else {
            return [.refused("an exchange is not signed with the team's key")]
        }
        do throws(SessionFileError) {
            let recorded = try await history.record(har: content, in: session)
            return recorded.map { .exchange($0) }
        } catch {
            return [.refused(error.description)]
        }
    }
}
