import Synchronization

/// Says for each request what answers in the server's place.
///
/// ```swift
/// let provider = Provider<GitHub>(stubs: Stubs { target in
///     switch target {
///     case GitHub.user: .immediate(.json(#"{"login": "ada"}"#))
///     default: .never
///     }
/// })
/// ```
/// A stubbed request passes all interceptors, hooks and the target's validation; a
/// download writes its file.
public struct Stubs: Sendable {
    typealias Choice = @Sendable (any TargetType, PreparedRequest) -> Stub

    /// Nil if nothing is ever stubbed.
    let choice: Choice?

    private init(choice: Choice?) { self.choice = choice }

    /// Chooses by target, out of its wrappers; it is asked once for each attempt.
    public init(_ choose: @escaping @Sendable (_ target: any TargetType) -> Stub) {
        choice = { target, _ in choose(target.unwrapped) }
    }

    /// Chooses by target, out of its wrappers, and request; it is asked once for each attempt.
    public init(
        _ choose: @escaping @Sendable (_ target: any TargetType, _ request: PreparedRequest) -> Stub
    ) {
        choice = { target, request in choose(target.unwrapped, request) }
    }

    /// The server is always asked.
    public static let never = Stubs(choice: nil)

    /// Every target's `sample`, at once.
    public static let immediate = Stubs(choice: { target, _ in .immediate(target.sample) })

    /// Every target's `sample`, after a pause.
    public static func delayed(_ pause: Duration) -> Stubs {
        Stubs(choice: { target, _ in .delayed(pause, target.sample) })
    }

    /// Each target's own ``TargetType/stub``: which one is stubbed, how late its answer comes and whether
    /// it fails is the target's affair.
    public static let targets = Stubs(choice: { target, _ in target.stub })

    /// The sample of each target whose environment is mocked and names no server
    /// for it; all others ask the server.
    public static let environments = Stubs(choice: { target, _ in
        // As it was given: the environment belongs to the wrapper.
        guard let environment = target.environment, environment.isMocked,
            environment.mockURL == nil
        else { return .never }
        return .immediate(target.sample)
    })

    /// What a recording, or another transport, answers.
    public static func replaying(_ transport: any Transport) -> Stubs {
        Stubs { _ in .replay(transport) }
    }
}

/// What answers one request in the server's place.
///
/// Even an immediate answer comes asynchronously, after the call has returned.
public enum Stub: Sendable {
    /// Nothing: the server is asked.
    case never
    /// This, at once.
    case immediate(StubAnswer)
    /// This, after a pause.
    case delayed(Duration, StubAnswer)
    /// A recording, or another transport; its answers have the source `.replay`.
    case replay(any Transport)
}

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
