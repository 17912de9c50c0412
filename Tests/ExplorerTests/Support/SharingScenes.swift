import Apus
import FoundationEssentials
import Sharing
import Terminal

@testable import Explorer
@testable import Recordings
@testable import TreeView

extension StreamedSession {
    /// What colleagues share, and have shared.
    static var samples: [StreamedSession] {
        [
            StreamedSession(name: "checkout", count: 14, isShared: true, age: .seconds(3)),
            StreamedSession(name: "login fails", count: 0, isShared: true, age: nil),
            StreamedSession(name: "checkout-bug", count: 2, isShared: true, age: .seconds(9)),
            StreamedSession(
                name: "slow-search",
                count: 1000,
                isShared: false,
                age: .seconds(93_000)
            ),
        ]
    }
}

extension Model {
    private static let server = "redis://10.0.0.5:6379/0"

    private mutating func showRecorded() {
        showSession()
        sharing.cacheServer = Self.server
        session.status?.sharing = .shared
    }

    /// A session that is shared while another is watched, with the server there or gone.
    mutating func showShared(isUp: Bool) {
        showRecorded()
        sharing.watched = WatchedSession(id: 1, name: "login fails", count: 3)
        guard !isUp else { return }
        let reason = "no connection: connection refused"
        workspace.sharedCacheProblem = reason
        session.status?.sharing = .failed(reason)
        sharing.watched?.problem = reason
        notice = Notice(
            kind: .warning,
            text: SharingNotice.failed(reason).text(of: Self.server) ?? ""
        )
    }

    mutating func showSharedHit() {
        updateView { view in
            view.lookup = .hit(.make(Scene.cachedBody, source: .makeShared()))
        }
        layers.explanation = PageScroll()
    }

    mutating func showSharedRefusal() {
        workspace.sharedCacheRefusal =
            "it is not signed with the team's key, or was changed: apus:1:0123456789abcdef:c:d"
        updateView { view in
            view.lookup = .miss(CacheKey(digest: "d", recipe: "r"), .notFound)
            view.storage = .stored(.memoryAndDisk, expires: .sampleNow.addingTimeInterval(300))
        }
        layers.explanation = PageScroll()
    }

    mutating func showSharedVariants() {
        updateView { view in
            view.decisions = [
                CacheDecision(
                    outcome: .mustFetch,
                    rule: .nothingStored,
                    findings: [
                        .shared(
                            """
                            \(Self.server) has nothing; what else it has is refused: it is not signed \
                            with the team's key, or was changed
                            """
                        )
                    ]
                )
            ]
        }
        layers.explanation = PageScroll()
    }

    /// The list of sessions; nil for no server.
    mutating func showSessionList(_ listing: SharingState.Listing?) {
        showRecorded()
        if listing == nil {
            session.status = nil
            sharing.cacheServer = nil
        } else {
            sharing.watched = WatchedSession(id: 1, name: "login fails")
        }
        palette.sessions = ["checkout-bug", "nightly"].enumerated().map { index, name in
            RecordedSession(
                id: .init(Int64(index)),
                name: name,
                started: .sampleNow,
                ended: nil,
                note: nil,
                count: 14
            )
        }
        _ = openSessions()
        sharing.listing = listing ?? .unknown
        remakePicker()
    }

    mutating func showShareTyping() {
        session.hasHistory = true
        sharing.cacheServer = Self.server
        for key in ["R", "b", "u", "g", "tab"].compactMap({ Key($0) }) { _ = handle(key) }
    }
}

extension ResponseSource {
    /// An entry of the shared cache, stored four minutes ago.
    static func makeShared() -> ResponseSource {
        guard case .disk(let hit) = makeDisk() else { return .server }
        return .shared(hit)
    }
}
