import CCurl
import FoundationEssentials
import Glibc

extension TransportOptions {
    // MARK: TLS

    /// A file of certificates in PEM form to trust instead of the system's: no pipe, and at most 16 MiB.
    public var certificateAuthorityFile: String? {
        get { rare.value.certificateAuthorityFile }
        set { rare = rare.with { $0.certificateAuthorityFile = newValue } }
    }

    /// The public keys that the server may have; none for any.
    ///
    /// Each is the SHA-256 of the key in its DER form, in base64, with or
    /// without `sha256//` before it. Another key is the error `.tls(.pinMismatch)`,
    /// also when `verifiesTLS` is off.
    public var pinnedPublicKeys: [String] {
        get { rare.value.pinnedPublicKeys }
        set { rare = rare.with { $0.pinnedPublicKeys = newValue } }
    }

    /// The certificate that we show to servers that ask for one.
    public var clientCertificate: ClientCertificate? {
        get { rare.value.clientCertificate }
        set { rare = rare.with { $0.clientCertificate = newValue } }
    }

    /// The oldest TLS version that is spoken; nil for the library's choice (1.2
    /// on Debian).
    public var minimumTLSVersion: TLSVersion? {
        get { rare.value.minimumTLSVersion }
        set { rare = rare.with { $0.minimumTLSVersion = newValue } }
    }

    // MARK: who we are

    /// The user and password that libcurl answers the server's challenge with.
    ///
    /// Digest, NTLM and Negotiate need it, for their answer depends on the
    /// challenge. They go to the request's own host only, never after a redirect
    /// to another.
    public var credentials: ServerCredentials? {
        get { rare.value.credentials }
        set { rare = rare.with { $0.credentials = newValue } }
    }

    /// Whether a user and password are looked up in a netrc file by host.
    ///
    /// Default no. `credentials` come first.
    public var usesNetrc: Bool {
        get { rare.value.usesNetrc }
        set { rare = rare.with { $0.usesNetrc = newValue } }
    }

    /// The netrc file, of at most 16 MiB; nil for `~/.netrc`.
    public var netrcFile: String? {
        get { rare.value.netrcFile }
        set { rare = rare.with { $0.netrcFile = newValue } }
    }

    /// Whether cookies of a jar are sent and kept.
    ///
    /// Default yes. A `Cookie` field that the target gives is sent in any case.
    public var sendsCookies: Bool {
        get { rare.value.sendsCookies }
        set { rare = rare.with { $0.sendsCookies = newValue } }
    }

    /// Where cookies are taken from and kept; nil for nowhere.
    ///
    /// Cookies that are set on the way, by a redirect, count too.
    public var cookieJar: CookieJar? {
        get { rare.value.cookieJar }
        set { rare = rare.with { $0.cookieJar = newValue } }
    }

    /// Names of query parameters that are secrets, beside the usual ones
    /// (`access_token`, `api_key`, …): error texts, logs and cache recipes mask them.
    public var secretParameters: Set<String> {
        get { rare.value.secretParameters }
        set { rare = rare.with { $0.secretParameters = newValue } }
    }

    /// Whose request it is, where that is not in the request itself: caches and calls that are
    /// shared keep accounts apart by it.
    ///
    /// An interceptor that adds credentials sets it by `Interceptor.account`.
    public var account: String? {
        get { rare.value.account }
        set { rare = rare.with { $0.account = newValue } }
    }

    /// Texts that are secrets wherever they stand in the request or come back in its
    /// answer's URLs and fields: error texts, logs, recordings and cache recipes mask them.
    public var secretTexts: Set<Secret> {
        get { rare.value.secretTexts }
        set { rare = rare.with { $0.secretTexts = newValue } }
    }

    /// What a workspace says of secrets of its own: what has these names or looks like that is masked as
    /// what is known to be secret; the names are `secretParameters`, too.
    package var secretRules: SecretRules {
        get { rare.value.secretRules }
        set {
            rare = rare.with {
                $0.secretRules = newValue
                $0.secretParameters.formUnion(newValue.names)
            }
        }
    }

    /// Whether all goes along when a redirect leads to another origin (scheme, host or port), as
    /// with `curl --location-trusted`.
    ///
    /// Default no: only fields that HTTP knows and that say nothing of who asks (`Accept`, `Range`,
    /// `User-Agent` …) go on, unless a known secret stands in them. A body ends the exchange with
    /// `.bodyInRedirect`. `TransferMetrics.Redirect` tells which fields were left out.
    public var trustsRedirects: Bool {
        get { rare.value.trustsRedirects }
        set { rare = rare.with { $0.trustsRedirects = newValue } }
    }

