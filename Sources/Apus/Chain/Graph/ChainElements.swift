import Synchronization

/// The elements of a step: whose turn it is, and what came of them.
final class ChainElements: Sendable {
    private let state: Mutex<(next: Int, answers: [ChainAnswer?])>

    init(count: Int) { state = Mutex((0, Array(repeating: nil, count: count))) }

    var all: [ChainAnswer?] { state.withLock { $0.answers } }

    func takeNext() -> Int? {
        state.withLock { state in
            guard state.next < state.answers.count else { return nil }
            state.next += 1
            return state.next - 1
        }
    }

    func add(_ answer: ChainAnswer, at place: Int) {
        state.withLock { $0.answers[place] = answer }
    }
}
