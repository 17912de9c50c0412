package import HTTPTypes

/// Whose request it is, as far as a server can tell: what is answered to one account is not
/// for another.
///
/// It is made of the fields that carry credentials, of those that the transport adds (a user and
/// password, a certificate, a cookie jar), and of what `TransportOptions.account` says. Within a
/// jar the account is the same whatever its cookies are, as for a browser.
struct RequestAccount: Equatable {
    private let parts: [String]

    /// The account of a request.
    init(_ request: PreparedRequest) {
        let options = request.options.shared?.value
        let jar = options?.activeJar
        parts =
            request.head.headerFields.compactMap { field in
                guard SecretFields.nameAccount(field.name), jar == nil || field.name != .cookie
                else { return nil }
                return "\(field.name.canonicalName) \(field.value)"
            } + Self.parts(of: options)
    }

    private static func parts(of options: RareOptions?) -> [String] {
        guard let options else { return [] }
        var parts: [String] = []
        if let user = options.credentials {
            parts.append("user \(user.scheme.rawValue) \(user.user) \(user.password.value)")
        }
        if let certificate = options.clientCertificate {
            parts.append("certificate \(certificate.file)")
        }
        if options.usesNetrc { parts.append("netrc \(options.netrcFile ?? "")") }
        if let jar = options.activeJar { parts.append("jar \(jar.account)") }
        if let account = options.account { parts.append("account \(account)") }
        return parts
    }

    /// A digest of it; empty for nobody's.
    var digest: String {
        guard !parts.isEmpty else { return "" }
        return String(ContentDigest.hex(of: parts.joined(separator: "\n")).prefix(32))
    }

    /// Whether a request went out with credentials that its key knows nothing of: those that an
    /// interceptor gave it without saying whose they are.
    static func isUnknown(_ sent: PreparedRequest, keyedAs asked: PreparedRequest) -> Bool {
        guard sent != asked, asked.options.account == nil else { return false }
        return RequestAccount(sent) != RequestAccount(asked)
            || CredentialMask.secretPairs(of: sent) != CredentialMask.secretPairs(of: asked)
    }
}

extension CachePolicy {
    /// The digest of the account that a request's answers are kept for; empty for everybody's.
    func account(of request: PreparedRequest) -> String {
        separatesAccounts ? RequestAccount(request).digest : ""
    }
}

/// The names of what carries credentials: header fields, and parameters of URLs, forms and JSON.
///
/// A key holds only their digests; what is shown, logged or recorded has a mask in their place.
package enum SecretFields {
    private static let names: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key",
        "x-auth-token", "x-access-token", "x-csrf-token", "x-xsrf-token", "x-amz-security-token",
        "x-goog-api-key", "x-functions-key", "ocp-apim-subscription-key", "private-token",
        "authentication-info", "proxy-authentication-info", "apikey", "auth-token", "access-token",
        "x-auth", "x-auth-key", "x-apikey", "x-app-key", "x-api-token", "x-api-secret",
        "x-secret-key", "x-secret", "x-token", "x-session-token", "x-session-id", "x-password",
        "x-client-secret", "x-refresh-token", "x-id-token", "x-jwt", "x-signature",
        "x-hub-signature",
        "x-hub-signature-256", "x-gitlab-token", "job-token", "deploy-token", "x-github-token",
        "x-vault-token", "x-consul-token", "x-shopify-access-token",
        "x-shopify-storefront-access-token",
        "x-figma-token", "x-parse-rest-api-key", "x-parse-master-key", "x-rapidapi-key",
        "x-subscription-token", "x-ms-token-aad-access-token", "x-amz-sso_bearer_token",
        "x-aws-ec2-metadata-token", "x-forwarded-access-token", "x-docker-registry-auth",
        "x-registry-auth", "x-elastic-api-key", "x-datadog-api-key", "dd-api-key",
        "dd-application-key", "x-sentry-token", "x-plex-token", "x-emby-token", "x-mbx-apikey",
        "circle-token", "x-honeycomb-team", "token",
    ]

    /// Those that change from request to request, or are for somebody on the way.
    private static let passing: Set<String> = [
        "proxy-authorization", "set-cookie", "x-csrf-token", "x-xsrf-token", "authentication-info",
        "proxy-authentication-info", "x-signature", "x-hub-signature", "x-hub-signature-256",
    ]

    /// Parameters, form fields and JSON members that carry credentials, in lower case.
    static let parameters: Set<String> = [
        "access_token", "refresh_token", "id_token", "token", "api_key", "apikey", "api-key",
        "key", "password", "passwd", "secret", "client_secret", "signature", "sig", "code",
        "x-amz-signature", "x-amz-security-token", "x-amz-credential", "access-token", "auth_token",
        "authtoken", "accesstoken", "refreshtoken", "session_token", "secret_key", "private_token",
        "private_key", "clientsecret", "subscription-key", "passphrase", "pwd", "jwt", "otp",
        "client_assertion", "code_verifier", "authorization", "x-api-key", "x-goog-signature",
    ]

    /// Whether a field of this name tells a server whose request it is.
    static func nameAccount(_ name: HTTPField.Name) -> Bool {
        contains(name) && !passing.contains(name.canonicalName)
    }

    /// Whether a field of this name carries credentials.
    package static func contains(_ name: HTTPField.Name) -> Bool {
        names.contains(name.canonicalName)
    }
}
