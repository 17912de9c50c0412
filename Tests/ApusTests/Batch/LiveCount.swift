import Apus
import Synchronization

/// How many bodies that it made are held by anybody.
final class LiveCount: Sendable {
    private struct Weak {
        weak var file: BodyFile?
    }

    private struct State {
        var bodies: [Weak] = []
        var most = 0
    }

    private let state = Mutex(State())

    /// The most that were held at one time.
    var most: Int { state.withLock { $0.most } }

    /// A body, counted as long as it is held.
    func body() -> BodyFile {
        let file = BodyFile(path: "/dev/null/apus-tests", count: 0, ownership: .borrowed)
        state.withLock { state in
            state.bodies.removeAll { $0.file == nil }
            state.bodies.append(Weak(file: file))
            state.most = max(state.most, state.bodies.count)
        }
        return file
    }
}
