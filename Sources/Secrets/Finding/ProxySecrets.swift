import Documents

/// Finds the secrets in a proxy's URL as people and environments write it, often without a scheme.
///
/// It accepts more than libcurl does, because libcurl's messages quote the URLs that it refuses.
package struct ProxySecrets {
    /// The password, and the pair that Basic encodes (RFC 7617, section 2), as written and decoded; a user
    /// without a password counts as a token.
    package let secrets: Set<String>

    /// Reads a URL, with or without a scheme.
    package init(_ url: String) {
        let start = url.utf8.firstRange(of: "://".utf8)?.upperBound ?? url.startIndex
        let rest = url.unicodeScalars[start...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        // A password may contain a slash that was not encoded.
        guard let at = authority.lastIndex(of: "@") ?? rest.lastIndex(of: "@") else {
            secrets = []
            return
        }
        let pair = rest[..<at]
        let user = Substring(pair.prefix { $0 != ":" })
        let password = Substring(pair[user.endIndex...].dropFirst())
        var secrets: Set<String> = []
        for read in [{ String($0) }, { PercentEncoding.decoded($0) ?? String($0) }]
            as [(Substring) -> String]
        {
            secrets.formUnion(
                password.isEmpty
                    ? [read(user)] : [read(password), "\(read(user)):\(read(password))"]
            )
        }
        self.secrets = secrets.filter { !$0.isEmpty }
    }

    /// The secrets of all proxies that an environment names (curl(1), "Environment"): `http_proxy`,
    /// `ALL_PROXY` and the like for any scheme, in either case.
    static func secrets(in environment: [String: String]) -> Set<String> {
        environment.filter { name, _ in
            let name = name.lowercased()
            return name.hasSuffix("_proxy") && name != "no_proxy"
        }.values.reduce(into: []) { $0.formUnion(ProxySecrets($1).secrets) }
    }
}
