import Synchronization

/// The elements of a step: whose turn it is, and what came of them.
final class ChainElements: Sendable {
    private struct State {
        var next = 0
        var answers: [ChainAnswer?]
        var firstFailure: ChainFailure?
    }

    private let state: Mutex<State>

    init(count: Int) { state = Mutex(State(answers: Array(repeating: nil, count: count))) }

    var all: [ChainAnswer?] { state.withLock { $0.answers } }

    /// The failure that came first; it may have ended the others, wherever they stand.
    var firstFailure: ChainFailure? { state.withLock { $0.firstFailure } }

    func takeNext() -> Int? {
        state.withLock { state in
            guard state.next < state.answers.count else { return nil }
            state.next += 1
            return state.next - 1
        }
    }

    func add(_ answer: ChainAnswer, at place: Int) {
        state.withLock { state in
            state.answers[place] = answer
            guard state.firstFailure == nil, case .failed(let failure) = answer.outcome else {
                return
            }
            state.firstFailure = failure
        }
    }
}
