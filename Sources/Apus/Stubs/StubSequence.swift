import Synchronization

/// Answers that are given one after the other; the last one is given again and again.
///
/// ```swift
/// let answers = StubSequence(.json("{}", status: 503), .json(#"{"id": 7}"#))
/// let provider = Provider<GitHub>(stubs: Stubs { _ in .immediate(answers.next()) })
/// ```
public final class StubSequence: Sendable {
    private let answers: [StubAnswer]
    private let given = Mutex(0)

    /// Makes a sequence; one without answers gives an empty 200.
    public init(_ answers: StubAnswer...) { self.answers = answers }

    /// How many answers were asked for.
    public var count: Int { given.withLock { $0 } }

    /// The next answer.
    public func next() -> StubAnswer {
        let turn = given.withLock { given in
            given += 1
            return given
        }
        return answers.isEmpty ? StubAnswer() : answers[min(turn, answers.count) - 1]
    }
}