    // MARK: the way

    /// A proxy's URL (`http://`, `https://`, `socks5h://` …); empty for none, nil
    /// for what the environment says (`http_proxy`, `no_proxy` …).
    public var proxy: String? {
        get { rare.value.proxy }
        set { rare = rare.with { $0.proxy = newValue } }
    }

    /// The user and password for the proxy, and how they are shown to it.
    public var proxyCredentials: ServerCredentials? {
        get { rare.value.proxyCredentials }
        set { rare = rare.with { $0.proxyCredentials = newValue } }
    }

    /// Hosts that are asked without the proxy: names, domains, addresses, or `*`.
    public var proxyExceptions: [String] {
        get { rare.value.proxyExceptions }
        set { rare = rare.with { $0.proxyExceptions = newValue } }
    }

    /// The network interface, or the local address, that requests leave from.
    public var interface: String? {
        get { rare.value.interface }
        set { rare = rare.with { $0.interface = newValue } }
    }

    /// A Unix socket that is connected to instead of the URL's host.
    public var unixSocket: String? {
        get { rare.value.unixSocket }
        set { rare = rare.with { $0.unixSocket = newValue } }
    }

    /// Which addresses of a host are used.
    ///
    /// With any other than `.any` a connection is never one that an earlier
    /// request left, for that may be of the other family.
    public var addressFamily: AddressFamily {
        get { rare.value.addressFamily }
        set { rare = rare.with { $0.addressFamily = newValue } }
    }

    /// Where connections go instead of the URL's host and port.
    ///
    /// The request and TLS still name the URL's host.
    public var addressOverrides: [AddressOverride] {
        get { rare.value.addressOverrides }
        set { rare = rare.with { $0.addressOverrides = newValue } }
    }

    /// Whether it travels on a connection of its own beginning: libcurl sends what an old one has lost
    /// again, whatever its method.
    package var beginsConnection: Bool {
        get { shared?.value.beginsConnection == true }
        set {
            guard newValue != beginsConnection else { return }
            rare = rare.with { $0.beginsConnection = newValue }
        }
    }
}

/// The transport options that most requests leave alone, in one place.
///
/// `TransportOptions` is copied many times on a request's way, so what is
/// seldom set lies behind one reference, which is nil when nothing is set.
struct RareOptions: Sendable, Hashable {
    var certificateAuthorityFile: String?
    var pinnedPublicKeys: [String] = []
    var clientCertificate: ClientCertificate?
    var minimumTLSVersion: TLSVersion?
    var proxy: String?
    var proxyCredentials: ServerCredentials?
    var proxyExceptions: [String] = []
    var credentials: ServerCredentials?
    var usesNetrc = false
    var netrcFile: String?
    var interface: String?
    var unixSocket: String?
    var addressFamily = AddressFamily.any
    var addressOverrides: [AddressOverride] = []
    var sendsCookies = true
    var cdn: CDNBase?
    var cookieJar: CookieJar?
    var secretParameters: Set<String> = []
    var secretTexts: Set<Secret> = []
    var secretRules = SecretRules()
    var account: String?
    var trustsRedirects = false
    var beginsConnection = false
    /// Whether an absolute path leads to another origin than that of the target's base.
    var isElsewhere = false
    /// Whether a redirect led it away from the origin that its secrets are for.
    var hasLeftOrigin = false
    /// When the time of all hops is over, for one of them.
    var deadline: ContinuousClock.Instant?

    /// None of them is set.
    static let none = CopyOnWriteBox(RareOptions())

    /// The jar, if cookies are wanted at all.
    var activeJar: CookieJar? { sendsCookies ? cookieJar : nil }
}

extension RareOptions {
    /// Refuses what libcurl would misread, and what this machine's cannot do.
    func check() throws(ApusError) {
        try checkTexts()
        try checkFiles()
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

    /// More than any list of authorities has.
    private static let largestFile = 16 << 20

    /// libcurl and OpenSSL read these on the engine's thread, which a pipe or a device could hold for ever.
    private func checkFiles() throws(ApusError) {
        let files = [
            certificateAuthorityFile, clientCertificate?.file, clientCertificate?.keyFile,
            netrcFile,
        ]
        for path in files.compactMap(\.self) where path != "/dev/null" {
            var status = stat()
            guard stat(path, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFREG where status.st_size > Self.largestFile:
                throw ApusError(.file(path: path, errno: EFBIG))
            // libcurl says what is wrong with a folder.
            case S_IFREG, S_IFDIR: continue
            default: throw ApusError(.file(path: path, errno: ESPIPE))
            }
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
