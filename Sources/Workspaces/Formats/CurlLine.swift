import Documents
import HTTPTypes

/// The options of a `curl` command that concern the request.
struct CurlLine {
    /// What an option does, and whether a word follows it.
    private enum Option: Sendable {
        /// A flag that has no effect here, for curl's output or for a default.
        case ignored
        /// What concerns how curl runs rather than what it sends; a warning names it when a file is imported.
        case minor(takesWord: Bool)
        /// An option that is left out with a warning, which gives the reason.
        case left(String, takesWord: Bool)
        case flag(@Sendable (inout CurlLine) -> Void)
        case word(@Sendable (inout CurlLine, String) throws(RequestTextError) -> Void)
    }

    var warnings: [String] = []
    private(set) var url: String?
    private(set) var method: String?
    var headers: [(name: String, value: String?)] = []
    var data: [String] = []
    var bodyFile: String?
    private(set) var isUpload = false
    private(set) var isJSON = false
    var form: [TargetDraft.Row] = []
    private(set) var user: String?
    private(set) var bearer: String?
    private(set) var cookies: [String] = []
    private(set) var options: [(name: String, value: String)] = []
    private(set) var certificate: String?
    private(set) var key: String?
    private(set) var keyPassword: String?
    private(set) var isHead = false
    private(set) var isQuery = false
    /// The pairs that `--url-query` adds to the query.
    private(set) var query: [String] = []
    private(set) var isInsecure = false
    private(set) var follows = false
    /// An authentication option that is not supported here.
    private(set) var otherScheme: String?
    private(set) var isDigest = false
    private(set) var isHTTP1 = false
    private(set) var isHTTP2 = false
    /// The word after `--aws-sigv4`.
    private(set) var signature: String?
    /// Whether braces and brackets in URLs stand for themselves.
    private(set) var globsOff = false
    /// The variables for the texts of files, and their templates.
    var fileVariables: [String: String] = [:]
    /// The values that `--variable` gives to `--expand-…`.
    private var values: [String: String] = [:]
    /// What standard input is; nil if that is not known.
    let input: PastedCommand.Input?
    let proxies: [String: String]

    /// Whether what cannot be read is left out with a warning.
    let isLenient: Bool
    /// All URLs of the command.
    private(set) var urls: [String] = []

    /// Makes a line for the options of a command; with `isLenient`, several URLs are kept, and what cannot be read is
    /// left out with a warning.
    init(_ command: PastedCommand, isLenient: Bool = false) {
        (input, proxies, warnings) = (command.input, command.proxies, command.warnings)
        self.isLenient = isLenient
    }

    /// Chooses one of the URLs as that of the request.
    mutating func select(_ url: String) { self.url = url }

    /// Reads the words of a command, the first of which is `curl`.
    mutating func read(_ words: [String]) throws(RequestTextError) {
        var rest = words.dropFirst()
        while let word = rest.popFirst() {
            if word == "--" {
                for url in rest { setURL(url) }
                return
            }
            if word == "--next" || word == "-:" {
                warnings.append("only the request before \(word) is taken")
                return
            }
            if word.hasPrefix("--") {
                try readLong(word, &rest)
            } else if word.hasPrefix("-"), word.utf8.count > 1 {
                try readShort(word, &rest)
            } else {
                setURL(word)
            }
        }
    }

