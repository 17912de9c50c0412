import Documents
import FoundationEssentials
import HTTPTypes

/// An absolute URI, normalized for comparison (RFC 9110, 4.2.3).
struct TargetURI: Sendable, Hashable {
    /// Scheme, host and port.
    let origin: String
    /// The URI without its fragment.
    let text: String

    init?(_ request: HTTPRequest) {
        guard let scheme = request.scheme, let authority = request.authority else { return nil }
        self.init(text: "\(scheme)://\(authority)\(request.path ?? "/")")
    }

    /// Parses an absolute URI; nil if it has no host.
    init?(text: String) {
        guard let url = URL(string: text) else { return nil }
        self.init(url)
    }

    private init?(_ url: URL) {
        guard let scheme = url.scheme?.asciiLowercased, let host = url.host()?.asciiLowercased
        else {
            return nil
        }
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        origin = "\(scheme)://\(Self.bracketed(host)):\(port)"
        let path = url.path(percentEncoded: true)
        text = origin + (path.isEmpty ? "/" : path) + (url.query().map { "?\($0)" } ?? "")
    }

    /// A host as written in an authority: Foundation returns IPv6 addresses without brackets.
    static func bracketed(_ host: String) -> String {
        host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    /// The requests for this URI that may have keys: with and without the user of another request, and with
    /// brackets both as sent and escaped, because Foundation escapes them.
    func requests(like other: HTTPRequest) -> [HTTPRequest] {
        let scheme = origin.prefix { $0 != ":" }
        let host = origin.dropFirst(scheme.count + 3)
        let path = String(text.dropFirst(origin.count))
        let plain = path.replacing("%5B", with: "[").replacing("%5D", with: "]")
        let user = other.userInfo
        return (user.isEmpty ? [""] : ["", user]).flatMap { user in
            (plain == path ? [path] : [path, plain]).map { path in
                HTTPRequest(
                    method: .get,
                    scheme: String(scheme),
                    authority: "\(user)\(host)",
                    path: path
                )
            }
        }
    }

    /// Resolves a reference relative to this URI.
    func resolve(_ reference: String) -> TargetURI? {
        guard let base = URL(string: text), let url = URL(string: reference, relativeTo: base)
        else { return nil }
        return TargetURI(url.absoluteURL)
    }
}

extension HTTPRequest {
    /// The user and password in its URL, with the "@"; empty if there are none.
    var userInfo: Substring {
        guard let authority, let sign = authority.unicodeScalars.lastIndex(of: "@") else {
            return ""
        }
        return Substring(authority.unicodeScalars[...sign])
    }
}
