import Apus
import HTTPTypes
import Secrets

/// The request that would be sent, as shown: credentials masked.
struct RequestPreview: Equatable, Sendable {
    /// The head and the body, in lines.
    var lines: [String] = []
    /// The number of lines of the head.
    var headCount = 0
    /// The cookies that the jar adds to the request, values masked.
    var cookies: [Cookie] = []
    /// Whether cookies are sent and kept at all.
    var sendsCookies = true
    /// Whether there is a jar at all.
    var hasJar = false
    /// Why the request cannot be sent; nil if it can.
    var problem: String?

    struct Cookie: Equatable, Sendable {
        var name: String
        var value: String
        var remark: String
    }
}

extension RequestPreview {
    /// The most bytes of a body that are shown.
    private static let longestBody = 256 << 10

    /// Makes the preview of what would be sent, masked by the request's own mask.
    ///
    /// The fields are in the order in which libcurl writes them for HTTP/1.1: `Host` and `Accept`, the request's
    /// own fields, and the other fields that the transport adds.
    init(_ prepared: PreparedRequest, adding added: HTTPFields) {
        let whole = CookieJar.addingCookies(to: prepared)
        let request = whole.mask.maskingParts(of: whole)
        let head = request.head
        // With a cookie jar, libcurl makes the `Cookie` field itself, before the request's own fields.
        let isOfJar = prepared.options.cookieJar != nil && prepared.options.sendsCookies
        let cookieText = whole.head.headerFields[.cookie].map { Self.cookieLine($0, whole.mask) }
        // There is a field for each cookie; they are shown as one line at the place of the first.
        var own: [String] = []
        for field in head.headerFields {
            guard field.name == .cookie else {
                own.append("\(field.name.rawName): \(field.value)")
                continue
            }
            if !isOfJar, let cookieText, !own.contains(cookieText) { own.append(cookieText) }
        }
        func fields(_ names: [String]) -> [String] {
            names.flatMap { name in added.filter { $0.name.canonicalName == name } }
                .map { "\($0.name.rawName): \($0.value)" }
        }
        lines = ["\(head.method.rawValue) \(head.path ?? "/") HTTP/1.1"]
        lines += fields(["host", "accept"])
        if isOfJar, let cookieText { lines.append(cookieText) }
        lines += own
        lines += fields(["accept-encoding", "user-agent", "content-length"])
        headCount = lines.count
        let body = Self.lines(of: request.body)
        if !body.isEmpty { lines += [""] + body }
        sendsCookies = prepared.options.sendsCookies
        guard let jar = prepared.options.cookieJar, sendsCookies else { return }
        hasJar = true
        cookies = jar.cookies(for: prepared.head).map { cookie in
            Cookie(name: cookie.name, value: CredentialMask.mask, remark: cookie.place)
        }
    }

    /// "Cookie: session=••••••; theme=••••••".
    private static func cookieLine(_ value: String, _ mask: CredentialMask) -> String {
        let pairs = value.split(separator: ";").map { pair -> String in
            guard let sign = pair.firstIndex(of: "=") else { return CredentialMask.mask }
            let name = pair[..<sign].drop { $0 == " " }
            return "\(mask.masking(line: String(name)))=\(CredentialMask.mask)"
        }
        return "Cookie: \(pairs.joined(separator: "; "))"
    }

    private static func lines(of body: PreparedRequest.Body) -> [String] {
        switch body {
        case .none: []
        case .bytes(let bytes):
            if bytes.count > longestBody || bytes.contains(0) {
                ["(\(bytes.count) bytes)"]
            } else {
                String(decoding: bytes, as: UTF8.self)
                    .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            }
        case .file(let path): ["(the contents of \(path))"]
        case .multipart: ["(a multipart form)"]
        case .stream: ["(a stream)"]
        }
    }
}
