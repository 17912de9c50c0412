import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Secrets

extension WorkspaceTargetBuilder {
    /// Adds the credentials of `auth` to the fields; false if something is wrong, which is logged.
    mutating func authorize(_ result: inout Fields) -> Bool {
        switch settings.authorization {
        case nil, .some(.none): return true
        case .digest, .ntlm:
            // The engine answers the server's challenge.
            result.authorization = "\(settings.authorization?.name ?? "") \(CredentialMask.mask)"
            return true
        case .negotiate, .netrc:
            result.authorization = settings.authorization?.name
            return true
        case .apiKey(let key): return authorize(by: key, &result)
        case .oauth2, .aws, .custom:
            // The field is set when the request is sent.
            result.fields[.authorization] = nil
            result.shown.removeAll { $0.name.asciiLowercased == "authorization" }
            result.shown.append(
                RequestDisplay.Field(name: "Authorization", value: CredentialMask.mask)
            )
            result.authorization = settings.authorization?.words
            return true
        case .bearer(let template):
            guard let token = evaluation.text(template) else { return false }
            return authorize("Bearer", token.text, [token.text], template.span, &result)
        case .basic(let userTemplate, let passwordTemplate):
            let user = evaluation.text(userTemplate)
            let password = evaluation.text(passwordTemplate)
            guard let user, let password else { return false }
            guard !user.text.contains(":") else {
                log.add(userTemplate.span, "a user name cannot contain `:`")
                return false
            }
            if let marks = evaluation.marks {
                let arguments = [user.text, password.text].map { Value.string($0) }
                let mark = marks.value(for: .call("basic", arguments: arguments))
                return authorize("Basic", mark.scalarText ?? "", [], passwordTemplate.span, &result)
            }
            let pair = Data("\(user.text):\(password.text)".utf8).base64EncodedString()
            return authorize(
                "Basic",
                pair,
                [password.text, "\(user.text):\(password.text)"],
                passwordTemplate.span,
                &result
            )
        }
    }

    private mutating func authorize(
        by key: RequestSettings.APIKey,
        _ result: inout Fields
    ) -> Bool {
        result.authorization = "\(key.name) \(CredentialMask.mask)"
        // `query` adds a parameter.
        guard key.place != .query else { return true }
        guard let value = evaluation.text(key.value) else { return false }
        guard HTTPField.isValidValue(value.text), let name = HTTPField.Name(key.name) else {
            log.add(key.value.span, "a key cannot contain line breaks or control characters")
            return false
        }
        evaluation.addSecret(value.text)
        addCredentials(of: key.value)
        guard key.place == .cookie else {
            result.fields[name] = value.text
            result.shown.removeAll { $0.name.asciiLowercased == name.canonicalName }
            result.shown.append(RequestDisplay.Field(name: key.name, value: CredentialMask.mask))
            return true
        }
        let others = result.fields[.cookie].map { "\($0); " } ?? ""
        result.fields[.cookie] = "\(others)\(key.name)=\(value.text)"
        result.shown.removeAll { $0.name.asciiLowercased == "cookie" }
        result.shown.append(RequestDisplay.Field(name: "Cookie", value: CredentialMask.mask))
        return true
    }

    private mutating func authorize(
        _ scheme: String,
        _ credentials: String,
        _ secrets: [String],
        _ span: Span,
        _ result: inout Fields
    ) -> Bool {
        guard HTTPField.isValidValue(credentials) else {
            log.add(span, "credentials cannot contain line breaks or control characters")
            return false
        }
        for secret in secrets { evaluation.addSecret(secret) }
        let shown = "\(scheme) \(CredentialMask.mask)"
        result.fields[.authorization] = "\(scheme) \(credentials)"
        result.shown.removeAll { $0.name.asciiLowercased == "authorization" }
        result.shown.append(RequestDisplay.Field(name: "Authorization", value: shown))
        result.authorization = "\(scheme.asciiLowercased) \(CredentialMask.mask)"
        return true
    }

    /// Sets what libcurl proves who one is with; false if something is wrong, which is logged.
    mutating func authorize(_ options: inout TransportOptions) -> Bool {
        let scheme: ServerCredentials.Scheme
        let templates: (user: Template, password: Template)
        switch settings.authorization {
        case .digest(let user, let password): (scheme, templates) = (.digest, (user, password))
        case .ntlm(let user, let password): (scheme, templates) = (.ntlm, (user, password))
        case .negotiate:
            options.credentials = .negotiate
            return true
        case .netrc(let file):
            options.usesNetrc = true
            options.netrcFile = file
            return true
        case nil, .some(.none), .bearer, .basic, .apiKey, .oauth2, .aws, .custom:
            return true
        }
        let user = evaluation.text(templates.user)
        let password = evaluation.text(templates.password)
        guard let user, let password else { return false }
        evaluation.addSecret(password.text)
        addCredentials(of: templates.password)
        options.credentials = ServerCredentials(
            scheme,
            user: user.text,
            password: Apus.Secret(password.text)
        )
        return true
    }
}
