public import HTTPTypes

/// Sets the `Authorization` field to an access token.
///
/// ```swift
/// Provider<GitHub>(plugins: [AccessTokenPlugin { _ in Secret(keychain.token) }])
/// ```
/// A target that is `AccessTokenAuthorizable` decides for itself, also inside a
/// `MultiTarget`; all others have the plugin's scheme. A field that is there
/// already is replaced. The field is set before the cache key is made, so that the
/// answers of two users are kept apart.
public struct AccessTokenPlugin: Plugin {
    /// The token for a target; nil for none.
    public typealias Token = @Sendable (any TargetType) async throws -> Secret?

    private let scheme: AccessTokenScheme?
    private let field: HTTPField.Name
    private let token: Token

    /// Makes a plugin.
    ///
    /// - Parameters:
    ///   - scheme: for targets that do not say; nil sends no token with them.
    ///   - field: where it stands.
    ///   - token: is asked for each request; what it throws ends the exchange.
    public init(
        _ scheme: AccessTokenScheme? = .bearer,
        field: HTTPField.Name = .authorization,
        token: @escaping Token
    ) {
        self.scheme = scheme
        self.field = field
        self.token = token
    }

    /// Always the same token.
    public init(_ scheme: AccessTokenScheme = .bearer, token: Secret) {
        self.init(scheme) { _ in token }
    }

    /// Sets the field.
    public func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest {
        guard let scheme = AccessTokenScheme.of(context.target, else: scheme),
            let token = try await token(context.target)
        else { return request }
        var request = request
        request.head.headerFields[field] = try scheme.fieldValue(for: token)
        return request
    }
}
