import Documents
import FoundationEssentials
import HTTPTypes

/// Follows redirects hop by hop (RFC 9110, 15.4).
///
/// The methods change as in the Fetch standard: POST becomes GET after 301 and 302, everything but HEAD after 303,
/// and 307 and 308 change nothing. What is for the first origin does not go to another.
struct RedirectFollower: Sendable {
    /// The request of the hop that comes.
    private(set) var next: PreparedRequest
    private let first: PreparedRequest
    private var hops: [TransferMetrics.Redirect] = []
    /// The lines and bytes of all heads so far, which the answer keeps.
    private var lineCount = 0
    private var byteCount = 0

    init(_ request: PreparedRequest) {
        first = request
        next = request
    }

    /// Takes the answer to `next`; whether there is one more hop.
    ///
    /// A limit of 0 shows the redirect itself.
    ///
    /// - Throws: `ApusError` with the reason `tooManyRedirects`, or `redirectLocation` if the
    ///   server names a URL that cannot be asked.
    mutating func follow(_ response: Response) throws(ApusError) -> Bool {
        let limit = first.options.maximumRedirects
        guard limit > 0, Self.leadsOn(response.head), let location = try place(in: response)
        else { return false }
        guard hops.count < limit else {
            throw ApusError(
                .tooManyRedirects(limit: limit),
                request: first.line,
                response: finished(response)
            )
        }
        try count(response)
        var hop = TransferMetrics.Redirect(
            status: response.status,
            location: location,
            url: CredentialMask.maskingUser(in: next.url),
            fields: response.head.headerFields
        )
        let old = next.head
        guard move(to: location, response.status) else {
            let shown = first.mask.masking(url: location)
            throw ApusError(
                .redirectLocation(shown),
                // The request of a hop that cannot be, rather than the one that led there.
                request: .init(method: next.head.method.rawValue, maskedURL: shown),
                response: finished(response)
            )
        }
        if Self.isSameOrigin(old, next.head) {
            next.head.authority = "\(old.userInfo)\(next.head.authority ?? "")"
        } else {
            // A network that stands for one origin does not speak for another.
            if next.hasCDN { next.options.rare = next.options.rare.with { $0.cdn = nil } }
            if !first.options.trustsRedirects { hop.withheldFields = try leaveOrigin(response) }
        }
        hops.append(hop)
        return true
    }

    /// Counts a head, as libcurl's own redirects are: all of a request's together have a limit.
    private mutating func count(_ response: Response) throws(ApusError) {
        let limits = FieldLimits()
        lineCount += response.head.headerFields.count
        byteCount += response.head.headerFields.byteCount
        func refusal(_ reason: ApusError.Reason) -> ApusError {
            ApusError(reason, request: next.line, response: finished(response))
        }
        guard lineCount <= limits.lines else {
            throw refusal(.tooManyHeaderLines(limit: limits.lines))
        }
        guard byteCount <= limits.bytes else {
            throw refusal(.headerTooLarge(limit: limits.bytes))
        }
    }

    /// A failure of the next hop: it is not the caller who named a URL that cannot be asked.
    func failure(_ error: ApusError) -> ApusError {
        guard !hops.isEmpty, case .invalidRequest(.url(let place)) = error.reason else {
            return error
        }
        return ApusError(.redirectLocation(place), request: error.request)
    }

    /// The last answer, as the answer to the first request.
    func finished(_ response: Response) -> Response {
        guard !hops.isEmpty else { return response }
        var response = response
        response.request = first
        var metrics = response.metrics ?? TransferMetrics()
        metrics.redirects = hops
        metrics.effectiveURL = CredentialMask.maskingUser(in: next.url)
        response.metrics = metrics
        return response
    }

    /// Whether a head sends us to another place, if redirects are followed.
    static func leadsOn(_ head: HTTPResponse) -> Bool {
        [301, 302, 303, 307, 308].contains(head.status.code)
            && head.headerFields[values: .location].contains { !$0.isEmpty }
    }

    private func place(in response: Response) throws(ApusError) -> String? {
        do throws(ApusError) {
            return try Self.place(in: response.head.headerFields)
        } catch {
            throw ApusError(
                first.mask.masking(error.reason),
                request: next.line,
                response: finished(response)
            )
        }
    }

    /// Where an answer's fields send us; nil for nowhere.
    ///
    /// - Throws: `ApusError` if they name two places, of which libcurl and we might read
    ///   different ones, or a scheme that is not followed.
    static func place(in fields: HTTPFields) throws(ApusError) -> String? {
        let places = fields[values: .location].filter { !$0.isEmpty }
        guard let place = places.first else { return nil }
        guard places.allSatisfy({ $0 == place }) else {
            throw ApusError(
                .protocolViolation(detail: "the redirect names two places to go to")
            )
        }
        if let scheme = scheme(of: place), scheme != "http", scheme != "https" {
            throw ApusError(.redirectScheme(scheme))
        }
        return place
    }

