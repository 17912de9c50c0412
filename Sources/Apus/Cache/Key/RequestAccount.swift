import Documents
package import HTTPTypes

/// Whose request it is, as far as a server can tell: what is answered to one account is not
/// for another.
///
/// It is made of the fields that carry credentials by their name or hold a known secret, of those
/// that the transport adds (a user and password, a certificate, a cookie jar), and of what
/// `TransportOptions.account` says. Within a jar the account is the same whatever its cookies are,
/// as for a browser.
struct RequestAccount: Equatable {
    fileprivate let parts: [String]

    /// The account of a request.
    init(_ request: PreparedRequest) {
        let options = request.options.shared?.value
        let jar = options?.activeJar
        let fields = request.head.headerFields
        let names = fields.isEmpty ? [] : request.secretFieldNames
        parts =
            names.filter { SecretFields.mayNameAccount($0) && (jar == nil || $0 != .cookie) }
            .flatMap { name in fields[values: name].map { "\(name.canonicalName) \($0)" } }
            + Self.parts(of: options)
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

    /// Whether a request went out with credentials that its key knows nothing of: those that an
    /// interceptor gave it without saying whose they are.
    fileprivate static func isUnknown(
        _ sent: PreparedRequest,
        keyedAs asked: PreparedRequest
    ) -> Bool {
        guard asked.options.account == nil else { return false }
        return RequestAccount(sent) != RequestAccount(asked)
            || CredentialMask.secretPairs(of: sent) != CredentialMask.secretPairs(of: asked)
    }
}

extension CachePolicy {
    /// The digest of what tells a request's answers from those to others beside its key.
    ///
    /// That is the account, and under HTTP's rules the way, for which other keys have lines; it is
    /// empty for nobody's by the usual way.
    func account(of request: PreparedRequest) -> String {
        let account = separatesAccounts ? RequestAccount(request).parts : []
        let way = semantics == .http ? RequestWay(request).parts : []
        guard !account.isEmpty || !way.isEmpty else { return "" }
        let lines = account + way.map { "way \($0.name) \($0.value)" }
        return String(ContentDigest.hex(of: lines.joined(separator: "\n")).prefix(32))
    }

    /// Why the answer to a request that went out as `sent` is not kept under the key of what was
    /// `asked`: an interceptor made of it what the key knows nothing of.
    func reasonNotToKeep(
        _ sent: PreparedRequest,
        keyedAs asked: PreparedRequest
    ) -> NotStoredReason? {
        guard sent != asked else { return nil }
        if separatesAccounts, RequestAccount.isUnknown(sent, keyedAs: asked) {
            return .unknownAccount
        }
        return RequestWay(sent) == RequestWay(asked) ? nil : .unknownWay
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
        // What is said to caches.
        "cache-control", "pragma", "if-match", "if-none-match", "if-modified-since",
        "if-unmodified-since", "if-range", "range",
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

    /// Whether a parameter of this name is another for each request.
    static func isSignature(parameter name: some StringProtocol) -> Bool {
        signatures.contains(PercentEncoding.decodedForm(name).lowercased())
    }

    private static let signatures: Set<String> = [
        "signature", "sig", "x-amz-signature", "x-goog-signature", "otp", "code",
    ]

    /// Whether a secret in a field of this name tells a server whose request it is.
    static func mayNameAccount(_ name: HTTPField.Name) -> Bool {
        !passing.contains(name.canonicalName)
    }

    /// Whether a field of this name carries credentials.
    package static func contains(_ name: HTTPField.Name) -> Bool {
        names.contains(name.canonicalName)
    }
}
