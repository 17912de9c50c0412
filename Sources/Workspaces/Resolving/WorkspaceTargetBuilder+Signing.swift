import Apus
import Secrets

/// Fills in `auth: { oauth2 | aws | custom }`.
extension WorkspaceTargetBuilder {
    /// How the request gets credentials while it is sent.
    struct SigningPart {
        /// Nil if its credentials, if any, are known already.
        var signing: RequestSigning?
    }

    /// Nil if something is wrong, which is logged.
    mutating func signing() -> SigningPart? {
        let found: RequestSigning?
        switch settings.authorization {
        case .oauth2(let setting): found = signInPlan(setting).map { .oauth2($0) }
        case .aws(let setting): found = awsPlan(setting).map { .aws($0) }
        case .custom(let setting):
            evaluation.runsCommands = true
            found = .command(
                CommandPlan(
                    command: setting.shellCommand,
                    limit: setting.limit,
                    lifetime: setting.lifetime,
                    environment: environment.name,
                    isTrusted: place.isTrusted
                )
            )
        default: return SigningPart()
        }
        return found.map { SigningPart(signing: $0) }
    }

    // MARK: OAuth 2

    private mutating func signInPlan(_ setting: OAuth2Setting) -> SignInPlan? {
        let tokenURL = url(setting.tokenURL, "`tokenURL`")
        let authorizationURL = made(from: setting.authorizationURL) {
            url($0, "`authorizationURL`")
        }
        let deviceURL = made(from: setting.deviceURL) { url($0, "`deviceURL`") }
        let clientID = evaluation.text(setting.clientID)?.text
        let secret = made(from: setting.clientSecret) { credential($0, "clientSecret") }
        let user = made(from: setting.username) { evaluation.text($0)?.text }
        let password = made(from: setting.password) { credential($0, "password") }
        let scopes = setting.scopes.compactMap { evaluation.text($0)?.text }
        var parameters: [String: String] = [:]
        for parameter in setting.parameters {
            parameters[parameter.name] = evaluation.text(parameter.value)?.text
        }
        guard let tokenURL, let authorizationURL, let deviceURL, let clientID, let secret,
            let user, let password, scopes.count == setting.scopes.count,
            parameters.count == Set(setting.parameters.map(\.name)).count
        else { return nil }
        return SignInPlan(
            configuration: OAuth2Configuration(
                tokenEndpoint: tokenURL,
                authorizationEndpoint: authorizationURL,
                deviceEndpoint: deviceURL,
                clientID: clientID,
                clientSecret: secret.map { Apus.Secret($0) },
                clientAuthentication: setting.clientAuthentication,
                scopes: scopes.flatMap { $0.split(separator: " ").map(String.init) },
                parameters: parameters
            ),
            grant: setting.grant,
            user: user,
            password: password.map { Apus.Secret($0) },
            redirect: setting.redirect,
            options: signInOptions,
            workspace: place.path,
            environment: environment.name
        )
    }

    /// Requests to the authorization server take the target's way through the network, and none of its credentials.
    private var signInOptions: TransportOptions {
        var options = TransportOptions()
        options.verifiesTLS = settings.verifiesTLS ?? options.verifiesTLS
        options.certificateAuthorityFile = settings.certificateAuthorityFile
        if let limit = settings.connectTimeout { options.connectTimeout = limit.duration }
        if let template = settings.proxy {
            // A copy, because `options()` logs what is wrong with it.
            var evaluation = evaluation
            options.proxy = evaluation.text(template)?.text
        }
        return options
    }

    /// A URL that is given out credentials; a response's value cannot be a part of it.
    private mutating func url(_ template: Template, _ what: String) -> String? {
        guard let text = evaluation.ownText(template, what) else { return nil }
        // While checking, a sign stands for a secret.
        if evaluation.purpose == .checking, text.shown.contains(CredentialMask.mask) {
            return text.text
        }
        guard RequestURLBuilder.isWhole(text.text), text.text.utf8.allSatisfy({ $0 > 0x20 }) else {
            log.add(
                template.span,
                "\(what) cannot be `\(text.shown)`",
                expected: "an `http://` or `https://` URL"
            )
            return nil
        }
        return text.text
    }

    // MARK: AWS

    private mutating func awsPlan(_ setting: AWSSetting) -> AWSSigningPlan? {
        let service = evaluation.text(setting.service)?.text
        let region = made(from: setting.region) { evaluation.text($0)?.text }
        let profile = made(from: setting.profile) { evaluation.text($0)?.text }
        let keys = made(from: setting.keys) { awsKeys($0) }
        guard let service, let region, let profile, let keys else { return nil }
        return AWSSigningPlan(
            service: service,
            region: region,
            profile: profile,
            keys: keys,
            payload: setting.payload
        )
    }

    private mutating func awsKeys(_ setting: AWSSetting.Keys) -> AWSCredentials? {
        let id = credential(setting.accessKey, "accessKey", isSecret: false)
        let secret = credential(setting.secretKey, "secretKey")
        let token = made(from: setting.sessionToken) { credential($0, "sessionToken") }
        guard let id, let secret, let token else { return nil }
        return AWSCredentials(
            accessKeyID: id,
            secretAccessKey: Apus.Secret(secret),
            sessionToken: token.map { Apus.Secret($0) }
        )
    }

    // MARK: Both

    /// The text of a credential, which is masked from now on.
    private mutating func credential(
        _ setting: CredentialSetting,
        _ name: String,
        isSecret: Bool = true
    ) -> String? {
        switch setting {
        case .template(let template):
            guard let text = evaluation.text(template) else { return nil }
            if isSecret {
                evaluation.addSecret(text.text)
                addCredentials(of: template)
            }
            return text.text
        case .secret(let origin, let span):
            if let marks = evaluation.marks, marks.hidesSecrets {
                return marks.value(for: origin.source).scalarText
            }
            let secret =
                switch origin {
                case .environmentVariable(let name):
                    evaluation.reader?.secret(environmentVariable: name)
                case .file(let path): evaluation.reader?.secret(file: path)
                }
            if let value = secret?.value {
                if isSecret { evaluation.addSecret(value) }
                return value
            }
            if evaluation.purpose == .checking { return CredentialMask.mask }
            log.add(span, "`\(name)` has no value: \(secret?.fault ?? "nothing is read here")")
            return nil
        }
    }
}

/// What is made of a setting: `.some(nil)` if there is none, nil if something is wrong, which is logged.
private func made<Setting, Made>(
    from setting: Setting?,
    _ make: (Setting) -> Made?
) -> Made?? {
    guard let setting else { return .some(nil) }
    return make(setting).map { .some($0) }
}
