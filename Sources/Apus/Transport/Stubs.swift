import Synchronization

/// Chooses for each request what answers it instead of the server.
///
/// ```swift
/// let provider = Provider<GitHub>(stubs: Stubs { target in
///     switch target {
///     case GitHub.user: .immediate(.json(#"{"login": "ada"}"#))
///     default: .never
///     }
/// })
/// ```
/// A stubbed request passes through all interceptors, hooks and the target's validation; a download writes
/// its file.
public struct Stubs: Sendable {
    typealias Choice = @Sendable (any TargetType, PreparedRequest) -> StubBehavior

    /// nil if nothing is ever stubbed.
    let choice: Choice?

    private init(choice: Choice?) { self.choice = choice }

    /// Chooses by target, without its wrappers; `choose` is called once for each attempt.
    public init(_ choose: @escaping @Sendable (_ target: any TargetType) -> StubBehavior) {
        choice = { target, _ in choose(target.unwrapped) }
    }

    /// Chooses by target, without its wrappers, and request; `choose` is called once for each attempt.
    public init(
        _ choose:
            @escaping @Sendable (_ target: any TargetType, _ request: PreparedRequest) ->
            StubBehavior
    ) {
        choice = { target, request in choose(target.unwrapped, request) }
    }

    /// Always asks the server.
    public static let never = Stubs(choice: nil)

    /// Answers with each target's `sample` at once.
    public static let immediate = Stubs(choice: { target, _ in .immediate(target.sample) })

    /// Answers with each target's `sample` after a pause.
    public static func delayed(_ pause: Duration) -> Stubs {
        Stubs(choice: { target, _ in .delayed(pause, target.sample) })
    }

    /// Uses each target's own ``TargetType/stub``, which says whether it is stubbed, how late the response
    /// arrives and whether it fails.
    public static let targets = Stubs(choice: { target, _ in target.stub })

    /// Answers with the sample of each target whose environment is mocked without a `mockURL`; all others
    /// ask the server.
    public static let environments = Stubs(choice: { target, _ in
        // The target as given, because the environment belongs to its wrapper.
        guard let environment = target.environment, environment.isMocked,
            environment.mockURL == nil
        else { return .never }
        return .immediate(target.sample)
    })

    /// Takes all responses from a recording or another transport.
    public static func replaying(_ transport: any Transport) -> Stubs {
        Stubs { _ in .replay(transport) }
    }
}

/// What answers a request instead of the server.
///
/// Even an immediate response is delivered asynchronously, after the call has returned.
public enum StubBehavior: Sendable {
    /// Nothing; the server is asked.
    case never
    /// This response, at once.
    case immediate(StubResponse)
    /// This response, after a pause.
    case delayed(Duration, StubResponse)
    /// A recording or another transport; its responses have the source `.replay`.
    case replay(any Transport)
}

/// A list of stub responses that are given in order; the last one is repeated.
///
/// ```swift
/// let responses = StubSequence(.json("{}", status: 503), .json(#"{"id": 7}"#))
/// let provider = Provider<GitHub>(stubs: Stubs { _ in .immediate(answers.next()) })
/// ```
public final class StubSequence: Sendable {
    private let responses: [StubResponse]
    private let given = Mutex(0)

    /// Makes a sequence; an empty one always gives an empty 200.
    public init(_ responses: StubResponse...) { self.responses = responses }

    /// The number of calls of `next`.
    public var count: Int { given.withLock { $0 } }

    /// Returns the next response.
    public func next() -> StubResponse {
        let turn = given.withLock { given in
            given += 1
            return given
        }
        return responses.isEmpty ? StubResponse() : responses[min(turn, responses.count) - 1]
    }
}
