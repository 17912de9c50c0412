import HTTPTypes

/// The host and port in the authority of a URL (RFC 3986, section 3.2).
struct Authority {
    /// The name or address, as written; an IPv6 address has no brackets.
    let host: String
    /// The host as it is written in a URL: an IPv6 address has brackets.
    let bracketedHost: String
    /// Nil if there is none.
    let port: Int?
    /// What follows the host, as written: ":8080"; empty if nothing does.
    let portText: String

    /// Parses an authority, with or without a user.
    init(_ text: String) {
        let place = Self.withoutUser(text)
        let rest: Substring.UnicodeScalarView
        if place.first == "[", let end = place.firstIndex(of: "]") {
            host = String(place[..<end].dropFirst())
            bracketedHost = String(place[...end])
            rest = place[end...].dropFirst()
        } else {
            let end = place.firstIndex(of: ":") ?? place.endIndex
            host = String(place[..<end])
            bracketedHost = host
            rest = place[end...]
        }
        port = Int(String(rest.dropFirst()))
        portText = String(rest)
    }

    /// Parses the authority of an absolute URL; nil if the URL has no scheme.
    init?(ofURL url: String) {
        guard let start = url.utf8.firstRange(of: "://".utf8)?.upperBound else { return nil }
        self.init(
            String(url.unicodeScalars[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" })
        )
    }

    /// The host and port of an authority.
    ///
    /// By scalars, not characters: an `@` with a combining accent is still an `@` to libcurl.
    fileprivate static func withoutUser(_ text: String) -> Substring.UnicodeScalarView {
        let scalars = text.unicodeScalars[...]
        return scalars.lastIndex(of: "@").map { scalars[$0...].dropFirst() } ?? scalars
    }
}

extension HTTPRequest {
    /// The `Host` field as libcurl sends it: without the user and without the scheme's default port.
    var hostField: String {
        let place = String(Authority.withoutUser(authority ?? ""))
        let standard = scheme == "https" ? ":443" : ":80"
        return place.hasSuffix(standard) ? String(place.dropLast(standard.count)) : place
    }
}
