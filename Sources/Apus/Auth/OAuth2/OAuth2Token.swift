import Documents
public import FoundationEssentials
import Glibc
import Synchronization

/// What an authorization server gave (RFC 6749 section 5.1).
///
/// Encoding it writes its secrets; printing it shows masks.
public struct OAuth2Token: Sendable, Hashable {
    /// The token that requests carry.
    public var accessToken: Secret
    /// How it is carried; "Bearer" nearly always.
    public var type: String
    /// When it ends; nil if the server did not say.
    public var expires: Date?
    /// What gets the next one; nil if there is none.
    public var refreshToken: Secret?
    /// What it allows; nil for what was asked.
    public var scopes: [String]?
    /// Who signed in, as a JWT (OpenID Connect); nil if that was not asked.
    public var identityToken: Secret?

    /// Makes a token.
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

    /// The part that requests need.
    public var access: AccessToken { AccessToken(accessToken, expires: expires) }

    /// How it stands in the `Authorization` field.
    public var scheme: AccessTokenScheme {
        type.lowercased() == "bearer" ? .bearer : .custom(type)
    }

    /// Reads a token endpoint's answer; nil if it holds no token.
    ///
    /// - Parameters:
    ///   - answer: the answer's body.
    ///   - received: when it came; its lifetime counts from there.
    init?(answer: JSON, received: Date) {
        guard let accessToken = answer["access_token"].string, !accessToken.isEmpty else {
            return nil
        }
        let lifetime = Self.seconds(
            answer["expires_in"].double ?? answer["expires_in"].string.flatMap(Double.init)
        )
        self.init(
            accessToken: Secret(accessToken),
            type: answer["token_type"].string ?? "Bearer",
            expires: lifetime.map { received.addingTimeInterval($0) },
            refreshToken: answer["refresh_token"].string.map(Secret.init(_:)),
            scopes: answer["scope"].string.map { $0.split(separator: " ").map(String.init) },
            identityToken: answer["id_token"].string.map(Secret.init(_:))
        )
    }

    /// A time that a server names, at most a century; nil if it is none, as "inf" and "nan" are.
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

    /// Writes the token, secrets and all.
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

/// Where a token is kept between requests, and between runs.
public protocol OAuth2TokenStore: Sendable {
    /// The token that was saved last; nil if there is none.
    func load() async throws -> OAuth2Token?
    /// Keeps a token in place of the last one; nil forgets it.
    func save(_ token: OAuth2Token?) async throws
}

/// Keeps a token in a file of JSON that only its owner may read.
///
/// A new one takes the old one's place in one step, so that no crash leaves half a
/// token.
public struct FileTokenStore: OAuth2TokenStore {
    /// The file's path.
    public let path: String

    /// Names the file; folders that are missing are made when it is written.
    public init(path: String) { self.path = path }

    /// Reads the token; the file is closed to others by it.
    ///
    /// - Throws: `ApusError`: `.file`, also for a file of another user's, or `.authorization(.unreadableStore)` for a file
    ///   that holds no token.
    @concurrent
    public func load() async throws -> OAuth2Token? {
        guard access(path, F_OK) == 0 else { return nil }
        let bytes = try PrivateFiles.read(path)
        // The decoder's error may quote the file.
        guard let token = try? DocumentDecoder().decode(OAuth2Token.self, from: bytes) else {
            throw ApusError(.unreadableStore(detail: "\(path) holds no token"))
        }
        return token
    }

    /// Writes the token; nil removes the file.
    ///
    /// - Throws: `ApusError` with the reason `.file`.
    @concurrent
    public func save(_ token: OAuth2Token?) async throws {
        guard let token else { return PrivateFiles.remove(path) }
        let bytes = Array(try JSONEncoder().encode(token))
        do throws(PrivateFiles.Fault) {
            try PrivateFiles.replace(path, with: bytes)
        } catch {
            throw ApusError(.file(path: error.path, errno: error.errno))
        }
    }
}

/// Keeps a token for the life of the process.
public final class MemoryTokenStore: OAuth2TokenStore {
    private let token: Mutex<OAuth2Token?>

    /// Makes a store that holds a token, or none.
    public init(_ token: OAuth2Token? = nil) { self.token = Mutex(token) }

    /// The token.
    public func load() async -> OAuth2Token? { token.withLock { $0 } }

    /// Keeps a token.
    public func save(_ token: OAuth2Token?) async { self.token.withLock { $0 = token } }
}
