package import Apus
import HTTPTypes

/// An absolute URL of HTTP as it was recorded: it may have masks in it.
package struct RecordedURL: Sendable {
    /// "http" or "https".
    package let scheme: String
    /// The host and port, with the user.
    package let authority: String
    /// With the query, without a fragment.
    package let path: String

    /// Takes a URL apart; nil for what is none.
    package init?(_ text: String) {
        // By scalars: a combining mark must not hide the slash before it.
        let scalars = text.unicodeScalars
        guard text.utf8.count <= 1 << 20, let mark = scalars.firstRange(of: "://".unicodeScalars),
            !scalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F })
        else { return nil }
        scheme = String(scalars[..<mark.lowerBound]).lowercased()
        let rest = scalars[mark.upperBound...].prefix { $0 != "#" }
        let host = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest[host.endIndex...]
        authority = String(host)
        self.path = path.first == "/" ? String(path) : "/" + String(path)
        // Programs disagree about backslashes and about which @ ends the user.
        let users = host.split(separator: "@", omittingEmptySubsequences: false)
        guard users.count <= 2, users.last?.isEmpty == false, !host.contains("\\"),
            scheme == "http" || scheme == "https"
        else { return nil }
    }

    /// The host and port.
    package var host: String {
        authority.unicodeScalars.split(separator: "@").last.map { String($0) } ?? ""
    }
}

extension PreparedRequest {
    /// Whether every reader of its URL sees the same parts; a stranger may have made it up.
    var hasPlainURL: Bool {
        guard let parts = RecordedURL(url) else { return false }
        return parts.scheme == head.scheme ?? "http" && parts.authority == head.authority
            && parts.path == head.path ?? "/"
    }

    /// Its scheme, host and port, and not who asks; empty if its URL is none.
    package var origin: String {
        guard hasPlainURL, let parts = RecordedURL(url) else { return "" }
        return "\(parts.scheme)://\(parts.host.lowercased())"
    }

    /// Sets the parts of an absolute URL; anything else changes nothing.
    package mutating func setURL(_ text: String) {
        guard let parts = RecordedURL(text) else { return }
        (head.scheme, head.authority, head.path) = (parts.scheme, parts.authority, parts.path)
    }
}
