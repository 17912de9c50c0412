import Apus
import Secrets

/// How a target proves who sends it, with its texts filled in, in which marks may stand.
package enum ExportedAuthorization: Sendable, Equatable {
    /// A token that is obtained before the request.
    package struct OAuth2: Sendable, Equatable {
        /// How the token is obtained.
        package let grant: OAuth2Grant
        /// Where tokens are obtained.
        package let tokenURL: String
        /// Where a person signs in; nil without one.
        package let authorizationURL: String?
        /// Where a device asks for a code; nil without one.
        package let deviceURL: String?
        /// Who the program is.
        package let clientID: String
        /// How it proves that; nil for a public client.
        package let clientSecret: String?
        /// Whether the client's credentials are sent in the body rather than in a field.
        package let sendsClientInBody: Bool
        /// What is asked for.
        package let scopes: [String]
        /// Further parameters, such as `audience`.
        package let parameters: [(name: String, value: String)]
        /// The user, for the grant of a password.
        package let user: String?
        /// The user's password.
        package let password: String?

        package static func == (a: OAuth2, b: OAuth2) -> Bool {
            a.grant == b.grant && a.tokenURL == b.tokenURL
                && a.authorizationURL == b.authorizationURL && a.deviceURL == b.deviceURL
                && a.clientID == b.clientID && a.clientSecret == b.clientSecret
                && a.sendsClientInBody == b.sendsClientInBody && a.scopes == b.scopes
                && a.user == b.user && a.password == b.password
                && a.parameters.elementsEqual(b.parameters, by: ==)
        }
    }

    /// A signature of AWS.
    package struct AWS: Sendable, Equatable {
        /// The service, such as `execute-api`.
        package let service: String
        /// The region; nil for that of the profile.
        package let region: String?
        /// The profile; nil for the default.
        package let profile: String?
        /// The keys; nil where they come from the profile.
        package let accessKey: String?
        /// The secret of the key.
        package let secretKey: String?
        /// The token of temporary credentials.
        package let sessionToken: String?
    }

    /// Where a key stands.
    package enum KeyPlace: String, Sendable {
        case header, query, cookie
    }

    case none
    /// A field `Authorization: Bearer TOKEN`.
    case bearer(String)
    /// A field `Authorization: Basic …`.
    case basic(user: String, password: String)
    /// An answer to a server's challenge.
    case digest(user: String, password: String)
    case ntlm(user: String, password: String)
    case negotiate
    /// A password of a netrc file; nil for the user's own file.
    case netrc(file: String?)
    case apiKey(KeyPlace, name: String, value: String)
    case oauth2(OAuth2)
    case aws(AWS)
    /// What a command prints, which is not shown: it may have a secret in it.
    case custom

    /// The word of the workspace format for it.
    package var name: String {
        switch self {
        case .none: "none"
        case .bearer: "bearer"
        case .basic: "basic"
        case .digest: "digest"
        case .ntlm: "ntlm"
        case .negotiate: "negotiate"
        case .netrc: "netrc"
        case .apiKey: "apiKey"
        case .oauth2: "oauth2"
        case .aws: "aws"
        case .custom: "custom"
        }
    }
}

extension CredentialSetting.Origin {
    /// What a mark for it stands for.
    var source: TemplateMarks.Source {
        switch self {
        case .environmentVariable(let name): .environmentVariable(name)
        case .file(let path): .file(path)
        }
    }
}

/// Fills in the texts of a target's `auth`.
struct AuthorizationExport {
    var evaluation: Evaluation
    let reader: SecretReader

    /// The authorization; nil if something has no value.
    mutating func export(_ setting: RequestSettings.Authorization?) -> ExportedAuthorization? {
        switch setting {
        case nil, .some(.none): return ExportedAuthorization.none
        case .bearer(let token): return text(token).map { .bearer($0) }
        case .basic(let user, let password):
            return pair(user, password).map { .basic(user: $0, password: $1) }
        case .digest(let user, let password):
            return pair(user, password).map { .digest(user: $0, password: $1) }
        case .ntlm(let user, let password):
            return pair(user, password).map { .ntlm(user: $0, password: $1) }
        case .negotiate: return .negotiate
        case .netrc(let file): return .netrc(file: file)
        case .apiKey(let key):
            guard let value = text(key.value),
                let place = ExportedAuthorization.KeyPlace(rawValue: key.place.rawValue)
            else { return nil }
            return .apiKey(place, name: key.name, value: value)
        case .oauth2(let setting): return oauth2(setting).map { .oauth2($0) }
        case .aws(let setting):
            guard let service = text(setting.service) else { return nil }
            return .aws(
                ExportedAuthorization.AWS(
                    service: service,
                    region: setting.region.flatMap { text($0) },
                    profile: setting.profile.flatMap { text($0) },
                    accessKey: setting.keys.flatMap { credential($0.accessKey) },
                    secretKey: setting.keys.flatMap { credential($0.secretKey) },
                    sessionToken: setting.keys?.sessionToken.flatMap { credential($0) }
                )
            )
        case .custom: return .custom
        }
    }