    private mutating func readLong(
        _ word: String,
        _ rest: inout ArraySlice<String>
    ) throws(RequestTextError) {
        // `--no-` turns an option off, which matters only for flags.
        var name = String(word.dropFirst(2))
        if isLenient, name.hasPrefix("expand-"), let next = rest.first {
            name = String(name.dropFirst("expand-".count))
            rest = [filled(next)] + rest.dropFirst()
        }
        if let option = Self.option(name) ?? (isLenient ? Self.abbreviated(name) : nil) {
            return try apply(option, word, nil, &rest)
        }
        // curl reads `--url=…` only as an unknown option, other programs write it.
        if isLenient, let sign = name.firstIndex(of: "="),
            let option = Self.option(String(name[..<sign]))
        {
            return try apply(option, word, String(name[sign...].dropFirst()), &rest)
        }
        guard name.hasPrefix("no-"), let option = Self.option(String(name.dropFirst(3))) else {
            try refuse(Self.unknown(word))
            // Its value, if it has one, is no URL.
            if let next = rest.first, !next.hasPrefix("-"), !next.contains("/"), rest.count > 1 {
                rest.removeFirst()
            }
            return
        }
        switch option {
        case .flag: warnings.append("\(word) is ignored")
        case .minor where isLenient: warnings.append("\(word) is ignored: \(Self.minorReason)")
        default: break
        }
    }

    private static let minorReason = "it concerns how curl runs"

    /// The text with the values of `--variable` in place of their names.
    private func filled(_ text: String) -> String {
        values.reduce(text) { $0.replacing("{{\($1.key)}}", with: $1.value) }
    }

    /// Reads `-sSLXPOST`: flags, the last of which may have its word attached.
    private mutating func readShort(
        _ word: String,
        _ rest: inout ArraySlice<String>
    ) throws(RequestTextError) {
        var letters = word.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            guard let name = Self.short[letter], let option = Self.option(name) else {
                return try refuse(Self.unknown("-\(letter)"))
            }
            let attached = Self.takesWord(option) && !letters.isEmpty ? String(letters) : nil
            try apply(option, "-\(letter)", attached, &rest)
            if attached != nil { return }
        }
    }

    private mutating func apply(
        _ option: Option,
        _ word: String,
        _ attached: String?,
        _ rest: inout ArraySlice<String>
    ) throws(RequestTextError) {
        var value = ""
        if Self.takesWord(option) {
            guard let next = attached ?? rest.popFirst() else {
                throw RequestTextError("curl's option \(word) needs a value")
            }
            value = next
        }
        switch option {
        case .ignored: break
        case .minor:
            if isLenient {
                let written = value.isEmpty ? word : "\(word) \(value)"
                warnings.append("\(written) is ignored: \(Self.minorReason)")
            }
        case .left(let why, _):
            let written = isLenient && !value.isEmpty ? "\(word) \(value)" : word
            warnings.append("\(written) is ignored: \(why)")
        case .flag(let set): set(&self)
        case .word(let read):
            do throws(RequestTextError) { try read(&self, value) } catch {
                try refuse(error, value)
            }
        }
    }

    /// Throws, or leaves out what cannot be read.
    private mutating func refuse(_ error: RequestTextError, _ value: String = "")
        throws(RequestTextError)
    {
        guard isLenient else { throw error }
        warnings.append(value.isEmpty ? error.description : "\(error.description) (\(value))")
    }

    /// The option that a name is the beginning of; curl takes one that is the beginning of only one.
    private static func abbreviated(_ name: String) -> Option? {
        guard name.count > 1 else { return nil }
        return long.keys.sorted().first { $0.hasPrefix(name) }.flatMap { long[$0] }
    }

    private static func option(_ name: String) -> Option? {
        long[name] ?? leftOptions[name].map { .left($0.reason, takesWord: $0.takesWord) }
    }

    private static func takesWord(_ option: Option) -> Bool {
        switch option {
        case .ignored, .flag: false
        case .word: true
        case .left(_, let takesWord), .minor(let takesWord): takesWord
        }
    }

    private static func unknown(_ option: String) -> RequestTextError {
        RequestTextError("curl's option \(option) is not supported")
    }

    private mutating func setURL(_ text: String) {
        if isLenient { urls.append(RequestText.trimmed(text)) }
        guard url == nil else {
            if isLenient { return }
            warnings.append("only the first URL is taken")
            return
        }
        url = RequestText.trimmed(text)
    }
}

