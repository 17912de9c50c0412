import FoundationEssentials
import HTTPTypes

/// An absolute URI in the form in which two are compared (RFC 9110, 4.2.3).
struct TargetURI: Sendable, Hashable {
    /// Scheme, host and port.
    let origin: String
    /// The whole, without a fragment.
    let text: String

    init?(_ request: HTTPRequest) {
        guard let scheme = request.scheme, let authority = request.authority else { return nil }
        self.init(text: "\(scheme)://\(authority)\(request.path ?? "/")")
    }

    /// An absolute URI with a host.
    init?(text: String) {
        guard let url = URL(string: text) else { return nil }
        self.init(url)
    }

    private init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), let host = url.host()?.lowercased() else {
            return nil
        }
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        origin = "\(scheme)://\(Self.bracketed(host)):\(port)"
        let path = url.path(percentEncoded: true)
        text = origin + (path.isEmpty ? "/" : path) + (url.query().map { "?\($0)" } ?? "")
    }

    /// A host as an authority has it: Foundation gives an IPv6 address without its brackets.
    static func bracketed(_ host: String) -> String {
        host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    /// A request for it, for its key.
    var request: HTTPRequest {
        let scheme = origin.prefix { $0 != ":" }
        return HTTPRequest(
            method: .get,
            scheme: String(scheme),
            authority: String(origin.dropFirst(scheme.count + 3)),
            path: String(text.dropFirst(origin.count))
        )
    }

    /// What a reference found in an answer from here points at.
    func resolve(_ reference: String) -> TargetURI? {
        guard let base = URL(string: text), let url = URL(string: reference, relativeTo: base)
        else { return nil }
        return TargetURI(url.absoluteURL)
    }
}
