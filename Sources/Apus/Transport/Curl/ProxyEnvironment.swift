import Glibc

/// The proxy settings of the environment variables that libcurl reads (curl(1), "Environment"); kept as
/// digests, because they may contain passwords.
struct ProxyEnvironment: Sendable {
    /// A digest of the variables that name proxies; nil if none does.
    let proxies: String?
    /// A digest of the hosts that are reached without a proxy, even without one that a request names
    /// itself; nil if there are none.
    let exceptions: String?
    /// Whether a proxy URL contains a user or a password.
    let hasCredentials: Bool

    /// The environment of this process when it was first needed.
    static let current = ProxyEnvironment { name in getenv(name).map { String(cString: $0) } }

    init(_ value: (String) -> String?) {
        func digest(of names: [String]) -> String? {
            let set = names.compactMap { name in value(name).map { (name: name, value: $0) } }
            guard set.contains(where: { !$0.value.isEmpty }) else { return nil }
            // An empty variable means no proxy, even if `all_proxy` names one.
            let lines = set.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
            return "sha256-\(ContentDigest.hex(of: lines).prefix(32))"
        }
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        proxies = digest(of: names)
        hasCredentials = names.contains {
            value($0).map { !ProxySecrets($0).secrets.isEmpty } ?? false
        }
        exceptions = digest(of: ["no_proxy", "NO_PROXY"])
    }
}