// MARK: - Options

extension CurlLine {
    private static let short: [Unicode.Scalar: String] = [
        "X": "request", "H": "header", "d": "data", "G": "get", "F": "form", "u": "user",
        "b": "cookie", "A": "user-agent", "e": "referer", "I": "head", "k": "insecure",
        "L": "location", "x": "proxy", "o": "output", "O": "remote-name", "s": "silent",
        "S": "show-error", "i": "include", "v": "verbose", "f": "fail", "#": "progress-bar",
        "N": "no-buffer", "g": "globoff", "m": "max-time", "T": "upload-file", "c": "cookie-jar",
        "w": "write-out", "D": "dump-header", "J": "remote-header-name", "4": "ipv4",
        "6": "ipv6", "0": "http1.0", "q": "disable", "E": "cert", "r": "range", "n": "netrc",
        "U": "proxy-user", "Z": "parallel", "a": "append", "R": "remote-time", "K": "config",
        "y": "speed-time", "Y": "speed-limit", "z": "time-cond", "C": "continue-at",
        "j": "junk-session-cookies", "P": "ftp-port", "l": "list-only", "p": "proxytunnel",
        "Q": "quote", "t": "telnet-option", "B": "use-ascii", "1": "tlsv1", "2": "sslv2",
        "3": "sslv3",
    ]

