package import Apus
import Documents
import HTTPTypes

/// An absolute HTTP URL as it was recorded: it may contain masks.
package struct RecordedURL: Sendable {
    /// "http" or "https".
    package let scheme: String
    /// The host and port, and the user if there is one.
    package let authority: String
    /// The path and query, without the fragment.
    package let path: String

    /// Parses a URL; nil if the text is not an absolute HTTP URL or is ambiguous.
    package init?(_ text: String) {
        // Scalars, because a combining mark would hide the slash before it.
        let scalars = text.unicodeScalars
        guard text.utf8.count <= 1 << 20, let mark = scalars.firstRange(of: "://".unicodeScalars),
            !scalars.contains(where: { $0.value <= 0x20 || $0.value == 0x7F })
        else { return nil }
        scheme = String(scalars[..<mark.lowerBound]).asciiLowercased
        let rest = scalars[mark.upperBound...].prefix { $0 != "#" }
        let host = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest[host.endIndex...]
        authority = String(host)
        self.path = path.first == "/" ? String(path) : "/" + String(path)
        // Programs disagree about backslashes, and about which @ ends the user.
        let users = host.split(separator: "@", omittingEmptySubsequences: false)
        guard users.count <= 2, users.last?.isEmpty == false, !host.contains("\\"),
            scheme == "http" || scheme == "https"
        else { return nil }
    }

    /// The host and port, without the user.
    package var host: String {
        authority.unicodeScalars.split(separator: "@").last.map { String($0) } ?? ""
    }
}

extension PreparedRequest {
    /// Whether every program would split its URL into the same parts: an imported URL may be crafted.
    var hasPlainURL: Bool {
        guard let parts = RecordedURL(url) else { return false }
        return parts.scheme == head.scheme ?? "http" && parts.authority == head.authority
            && parts.path == head.path ?? "/"
    }

    /// Its scheme, host and port without the user; empty if its URL is invalid or ambiguous.
    package var origin: String {
        guard hasPlainURL, let parts = RecordedURL(url) else { return "" }
        return "\(parts.scheme)://\(parts.host.asciiLowercased)"
    }

    /// Sets scheme, authority and path from an absolute URL, or does nothing if the text is not one.
    package mutating func setURL(_ text: String) {
        guard let parts = RecordedURL(text) else { return }
        (head.scheme, head.authority, head.path) = (parts.scheme, parts.authority, parts.path)
    }
}
