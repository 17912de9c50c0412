import CCurl
import FoundationEssentials
import Glibc
public import HTTPTypes
package import Secrets

/// The transport options that most requests leave alone.
///
/// They are read and set as properties of ``TransportOptions``:
///
/// ```swift
/// TransportOptions().with { $0.minimumTLSVersion = .tls13 }
/// ```
public struct RareOptions: Sendable, Hashable {
    // `TransportOptions` is copied many times for each request. So these are behind one reference, which is nil
    // when none is set.

    // MARK: TLS

    /// The PEM file of authorities to trust instead of the system's: not a pipe, and at most 16 MiB.
    public var certificateAuthorityFile: String?

    /// The public keys that the server may have; empty for any.
    ///
    /// Each is the SHA-256 of the key in its DER form, in base64, with or
    /// `sha256//` before it. Another key is the error `.tls(.pinMismatch)`, even if `verifiesTLS` is off.
    public var pinnedPublicKeys: [String] = []

    /// The client certificate for servers that ask for one.
    public var clientCertificate: ClientCertificate?

    /// The oldest TLS version to accept; nil for the library's default (1.2 on Debian).
    public var minimumTLSVersion: TLSVersion?

    // MARK: credentials, cookies and secrets

    /// The user and password with which libcurl answers the server's challenge.
    ///
    /// Digest, NTLM and Negotiate need it, because their response depends on the challenge. They are sent to the
    /// request's own host only, never to another one after a redirect.
    public var credentials: ServerCredentials?

    /// Whether a user and password are looked up by host in a netrc file.
    ///
    /// Default no. `credentials` take precedence.
    public var usesNetrc = false

    /// The netrc file, at most 16 MiB; nil for `~/.netrc`.
    public var netrcFile: String?

    /// Whether cookies of the `cookieJar` are sent and stored.
    ///
    /// Default yes. A `Cookie` field that the target sets is sent in any case.
    public var sendsCookies = true

    /// Where cookies are read from and stored; nil for nowhere.
    ///
    /// Cookies that a redirect sets are stored, too.
    public var cookieJar: CookieJar?

    /// Names of query parameters that are secret, in addition to the usual ones (`access_token`, `api_key`,
    /// …): error texts, logs and cache recipes mask them.
    public var secretParameters: Set<String> = []

    /// Whose request it is, if the request itself does not show it: caches and shared calls keep accounts
    /// apart by it.
    ///
    /// An interceptor that adds credentials sets it by `Interceptor.account`.
    public var account: String?

    /// Texts that are secret wherever they stand in the request, or in the URLs and fields of its response:
    /// error texts, logs, recordings and cache recipes mask them.
    public var secretTexts: Set<Secret> = []

    /// A workspace's own rules for secrets: values with these names or patterns are masked like known secrets.
    ///
    /// Setting it adds the names to `secretParameters`.
    package var secretRules = SecretRules() {
        didSet { secretParameters.formUnion(secretRules.names) }
    }

    /// Whether everything is sent on when a redirect leads to another origin (scheme, host or port), as with
    /// `curl --location-trusted`.
    ///
    /// Default no: only standard fields that do not identify the sender (`Accept`, `Range`, `User-Agent` …)
    /// are sent on, unless they hold a known secret. A body ends the exchange with `.bodyInRedirect`.
    /// `TransferMetrics.Redirect` says which fields were left out.
    public var trustsRedirects = false

    // MARK: header fields

    /// Header fields that the request goes without, although something would add them: the transport
    /// (`Accept`, `Accept-Encoding`, `Expect`, `Host`, `User-Agent`), the body (`Content-Type`), the provider's
    /// or the environment's shared fields, or the cookie jar (`Cookie`).
    ///
    /// A field that the target itself sets is still sent. Without `Accept-Encoding`, a compressed
    /// response is still decoded. HTTP/2 always names the host.
    ///
    /// ```swift
    /// TransportOptions().with { $0.omittedFields = [.userAgent, .accept] }
    /// ```
    public var omittedFields: Set<HTTPField.Name> = []

    // MARK: connections

    /// The proxy's URL (`http://`, `https://`, `socks5h://` …); empty for no proxy, nil for that of the
    /// environment (`http_proxy`, `no_proxy` …).
    public var proxy: String?

    /// The user and password for the proxy, and their scheme.
    public var proxyCredentials: ServerCredentials?

    /// Hosts to which requests go without the proxy: names, domains, addresses, or `*`.
    public var proxyExceptions: [String] = []

    /// The network interface, or the local address, that requests are sent from.
    public var interface: String?

    /// The Unix socket to connect to instead of the URL's host.
    public var unixSocket: String?

    /// Which addresses of a host are used.
    ///
    /// With any value but `.any`, the connection of an earlier request is not reused, because it may be of the
    /// other family.
    public var addressFamily = AddressFamily.any

    /// Where connections go instead of the URL's host and port.
    ///
    /// The request and TLS still name the URL's host.
    public var addressOverrides: [AddressOverride] = []

    /// Whether a new connection is opened, because libcurl sends a request again, whatever its method, if a
    /// reused connection is lost.
    package var beginsConnection = false

    // MARK: set by the engine

    /// The target's content delivery network, until the request has been sent through it.
    var cdn: CDNBase?
    /// Whether an absolute path leads to an origin other than that of the target's base.
    var isElsewhere = false
    /// Whether a redirect has left the origin that the request's secrets are for.
    var hasLeftOrigin = false
    /// For one hop of followed redirects, the deadline of all hops together.
    var deadline: ContinuousClock.Instant?

    /// All options have their defaults.
    static let none = CopyOnWriteBox(RareOptions())

    /// The cookie jar; nil if there is none or cookies are switched off.
    var activeJar: CookieJar? {
        sendsCookies && !omittedFields.contains(.cookie) ? cookieJar : nil
    }
}

extension RareOptions {
    /// Throws if libcurl would misread an option, or this machine's libcurl lacks it.
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

    /// Refuses NULs: libcurl would read a text up to its first NUL, and so use another user or file.
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
            throw ApusError(.invalidRequest(.combination(detail: "\(name) contains a NUL")))
        }
    }

    /// In bytes; more than any list of authorities has.
    private static let largestFile = 16 << 20

    /// Refuses large files, pipes and devices.
    ///
    /// libcurl and OpenSSL read these files on the engine's thread, which a pipe or a device could block forever.
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
            // libcurl reports what is wrong with a directory.
            case S_IFREG, S_IFDIR: continue
            default: throw ApusError(.file(path: path, errno: ESPIPE))
            }
        }
    }

    /// Refuses a pin that is not a digest, which libcurl would take for a file's name.
    private static func check(pin: String) throws(ApusError) {
        let digest = pin.hasPrefix("sha256//") ? String(pin.dropFirst(8)) : pin
        guard let bytes = Data(base64Encoded: digest), bytes.count == 32 else {
            throw ApusError(
                .invalidRequest(
                    .combination(detail: "“\(pin)” is not the Base64 SHA-256 of a public key")
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
