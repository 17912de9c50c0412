import CCurl
import Documents
import HTTPTypes

extension CurlTransfer {
    /// Sets the options that most requests do not use.
    func configure(
        _ handle: CurlHandle,
        _ options: RareOptions
    ) throws(CurlError) {
        try configureTrust(handle, options)
        try configureIdentity(handle, options)
        try configureProxy(handle, options)
        try configureRoute(handle, options)
    }

    /// Uses the cookies of a jar and adds the target's own, because a request has at most one `Cookie`
    /// field (RFC 6265, section 5.4).
    func configure(_ handle: CurlHandle, _ cookies: CurlCookies) throws(CurlError) {
        try handle.use(cookies)
        if let own = request.head.headerFields[.cookie] { try handle.set(CURLOPT_COOKIE, own) }
    }

    private func configureTrust(
        _ handle: CurlHandle,
        _ options: RareOptions
    ) throws(CurlError) {
        if let file = options.certificateAuthorityFile {
            try handle.set(CURLOPT_CAINFO, file)
            try handle.set(CURLOPT_CAPATH, nil)
        }
        if !options.pinnedPublicKeys.isEmpty {
            let pins = options.pinnedPublicKeys.map { key in
                key.hasPrefix("sha256//") ? key : "sha256//\(key)"
            }
            try handle.set(CURLOPT_PINNEDPUBLICKEY, pins.joined(separator: ";"))
        }
        if let version = options.minimumTLSVersion {
            try handle.set(CURLOPT_SSLVERSION, Self.number(of: version))
            // OpenSSL 3 rejects the signatures of these versions at its default security level.
            if version < .tls12 {
                try handle.set(CURLOPT_SSL_CIPHER_LIST, "DEFAULT:@SECLEVEL=0")
            }
        }
        guard let certificate = options.clientCertificate else { return }
        try handle.set(CURLOPT_SSLCERT, certificate.file)
        try handle.set(CURLOPT_SSLCERTTYPE, certificate.format == .pem ? "PEM" : "P12")
        if let key = certificate.keyFile { try handle.set(CURLOPT_SSLKEY, key) }
        if let password = certificate.password {
            try handle.set(CURLOPT_KEYPASSWD, password.value)
        }
    }

    private static func number(of version: TLSVersion) -> Int {
        switch version {
        case .tls10: Int(CURL_SSLVERSION_TLSv1_0)
        case .tls11: Int(CURL_SSLVERSION_TLSv1_1)
        case .tls12: Int(CURL_SSLVERSION_TLSv1_2)
        case .tls13: Int(CURL_SSLVERSION_TLSv1_3)
        }
    }

    private func configureIdentity(
        _ handle: CurlHandle,
        _ options: RareOptions
    ) throws(CurlError) {
        if let credentials = options.credentials {
            try handle.set(CURLOPT_USERNAME, credentials.user)
            try handle.set(CURLOPT_PASSWORD, credentials.password.value)
            try handle.set(CURLOPT_HTTPAUTH, Self.bits(of: credentials.scheme))
        }
        guard options.usesNetrc else { return }
        try handle.set(CURLOPT_NETRC, Int(CURL_NETRC_OPTIONAL.rawValue))
        if let file = options.netrcFile { try handle.set(CURLOPT_NETRC_FILE, file) }
    }

    private static func bits(of scheme: ServerCredentials.Scheme) -> Int {
        switch scheme {
        case .basic: ccurl_auth_basic()
        case .digest: ccurl_auth_digest()
        case .ntlm: ccurl_auth_ntlm()
        case .negotiate: ccurl_auth_negotiate()
        case .any: ccurl_auth_any()
        }
    }

    private func configureProxy(
        _ handle: CurlHandle,
        _ options: RareOptions
    ) throws(CurlError) {
        if let proxy = options.proxy {
            // libcurl reads a host in the encoding of the locale; it says what is wrong with one that is left.
            try handle.set(CURLOPT_PROXY, (try? HostName.url(Self.withScheme(proxy))) ?? proxy)
            if proxy.asciiLowercased.hasPrefix("https:") {
                try configureProxyTrust(handle, options)
            }
        }
        if !options.proxyExceptions.isEmpty {
            try handle.set(CURLOPT_NOPROXY, options.proxyExceptions.joined(separator: ","))
        }
        guard let credentials = options.proxyCredentials else { return }
        try handle.set(CURLOPT_PROXYUSERNAME, credentials.user)
        try handle.set(CURLOPT_PROXYPASSWORD, credentials.password.value)
        try handle.set(CURLOPT_PROXYAUTH, Self.bits(of: credentials.scheme))
    }

    /// The URL of a proxy, whose scheme libcurl takes for http if there is none.
    private static func withScheme(_ proxy: String) -> String {
        proxy.isEmpty || proxy.utf8.firstRange(of: "://".utf8) != nil ? proxy : "http://\(proxy)"
    }

    /// Verifies an HTTPS proxy with the same settings as the server.
    private func configureProxyTrust(
        _ handle: CurlHandle,
        _ options: RareOptions
    ) throws(CurlError) {
        if let file = options.certificateAuthorityFile {
            try handle.set(CURLOPT_PROXY_CAINFO, file)
        }
        guard !request.options.verifiesTLS else { return }
        try handle.set(CURLOPT_PROXY_SSL_VERIFYPEER, false)
        try handle.set(CURLOPT_PROXY_SSL_VERIFYHOST, 0)
    }

    private func configureRoute(
        _ handle: CurlHandle,
        _ options: RareOptions
    ) throws(CurlError) {
        if let interface = options.interface { try handle.set(CURLOPT_INTERFACE, interface) }
        if let path = options.unixSocket { try handle.set(CURLOPT_UNIX_SOCKET_PATH, path) }
        if options.beginsConnection { try handle.set(CURLOPT_FRESH_CONNECT, true) }
        if options.addressFamily != .any {
            let family = options.addressFamily == .ipv4 ? CURL_IPRESOLVE_V4 : CURL_IPRESOLVE_V6
            try handle.set(CURLOPT_IPRESOLVE, Int(family))
            // libcurl ignores the address family when it reuses a connection.
            try handle.set(CURLOPT_FRESH_CONNECT, true)
        }
        guard !options.addressOverrides.isEmpty else { return }
        // Not CURLOPT_RESOLVE, whose entries stay for all later transfers.
        try handle.setConnectTo(options.addressOverrides.map(Self.route))
    }

    private static func route(_ override: AddressOverride) -> String {
        func text(_ port: Int?) -> String { port.map(String.init) ?? "" }
        let isBare =
            override.address.utf8.contains(UInt8(ascii: ":"))
            && !override.address.hasPrefix("[")
        let address = isBare ? "[\(override.address)]" : override.address
        // libcurl says what is wrong with a host that is left.
        let host = (try? HostName.ascii(override.host)) ?? override.host
        let to = isBare ? address : (try? HostName.authority(address)) ?? address
        return "\(host):\(text(override.port)):\(to):\(text(override.toPort))"
    }
}
