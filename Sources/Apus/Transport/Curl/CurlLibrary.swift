import CCurl
import Documents
import Glibc
import Secrets

// libcurl uses the C library's memory functions. A pool of freed blocks (`curl_global_init_mem`) was
// measured: it saved a twentieth of the instructions, gained nothing with 500 requests in flight, and would
// affect every other user of libcurl in the process.

/// The process-wide state of libcurl.
enum CurlLibrary {
    /// Initializes libcurl on first use.
    ///
    /// The executable loads libcurl when its first function is called, so a missing library shows here.
    static func load() throws(CurlError) { try loaded.get() }

    private static let loaded: Result<Void, CurlError> = {
        ignoreBrokenPipes()
        let code = ccurl_global_init()
        guard code == CURLE_OK else {
            return .failure(.notLoaded(String(cString: curl_easy_strerror(code))))
        }
        return .success(())
    }()

    /// Whether libcurl starts HTTP/2 again on a reused cleartext connection, so that only the first request
    /// on it succeeds; 7.88 does (curl/curl#10643).
    static let beginsHTTP2Again = ccurl_version() >> 8 == 0x0758

    /// Whether a reused handle keeps a pointer to a freed header of the last response.
    ///
    /// A response that begins with a folded line then writes to freed memory. Versions before 8.1.1 do this
    /// (curl/curl#11101).
    static let keepsFreedHeaders = ccurl_version() < 0x08_01_01

    /// Ignores SIGPIPE, because TLS libraries write to sockets that the peer has closed.
    ///
    /// A handler that the program has set is kept.
    private static func ignoreBrokenPipes() {
        var action = sigaction()
        guard sigaction(SIGPIPE, nil, &action) == 0,
            action.__sigaction_handler.sa_handler == nil
        else { return }
        signal(SIGPIPE, SIG_IGN)
    }

    /// Whether the environment named a proxy when the first request was sent.
    static let hasProxyInEnvironment = ProxyEnvironment.current.proxies != nil

    /// The folder of trusted certificates that are named by hash, if this machine has one.
    ///
    /// Debian's libcurl reads its bundle of 140 certificates for every new connection (22 to 30 ms); in the
    /// folder it looks them up by name (measured: 50 connections in 0.08 s instead of 1.35 s).
    static let hashedCertificateFolder: String? = {
        ["/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/openssl/certs"].first(where: isHashed)
    }()

    private static func isHashed(_ path: String) -> Bool {
        // OpenSSL's form: eight hexadecimal digits, a dot, a number.
        Folders.names(in: path).contains { $0.utf8.count == 10 && $0.hasSuffix(".0") }
    }
}

/// A call of libcurl that failed.
struct CurlError: Error, Sendable, Hashable {
    /// libcurl's error code; -1 if libcurl itself is missing.
    let code: Int
    /// libcurl's message.
    let detail: String

    /// libcurl could not be loaded, or could not make a handle.
    static func notLoaded(_ what: String) -> CurlError {
        CurlError(code: -1, detail: "libcurl could not be loaded: \(what)")
    }

    /// The reason for an error that no request caused.
    var reason: ApusError.Reason {
        // CURLE_NOT_BUILT_IN and CURLE_UNKNOWN_OPTION.
        code == 4 || code == 48
            ? .invalidRequest(.unsupported(detail)) : .transport(code: code, detail: detail)
    }
}

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
    /// The proxies by the variables that name them, without users.
    private let named: [String: NamedProxy]

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
        named = names.reduce(into: [:]) { named, name in
            named[name] = value(name).flatMap { NamedProxy($0, variable: name) }
        }
        hasCredentials = names.contains {
            value($0).map { !ProxySecrets($0).secrets.isEmpty } ?? false
        }
        exceptions = digest(of: ["no_proxy", "NO_PROXY"])
    }

    /// The proxy for a scheme, if no exception applies; libcurl reads `HTTP_PROXY` in lower case only.
    func proxy(for scheme: String) -> NamedProxy? {
        let own = scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        return (own + ["all_proxy", "ALL_PROXY"]).lazy.compactMap { named[$0] }.first
    }
}

/// A proxy's host and port, and what names it.
struct NamedProxy: Sendable, Hashable {
    /// The variable of the environment; nil if it is a request's own.
    let variable: String?
    /// The host as libcurl's messages have it, without brackets.
    let host: String
    let port: Int

    /// Parses a proxy's URL, often without a scheme (curl(1), `--proxy`); nil if it names none.
    init?(_ url: String, variable: String?) {
        let start = url.utf8.firstRange(of: "://".utf8)?.upperBound ?? url.startIndex
        let rest = url.unicodeScalars[start...]
        // A password may contain a slash that was not encoded.
        let place = rest.lastIndex(of: "@").map { rest[$0...].dropFirst() } ?? rest
        let authority = Authority(String(place.prefix { $0 != "/" && $0 != "?" && $0 != "#" }))
        guard !authority.host.isEmpty else { return nil }
        self.variable = variable
        // `try?`, because libcurl names a host that it cannot use.
        host = (try? HostName.ascii(authority.host)) ?? authority.host
        let isHTTPS = url.asciiLowercased.hasPrefix("https:")
        port = authority.port ?? (isHTTPS ? 443 : 1080)
    }

    /// This proxy as the one at which a request ended.
    func failing(_ failure: ApusError.Proxy.Failure) -> ApusError.Proxy {
        let isVersion6 = host.utf8.contains(UInt8(ascii: ":"))
        let name = isVersion6 ? "[\(host)]:\(port)" : "\(host):\(port)"
        return .init(name: name, variable: variable, failure: failure)
    }
}
