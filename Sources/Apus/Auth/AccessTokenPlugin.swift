import FoundationEssentials
public import HTTPTypes

/// Sets the `Authorization` field to an access token.
///
/// ```swift
/// Provider<GitHub>(plugins: [AccessTokenPlugin { _ in Secret(keychain.token) }])
/// ```
/// A target that is ``AccessTokenAuthorizable`` decides for itself, also inside a
/// ``MultiTarget`` or an ``EnvironmentTarget``; all others have the plugin's scheme, but not for an
/// absolute path that leads to another origin (scheme, host or port) than their base. A field that
/// is there already is replaced. The field is set before the cache key is made, so that the answers
/// of two users are kept apart.
public struct AccessTokenPlugin: Plugin {
    /// The token for a target; nil for none.
    public typealias Token = @Sendable (any TargetType) async throws -> Secret?

    private let scheme: AccessTokenScheme?
    private let field: HTTPField.Name
    private let token: Token

    /// Makes a plugin.
    ///
    /// - Parameters:
    ///   - scheme: for targets that do not say, at their base's origin; nil sends no token with
    ///     them.
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
        guard let scheme = AccessTokenScheme.of(context.target, request, else: scheme),
            let token = try await token(context.target)
        else { return request }
        var request = request
        request.head.headerFields.set(try scheme.fieldValue(for: token), for: field)
        return request
    }
}

/// A target that says how, and whether, its requests carry an access token, wherever they go.
public protocol AccessTokenAuthorizable {
    /// The scheme; nil for requests without a token.
    var accessTokenScheme: AccessTokenScheme? { get }
}

extension AccessTokenScheme {
    /// What a target says, or `other` for one that says nothing and whose request stays at its
    /// own origin.
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

/// How a token stands in the `Authorization` field.
public enum AccessTokenScheme: Sendable, Hashable {
    /// `Basic`; the token is `user:password`, and is sent in base64 (RFC 7617).
    case basic
    /// `Bearer` (RFC 6750).
    case bearer
    /// A scheme of one's own; empty for the bare token.
    case custom(String)

    /// The field's value.
    ///
    /// - Throws: `.authorization(.unusable)` if it cannot stand in a header field.
    package func fieldValue(for token: Secret) throws(ApusError) -> String {
        let value = text(for: token.value)
        // HTTPField would put spaces in place of what may not be there.
        guard !token.value.isEmpty,
            value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { throw ApusError(.unusable(what: "The access token")) }
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

/// Gives requests a user and password that libcurl answers the server's challenge
/// with: Basic, Digest, NTLM, Negotiate.
///
/// A scheme that this machine's libcurl does not have is the error
/// `.invalidRequest(.unsupported)` before anything is sent. The credentials are
/// part of the transport options and never of a header field that could be logged. They go to the
/// origin of the target's base only.
public struct CredentialsPlugin: Plugin {
    /// The credentials for a target; nil for none.
    public typealias Credentials = @Sendable (any TargetType) async throws -> ServerCredentials?

    private let credentials: Credentials

    /// Asks a closure for each request; what it throws ends the exchange.
    public init(_ credentials: @escaping Credentials) { self.credentials = credentials }

    /// Always the same credentials.
    public init(_ credentials: ServerCredentials) { self.init { _ in credentials } }

    /// Puts the credentials into the transport options; those of the target itself win.
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