    private mutating func oauth2(_ setting: OAuth2Setting) -> ExportedAuthorization.OAuth2? {
        guard let tokenURL = text(setting.tokenURL), let clientID = text(setting.clientID) else {
            return nil
        }
        return ExportedAuthorization.OAuth2(
            grant: setting.grant,
            tokenURL: tokenURL,
            authorizationURL: setting.authorizationURL.flatMap { text($0) },
            deviceURL: setting.deviceURL.flatMap { text($0) },
            clientID: clientID,
            clientSecret: setting.clientSecret.flatMap { credential($0) },
            sendsClientInBody: setting.clientAuthentication == .body,
            scopes: setting.scopes.compactMap { text($0) }
                .flatMap { $0.split(separator: " ").map(String.init) },
            parameters: setting.parameters.map { ($0.name, text($0.value) ?? "") },
            user: setting.username.flatMap { text($0) },
            password: setting.password.flatMap { credential($0) }
        )
    }

    private mutating func pair(_ user: Template, _ password: Template) -> (String, String)? {
        guard let user = text(user), let password = text(password) else { return nil }
        return (user, password)
    }

    private mutating func text(_ template: Template) -> String? { evaluation.text(template)?.text }

    private mutating func credential(_ setting: CredentialSetting) -> String? {
        switch setting {
        case .template(let template): return text(template)
        case .secret(let origin, _):
            if let marks = evaluation.marks, marks.hidesSecrets {
                return marks.value(for: origin.source).scalarText
            }
            switch origin {
            case .environmentVariable(let name):
                return reader.secret(environmentVariable: name).value
            case .file(let path): return reader.secret(file: path).value
            }
        }
    }
}

extension ExportedAuthorization {
    /// The same with its secrets replaced; `replace` gets each, and what it is called.
    package func mappingSecrets(_ replace: (String, String) -> String) -> ExportedAuthorization {
        /// A user without a password is a token.
        func pair(_ user: String, _ password: String) -> (String, String) {
            password.isEmpty
                ? (replace(user, "token"), "") : (user, replace(password, "password"))
        }
        switch self {
        case .none, .negotiate, .netrc, .custom: return self
        case .bearer(let token): return .bearer(replace(token, "authorization"))
        case .basic(let user, let password):
            let (user, password) = pair(user, password)
            return .basic(user: user, password: password)
        case .digest(let user, let password):
            let (user, password) = pair(user, password)
            return .digest(user: user, password: password)
        case .ntlm(let user, let password):
            let (user, password) = pair(user, password)
            return .ntlm(user: user, password: password)
        case .apiKey(let place, let name, let value):
            return .apiKey(place, name: name, value: replace(value, "api_key"))
        case .oauth2(let oauth2):
            return .oauth2(
                OAuth2(
                    grant: oauth2.grant,
                    tokenURL: oauth2.tokenURL,
                    authorizationURL: oauth2.authorizationURL,
                    deviceURL: oauth2.deviceURL,
                    clientID: oauth2.clientID,
                    clientSecret: oauth2.clientSecret.map { replace($0, "client_secret") },
                    sendsClientInBody: oauth2.sendsClientInBody,
                    scopes: oauth2.scopes,
                    parameters: oauth2.parameters.map { name, value in
                        (name, CredentialText.isSecret(name) ? replace(value, name) : value)
                    },
                    user: oauth2.user,
                    password: oauth2.password.map { replace($0, "password") }
                )
            )
        case .aws(let aws):
            return .aws(
                AWS(
                    service: aws.service,
                    region: aws.region,
                    profile: aws.profile,
                    accessKey: aws.accessKey.map { replace($0, "aws_access_key") },
                    secretKey: aws.secretKey.map { replace($0, "aws_secret_key") },
                    sessionToken: aws.sessionToken.map { replace($0, "aws_session_token") }
                )
            )
        }
    }

    /// The texts of it that are needed to get a token, which only some formats do themselves.
    package var signInTexts: [String] {
        guard case .oauth2(let oauth2) = self else { return [] }
        return [
            oauth2.tokenURL, oauth2.authorizationURL, oauth2.deviceURL, oauth2.clientID,
            oauth2.clientSecret, oauth2.user, oauth2.password,
        ].compactMap(\.self) + oauth2.scopes + oauth2.parameters.map(\.value)
    }

    /// The texts of it that stand in a request, or answer a server's challenge.
    package var sentTexts: [String] {
        switch self {
        case .none, .negotiate, .netrc, .custom, .oauth2: []
        case .bearer(let token): [token]
        case .basic(let user, let password), .digest(let user, let password),
            .ntlm(let user, let password):
            [user, password]
        case .apiKey(_, _, let value): [value]
        case .aws(let aws):
            [aws.service, aws.region, aws.accessKey, aws.secretKey, aws.sessionToken]
                .compactMap(\.self)
        }
    }
}

extension Capture {
    /// The same for a variable of another name.
    package func named(_ name: String) -> Capture { Capture(name: name, path: path) }
}

extension Expectation {
    /// The same with the values that a response is compared with changed.
    package func mapping(_ change: (Value) -> Value) -> Expectation {
        let changed: Requirement
        switch requirement {
        case .value(.exists, _), .value(.count, _), .value(.type, _): return self
        case .value(let sign, let value): changed = .value(sign, change(value))
        case .document(let value): changed = .document(change(value))
        case .statuses, .quantity, .flag: return self
        }
        return Expectation(subject: subject, requirement: changed, location: location)
    }
}
