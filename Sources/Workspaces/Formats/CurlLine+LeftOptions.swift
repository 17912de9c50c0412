/// The options that a target has no place for, by the reason.
extension CurlLine {
    /// An option that is left out with a warning.
    struct LeftOption: Sendable {
        let reason: String
        let takesWord: Bool
    }

    /// The options by their long names.
    static let leftOptions: [String: LeftOption] = {
        var options: [String: LeftOption] = [:]
        for (reason, takesWord, names) in leftGroups {
            for name in names.split(separator: " ") {
                options[String(name)] = LeftOption(reason: reason, takesWord: takesWord)
            }
        }
        return options
    }()

    private static let leftGroups: [(reason: String, takesWord: Bool, names: String)] = [
        (
            "it is for other protocols", false,
            """
            compressed-ssh crlf disable-eprt disable-epsv ftp-create-dirs ftp-pasv ftp-pret \
            ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-control list-only mail-rcpt-allowfails sasl-ir ssl \
            tftp-no-options use-ascii
            """
        ),
        (
            "it is for other protocols", true,
            """
            create-file-mode ftp-account ftp-alternative-to-user ftp-method ftp-port \
            ftp-ssl-ccc-mode hostpubmd5 hostpubsha256 krb login-options mail-auth mail-from \
            mail-rcpt pubkey quote sasl-authzid telnet-option tftp-blksize upload-flags
            """
        ),
        (
            "the connection to a proxy is made as usual", true,
            """
            haproxy-clientip preproxy proxy-cacert proxy-capath proxy-cert proxy-cert-type \
            proxy-ciphers proxy-crlfile proxy-header proxy-key proxy-key-type proxy-pass \
            proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers proxy-tlsauthtype \
            proxy-tlspassword proxy-tlsuser socks5-gssapi-service
            """
        ),
        (
            "the connection to a proxy is made as usual", false,
            """
            haproxy-protocol proxy-anyauth proxy-basic proxy-ca-native proxy-digest proxy-http2 \
            proxy-insecure proxy-negotiate proxy-ntlm proxy-ssl-allow-beast \
            proxy-ssl-auto-client-cert proxy-tlsv1 proxytunnel socks5-basic socks5-gssapi \
            socks5-gssapi-nec suppress-connect-headers
            """
        ),
        (
            "TLS is negotiated as usual", false,
            """
            ca-native cert-status false-start npn ssl-allow-beast ssl-auto-client-cert sslv2 sslv3 \
            tls-earlydata
            """
        ),
        (
            "TLS is negotiated as usual", true,
            """
            crlfile ech egd-file engine random-file signature-algorithms ssl-sessions tlsauthtype \
            tlspassword tlsuser
            """
        ),
        (
            "hosts are resolved as usual", true,
            """
            abstract-unix-socket dns-interface dns-ipv4-addr dns-ipv6-addr doh-url ip-tos \
            ipfs-gateway local-port vlan-priority
            """
        ),
        (
            "hosts are resolved as usual", false,
            """
            doh-cert-status doh-insecure mptcp tcp-fastopen
            """
        ),
        (
            "it concerns how curl runs", true,
            """
            alt-svc delegation etag-save hsts keepalive-cnt libcurl parallel-max-host rate \
            service-name stderr trace-config
            """
        ),
        (
            "it concerns how curl runs", false,
            """
            disallow-username-in-url dump-ca-embed follow ignore-content-length manual metalink \
            out-null skip-existing version xattr
            """
        ),
        (
            "write the field `If-None-Match`", true,
            """
            etag-compare
            """
        ),
        (
            "names in forms are escaped as usual", false,
            """
            form-escape
            """
        ),
        (
            "the path of the URL is sent", true,
            """
            request-target
            """
        ),
        (
            "`Transfer-Encoding` is left to the connection", false,
            """
            tr-encoding
            """
        ),
    ]
}
