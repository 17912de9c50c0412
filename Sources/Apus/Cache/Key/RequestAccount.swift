import HTTPTypes

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
        let options = request.options.shared?.values
        let jar = options?.activeJar
        parts =
            request.head.headerFields.compactMap { field in
                guard SecretFields.nameAccount(field.name), jar == nil || field.name != .cookie
                else { return nil }
                return "\(field.name.canonicalName) \(field.value)"
            } + Self.parts(of: options)
    }

    private static func parts(of options: UncommonOptions?) -> [String] {
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
