import FoundationEssentials
import HTTPTypes

/// Follows redirects hop by hop (RFC 9110, 15.4).
///
/// The methods change as in the Fetch standard: POST becomes GET after 301 and 302, everything but HEAD after 303,
/// and 307 and 308 change nothing. Credentials do not go to another origin.
struct RedirectFollower: Sendable {
    /// The request of the hop that comes.
    private(set) var next: PreparedRequest
    private let first: PreparedRequest
    private var hops: [TransferMetrics.Redirect] = []

    init(_ request: PreparedRequest) {
        first = request
        next = request
    }

    /// Takes the answer to `next`; whether there is one more hop.
    ///
    /// A limit of 0 shows the redirect itself.
    ///
    /// - Throws: `ApusError` with the reason `tooManyRedirects`, or `invalidRequest` if the
    ///   server names a URL that cannot be asked.
    mutating func follow(_ response: Response) throws(ApusError) -> Bool {
        let limit = first.options.maximumRedirects
        guard limit > 0, [301, 302, 303, 307, 308].contains(response.status),
            let location = response.head.headerFields[.location], !location.isEmpty
        else { return false }
        guard hops.count < limit else {
            throw ApusError(
                .tooManyRedirects(limit: limit),
                request: first.line,
                response: finished(response)
            )
        }
        let hop = TransferMetrics.Redirect(
            status: response.status,
            location: location,
            url: CredentialMask.maskingUser(in: next.url),
            fields: response.head.headerFields
        )
        try move(to: location, response.status)
        hops.append(hop)
        return true
    }

    /// The last answer, as the answer to the first request.
    func finished(_ response: Response) -> Response {
        guard !hops.isEmpty else { return response }
        var response = response
        response.request = first
        var metrics = response.metrics ?? TransferMetrics()
        metrics.redirects = hops
        metrics.effectiveURL = next.url
        response.metrics = metrics
        return response
    }

    private mutating func move(to location: String, _ status: Int) throws(ApusError) {
        guard let base = URL(string: next.url),
            let url = URL(string: location, relativeTo: base)?.absoluteURL,
            let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: true),
            !host.isEmpty
        else {
            let shown = first.mask.masking(url: location)
            throw ApusError(.invalidRequest(.url(shown)), request: first.line)
        }
        guard scheme == "http" || scheme == "https" else {
            throw ApusError(.invalidRequest(.scheme(scheme)), request: first.line)
        }
        let old = next.head
        next.head.scheme = scheme
        next.head.authority = url.port.map { "\(host):\($0)" } ?? host
        let path = url.path(percentEncoded: true)
        let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        next.head.path = (path.isEmpty ? "/" : path) + query
        changeMethod(after: status)
        if TargetURI(old)?.origin != TargetURI(next.head)?.origin { dropCredentials() }
    }

    private mutating func changeMethod(after status: Int) {
        let method = next.head.method
        let becomesGet =
            switch status {
            case 301, 302: method == .post
            case 303: method != .get && method != .head
            default: false
            }
        guard becomesGet else { return }
        next.head.method = .get
        next.body = .none
        for name in Self.bodyFields { next.head.headerFields[name] = nil }
    }

    private mutating func dropCredentials() {
        for name in Self.credentialFields { next.head.headerFields[name] = nil }
        // Asked first: setting an uncommon option makes room for all of them.
        if next.options.credentials != nil { next.options.credentials = nil }
        if next.options.clientCertificate != nil { next.options.clientCertificate = nil }
    }

    private static let bodyFields: [HTTPField.Name] = [
        .contentEncoding, .contentLanguage, .contentLocation, .contentType, .contentLength,
    ]

    // "Host" cannot be in HTTPFields of this library under its own constant.
    private static let credentialFields: [HTTPField.Name] =
        [.authorization, .cookie, .proxyAuthorization] + ["Host"].compactMap { HTTPField.Name($0) }
}
