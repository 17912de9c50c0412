import CCurl
import FoundationEssentials

extension UncommonOptions {
    /// Refuses what libcurl would misread, and what this machine's cannot do.
    func check() throws(ApusError) {
        for key in pinnedPublicKeys { try Self.check(pin: key) }
        for scheme in [credentials?.scheme, proxyCredentials?.scheme].compactMap(\.self) {
            try Self.check(scheme)
        }
        if unixSocket != nil, ccurl_has_unix_sockets() == 0 {
            throw ApusError(.invalidRequest(.unsupported("Unix sockets")))
        }
    }

    /// libcurl takes what is no digest for a file's name.
    private static func check(pin: String) throws(ApusError) {
        let digest = pin.hasPrefix("sha256//") ? String(pin.dropFirst(8)) : pin
        guard let bytes = Data(base64Encoded: digest), bytes.count == 32 else {
            throw ApusError(
                .invalidRequest(
                    .combination(detail: "“\(pin)” is no SHA-256 of a public key in base64")
                )
            )
        }
    }

    private static func check(_ scheme: ServerCredentials.Scheme) throws(ApusError) {
        switch scheme {
        case .ntlm where ccurl_has_ntlm() == 0:
            throw ApusError(.invalidRequest(.unsupported("NTLM authentication")))
        case .negotiate where ccurl_has_negotiate() == 0:
            throw ApusError(.invalidRequest(.unsupported("Negotiate authentication (Kerberos)")))
        case .basic, .digest, .ntlm, .negotiate, .any: break
        }
    }
}
