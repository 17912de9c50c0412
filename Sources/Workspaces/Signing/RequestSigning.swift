package import Apus
import HTTPTypes
import Secrets

/// How a request gets credentials that are not known before it is sent.
package enum RequestSigning: Sendable {
    /// With a token of OAuth 2.
    case oauth2(SignInPlan)
    /// With a signature of AWS.
    case aws(AWSSigningPlan)
    /// With what a command prints.
    case command(CommandPlan)

    /// The sign-in that its token comes from; nil if there is none.
    package var signIn: SignInPlan? { if case .oauth2(let plan) = self { plan } else { nil } }
}

/// How a token of OAuth 2 is obtained, with everything filled in.
package struct SignInPlan: Sendable {
    /// The authorization server, and how the client identifies itself.
    package let configuration: OAuth2Configuration
    /// How the first token is obtained.
    package let grant: OAuth2Grant
    /// The user whose password is sent; nil for other grants.
    package let user: String?
    /// What the sign-in belongs to, for people: the environment's name.
    package let environment: String
    /// Identifies the sign-in: one for each workspace, environment, server, client, scope and user.
    package let key: SignInKey
    let password: Apus.Secret?
    let redirect: LoopbackRedirect
    /// How requests to the authorization server are sent.
    let options: TransportOptions

    init(
        configuration: OAuth2Configuration,
        grant: OAuth2Grant,
        user: String? = nil,
        password: Apus.Secret? = nil,
        redirect: LoopbackRedirect = LoopbackRedirect(),
        options: TransportOptions = TransportOptions(),
        workspace: String,
        environment: String
    ) {
        self.configuration = configuration
        self.grant = grant
        self.user = user
        self.password = password
        self.redirect = redirect
        self.options = options
        self.environment = environment
        let parts =
            [workspace, environment, grant.rawValue, configuration.tokenEndpoint]
            + [configuration.authorizationEndpoint, configuration.deviceEndpoint].map { $0 ?? "" }
            + [configuration.clientID, configuration.scopes.joined(separator: " "), user ?? ""]
            + configuration.parameters.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        key = SignInKey(parts)
    }

    /// The authorization server's host, for people.
    package var server: String {
        let url = configuration.authorizationEndpoint ?? configuration.tokenEndpoint
        guard let mark = url.firstRange(of: "://") else { return url }
        return String(url[mark.upperBound...].prefix { $0 != "/" && $0 != "?" })
    }
}

/// Identifies a sign-in, also as the name of its file.
package struct SignInKey: Sendable, Hashable {
    /// 32 hexadecimal digits.
    package let text: String

    init(_ parts: [String]) {
        // The lengths keep parts apart, whatever they contain.
        let whole = parts.map { "\($0.utf8.count):\($0)" }.joined(separator: ",")
        text = String(ContentDigest.hex(of: whole).prefix(32))
    }
}

/// How a request to AWS is signed, with everything filled in.
package struct AWSSigningPlan: Sendable {
    let service: String
    let region: String?
    let profile: String?
    let keys: AWSCredentials?
    let payload: AWSSigner.Payload
}

/// A command whose output is the credentials of requests.
package struct CommandPlan: Sendable {
    /// The command, and the folder that it runs in.
    package let command: ShellCommand
    /// How long it may run.
    let limit: Duration
    /// How long its output is used; nil until the server refuses it.
    let lifetime: Duration?
    /// The environment's name, because the output may be used in one only.
    let environment: String
    /// Whether the workspace may run it now.
    let isTrusted: @Sendable () -> Bool

    /// Identifies its output.
    var key: SignInKey { SignInKey(["command", command.folder, command.text, environment]) }
}

extension RequestSigning: RequestCredentials {
    /// Puts a mask where the credentials will be, into a request that is shown or copied and not sent.
    package func addPlaceholder(to request: inout PreparedRequest) {
        guard request.head.headerFields[.authorization] == nil else { return }
        let scheme =
            switch self {
            case .oauth2: "Bearer "
            case .aws: "AWS4-HMAC-SHA256 "
            case .command: ""
            }
        request.head.headerFields[.authorization] = "\(scheme)\(CredentialMask.mask)"
    }

    /// Removes the credentials that a recorded request had, so that it gets those of now.
    ///
    /// What a command printed then is known by its mask.
    package func removeCredentials(from recorded: inout PreparedRequest) {
        recorded.head.headerFields[.authorization] = nil
        switch self {
        case .oauth2: break
        case .aws:
            for name in ["X-Amz-Date", "X-Amz-Security-Token", "X-Amz-Content-Sha256"] {
                if let name = HTTPField.Name(name) { recorded.head.headerFields[name] = nil }
            }
        case .command:
            recorded.head.headerFields.removeAll {
                $0.name != .cookie && $0.value.unicodeScalars.contains("•")
            }
        }
    }
}
