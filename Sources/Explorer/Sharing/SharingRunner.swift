import Apus
import Recordings
import Sharing

/// Work on the server that a team shares sessions on.
enum SharingEffect: Sendable {
    /// List its sessions, again and again.
    case list(ServerChoice)
    /// Stop listing.
    case endList
    /// Watch a session, and record it here.
    case watch(WatchedSession, fromNow: Bool, ServerChoice)
    /// Stop watching.
    case endWatch
}

/// A result of that work.
enum SharingMessage: Sendable {
    /// The address of the shared cache's server; nil if there is none.
    case cacheServer(String?)
    /// The sessions on the server.
    case listed([StreamedSession])
    /// They could not be listed, for this reason.
    case listFailed(String)
    /// What happens to the session of this name, which is recorded here and shared at an address.
    case own(session: String, SharingNotice, at: String)
    /// The session of this name is recorded, but cannot be shared, for this reason.
    case refused(session: String, String)
    /// What came of an entry of a session that is watched.
    case received(watch: Int, SessionFollower.Event)
    /// Watching has ended by itself, for this reason.
    case watchFailed(watch: Int, String)
}

/// Lists the sessions of a team, and watches one; nothing is connected before.
@MainActor
final class SharingRunner {
    private let history: History
    private let servers: TeamServers
    private let send: @Sendable (SharingMessage) -> Void
    private var listing: Task<Void, Never>?
    private var watching: Task<Void, Never>?

    /// The pause between two looks at a server.
    private nonisolated static let pause = Duration.seconds(2)
    /// A look at a large server takes long; it is not kept busy with them.
    private nonisolated static let mostBusy = 10

    init(
        _ history: History,
        _ servers: TeamServers,
        send: @escaping @Sendable (SharingMessage) -> Void
    ) {
        (self.history, self.servers, self.send) = (history, servers, send)
    }

    func perform(_ effect: SharingEffect) {
        switch effect {
        case .list(let choice):
            listing?.cancel()
            listing = Task.detached { [servers, send] in
                await Self.list(choice, servers, send)
            }
        case .endList: listing?.cancel()
        case .watch(let watched, let fromNow, let choice):
            watching?.cancel()
            watching = Task.detached { [former = watching, history, servers, send] in
                // Its session has ended before this one begins.
                await former?.value
                await Self.watch(watched, fromNow: fromNow, choice, history, servers, send)
            }
        case .endWatch: watching?.cancel()
        }
    }

    /// Ends all work; the returned function waits until nothing is recorded any more.
    func end() -> @Sendable () async -> Void {
        listing?.cancel()
        watching?.cancel()
        return { [listing, watching] in
            await listing?.value
            await watching?.value
        }
    }

    private nonisolated static func list(
        _ choice: ServerChoice,
        _ servers: TeamServers,
        _ send: @Sendable (SharingMessage) -> Void
    ) async {
        let directory: SessionDirectory
        do throws(SharedStoreError) {
            directory = SessionDirectory(try servers.server(choice))
        } catch {
            return send(.listFailed(error.description))
        }
        while !Task.isCancelled {
            let start = ContinuousClock.now
            let message: SharingMessage
            do throws(RedisFault) {
                message = .listed(try await directory.sessions())
            } catch {
                message = .listFailed("\(error)")
            }
            guard !Task.isCancelled else { return }
            send(message)
            let took = ContinuousClock.now - start
            // Ends early if it is cancelled, and then the loop does, too.
            try? await Task.sleep(for: max(pause, took * mostBusy))
        }
    }

    private nonisolated static func watch(
        _ watched: WatchedSession,
        fromNow: Bool,
        _ choice: ServerChoice,
        _ history: History,
        _ servers: TeamServers,
        _ send: @Sendable (SharingMessage) -> Void
    ) async {
        var session: RecordedSession.ID?
        do {
            let server = try servers.server(choice)
            let id = try await history.session(named: watched.recordedName)
            session = id
            let stream = server.stream(named: watched.name)
            try await SessionFollower(stream, into: id, of: history).follow(fromNow: fromNow) {
                send(.received(watch: watched.id, $0))
                return false
            }
        } catch is CancellationError {
        } catch  where !Task.isCancelled {
            send(.watchFailed(watch: watched.id, "\(error)"))
        } catch {}
        // A history that cannot be written has been reported.
        if let session { try? await history.end(session) }
    }
}
