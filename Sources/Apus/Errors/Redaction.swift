/// Takes secrets out of text that people will read.
enum Redaction {
    /// What stands for a secret.
    static let mask = "••••••"

    /// `https://ada:secret@host/` becomes `https://ada:••••••@host/`.
    static func maskingUserInfo(in url: String) -> String {
        // Without an @ there is no user; this runs for every transfer.
        guard url.utf8.contains(UInt8(ascii: "@")), let scheme = url.firstRange(of: "://") else {
            return url
        }
        let rest = url[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@"),
            let colon = authority[..<at].firstIndex(of: ":")
        else { return url }
        return "\(url[...colon])\(mask)\(url[at...])"
    }
}
