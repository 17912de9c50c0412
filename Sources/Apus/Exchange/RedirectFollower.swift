import Documents
import HTTPTypes
import Secrets

/// Follows redirects hop by hop (RFC 9110, 15.4).
///
/// As in the Fetch standard, POST becomes GET after 301 and 302, and every method except HEAD after 303; 307
/// and 308 change nothing. What is meant for the first origin is not sent to another.
struct RedirectFollower: Sendable {
    /// The request of the next hop.
    private(set) var next: PreparedRequest
    private let first: PreparedRequest
    private var hops: [TransferMetrics.Redirect] = []
    /// The lines and bytes of all heads so far, because the final response keeps them.
    private var lineCount = 0
    private var byteCount = 0

    init(_ request: PreparedRequest) {
        first = request
        next = request
    }

    /// Processes the response to `next`; returns whether there is another hop.
    ///
    /// With a limit of 0 the redirect itself is the response.
    ///
    /// - Throws: `ApusError`, for example with the reason `tooManyRedirects`, or `redirectLocation` if the
    ///   URL of the redirect cannot be requested.
    mutating func follow(_ response: Response) throws(ApusError) -> Bool {
        let limit = first.options.maximumRedirects
        guard limit > 0, Self.leadsOn(response.head), let location = try location(in: response)
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
            location: location.text,
            url: CredentialMask.maskingUser(in: next.url),
            fields: response.head.headerFields
        )
        let old = next.head
        guard move(to: location, response.status) else {
            let shown = first.mask.masking(url: location.text)
            throw ApusError(
                .redirectLocation(shown),
                // The request of the impossible hop, not of the one that led to it.
                request: .init(method: next.head.method.rawValue, maskedURL: shown),
                response: finished(response)
            )
        }
        if Self.isSameOrigin(old, next.head) {
            next.head.authority = "\(old.userInfo)\(next.head.authority ?? "")"
        } else {
            // A CDN that serves one origin does not serve another.
            if next.hasCDN { next.options.cdn = nil }
            if !first.options.trustsRedirects { hop.withheldFields = try leaveOrigin(response) }
        }
        hops.append(hop)
        return true
    }

    /// Counts the heads of all hops against the limits for one response, as for libcurl's own redirects.
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

    /// Converts a failure of the next hop: an invalid URL is the server's fault, not the caller's.
    func failure(_ error: ApusError) -> ApusError {
        guard !hops.isEmpty else { return error }
        switch error.reason {
        case .invalidRequest(.url(let place)), .invalidRequest(.host(let place, _)):
            return ApusError(.redirectLocation(place), request: error.request)
        default: return error
        }
    }

    /// The last response, as the response to the first request.
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

    /// Whether a head is a redirect with a location.
    static func leadsOn(_ head: HTTPResponse) -> Bool {
        [301, 302, 303, 307, 308].contains(head.status.code)
            && head.headerFields[values: .location].contains { !$0.isEmpty }
    }

    private func location(in response: Response) throws(ApusError) -> RedirectLocation? {
        do throws(ApusError) {
            return try RedirectLocation(in: response.head.headerFields)
        } catch {
            throw ApusError(
                first.mask.masking(error.reason),
                request: next.line,
                response: finished(response)
            )
        }
    }

    /// Moves to the next hop; returns false if it cannot be requested.
    private mutating func move(to location: RedirectLocation, _ status: Int) -> Bool {
        guard let url = location.resolved(from: next.url) else { return false }
        next.head.scheme = url.scheme
        next.head.authority = url.authority
        next.head.path = url.requestTarget
        // A server does not choose the user of the next request.
        next.head.authority = String(next.head.authority?.dropFirst(next.head.userInfo.count) ?? "")
        changeMethod(after: status)
        return true
    }

    /// Requests whose origin is unknown count as different.
    private static func isSameOrigin(_ one: HTTPRequest, _ other: HTTPRequest) -> Bool {
        guard let one = TargetURI(one), let other = TargetURI(other) else { return false }
        return one.origin == other.origin
    }

    private mutating func changeMethod(after status: Int) {
        let method = next.head.method
        // libcurl, too, drops the body of a GET.
        guard Self.becomesGet(method, after: status) || status == 303 && method == .get else {
            return
        }
        if method == .get, case .none = next.body { return }
        next.head.method = .get
        next.body = .none
        next.head.headerFields.removeAll { Self.isOfBody($0.name.canonicalName) }
    }

    /// Whether a field (in lower case) describes the body and is dropped with it (RFC 9110, section 15.4).
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

    /// Drops what is meant for the first origin; returns the names of the dropped fields.
    private mutating func leaveOrigin(_ response: Response) throws(ApusError) -> [String] {
        guard !next.hasContent else {
            throw ApusError(
                first.mask.masking(.bodyInRedirect(to: next.head.authority ?? "")),
                request: first.line,
                response: finished(response)
            )
        }
        let present = Set(next.head.headerFields.map(\.name))
        // Asks the first request, because a hop has another query.
        let names = first.ownOriginFieldNames.filter(present.contains)
        // A `Host` of the caller's is not secret, but belongs to the old host.
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

    // swift-http-types makes its constant for "Host" unavailable.
    private static let hostFields = ["Host"].compactMap { HTTPField.Name($0) }
}

extension PreparedRequest {
    /// The request of one hop: a redirect is returned, not followed, and its body is not saved to the file.
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

/// The `Location` of a redirect that is followed.
struct RedirectLocation {
    /// As the server wrote it, for people.
    let text: String
    /// Its bytes, which need not be UTF-8.
    private let bytes: [UInt8]

    /// The location that a response's fields name; nil if there is none.
    ///
    /// - Throws: `ApusError` if they name two locations, because libcurl and this code might choose different
    ///   ones, or a scheme that is not followed.
    init?(in fields: HTTPFields) throws(ApusError) {
        let places = fields.filter { $0.name == .location && !$0.value.isEmpty }
        guard let place = places.first else { return nil }
        guard places.allSatisfy({ $0.value == place.value }) else {
            throw ApusError(
                .protocolViolation(detail: "the redirect has two different locations")
            )
        }
        text = place.value
        bytes = place.withUnsafeBytesOfValue { Array($0) }
        if let scheme = Self.scheme(of: text), scheme != "http", scheme != "https" {
            throw ApusError(.redirectScheme(scheme))
        }
    }

    /// The URL that it leads to from another one; nil if that cannot be requested.
    func resolved(from base: String) -> RequestURL? {
        // `try?`, because the reason is always that there is no such URL.
        try? RequestURL(absolute: base).resolving(bytes)
    }

    /// Its bytes as a C string.
    func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        // A field has no NUL in it.
        let text = bytes.map(CChar.init(bitPattern:)) + [0]
        return text.withUnsafeBufferPointer { pointer in
            pointer.baseAddress.map(body) ?? "".withCString(body)
        }
    }

    /// The scheme of a reference in lower case; nil if it has none (RFC 3986, section 3.1).
    private static func scheme(of reference: String) -> String? {
        let scheme = reference.utf8.prefix { $0 != UInt8(ascii: ":") }
        // No known scheme is longer.
        guard (1...32).contains(scheme.count), scheme.endIndex < reference.utf8.endIndex,
            scheme.first.map({ ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }) == true,
            scheme.allSatisfy({ byte in
                0x61...0x7A ~= byte | 0x20 || 0x30...0x39 ~= byte || "+-.".utf8.contains(byte)
            })
        else { return nil }
        return String(Substring(scheme)).asciiLowercased
    }
}
