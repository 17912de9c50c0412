import Apus
import Documents
import FoundationEssentials
import Terminal

/// The cookies of an environment, when they are looked at.
struct CookieList {
    /// Where they are kept.
    let jar: CookieJar
    /// The name of the environment that they are of.
    let environment: String
    /// Those that have not ended; nil until they are read.
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

    mutating func take(_ cookies: [Cookie]) {
        self.cookies = cookies
        fit(height: height)
    }

    mutating func fit(height: Int) {
        self.height = max(1, height)
        scroll.update(count: cookies?.count ?? 0, height: self.height)
    }

    /// A cookie's value as it may be shown.
    func value(of cookie: Cookie) -> String {
        isRevealed ? cookie.value.value : cookie.value.value.isEmpty ? "" : CredentialMask.mask
    }
}

extension Cookie {
    /// Where it goes: "api.example.com/users", with a dot before a domain whose hosts get it too.
    var place: String { "\(isHostOnly ? "" : ".")\(domain)\(path)" }

    /// What is to be said of it: its end, and how it may be sent.
    func remark(at now: Date) -> String {
        let end =
            expires.map { end in
                let seconds = end.timeIntervalSince(now)
                // Ages that no clock can count are those of cookies that are to stay.
                guard seconds < 1e9 else { return "stays" }
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
