public import HTTPTypes

/// Sends requests with the token of a `TokenRefresher`, and repeats a refused request with a new token.
///
/// ```
/// request ─▶ token good? ─▶ send ─▶ 401? ─▶ refresh, shared by all ─▶ send again
///              └─ no: refresh, shared by all      └─ token changed meanwhile ┘
/// ```
/// A repetition passes through the inner interceptors and `willSend` as another attempt. `didReceive` and
/// `process` see only the last response. The token is set after the cache key is made. The key contains the
/// refresher's `account` instead, so that a new token finds the responses to the old one, and another user
/// does not.
public struct RefreshInterceptor: Interceptor {
    private let refresher: TokenRefresher
    private let scheme: AccessTokenScheme?
    private let field: HTTPField.Name
    private let statuses: Set<Int>
    private let limit: Int
    /// How long a refresh may take; nil for the provider's limit.
    public let hookLimit: Duration?
    /// Puts the token into a request; nil for the field and the scheme.
    private var apply: Apply?
    /// Whether a refused token may be replaced; nil for always.
    private var mayReplace: (@Sendable () async -> Bool)?

    /// Puts a token into a request.
    package typealias Apply =
        @Sendable (AccessToken, inout PreparedRequest) throws(ApusError) -> Void

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - refresher: holds the token; several interceptors may share it.
    ///   - scheme: for targets that are not `AccessTokenAuthorizable`, at the origin of their base; nil sends
    ///     them without a token.
    ///   - field: the header field for the token.
    ///   - statuses: the statuses that mean a refused token.
    ///   - limit: how many times one request is repeated at most.
    ///   - hookLimit: how long the interceptor may take, without the sending; nil for the provider's limit.
    public init(
        _ refresher: TokenRefresher,
        scheme: AccessTokenScheme? = .bearer,
        field: HTTPField.Name = .authorization,
        statuses: Set<Int> = [401],
        limit: Int = 1,
        hookLimit: Duration? = nil
    ) {
        self.refresher = refresher
        self.scheme = scheme
        self.field = field
        self.statuses = statuses
        self.limit = limit
        self.hookLimit = hookLimit
    }

    /// Creates an interceptor that sends a token in another way than in one field.
    ///
    /// - Parameters:
    ///   - refresher: holds the token.
    ///   - mayReplace: is asked when a token was refused; false leaves the response as it is.
    ///   - apply: puts the token into a request.
    package init(
        _ refresher: TokenRefresher,
        mayReplace: @escaping @Sendable () async -> Bool = { true },
        apply: @escaping Apply
    ) {
        self.init(refresher)
        (self.apply, self.mayReplace) = (apply, mayReplace)
    }

    /// The refresher's account, for targets that are sent with its token.
    public func account(in context: ExchangeContext) -> String? {
        let scheme = AccessTokenScheme.of(context.target, context.request, else: scheme)
        return scheme == nil || refresher.isAtWork ? nil : refresher.account
    }

    /// Sends the request with a token.
    public func intercept(
        _ request: PreparedRequest,
        in context: ExchangeContext,
        next: NextCall
    ) async throws -> Response {
        guard let scheme = AccessTokenScheme.of(context.target, request, else: scheme),
            !refresher.isAtWork,
            // A redirect has left the origin that the token is for.
            request.options.shared?.value.hasLeftOrigin != true
        else { return try await next(request) }
        var token = try await refresher.current(for: context)
        var request = request
        for _ in 0..<max(0, limit) {
            try add(token, by: scheme, to: &request)
            let result = await next.result(of: request)
            guard refuses(result), await mayReplace?() ?? true else { return try result.get() }
            token = try await refresher.replacement(for: token, context)
            try RefusedDownload(result, of: request)?.remove()
        }
        try add(token, by: scheme, to: &request)
        return try await next(request)
    }

    private func add(
        _ token: AccessToken,
        by scheme: AccessTokenScheme,
        to request: inout PreparedRequest
    ) throws(ApusError) {
        if let apply { return try apply(token, &request) }
        request.head.headerFields.set(try scheme.fieldValue(for: token.value), for: field)
    }

    /// With a strict validation, the refused response arrives as an error.
    private func refuses(_ result: Result<Response, ApusError>) -> Bool {
        switch result {
        case .success(let response): statuses.contains(response.status)
        case .failure(let error):
            if case .unacceptableStatus(let status) = error.reason {
                statuses.contains(status)
            } else {
                false
            }
        }
    }
}
