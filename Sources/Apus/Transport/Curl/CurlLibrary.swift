// libcurl keeps the C library's memory functions. A pool of freed blocks (`curl_global_init_mem`)
// was measured: a twentieth of the instructions less, nothing gained at 500 in flight, and every
// other user of libcurl in the process would get it too.

import CCurl
import Glibc

/// libcurl, once in a process.
enum CurlLibrary {
    /// Initialises libcurl at the first use.
    ///
    /// The executable opens libcurl only when its first function is called, so
    /// this is also where a missing library shows.
    static func load() throws(CurlFault) { try loaded.get() }

    private static let loaded: Result<Void, CurlFault> = {
        ignoreBrokenPipes()
        let code = ccurl_global_init()
        guard code == CURLE_OK else {
            return .failure(.notLoaded(String(cString: curl_easy_strerror(code))))
        }
        return .success(())
    }()

    /// Whether libcurl begins HTTP/2 anew on a connection in clear text that speaks it already, so that
    /// only the first request on it succeeds: 7.88 does (curl/curl#10643).
    static let beginsHTTP2Again = ccurl_version() >> 8 == 0x0758

    /// Whether a handle that is used again keeps a pointer to a header of the last answer, which is freed.
    ///
    /// An answer that begins with a folded line then writes there. Until 8.1.0 it does (curl/curl#11101).
    static let keepsFreedHeaders = ccurl_version() < 0x08_01_01

    /// TLS libraries write to sockets that the peer has closed.
    ///
    /// A handler that the program has set stays.
    private static func ignoreBrokenPipes() {
        var action = sigaction()
        guard sigaction(SIGPIPE, nil, &action) == 0,
            action.__sigaction_handler.sa_handler == nil
        else { return }
        signal(SIGPIPE, SIG_IGN)
    }

    /// Whether the environment named a proxy when the first request was sent.
    static let hasProxyInEnvironment = ProxyEnvironment.current.proxies != nil

    /// The folder of trusted certificates by hash, if this machine has one.
    ///
    /// Debian's libcurl reads its bundle of 140 certificates for every new
    /// connection (22 to 30 ms); the folder is looked up by name (measured: 50
    /// connections in 0.08 s instead of 1.35 s).
    static let hashedCertificateFolder: String? = {
        ["/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/openssl/certs"].first(where: isHashed)
    }()

    private static func isHashed(_ path: String) -> Bool {
        // OpenSSL's form: eight hexadecimal digits, a point, a number.
        Folders.names(in: path).contains { $0.utf8.count == 10 && $0.hasSuffix(".0") }
    }
}

/// A call of libcurl that failed.
struct CurlFault: Error, Sendable, Hashable {
    /// libcurl's number; -1 if libcurl itself is missing.
    let code: Int
    /// What libcurl says about it.
    let detail: String

    /// libcurl, or a handle of it, cannot be had at all.
    static func notLoaded(_ what: String) -> CurlFault {
        CurlFault(code: -1, detail: "libcurl could not be loaded: \(what)")
    }

    /// The reason for an error that no request caused.
    var reason: ApusError.Reason {
        // "Not built in" and "unknown option".
        code == 4 || code == 48
            ? .invalidRequest(.unsupported(detail)) : .transport(code: code, detail: detail)
    }
}

/// What the environment says of proxies, in the variables that libcurl reads (curl(1),
/// "Environment"); only as digests, for there are passwords in it.
struct ProxyEnvironment: Sendable {
    /// Which proxies it names for which schemes; nil if it names none.
    let proxies: String?
    /// The hosts that are asked without a proxy, also without one that a request names itself; nil if
    /// nothing is said of them.
    let exceptions: String?
    /// Whether a proxy has a user or a password.
    let hasCredentials: Bool

    /// That of this process, as it was when the first request was sent.
    static let current = ProxyEnvironment { name in getenv(name).map { String(cString: $0) } }

    init(_ value: (String) -> String?) {
        func digest(of names: [String]) -> String? {
            let set = names.compactMap { name in value(name).map { (name: name, value: $0) } }
            guard set.contains(where: { !$0.value.isEmpty }) else { return nil }
            // An empty one says that there is no proxy, whatever `all_proxy` names.
            let lines = set.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
            return "sha256-\(ContentDigest.hex(of: lines).prefix(32))"
        }
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        proxies = digest(of: names)
        hasCredentials = names.contains { value($0).map { !ProxyURL($0).secrets.isEmpty } ?? false }
        exceptions = digest(of: ["no_proxy", "NO_PROXY"])
    }
}
