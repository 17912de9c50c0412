import Apus
import Documents
import FoundationEssentials
import Secrets
import Terminal

/// The open list of an environment's cookies.
struct CookieList {
    let jar: CookieJar
    /// The environment's name.
    let environment: String
    /// The cookies that have not expired; nil until they are read.
    private(set) var cookies: [Cookie]?
    var scroll = ListScroll()
    /// Whether their values are shown.
    var isRevealed = false
    private var height = 1

    init(_ jar: CookieJar, of environment: String) {
        self.jar = jar
        self.environment = environment
    }

    /// The cookie under the cursor.
    var selected: Cookie? {
        cookies.flatMap { $0.indices.contains(scroll.selection) ? $0[scroll.selection] : nil }
    }

    mutating func show(_ cookies: [Cookie]) {
        self.cookies = cookies
        fit(height: height)
    }

    mutating func fit(height: Int) {
        self.height = max(1, height)
        scroll.update(count: cookies?.count ?? 0, height: self.height)
    }

    /// A cookie's value, masked unless the values are revealed.
    func value(of cookie: Cookie) -> String {
        isRevealed ? cookie.value.value : cookie.value.value.isEmpty ? "" : CredentialMask.mask
    }
}

extension Cookie {
    /// Where it is sent: "api.example.com/users", with a leading dot if subdomains get it too.
    var place: String { "\(isHostOnly ? "" : ".")\(domain)\(path)" }

    /// Its expiry, and how it may be sent.
    func remark(at now: Date) -> String {
        let end =
            expires.map { end in
                let seconds = end.timeIntervalSince(now)
                // A lifetime of decades means that the cookie is to stay.
                guard seconds < 1e9 else { return "does not expire" }
                let unit = [86_400.0, 3600, 60].first { seconds >= 2 * $0 } ?? 1
                let left = max(0, (seconds / unit).rounded(.down) * unit)
                return "\(Readable.span(.seconds(left))) left"
            } ?? "until apus ends"
        let marks = [
            isSecure ? "Secure" : nil, isHTTPOnly ? "HttpOnly" : nil,
            sameSite.map { "SameSite=\($0.rawValue)" },
        ]
        return ([end] + marks.compactMap(\.self)).joined(separator: "  ")
    }
}
