import HTTPTypes

/// Whose request it is, as far as a server can tell: what is answered to one account is not
/// for another.
///
/// It is made of the fields that carry credentials by their name or hold a known secret, of those
/// that the transport adds (a user and password, a certificate, a cookie jar), and of what
/// `TransportOptions.account` says. Within a jar the account is the same whatever its cookies are,
/// as for a browser.
///
/// Some names are of credentials that are others each time (`X-Signature`), and do not count for
/// their name alone. A known secret counts in any field, also in one that is said to caches
/// (`If-None-Match`, `Range`): what a cache adds of these is no part of the request that is asked.
struct RequestAccount: Equatable {
    fileprivate let parts: [String]

    /// The account of a request; without `cookies` neither they nor their jar count.
    init(_ request: PreparedRequest, cookies: Bool = true) {
        let options = request.options.shared?.value
        let jar = cookies ? options?.activeJar?.account(for: request.head) : nil
        let fields = request.head.headerFields
        let names = fields.isEmpty ? [] : Set(request.secretFieldNames)
        lazy var mask = request.mask
        var parts: [String] = []
        for field in fields where names.contains(field.name) {
            let (name, value) = (field.name, field.value)
            guard cookies && jar == nil || name != .cookie,
                SecretFields.namesAccount(name) || mask.masking(text: value) != value
            else { continue }
            parts.append("\(name.canonicalName) \(value)")
        }
        self.parts = parts + Self.parts(of: options, jar: jar)
    }

    private static func parts(of options: RareOptions?, jar: String?) -> [String] {
        guard let options else { return [] }
        var parts: [String] = []
        if let user = options.credentials {
            parts.append("user \(user.scheme.rawValue) \(user.user) \(user.password.value)")
        }
        if let certificate = options.clientCertificate {
            parts.append("certificate \(certificate.file)")
        }
        if options.usesNetrc { parts.append("netrc \(options.netrcFile ?? "")") }
        if let jar { parts.append("jar \(jar)") }
        if let account = options.account { parts.append("account \(account)") }
        return parts
    }

    /// Whether a request went out with credentials that its key knows nothing of: those that an
    /// interceptor gave it without saying whose they are.
    fileprivate static func isUnknown(
        _ sent: PreparedRequest,
        keyedAs asked: PreparedRequest,
        cookies: Bool
    ) -> Bool {
        guard asked.options.account == nil else { return false }
        return RequestAccount(sent, cookies: cookies) != RequestAccount(asked, cookies: cookies)
            || CredentialMask.secretPairs(of: sent) != CredentialMask.secretPairs(of: asked)
    }
}

extension CachePolicy {
    /// The digest of what tells a request's answers from those to others beside its key.
    ///
    /// That is the account, with the known secrets in parameters that the key ignores, and under
    /// HTTP's rules the way, for which other keys have lines; it is empty for nobody's by the usual
    /// way.
    func account(of request: PreparedRequest) -> String {
        let account = accounts == .none ? [] : accountLines(of: request)
        let way = semantics == .http ? RequestWay(request).parts : []
        guard !account.isEmpty || !way.isEmpty else { return "" }
        let lines = account + way.map { "way \($0.name) \($0.value)" }
        return String(ContentDigest.hex(of: lines.joined(separator: "\n")).prefix(32))
    }

    /// What of a request tells its account, by name: `cookie`; for nobody's, what tells its way.
    func accountNames(of request: PreparedRequest) -> [String] {
        let lines = accounts == .none ? [] : accountLines(of: request)
        guard !lines.isEmpty else { return RequestWay(request).parts.map(\.name) }
        return lines.map { String($0.prefix { $0 != " " }) }
    }

    private func accountLines(of request: PreparedRequest) -> [String] {
        var lines = RequestAccount(request, cookies: accounts == .all).parts
        let ignored = ignoredParameters
        if !ignored.isEmpty {
            lines += CredentialMask.knownPairs(of: request, among: ignored).map { "ignored \($0)" }
        }
        return lines
    }

    /// Whether a request has credentials beside cookies, as a shared cache asks (RFC 9111, 3.5).
    func hasCredentials(_ request: PreparedRequest) -> Bool {
        httpOptions.contains(.shared) && !RequestAccount(request, cookies: false).parts.isEmpty
    }

    /// Why the answer to a request that went out as `sent` is not kept under the key of what was
    /// `asked`: an interceptor made of it what the key knows nothing of.
    func reasonNotToKeep(
        _ sent: PreparedRequest,
        keyedAs asked: PreparedRequest
    ) -> NotStoredReason? {
        guard sent != asked else { return nil }
        if accounts != .none,
            RequestAccount.isUnknown(sent, keyedAs: asked, cookies: accounts == .all)
        {
            return .unknownAccount
        }
        return RequestWay(sent) == RequestWay(asked) ? nil : .unknownWay
    }
}
