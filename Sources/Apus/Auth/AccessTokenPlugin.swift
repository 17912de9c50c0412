import FoundationEssentials
public import HTTPTypes

/// Sets the `Authorization` field to an access token.
///
/// ```swift
/// Provider<GitHub>(plugins: [AccessTokenPlugin { _ in Secret(keychain.token) }])
/// ```
/// A target that is ``AccessTokenAuthorizable`` chooses its own scheme, also inside a ``MultiTarget`` or an
/// ``EnvironmentTarget``. All others use the plugin's scheme, unless an absolute path leads to another origin
/// (scheme, host or port) than that of their base. An existing field is replaced. The field is set before the
/// cache key is made, so that the responses to two users are kept apart.
public struct AccessTokenPlugin: Plugin {
    /// Returns the token for a target, or nil for none.
    public typealias Token = @Sendable (any TargetType) async throws -> Secret?

    private let scheme: AccessTokenScheme?
    private let field: HTTPField.Name
    private let token: Token

    /// Creates a plugin.
    ///
    /// - Parameters:
    ///   - scheme: for targets that choose none, at the origin of their base; nil sends no token with them.
    ///   - field: the header field to set.
    ///   - token: is called for each request; an error that it throws ends the exchange.
    public init(
        _ scheme: AccessTokenScheme? = .bearer,
        field: HTTPField.Name = .authorization,
        token: @escaping Token
    ) {
        self.scheme = scheme
        self.field = field
        self.token = token
    }

    /// Sends the same token with every request.
    public init(_ scheme: AccessTokenScheme = .bearer, token: Secret) {
        self.init(scheme) { _ in token }
    }

    /// Sets the field if the request carries a token.
    public func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest {
        guard let scheme = AccessTokenScheme.of(context.target, request, else: scheme),
            let token = try await token(context.target)
        else { return request }
        var request = request
        request.head.headerFields.set(try scheme.fieldValue(for: token), for: field)
        return request
    }
}

/// A target that decides whether and how its requests carry an access token, to any origin.
public protocol AccessTokenAuthorizable {
    /// The scheme; nil for requests without a token.
    var accessTokenScheme: AccessTokenScheme? { get }
}

extension AccessTokenScheme {
    /// The target's scheme, or `other` if the target chooses none and the request stays at the origin of its
    /// base.
    static func of(
        _ target: any TargetType,
        _ request: PreparedRequest?,
        else other: AccessTokenScheme?
    ) -> AccessTokenScheme? {
        guard let target = target as? any AccessTokenAuthorizable else {
            return request?.isAtOwnOrigin ?? true ? other : nil
        }
        return target.accessTokenScheme
    }
}

/// How a token is written in the `Authorization` field.
public enum AccessTokenScheme: Sendable, Hashable {
    /// `Basic`: the token is `user:password` and is sent in base64 (RFC 7617).
    case basic
    /// `Bearer` (RFC 6750).
    case bearer
    /// Another scheme; empty to send the bare token.
    case custom(String)

    /// The field's value.
    ///
    /// - Parameters:
    ///   - token: the token or key.
    ///   - name: what an error calls it.
    /// - Returns: the value.
    /// - Throws: `.authorization(.unusable)` if the token is empty or not allowed in a header field.
    package func fieldValue(
        for token: Secret,
        named name: String = "The access token"
    ) throws(ApusError) -> String {
        let value = text(for: token.value)
        // HTTPField would replace forbidden characters by spaces.
        guard !token.value.isEmpty,
            value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { throw ApusError(.unusable(what: name)) }
        return value
    }

    private func text(for token: String) -> String {
        switch self {
        case .basic: "Basic \(Data(token.utf8).base64EncodedString())"
        case .bearer: "Bearer \(token)"
        case .custom(let scheme): scheme.isEmpty ? token : "\(scheme) \(token)"
        }
    }
}

/// Adds the user and password with which libcurl answers the server's challenge: Basic, Digest, NTLM,
/// Negotiate.
///
/// A scheme that this machine's libcurl lacks fails with `.invalidRequest(.unsupported)` before anything is
/// sent. The credentials are part of the transport options and never of a header field that could be logged.
/// They go to the origin of the target's base only.
public struct CredentialsPlugin: Plugin {
    /// Returns the credentials for a target, or nil for none.
    public typealias Credentials = @Sendable (any TargetType) async throws -> ServerCredentials?

    private let credentials: Credentials

    /// Calls a closure for each request; an error that it throws ends the exchange.
    public init(_ credentials: @escaping Credentials) { self.credentials = credentials }

    /// Uses the same credentials for every request.
    public init(_ credentials: ServerCredentials) { self.init { _ in credentials } }

    /// Sets the credentials in the transport options, unless the target has set its own.
    public func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest {
        guard request.options.credentials == nil, request.isAtOwnOrigin,
            let credentials = try await credentials(context.target)
        else { return request }
        var request = request
        request.options.credentials = credentials
        return request
    }
}
