public import HTTPTypes

/// Sends requests with the token of a `TokenRefresher`, and sends those that were
/// refused once more with a new one.
///
/// ```
/// request ─▶ token good? ─▶ send ─▶ 401? ─▶ refresh, shared by all ─▶ send again
///              └─ no: refresh, shared by all      └─ token changed meanwhile ┘
/// ```
/// A replay runs through the inner interceptors and `willSend` as another attempt;
/// `didReceive` and `process` see its answer only. The token is set after the cache
/// key is made, which has the refresher's `account` instead: a new token finds the answers
/// that the old one got, and another user does not.
public struct RefreshInterceptor: Interceptor {
    private let refresher: TokenRefresher
    private let scheme: AccessTokenScheme?
    private let field: HTTPField.Name
    private let statuses: Set<Int>
    private let limit: Int
    /// How long a refresh may take; a person may have to sign in.
    public let hookLimit: Duration?

    /// Makes an interceptor.
    ///
    /// - Parameters:
    ///   - refresher: has the token; several interceptors may share one.
    ///   - scheme: for targets that are not `AccessTokenAuthorizable`, at their base's origin; nil
    ///     sends those as they are.
    ///   - field: where the token stands.
    ///   - statuses: which answers refuse a token.
    ///   - limit: how often one request is sent again at most.
    ///   - hookLimit: how long it may take without the sending; nil for the
    ///     provider's limit.
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

    /// The refresher's, for targets that are sent with its token.
    public func account(in context: ExchangeContext) -> String? {
        let scheme = AccessTokenScheme.of(context.target, context.request, else: scheme)
        return scheme == nil || refresher.isAtWork ? nil : refresher.account
    }

    /// Sends the request with a token.
    public func intercept(
        _ request: PreparedRequest,
        in context: ExchangeContext,
        next: Next
    ) async throws -> Response {
        guard let scheme = AccessTokenScheme.of(context.target, request, else: scheme),
            !refresher.isAtWork,
            // The token is for the origin that a redirect led away from.
            request.options.shared?.value.hasLeftOrigin != true
        else { return try await next(request) }
        var token = try await refresher.current(for: context)
        var request = request
        for _ in 0..<max(0, limit) {
            request.head.headerFields.set(try scheme.fieldValue(for: token.value), for: field)
            let result = await next.result(of: request)
            guard refuses(result) else { return try result.get() }
            token = try await refresher.replacement(for: token, context)
            try RefusedDownload(result, of: request)?.remove()
        }
        request.head.headerFields.set(try scheme.fieldValue(for: token.value), for: field)
        return try await next(request)
    }

    /// With a strict validation the refusal comes as an error with the answer in it.
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
