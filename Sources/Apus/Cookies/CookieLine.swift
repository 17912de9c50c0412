import FoundationEssentials

/// A cookie as a line of Netscape's cookie file: what libcurl gives and takes, and
/// what `curl -b` and `-c` read and write.
///
/// ```
/// [#HttpOnly_][.]domain ⇥ TRUE|FALSE ⇥ path ⇥ TRUE|FALSE ⇥ expires ⇥ name ⇥ value
/// ```
struct CookieLine {
    private static let httpOnlyMark = "#HttpOnly_"

    /// A number of seconds that any date and any integer can hold: 30 million years.
    private static let latestEnd: Double = 1e15

    let text: String

    /// Writes a cookie; nil if it cannot be one (RFC 6265 section 4.1.1).
    init?(_ cookie: Cookie) {
        guard Self.isToken(cookie.name), Self.isValue(cookie.value.value),
            Self.isPlain(cookie.path), cookie.path.hasPrefix("/"),
            Self.isPlain(cookie.domain), !cookie.domain.isEmpty, !cookie.domain.hasPrefix("#")
        else { return nil }
        // Zero would be a cookie of the session, and one is past; no end is further than libcurl's.
        let seconds = cookie.expires.map {
            Int(min(max(1, $0.timeIntervalSince1970.rounded(.down)), Self.latestEnd))
        }
        text = [
            (cookie.isHTTPOnly ? Self.httpOnlyMark : "")
                + (cookie.isHostOnly ? "" : ".") + cookie.domain,
            cookie.isHostOnly ? "FALSE" : "TRUE",
            cookie.path,
            cookie.isSecure ? "TRUE" : "FALSE",
            String(seconds ?? 0),
            cookie.name,
            cookie.value.value,
        ].joined(separator: "\t")
    }

    /// A line of a file or of libcurl's.
    init(text: String) { self.text = text }

    /// The cookie; nil if the line is none.
    var cookie: Cookie? {
        let isHTTPOnly = text.hasPrefix(Self.httpOnlyMark)
        // By scalars, as libcurl: a tab with an accent upon it separates.
        let line = text.unicodeScalars.dropFirst(isHTTPOnly ? Self.httpOnlyMark.utf8.count : 0)
        let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard line.first != "#", parts.count >= 6, let seconds = Int(parts[4]) else { return nil }
        return Cookie(
            parts[5],
            Secret(parts.count > 6 ? parts[6...].joined(separator: "\t") : ""),
            domain: parts[0],
            path: parts[2],
            isHostOnly: parts[1] != "TRUE",
            expires: seconds == 0 ? nil : Date(timeIntervalSince1970: Double(seconds)),
            isSecure: parts[3] == "TRUE",
            isHTTPOnly: isHTTPOnly
        )
    }

    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                byte > 0x20 && byte < 0x7F && !#"()<>@,;:\"/[]?={}"#.utf8.contains(byte)
            }
    }

    private static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
    }
}
