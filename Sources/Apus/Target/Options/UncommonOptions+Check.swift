import CCurl
import FoundationEssentials

extension UncommonOptions {
    /// Refuses what libcurl would misread, and what this machine's cannot do.
    func check() throws(ApusError) {
        try checkTexts()
        for key in pinnedPublicKeys { try Self.check(pin: key) }
        for scheme in [credentials?.scheme, proxyCredentials?.scheme].compactMap(\.self) {
            try Self.check(scheme)
        }
        if unixSocket != nil, ccurl_has_unix_sockets() == 0 {
            throw ApusError(.invalidRequest(.unsupported("Unix sockets")))
        }
    }

    /// libcurl reads a text up to its first NUL: another user, another file.
    private func checkTexts() throws(ApusError) {
        let texts: [(name: String, texts: [String?])] = [
            ("the user name", [credentials?.user, proxyCredentials?.user]),
            (
                "the password",
                [
                    credentials?.password.value, proxyCredentials?.password.value,
                    clientCertificate?.password?.value,
                ]
            ),
            ("the proxy", [proxy] + proxyExceptions),
            (
                "a file's name",
                [
                    certificateAuthorityFile, clientCertificate?.file, clientCertificate?.keyFile,
                    netrcFile, unixSocket,
                ]
            ),
            ("the interface", [interface]),
            ("an address", addressOverrides.flatMap { [$0.host, $0.address] }),
        ]
        for (name, texts) in texts
        where texts.contains(where: { $0?.utf8.contains(0) == true }) {
            throw ApusError(.invalidRequest(.combination(detail: "\(name) has a NUL in it")))
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
