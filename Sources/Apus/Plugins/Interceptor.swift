/// Stands around what asks the server, and may change, repeat, replace or refuse it.
///
/// Interceptors form an onion in the order in which they were given: the first
/// one is the outermost. The innermost call is `willSend` of the plugins, then
/// the stub, the recording or the transport, then validation. Answers from the
/// cache do not pass here.
public protocol Interceptor: Sendable {
    /// The name that errors give it; by default its type's.
    var name: String { get }

    /// How long it may take, without the time spent in `next`; nil, the default,
    /// for the provider's limit.
    var hookLimit: Duration? { get }

    /// Whose credentials it gives requests, as a text that is always the same for one user and
    /// never for two; nil, the default, if it gives none.
    ///
    /// It is asked before the cache is. Answers to one account are not given to another; the text
    /// goes into keys as a digest. Who gives credentials without saying whose they are has no
    /// answers cached: `.notStored(.unknownAccount)`.
    func account(in context: ExchangeContext) -> String?

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: what is to be sent.
    ///   - context: the exchange; `attempt` is the number that the next sending has.
    ///   - next: asks the next interceptor and in the end the server; it may be
    ///     called many times, also side by side, or not at all. Each sending is an
    ///     attempt with a number of its own.
    /// - Returns: the answer, its own or one of `next`; it is not validated again.
    /// - Throws: what ends the call; an error that is neither `ApusError` nor `Veto`
    ///   becomes `.hookFailed`.
    func intercept(
        _ request: PreparedRequest,
        in context: ExchangeContext,
        next: Next
    ) async throws -> Response
}

extension Interceptor {
    /// The type's name.
    public var name: String { String(describing: Self.self) }
    /// The provider's limit.
    public var hookLimit: Duration? { nil }
    /// Nobody's.
    public func account(in context: ExchangeContext) -> String? { nil }
}

/// What an interceptor stands around: the next interceptor, and in the end the server.
///
/// ```swift
/// let response = try await next(request)
/// ```
public struct Next: Sendable {
    // Not a closure in the protocol: its type, and so a witness, would depend on a module's settings
    // (SE-0461).
    private let ask: @Sendable (PreparedRequest) async throws(ApusError) -> Response

    /// Stands for something else, for an interceptor inside another.
    public init(
        _ ask: @escaping @Sendable (PreparedRequest) async throws(ApusError) -> Response
    ) {
        self.ask = ask
    }

    /// Asks.
    ///
    /// - Throws: `ApusError`; cancelling the task ends the transfer.
    public func callAsFunction(
        _ request: PreparedRequest
    ) async throws(ApusError) -> Response {
        try await ask(request)
    }

    /// The same as a value.
    func result(of request: PreparedRequest) async -> Result<Response, ApusError> {
        do throws(ApusError) {
            return .success(try await ask(request))
        } catch {
            return .failure(error)
        }
    }
}
