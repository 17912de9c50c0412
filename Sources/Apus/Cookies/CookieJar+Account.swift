import FoundationEssentials
import HTTPTypes
import Synchronization

extension CookieJar {
    /// What caches know its user by: its file, or, in memory, this jar alone.
    ///
    /// Who removes the cookies, or ends their session, begins a new account: another user may
    /// come, whom the answers of the last one are not for.
    var account: String {
        // The file may have one; a jar that cannot be read fails the transfer itself.
        if file != nil { _ = try? share() }
        return state.withLock { $0.account } ?? file ?? ownAccount
    }

    /// Begins a new account.
    func beginAccount() { state.withLock { $0.account = UUID().uuidString } }

    /// The `Cookie` field that goes with a request, in an order of our own; nil for none.
    ///
    /// It is compared, never sent: a cookie too many does no harm, so that who may see it by its
    /// scheme is left out.
    func field(for head: HTTPRequest, beside own: String?) -> String? {
        let authority = head.authority ?? ""
        let place =
            authority.unicodeScalars.split(separator: "@").last.map { String($0) }
            ?? authority
        let host = Self.withoutPort(place).lowercased()
        let path = String((head.path ?? "/").unicodeScalars.prefix { $0 != "?" })
        let sent = cookies.filter { $0.id.matches(host: host, path: path, $0.isHostOnly) }
            .map { "\($0.id.name)=\($0.value.value)" }
        let all = (own.map { [$0] } ?? []) + sent
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }

    private static func withoutPort(_ authority: String) -> Substring {
        guard let colon = authority.lastIndex(of: ":"),
            authority[authority.index(after: colon)...].allSatisfy(\.isNumber)
        else { return authority[...] }
        return authority[..<colon]
    }
}

extension Cookie.ID {
    /// Whether it is sent to a host and a path (RFC 6265, sections 5.1.3 and 5.1.4).
    fileprivate func matches(host: String, path: String, _ isHostOnly: Bool) -> Bool {
        let isHost = host == domain || !isHostOnly && host.hasSuffix(".\(domain)")
        let isPath =
            path == self.path || self.path == "/" || path.utf8.starts(with: "\(self.path)/".utf8)
        return isHost && isPath
    }
}