    /// The scheme of a reference in small letters, if it has one (RFC 3986, section 3.1).
    private static func scheme(of reference: String) -> String? {
        let scheme = reference.utf8.prefix { $0 != UInt8(ascii: ":") }
        // No scheme that is known has more.
        guard (1...32).contains(scheme.count), scheme.endIndex < reference.utf8.endIndex,
            scheme.first.map({ ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }) == true,
            scheme.allSatisfy({ byte in
                0x61...0x7A ~= byte | 0x20 || 0x30...0x39 ~= byte || "+-.".utf8.contains(byte)
            })
        else { return nil }
        return String(Substring(scheme)).lowercased()
    }

    /// Goes on to the next hop; false if it cannot be asked.
    private mutating func move(to location: String, _ status: Int) -> Bool {
        // Where Foundation has to escape a character it escapes each `%` as well; nobody can know the
        // word beforehand.
        let percent = "~\(String(UInt64.random(in: .min ... .max), radix: 36))~"
        guard let url = place(of: location, percent),
            // Foundation gives `://host` an empty scheme.
            let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = url.host(percentEncoded: true), !host.isEmpty,
            url.port.map({ 0...65_535 ~= $0 }) ?? true
        else { return false }
        next.head.scheme = scheme
        let name = TargetURI.bracketed(host)
        next.head.authority = url.port.map { "\(name):\($0)" } ?? name
        let path = url.path(percentEncoded: true)
        let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        next.head.path = ((path.isEmpty ? "/" : path) + query).replacing(percent, with: "%")
        changeMethod(after: status)
        return true
    }

    /// The place that a location names, with a word for each `%`; a host stays as it is.
    private func place(of location: String, _ percent: String) -> URL? {
        func resolved(_ word: String) -> URL? {
            let base = URL(string: next.url.replacing("%", with: word))
            let location = location.replacing("%", with: word)
            return base.flatMap { URL(string: location, relativeTo: $0)?.absoluteURL }
        }
        if let url = resolved(percent), let host = url.host(percentEncoded: true),
            !host.contains(percent)
        {
            return url
        }
        return resolved("%")
    }

    /// Also two requests of which nobody can tell have different origins.
    private static func isSameOrigin(_ one: HTTPRequest, _ other: HTTPRequest) -> Bool {
        guard let one = TargetURI(one), let other = TargetURI(other) else { return false }
        return one.origin == other.origin
    }

    private mutating func changeMethod(after status: Int) {
        let method = next.head.method
        // libcurl, too, lets go of the body of a GET.
        guard Self.becomesGet(method, after: status) || status == 303 && method == .get else {
            return
        }
        if method == .get, case .none = next.body { return }
        next.head.method = .get
        next.body = .none
        next.head.headerFields.removeAll { Self.isOfBody($0.name.canonicalName) }
    }

    /// Whether a field speaks of the body, and goes when the body goes (RFC 9110, section 15.4); the
    /// name in small letters.
    static func isOfBody(_ name: String) -> Bool {
        name.hasPrefix("content-") || ["transfer-encoding", "trailer", "expect"].contains(name)
    }

    /// Whether a redirect is followed by GET, without the body.
    static func becomesGet(_ method: HTTPRequest.Method, after status: Int) -> Bool {
        switch status {
        case 301, 302: method == .post
        case 303: method != .get && method != .head
        default: false
        }
    }

    /// Leaves behind what is for the origin that is left; the names of the fields.
    private mutating func leaveOrigin(_ response: Response) throws(ApusError) -> [String] {
        guard !next.hasContent else {
            throw ApusError(
                first.mask.masking(.bodyInRedirect(to: next.head.authority ?? "")),
                request: first.line,
                response: finished(response)
            )
        }
        let present = Set(next.head.headerFields.map(\.name))
        // The first is asked: a hop has another query.
        let names = first.ownOriginFieldNames.filter(present.contains)
        // An own `Host` is no secret, but another host's.
        let dropped = Set(names + Self.hostFields)
        next.head.headerFields.removeAll { dropped.contains($0.name) }
        next.options.rare = next.options.rare.with {
            $0.hasLeftOrigin = true
            $0.usesNetrc = false
        }
        next.options.credentials = nil
        next.options.clientCertificate = nil
        return names.map(\.rawName)
    }

    // "Host" cannot be in HTTPFields of this library under its own constant.
    private static let hostFields = ["Host"].compactMap { HTTPField.Name($0) }
}

extension PreparedRequest {
    /// The request of one hop: a redirect is shown, and its body goes to no file.
    var asHop: PreparedRequest {
        guard options.maximumRedirects > 0 else { return self }
        var hop = self
        hop.options.maximumRedirects = 0
        if var destination {
            destination.isOfHop = true
            hop.destination = destination
        }
        return hop
    }
}
