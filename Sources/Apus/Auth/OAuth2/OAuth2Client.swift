import Documents
public import FoundationEssentials
import HTTPTypes

/// Talks to an authorization server (RFC 6749).
///
/// Throws `.authorization(.refused)` if the server refuses in the form that the RFC defines,
/// `.authorization(.unexpectedResponse)` for a response that is not OAuth, and the errors of the transport. No
/// error contains a request, a response or a secret.
public struct OAuth2Client: Sendable {
    /// The server, and how this client identifies itself.
    public let configuration: OAuth2Configuration
    let now: @Sendable () -> Date
    private let transport: any Transport
    private let options: TransportOptions

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - configuration: the server, and how this client identifies itself.
    ///   - transport: sends the requests.
    ///   - options: how to send them; redirects are never followed.
    ///   - now: returns the time.
    public init(
        _ configuration: OAuth2Configuration,
        transport: any Transport = CurlTransport(),
        options: TransportOptions = TransportOptions(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.configuration = configuration
        self.transport = transport
        // A redirect is never followed, because the form contains secrets.
        self.options = options.with { $0.maximumRedirects = 0 }
        self.now = now
    }

    /// Obtains a token for the client itself (section 4.4).
    public func clientCredentials() async throws(ApusError) -> OAuth2Token {
        try await token([("grant_type", "client_credentials")] + configuration.scopeParameters)
    }

    /// Obtains a token for a user's password (section 4.3), for servers that offer nothing better.
    public func password(
        user: String,
        password: Secret
    ) async throws(ApusError) -> OAuth2Token {
        try await token(
            [("grant_type", "password"), ("username", user), ("password", password.value)]
                + configuration.scopeParameters
        )
    }

    /// Obtains a new token for a refresh token (section 6).
    ///
    /// If the server sends no new refresh token, the result keeps the old one.
    public func refresh(_ refreshToken: Secret) async throws(ApusError) -> OAuth2Token {
        var token = try await token(
            [("grant_type", "refresh_token"), ("refresh_token", refreshToken.value)]
        )
        token.refreshToken = token.refreshToken ?? refreshToken
        return token
    }

    /// Sends a request to the token endpoint.
    func token(_ parameters: [(String, String)]) async throws(ApusError) -> OAuth2Token {
        let (answer, status) = try await answer(of: configuration.tokenEndpoint, parameters)
        guard let token = OAuth2Token(response: answer, received: now()) else {
            throw ApusError(
                .unexpectedResponse(status: status, detail: "it contains no access token")
            )
        }
        return token
    }

    /// Sends a form and parses the JSON response.
    func answer(
        of endpoint: String,
        _ parameters: [(String, String)]
    ) async throws(ApusError) -> (JSON, status: Int) {
        let request = try request(to: endpoint, parameters)
        let response: Response
        do throws(ApusError) {
            response = try await unobserved(request).get()
        } catch {
            // Without the response, because it contains the request and so the secrets.
            throw ApusError(error.reason, request: request.line)
        }
        let status = response.status
        let body = try? JSON(parsing: response.body.load())
        if let code = body?["error"].string {
            throw ApusError(.refused(Self.refusal(code, body ?? .null)), request: request.line)
        }
        guard (200..<300).contains(status), let body else {
            throw ApusError(
                .unexpectedResponse(
                    status: status,
                    detail: body == nil ? "its body is not JSON" : "without an OAuth 2 error"
                ),
                request: request.line
            )
        }
        return (body, status)
    }

    /// Sends a request out of sight of whoever watches the responses of the calling task.
    private func unobserved(_ request: PreparedRequest) async -> Result<Response, ApusError> {
        await ObservedResponses.$observer.withValue(nil) {
            await LiveBody.$isWanted.withValue(false) {
                do throws(ApusError) {
                    return .success(try await transport.send(request, progress: nil))
                } catch {
                    return .failure(error)
                }
            }
        }
    }

    private static func refusal(_ code: String, _ body: JSON) -> OAuth2Refusal {
        OAuth2Refusal(
            code: code,
            text: body["error_description"].string,
            page: body["error_uri"].string
        )
    }

    private func request(
        to endpoint: String,
        _ parameters: [(String, String)]
    ) throws(ApusError) -> PreparedRequest {
        var parameters = parameters
        var fields: HTTPFields = [
            .accept: "application/json",
            .contentType: "application/x-www-form-urlencoded",
        ]
        if let secret = configuration.clientSecret, configuration.clientAuthentication == .basic {
            // Both parts are form-encoded before base64 (section 2.3.1).
            let user = PercentEncoding.form(configuration.clientID)
            let password = PercentEncoding.form(secret.value)
            fields[.authorization] =
                try AccessTokenScheme.basic.fieldValue(for: Secret("\(user):\(password)"))
        } else {
            parameters.append(("client_id", configuration.clientID))
            if let secret = configuration.clientSecret {
                parameters.append(("client_secret", secret.value))
            }
        }
        let url = try RequestURL(base: endpoint, appending: "")
        var draft = RequestDraft(method: .post, url: url, fields: fields, options: options)
        try draft.complete(with: .data(Array(PercentEncoding.formText(parameters).utf8)))
        return draft.prepared(accepting: .none)
    }
}

/// An authorization server, and how the client identifies itself.
public struct OAuth2Configuration: Sendable, Hashable {
    /// How the client sends its secret to the token endpoint (RFC 6749 section 2.3.1).
    public enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
        /// In the `Authorization` field, which every server must support.
        case basic
        /// In the form.
        case body
    }

    /// The URL of the token endpoint.
    public var tokenEndpoint: String
    /// The URL of the page where a person signs in; required for authorization codes.
    public var authorizationEndpoint: String?
    /// The URL that issues device codes (RFC 8628); required for signing in on another device.
    public var deviceEndpoint: String?
    /// The client's id.
    public var clientID: String
    /// The client's secret; nil for a public client, which sends its id alone.
    public var clientSecret: Secret?
    /// How the client sends its secret.
    public var clientAuthentication: ClientAuthentication
    /// The scopes to ask for.
    public var scopes: [String]
    /// Extra parameters, such as `audience` or `resource`, for requests that ask for a new authorization; not
    /// sent when a code is exchanged or a token refreshed.
    public var parameters: [String: String]

    /// Creates a configuration.
    public init(
        tokenEndpoint: String,
        authorizationEndpoint: String? = nil,
        deviceEndpoint: String? = nil,
        clientID: String,
        clientSecret: Secret? = nil,
        clientAuthentication: ClientAuthentication = .basic,
        scopes: [String] = [],
        parameters: [String: String] = [:]
    ) {
        self.tokenEndpoint = tokenEndpoint
        self.authorizationEndpoint = authorizationEndpoint
        self.deviceEndpoint = deviceEndpoint
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.clientAuthentication = clientAuthentication
        self.scopes = scopes
        self.parameters = parameters
    }

    /// The scope and the extra parameters.
    var scopeParameters: [(String, String)] {
        let scope = scopes.isEmpty ? [] : [("scope", scopes.joined(separator: " "))]
        return scope + parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
