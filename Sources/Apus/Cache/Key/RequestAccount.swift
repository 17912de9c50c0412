import HTTPTypes
import Secrets

/// The account of a request, as far as a server can tell.
///
/// A response to one account must not be served to another.
///
/// It consists of the fields that carry credentials by name or contain a known secret, the credentials that
/// the transport adds (user and password, certificate, cookie jar), and `TransportOptions.account`. As in a
/// browser, a cookie jar is one account whatever cookies it has.
///
/// Credentials that change with each request (`X-Signature`) do not count by name alone. A known secret
/// counts in any field, even in one addressed to caches (`If-None-Match`, `Range`): such fields that the
/// cache itself adds are not part of the caller's request.
struct RequestAccount: Equatable {
    fileprivate let parts: [String]

    /// Whether a server cannot tell the request from anybody's.
    var isNone: Bool { parts.isEmpty }

    /// Without `cookies`, neither cookies nor their jar count.
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

    /// Whether a request was sent with credentials that its key does not know, because an interceptor added
    /// them without naming their account.
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
    /// A digest of the account, and for HTTP's rules also of the request's route.
    ///
    /// Empty if there is neither.
    ///
    /// The account includes known secrets in parameters that the key ignores. Without HTTP's rules, the key
    /// itself has lines for the route.
    func account(of request: PreparedRequest) -> String {
        let account = accounts == .none ? [] : accountLines(of: request)
        let way = semantics == .http ? RequestRoute(request).parts : []
        guard !account.isEmpty || !way.isEmpty else { return "" }
        let lines = account + way.map { "way \($0.name) \($0.value)" }
        return String(ContentDigest.hex(of: lines.joined(separator: "\n")).prefix(32))
    }

    /// The names of the account's parts, such as `cookie`; if it has none, of the route's parts.
    func accountNames(of request: PreparedRequest) -> [String] {
        let lines = accounts == .none ? [] : accountLines(of: request)
        guard !lines.isEmpty else { return RequestRoute(request).parts.map(\.name) }
        return lines.map { String($0.prefix { $0 != " " }) }
    }

    /// Whether the request belongs to an account, by credentials or cookies.
    func hasAccount(_ request: PreparedRequest) -> Bool {
        guard RequestAccount(request).isNone else { return true }
        let ignored = ignoredParameters
        return !ignored.isEmpty && !CredentialMask.knownPairs(of: request, among: ignored).isEmpty
    }

    private func accountLines(of request: PreparedRequest) -> [String] {
        var lines = RequestAccount(request, cookies: accounts == .all).parts
        let ignored = ignoredParameters
        if !ignored.isEmpty {
            lines += CredentialMask.knownPairs(of: request, among: ignored).map { "ignored \($0)" }
        }
        return lines
    }

    /// Whether the cache is shared and the request has credentials other than cookies (RFC 9111, 3.5).
    func hasCredentials(_ request: PreparedRequest) -> Bool {
        httpOptions.contains(.shared) && !RequestAccount(request, cookies: false).parts.isEmpty
    }

    /// Why the response must not be stored under the key of `asked`, because an interceptor changed the request
    /// to `sent` and the key does not cover the change; nil if it may.
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
        return RequestRoute(sent) == RequestRoute(asked) ? nil : .unknownWay
    }
}
