/// Takes secrets out of text that people will read.
enum Redaction {
    /// What stands for a secret.
    static let mask = "••••••"

    /// `https://ada:secret@host/` becomes `https://ada:••••••@host/`.
    static func maskingUserInfo(in url: String) -> String {
        // Without an @ there is no user; this runs for every transfer.
        let mayHaveUser = url.utf8.withContiguousStorageIfAvailable { $0.contains(0x40) } ?? true
        guard mayHaveUser, let scheme = url.firstRange(of: "://") else {
            return url
        }
        let rest = url[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@"),
            let colon = authority[..<at].firstIndex(of: ":")
        else { return url }
        return "\(url[...colon])\(mask)\(url[at...])"
    }

    /// `?q=1&token=secret` becomes `?q=1&token=••••••`, for the usual names and `names`.
    static func maskingParameters(in url: String, named names: Set<String> = []) -> String {
        guard let mark = url.firstIndex(of: "?") else { return url }
        let pairs = url[url.index(after: mark)...]
            .split(separator: "&", omittingEmptySubsequences: false)
        let masked = pairs.map { pair in
            guard let equals = pair.firstIndex(of: "="), isSecret(pair[..<equals], names) else {
                return String(pair)
            }
            return "\(pair[...equals])\(mask)"
        }
        return "\(url[...mark])\(masked.joined(separator: "&"))"
    }

    /// Whether a parameter of a query carries a credential; the name as it stands there.
    static func isSecret(_ name: Substring, _ names: Set<String>) -> Bool {
        let name = PercentEncoding.decodedForm(name)
        return names.contains(name) || CredentialMask.isSecret(parameter: name)
    }
}
