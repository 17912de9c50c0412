import Documents
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

    /// Parses an absolute URI; nil unless it is one of http or https with a host.
    init?(text: String) {
        // `try?`, because what cannot be requested has no target.
        guard let url = try? RequestURL(absolute: text) else { return nil }
        self.init(url)
    }

    private init?(_ url: RequestURL) {
        let authority = Authority(url.authority)
        guard !authority.host.isEmpty else { return nil }
        let port = authority.port ?? (url.scheme == "https" ? 443 : 80)
        origin = "\(url.scheme)://\(authority.bracketedHost.asciiLowercased):\(port)"
        text = origin + url.requestTarget
    }

    /// The requests for this URI that may have keys: with and without the user of another request, and with
    /// brackets both as sent and escaped, because a resolved reference has them escaped.
    func requests(like other: HTTPRequest) -> [HTTPRequest] {
        let scheme = origin.prefix { $0 != ":" }
        let host = origin.dropFirst(scheme.count + 3)
        let path = String(text.dropFirst(origin.count))
        let plain = path.replacing("%5B", with: "[").replacing("%5D", with: "]")
        let escaped = plain.replacing("[", with: "%5B").replacing("]", with: "%5D")
        let user = other.userInfo
        return (user.isEmpty ? [""] : ["", user]).flatMap { user in
            (plain == escaped ? [path] : [escaped, plain]).map { path in
                HTTPRequest(
                    method: .get,
                    scheme: String(scheme),
                    authority: "\(user)\(host)",
                    path: path
                )
            }
        }
    }

    /// Resolves a reference relative to this URI; nil if it leads nowhere.
    func resolve(_ reference: String) -> TargetURI? {
        // `try?`, because what leads nowhere is no target.
        guard let url = try? RequestURL(absolute: text).resolving(reference.utf8) else {
            return nil
        }
        return TargetURI(url)
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
