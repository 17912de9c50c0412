import Documents
public import FoundationEssentials
import Glibc
import Synchronization

/// The response of a token endpoint (RFC 6749 section 5.1).
///
/// Encoding writes the secrets; printing masks them.
public struct OAuth2Token: Sendable, Hashable {
    /// The token that requests carry.
    public var accessToken: Secret
    /// The token's type, nearly always "Bearer".
    public var type: String
    /// When the access token expires; nil if the server did not say.
    public var expires: Date?
    /// The token that obtains the next access token; nil if there is none.
    public var refreshToken: Secret?
    /// The scopes that were granted; nil if they are those that were asked for.
    public var scopes: [String]?
    /// An OpenID Connect JWT about the person who signed in; nil if none was asked for.
    public var identityToken: Secret?

    /// Creates a token.
    public init(
        accessToken: Secret,
        type: String = "Bearer",
        expires: Date? = nil,
        refreshToken: Secret? = nil,
        scopes: [String]? = nil,
        identityToken: Secret? = nil
    ) {
        self.accessToken = accessToken
        self.type = type
        self.expires = expires
        self.refreshToken = refreshToken
        self.scopes = scopes
        self.identityToken = identityToken
    }

    /// The access token with its expiry, for a `TokenRefresher`.
    public var access: AccessToken { AccessToken(accessToken, expires: expires) }

    /// The scheme for the `Authorization` field.
    public var scheme: AccessTokenScheme {
        type.asciiLowercased == "bearer" ? .bearer : .custom(type)
    }

    /// Reads the response of a token endpoint; nil if it contains no token.
    ///
    /// - Parameters:
    ///   - response: the body of the response.
    ///   - received: when the response arrived, from which the lifetime counts.
    init?(response: JSON, received: Date) {
        guard let accessToken = response["access_token"].string, !accessToken.isEmpty else {
            return nil
        }
        let lifetime = Self.seconds(
            response["expires_in"].double ?? response["expires_in"].string.flatMap(Double.init)
        )
        self.init(
            accessToken: Secret(accessToken),
            type: response["token_type"].string ?? "Bearer",
            expires: lifetime.map { received.addingTimeInterval($0) },
            refreshToken: response["refresh_token"].string.map(Secret.init(_:)),
            scopes: response["scope"].string.map { $0.split(separator: " ").map(String.init) },
            identityToken: response["id_token"].string.map(Secret.init(_:))
        )
    }

    /// A number of seconds from a server, limited to a century; nil for values such as "inf" and "nan".
    static func seconds(_ number: Double?) -> Double? {
        guard let number, number.isFinite else { return nil }
        return min(max(0, number), 100 * 365.25 * 86_400)
    }
}

extension OAuth2Token: Codable {
    private enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case type = "token_type"
        case expires = "expires_at"
        case refreshToken = "refresh_token"
        case scopes
        case identityToken = "id_token"
    }

    /// Reads a stored token; `expires_at` is in seconds since 1970.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func secret(_ key: CodingKeys) throws -> Secret? {
            try values.decodeIfPresent(String.self, forKey: key).map(Secret.init(_:))
        }
        self.init(
            accessToken: Secret(try values.decode(String.self, forKey: .accessToken)),
            type: try values.decode(String.self, forKey: .type),
            expires: try values.decodeIfPresent(Double.self, forKey: .expires)
                .flatMap { $0.isFinite ? Date(timeIntervalSince1970: $0) : nil },
            refreshToken: try secret(.refreshToken),
            scopes: try values.decodeIfPresent([String].self, forKey: .scopes),
            identityToken: try secret(.identityToken)
        )
    }

    /// Writes the token, including its secrets.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(accessToken.value, forKey: .accessToken)
        try values.encode(type, forKey: .type)
        try values.encodeIfPresent(expires?.timeIntervalSince1970, forKey: .expires)
        try values.encodeIfPresent(refreshToken?.value, forKey: .refreshToken)
        try values.encodeIfPresent(scopes, forKey: .scopes)
        try values.encodeIfPresent(identityToken?.value, forKey: .identityToken)
    }
}

/// Keeps a token between requests, and between runs of a program.
public protocol OAuth2TokenStore: Sendable {
    /// The token that was saved last; nil if there is none.
    func load() async throws -> OAuth2Token?
    /// Replaces the stored token; nil removes it.
    func save(_ token: OAuth2Token?) async throws
}

/// Keeps a token in a JSON file that only its owner may read.
///
/// A new token replaces the file atomically, so that a crash cannot leave half a token.
public struct FileTokenStore: OAuth2TokenStore {
    /// The file's path.
    public let path: String

    /// Names the file; saving creates missing folders.
    public init(path: String) { self.path = path }

    /// Reads the token, and makes the file readable by its owner only.
    ///
    /// - Throws: `ApusError` with `.file`, also if the file belongs to another user, or
    ///   `.authorization(.unreadableStore)` if the file contains no token.
    @concurrent
    public func load() async throws -> OAuth2Token? {
        guard access(path, F_OK) == 0 else { return nil }
        let bytes = try PrivateFiles.read(path)
        // The decoder's error is dropped because it may quote the file.
        guard let token = try? DocumentDecoder().decode(OAuth2Token.self, from: bytes) else {
            throw ApusError(.unreadableStore(detail: "\(path) contains no token"))
        }
        return token
    }

    /// Writes the token, or removes the file if it is nil.
    ///
    /// - Throws: `ApusError` with the reason `.file`.
    @concurrent
    public func save(_ token: OAuth2Token?) async throws {
        guard let token else { return PrivateFiles.remove(path) }
        let bytes = Array(try JSONEncoder().encode(token))
        do throws(PrivateFileError) {
            try PrivateFiles.replace(path, with: bytes)
        } catch {
            throw ApusError(.file(path: error.path, errno: error.errno))
        }
    }
}

/// Keeps a token in memory, until the process ends.
public final class MemoryTokenStore: OAuth2TokenStore {
    private let token: Mutex<OAuth2Token?>

    /// Creates a store with a token, or empty.
    public init(_ token: OAuth2Token? = nil) { self.token = Mutex(token) }

    /// The token; nil if there is none.
    public func load() async -> OAuth2Token? { token.withLock { $0 } }

    /// Replaces the token; nil removes it.
    public func save(_ token: OAuth2Token?) async { self.token.withLock { $0 = token } }
}
