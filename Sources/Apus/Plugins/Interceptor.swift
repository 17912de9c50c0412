/// Wraps the call to the server, and may change, repeat, replace or refuse it.
///
/// Interceptors are nested in the order in which they were given: the first is the outermost. The innermost
/// call is `willSend` of the plugins, then the stub, the recording or the transport, then validation.
/// Responses from the cache bypass interceptors.
public protocol Interceptor: Sendable {
    /// The name used in errors; by default that of the type.
    var name: String { get }

    /// How long it may take, without the time spent in `next`; nil, the default, for the provider's limit.
    var hookLimit: Duration? { get }

    /// The account whose credentials it adds to requests, as a text that is always the same for one user and
    /// differs between users; nil, the default, if it adds none.
    ///
    /// It is called before the cache is used. Responses to one account are not given to another; the text
    /// goes into keys as a digest. If an interceptor adds credentials without naming their account, the
    /// response is not cached: `.notStored(.unknownAccount)`.
    func account(in context: ExchangeContext) -> String?

    /// Returns the response to a request.
    ///
    /// - Parameters:
    ///   - request: the request to send.
    ///   - context: the exchange; `attempt` is the number of the next attempt.
    ///   - next: calls the next interceptor and finally the server. It may be called many times, also
    ///     concurrently, or not at all. Each call that reaches the server is an attempt with its own number.
    /// - Returns: its own response or one of `next`; it is not validated again.
    /// - Throws: the error that ends the call; one that is neither `ApusError` nor `Veto` becomes
    ///   `.hookFailed`.
    func intercept(
        _ request: PreparedRequest,
        in context: ExchangeContext,
        next: NextCall
    ) async throws -> Response
}

extension Interceptor {
    /// By default the name of the type.
    public var name: String { String(describing: Self.self) }
    /// By default nil, so that the provider's limit applies.
    public var hookLimit: Duration? { nil }
    /// By default nil: the interceptor adds no account.
    public func account(in context: ExchangeContext) -> String? { nil }
}

/// What an interceptor wraps: the next interceptor and finally the server.
///
/// ```swift
/// let response = try await next(request)
/// ```
public struct NextCall: Sendable {
    // Not a closure type in the protocol, because that type, and so a witness, would depend on the settings
    // of the module (SE-0461).
    private let ask: @Sendable (PreparedRequest) async throws(ApusError) -> Response

    /// Creates a replacement, for an interceptor that calls another one.
    public init(
        _ ask: @escaping @Sendable (PreparedRequest) async throws(ApusError) -> Response
    ) {
        self.ask = ask
    }

    /// Passes the request on.
    ///
    /// - Throws: `ApusError`; cancelling the task ends the transfer.
    public func callAsFunction(
        _ request: PreparedRequest
    ) async throws(ApusError) -> Response {
        try await ask(request)
    }

    /// Passes the request on, and returns an error instead of throwing it.
    func result(of request: PreparedRequest) async -> Result<Response, ApusError> {
        do throws(ApusError) {
            return .success(try await ask(request))
        } catch {
            return .failure(error)
        }
    }
}
