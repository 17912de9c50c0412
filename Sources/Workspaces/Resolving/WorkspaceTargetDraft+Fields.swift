import Apus
import FoundationEssentials
import HTTPTypes

extension WorkspaceTargetDraft {
    struct Fields {
        var fields = HTTPFields()
        var shown: [RequestDisplay.Field] = []
        var authorization: String?
    }

    mutating func fields(contentType: String?) -> Fields? {
        var result = Fields()
        var isComplete = true
        for header in settings.headers {
            guard let template = header.value else { continue }
            guard let text = evaluation.text(template), isValid(text, header) else {
                isComplete = false
                continue
            }
            if SecretFields.contains(header.name) {
                let credentials = text.text.drop { $0 != " " }.dropFirst()
                evaluation.addCredential(String(credentials), madeOf: .text(template))
                evaluation.addCredential(text.text, madeOf: .text(template))
            }
            result.fields.append(HTTPField(name: header.name, value: text.text))
            result.shown.append(
                RequestDisplay.Field(
                    name: header.name.rawName,
                    value: Self.shown(text, of: header.name)
                )
            )
        }
        if let contentType, result.fields[.contentType] == nil {
            result.fields[.contentType] = contentType
            result.shown.append(RequestDisplay.Field(name: "Content-Type", value: contentType))
        }
        return authorize(&result) && isComplete ? result : nil
    }

    private func isValid(_ text: ResolvedText, _ header: RequestSettings.Header) -> Bool {
        guard HTTPField.isValidValue(text.text) else {
            log.add(
                header.span,
                "the field `\(header.name.rawName)` cannot have this value",
                expected: "no line breaks or other control characters, and no space at its ends"
            )
            return false
        }
        return true
    }

    /// Credentials are masked even where they stand in the file as they are.
    private static func shown(_ text: ResolvedText, of name: HTTPField.Name) -> String {
        guard SecretFields.contains(name) else { return text.shown }
        let scheme = text.shown.prefix { $0 != " " }
        let hasScheme = [.authorization, .proxyAuthorization].contains(name)
        return hasScheme && scheme.count < text.shown.count
            ? "\(scheme) \(CredentialMask.mask)" : CredentialMask.mask
    }

    private mutating func authorize(_ result: inout Fields) -> Bool {
        switch settings.authorization {
        case nil, .some(.none): return true
        case .bearer(let template):
            guard let token = evaluation.text(template) else { return false }
            return authorize("Bearer", token.text, [token.text], template.span, &result)
        case .basic(let userTemplate, let passwordTemplate):
            let user = evaluation.text(userTemplate)
            let password = evaluation.text(passwordTemplate)
            guard let user, let password else { return false }
            guard !user.text.contains(":") else {
                log.add(userTemplate.span, "a user's name cannot have `:` in it")
                return false
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
        _ scheme: String,
        _ credentials: String,
        _ secrets: [String],
        _ span: Span,
        _ result: inout Fields
    ) -> Bool {
        guard HTTPField.isValidValue(credentials) else {
            log.add(span, "credentials cannot have line breaks or control characters in them")
            return false
        }
        for secret in secrets { evaluation.addSecret(secret) }
        let shown = "\(scheme) \(CredentialMask.mask)"
        result.fields[.authorization] = "\(scheme) \(credentials)"
        result.shown.removeAll { $0.name.lowercased() == "authorization" }
        result.shown.append(RequestDisplay.Field(name: "Authorization", value: shown))
        result.authorization = "\(scheme.lowercased()) \(CredentialMask.mask)"
        return true
    }
}
