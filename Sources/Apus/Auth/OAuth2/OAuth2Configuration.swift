/// An authorization server, and who we are to it.
public struct OAuth2Configuration: Sendable, Hashable {
    /// How the client shows its secret to the token endpoint (RFC 6749 section 2.3.1).
    public enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
        /// In the `Authorization` field; what every server has to offer.
        case basic
        /// In the form.
        case body
    }

    /// The token endpoint's URL.
    public var tokenEndpoint: String
    /// The page where a person signs in; needed for authorization codes.
    public var authorizationEndpoint: String?
    /// Where device codes come from (RFC 8628).
    public var deviceEndpoint: String?
    /// The client's id.
    public var clientID: String
    /// The client's secret; nil for a public client, which sends its id alone.
    public var clientSecret: Secret?
    /// How the secret is shown.
    public var clientAuthentication: ClientAuthentication
    /// What is asked for.
    public var scopes: [String]
    /// More parameters for all requests, such as `audience` or `resource`.
    public var parameters: [String: String]

    /// Makes a configuration.
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

    /// The parameters that say what is asked for.
    var scopeParameters: [(String, String)] {
        let scope = scopes.isEmpty ? [] : [("scope", scopes.joined(separator: " "))]
        return scope + parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}
