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

    /// Chooses by target; it is asked once for each attempt.
    public init(_ choose: @escaping @Sendable (_ target: any TargetType) -> Stub) {
        choice = { target, _ in choose(target) }
    }

    /// Chooses by target and request; it is asked once for each attempt.
    public init(
        _ choose: @escaping @Sendable (_ target: any TargetType, _ request: PreparedRequest) -> Stub
    ) {
        choice = choose
    }

    /// The server is always asked.
    public static let never = Stubs(choice: nil)

    /// Every target's `sample`, at once.
    public static let immediate = Stubs { .immediate($0.sample) }

    /// Every target's `sample`, after a pause.
    public static func delayed(_ pause: Duration) -> Stubs {
        Stubs { .delayed(pause, $0.sample) }
    }

    /// What a recording, or another transport, answers.
    public static func replaying(_ transport: any Transport) -> Stubs {
        Stubs { _ in .replay(transport) }
    }
}