    private static let long: [String: Option] = [
        "request": .word { (line, text) throws(RequestTextError) in
            guard HTTPRequest.Method(text) != nil else {
                throw RequestTextError("“\(text)” cannot be a method (RFC 9110, 5.6.2)")
            }
            line.method = text
        },
        "url": .word { $0.setURL($1) },
        "header": .word { (line, text) throws(RequestTextError) in try line.addHeader(text) },
        "data": .word { (line, text) throws(RequestTextError) in try line.addData(text) },
        "data-ascii": .word { (line, text) throws(RequestTextError) in try line.addData(text) },
        "data-binary": .word { (line, text) throws(RequestTextError) in
            try line.addData(text, keepsLineEnds: true)
        },
        "data-raw": .word { $0.addText($1) },
        "data-urlencode": .word { (line, text) throws(RequestTextError) in
            if line.isLenient, let encoded = try? line.fileText(ofPair: text) {
                line.addText(encoded)
            } else {
                line.addText(try encoded(pair: text))
            }
        },
        "url-query": .word { (line, text) throws(RequestTextError) in
            // Text after a plus is not encoded.
            let pair = text.hasPrefix("+") ? String(text.dropFirst()) : try encoded(pair: text)
            line.query.append(pair)
        },
        "json": .word { (line, text) throws(RequestTextError) in
            line.isJSON = true
            try line.addData(text)
        },
        "form": .word { (line, text) throws(RequestTextError) in
            try line.addPart(text, mayBeFile: true)
        },
        "form-string": .word { (line, text) throws(RequestTextError) in
            try line.addPart(text, mayBeFile: false)
        },
        "upload-file": .word { line, path in
            line.isUpload = true
            guard line.isLenient, path == "-" || path == "." else {
                line.bodyFile = path
                return
            }
            if case .file(let path)? = line.input {
                line.bodyFile = path
            } else if case .text(let text)? = line.input {
                line.data.append(text)
            } else {
                line.warnings.append("-T \(path) is ignored: standard input is not known")
            }
        },
        "get": .flag { $0.isQuery = true },
        "head": .flag { $0.isHead = true },
        "insecure": .flag { $0.isInsecure = true },
        "http1.1": .flag { $0.isHTTP1 = true }, "http1.0": .flag { $0.isHTTP1 = true },
        "http2": .flag { $0.isHTTP2 = true }, "http2-prior-knowledge": .flag { $0.isHTTP2 = true },
        "user": .word { $0.user = $1 },
        "oauth2-bearer": .word { $0.bearer = $1 },
        "cookie": .word { line, text in
            if text.contains("=") {
                line.cookies.append(text)
            } else {
                line.warnings.append("-b is ignored: cookies are in the environment's jar")
            }
        },
        // An empty one is not sent at all.
        "user-agent": .word { $0.headers.append(("User-Agent", $1.isEmpty ? nil : $1)) },
        "referer": .word { line, text in
            // `;auto` is about redirects only.
            let text = line.isLenient && text.hasSuffix(";auto") ? String(text.dropLast(5)) : text
            if !text.isEmpty { line.headers.append(("Referer", text)) }
        },
        "range": .word { $0.headers.append(("Range", "bytes=\($1)")) },
        "proxy": .word { $0.options.append(("proxy", RequestText.withScheme($1))) },
        "cacert": .word { $0.options.append(("caFile", $1)) },
        "socks4": .word { $0.options.append(("proxy", "socks4://\($1)")) },
        "socks4a": .word { $0.options.append(("proxy", "socks4a://\($1)")) },
        "socks5": .word { $0.options.append(("proxy", "socks5://\($1)")) },
        "socks5-hostname": .word { $0.options.append(("proxy", "socks5h://\($1)")) },
        "max-redirs": .word { $0.options.append(("redirects", $1)) },
        "max-time": .word { $0.options.append(("timeout", "\($1) s")) },
        "connect-timeout": .word { $0.options.append(("connectTimeout", "\($1) s")) },
        "location-trusted": .flag {
            $0.follows = true
            $0.options.append(("trustRedirects", "true"))
        },
        "output": .left("responses are on the screen", takesWord: true),
        "remote-name": .left("responses are on the screen", takesWord: false),
        "remote-header-name": .left("responses are on the screen", takesWord: false),
        "output-dir": .left("responses are on the screen", takesWord: true),
        "cookie-jar": .left("cookies are in the environment's jar", takesWord: true),
        "cert": .word { $0.certificate = $1 },
        "key": .word { $0.key = $1 },
        "pass": .word { $0.keyPassword = $1 },
        "cert-type": .left("the file extension decides", takesWord: true),
        "key-type": .left("a key is in PEM form", takesWord: true),
        "netrc": .left("put the user and password in the request", takesWord: false),
        "netrc-optional": .left("put the user and password in the request", takesWord: false),
        "netrc-file": .left("put the user and password in the request", takesWord: true),
        "proxy-user": .left("put it before the proxy's host", takesWord: true),
        "resolve": .left("hosts are resolved as usual", takesWord: true),
        "connect-to": .left("hosts are resolved as usual", takesWord: true),
        "retry": .left("a batch can send again", takesWord: true),
        "config": .left("its file is not read", takesWord: true),
        "digest": .flag { $0.isDigest = true },
        "ntlm": .flag { $0.otherScheme = "--ntlm" },
        "negotiate": .flag { $0.otherScheme = "--negotiate" },
        "anyauth": .flag { $0.otherScheme = "--anyauth" },
        "aws-sigv4": .word { line, text in
            line.otherScheme = "--aws-sigv4"
            line.signature = text
        },
        "variable": .word { (line, text) throws(RequestTextError) in
            guard line.isLenient, let sign = text.firstIndex(of: "="), !text.hasPrefix("%") else {
                throw unknown("--variable")
            }
            line.values[String(text[..<sign])] = String(text[sign...].dropFirst())
        },
        "noproxy": .left("the proxy is used for all hosts", takesWord: true),
        "tlsv1.3": .left("TLS is negotiated as usual", takesWord: false),
        "tls-max": .left("TLS is negotiated as usual", takesWord: true),
        "ciphers": .left("TLS is negotiated as usual", takesWord: true),
        "ssl-reqd": .left("it is for other protocols", takesWord: false),
        "tls13-ciphers": .left("TLS is negotiated as usual", takesWord: true),
        "curves": .left("TLS is negotiated as usual", takesWord: true),
        "capath": .left("`caFile` names a file", takesWord: true),
        "pinnedpubkey": .left("key pinning is not supported", takesWord: true),
        "http3": .left("HTTP/3 is not supported", takesWord: false),
        "http3-only": .left("HTTP/3 is not supported", takesWord: false),
        "unix-socket": .word { $0.options.append(("unixSocket", $1)) },
        "post301": .left("a redirect turns a POST into a GET", takesWord: false),
        "post302": .left("a redirect turns a POST into a GET", takesWord: false),
        "post303": .left("a redirect turns a POST into a GET", takesWord: false),
        "continue-at": .left("a download starts at the beginning", takesWord: true),
        "time-cond": .left("write the field `If-Modified-Since`", takesWord: true),
        "interface": .left("the system chooses it", takesWord: true),
        "ipv4": .left("the system chooses the address", takesWord: false),
        "ipv6": .left("the system chooses the address", takesWord: false),
        "dns-servers": .left("hosts are resolved as usual", takesWord: true),
        "max-filesize": .left("`maximumBody` sets a limit", takesWord: true),
        "limit-rate": .left("rate limits are not supported", takesWord: true),
        "raw": .left("`decodeContent` decides that", takesWord: false),
        "path-as-is": .left("dots in the path are always kept", takesWord: false),
        "location": .flag { $0.follows = true }, "compressed": .ignored, "silent": .ignored,
        "show-error": .ignored,
        "include": .ignored, "verbose": .ignored, "fail": .ignored, "fail-with-body": .ignored,
        "progress-bar": .ignored, "no-buffer": .ignored, "globoff": .flag { $0.globsOff = true },
        "basic": .ignored,
        "disable": .minor(takesWord: false),
        "parallel": .minor(takesWord: false), "append": .minor(takesWord: false),
        "remote-time": .minor(takesWord: false),
        "create-dirs": .minor(takesWord: false), "tcp-nodelay": .minor(takesWord: false),
        "tlsv1": .minor(takesWord: false),
        "tlsv1.0": .minor(takesWord: false), "tlsv1.1": .minor(takesWord: false),
        "tlsv1.2": .minor(takesWord: false),
        "no-progress-meter": .ignored, "styled-output": .ignored,
        "keepalive": .minor(takesWord: false), "sessionid": .minor(takesWord: false),
        "alpn": .minor(takesWord: false),
        "write-out": .minor(takesWord: true), "dump-header": .minor(takesWord: true),
        "retry-delay": .minor(takesWord: true),
        "retry-max-time": .minor(takesWord: true), "trace": .minor(takesWord: true),
        "trace-ascii": .minor(takesWord: true),
        "keepalive-time": .minor(takesWord: true), "proto": .minor(takesWord: true),
        "proto-redir": .minor(takesWord: true),
        "proto-default": .minor(takesWord: true), "speed-limit": .minor(takesWord: true),
        "speed-time": .minor(takesWord: true), "expect100-timeout": .minor(takesWord: true),
        "happy-eyeballs-timeout-ms": .minor(takesWord: true),
        "trace-time": .minor(takesWord: false), "trace-ids": .minor(takesWord: false),
        "ssl-no-revoke": .minor(takesWord: false),
        "ssl-revoke-best-effort": .minor(takesWord: false), "fail-early": .minor(takesWord: false),
        "retry-connrefused": .minor(takesWord: false), "retry-all-errors": .minor(takesWord: false),
        "remote-name-all": .minor(takesWord: false),
        "no-clobber": .minor(takesWord: false), "remove-on-error": .minor(takesWord: false),
        "parallel-immediate": .minor(takesWord: false),
        "parallel-max": .minor(takesWord: true), "junk-session-cookies": .minor(takesWord: false),
        "http0.9": .minor(takesWord: false),
    ]
}
