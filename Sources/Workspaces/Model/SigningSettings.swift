import Apus

/// A credential of `auth`: a text with variables, or a secret from outside of the file.
enum CredentialSetting: Sendable {
    /// Where a secret is read from when a request is made.
    enum Origin: Sendable {
        case environmentVariable(String)
        /// A path that is resolved against the workspace file.
        case file(String)
    }

    case template(Template)
    case secret(Origin, Span)
}

/// `auth: { oauth2: … }`.
struct OAuth2Setting: Sendable {
    let grant: OAuth2Grant
    let tokenURL: Template
    let authorizationURL: Template?
    let deviceURL: Template?
    let clientID: Template
    let clientSecret: CredentialSetting?
    let clientAuthentication: OAuth2Configuration.ClientAuthentication
    let scopes: [Template]
    /// Further parameters of requests for a new authorization, such as `audience`.
    let parameters: [(name: String, value: Template)]
    let username: Template?
    let password: CredentialSetting?
    let redirect: LoopbackRedirect
}

/// How a token is obtained (RFC 6749 section 1.3, RFC 8628); refreshing needs no setting.
package enum OAuth2Grant: String, Sendable, Hashable, CaseIterable {
    case clientCredentials, password, authorizationCode, deviceCode

    /// Whether a person signs in with a browser.
    package var asksPerson: Bool { self == .authorizationCode || self == .deviceCode }

    /// What people call it: "client credentials".
    package var words: String {
        switch self {
        case .clientCredentials: "client credentials"
        case .password: "password"
        case .authorizationCode: "authorization code"
        case .deviceCode: "device code"
        }
    }
}

/// The loopback URL that a browser is sent to after signing in (RFC 8252 section 7.3).
struct LoopbackRedirect: Sendable, Hashable {
    var host = "127.0.0.1"
    /// 0 for any free port.
    var port: UInt16 = 0
    var path = "/callback"

    init() {}

    /// Reads `http://127.0.0.1:8400/callback`; nil if it is not a loopback URL of that form.
    init?(_ text: String) {
        guard text.hasPrefix("http://") else { return nil }
        let rest = text.dropFirst("http://".count)
        let authority = rest.prefix { $0 != "/" }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let host = parts.first, host == "127.0.0.1" || host == "localhost", parts.count < 3
        else { return nil }
        let path = rest[authority.endIndex...]
        guard !path.contains(where: { "?# ".contains($0) }) else { return nil }
        self.host = String(host)
        if parts.count == 2 {
            guard let port = UInt16(parts[1]) else { return nil }
            self.port = port
        }
        self.path = path.isEmpty ? "/" : String(path)
    }
}

/// `auth: { aws: … }`.
struct AWSSetting: Sendable {
    /// The key, its secret and the token of temporary credentials.
    struct Keys: Sendable {
        let accessKey: CredentialSetting
        let secretKey: CredentialSetting
        let sessionToken: CredentialSetting?
    }

    let service: Template
    let region: Template?
    let profile: Template?
    let keys: Keys?
    let payload: AWSSigner.Payload
}

/// `auth: { custom: … }`.
struct CustomSetting: Sendable {
    let command: String
    /// The folder of the file that has the command.
    let folder: String
    let limit: Duration
    /// How long its output is used; nil until the server refuses it.
    let lifetime: Duration?
}
