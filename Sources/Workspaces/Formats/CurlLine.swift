import Documents
import HTTPTypes

/// The options of a `curl` command that concern the request.
struct CurlLine {
    /// What an option does, and whether a word follows it.
    private enum Option: Sendable {
        /// A flag that has no effect here, for curl's output or for a default.
        case ignored
        /// A flag without effect here that is followed by a word.
        case ignoredWord
        /// An option that is left out with a warning, which gives the reason.
        case left(String, takesWord: Bool)
        case flag(@Sendable (inout CurlLine) -> Void)
        case word(@Sendable (inout CurlLine, String) throws(RequestTextError) -> Void)
    }

    var warnings: [String] = []
    private(set) var url: String?
    private(set) var method: String?
    private(set) var headers: [(name: String, value: String?)] = []
    private(set) var data: [String] = []
    private(set) var bodyFile: String?
    private(set) var isUpload = false
    private(set) var isJSON = false
    private(set) var form: [TargetDraft.Row] = []
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
        let name = String(word.dropFirst(2))
        if let option = Self.long[name] ?? (isLenient ? Self.abbreviated(name) : nil) {
            return try apply(option, word, nil, &rest)
        }
        // curl reads `--url=…` only as an unknown option, other programs write it.
        if isLenient, let sign = name.firstIndex(of: "="),
            let option = Self.long[String(name[..<sign])]
        {
            return try apply(option, word, String(name[sign...].dropFirst()), &rest)
        }
        guard name.hasPrefix("no-"), let option = Self.long[String(name.dropFirst(3))] else {
            try refuse(Self.unknown(word))
            // Its value, if it has one, is no URL.
            if let next = rest.first, !next.hasPrefix("-"), !next.contains("/"), rest.count > 1 {
                rest.removeFirst()
            }
            return
        }
        if case .flag = option { warnings.append("\(word) is ignored") }
    }

    /// Reads `-sSLXPOST`: flags, the last of which may have its word attached.
    private mutating func readShort(
        _ word: String,
        _ rest: inout ArraySlice<String>
    ) throws(RequestTextError) {
        var letters = word.unicodeScalars.dropFirst()
        while let letter = letters.popFirst() {
            guard let name = Self.short[letter], let option = Self.long[name] else {
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
        case .ignored, .ignoredWord: break
        case .left(let why, _): warnings.append("\(word) is ignored: \(why)")
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

    private static func takesWord(_ option: Option) -> Bool {
        switch option {
        case .ignored, .flag: false
        case .ignoredWord, .word: true
        case .left(_, let takesWord): takesWord
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
        "j": "junk-session-cookies",
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
        "data-raw": .word { $0.data.append($1) },
        "data-urlencode": .word { (line, text) throws(RequestTextError) in
            line.data.append(try encoded(pair: text))
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
            line.bodyFile = path
            line.isUpload = true
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
        "aws-sigv4": .word { line, _ in line.otherScheme = "--aws-sigv4" },
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
        "progress-bar": .ignored, "no-buffer": .ignored, "globoff": .ignored, "basic": .ignored,
        "disable": .ignored,
        "parallel": .ignored, "append": .ignored, "remote-time": .ignored,
        "create-dirs": .ignored, "tcp-nodelay": .ignored, "tlsv1": .ignored,
        "tlsv1.0": .ignored, "tlsv1.1": .ignored, "tlsv1.2": .ignored,
        "no-progress-meter": .ignored, "styled-output": .ignored,
        "keepalive": .ignored, "sessionid": .ignored, "alpn": .ignored,
        "write-out": .ignoredWord, "dump-header": .ignoredWord, "retry-delay": .ignoredWord,
        "retry-max-time": .ignoredWord, "trace": .ignoredWord, "trace-ascii": .ignoredWord,
        "keepalive-time": .ignoredWord, "proto": .ignoredWord, "proto-redir": .ignoredWord,
        "proto-default": .ignoredWord, "speed-limit": .ignoredWord,
        "speed-time": .ignoredWord, "expect100-timeout": .ignoredWord,
        "happy-eyeballs-timeout-ms": .ignoredWord, "trace-time": .ignored, "trace-ids": .ignored,
        "ssl-no-revoke": .ignored, "ssl-revoke-best-effort": .ignored, "fail-early": .ignored,
        "retry-connrefused": .ignored, "retry-all-errors": .ignored, "remote-name-all": .ignored,
        "no-clobber": .ignored, "remove-on-error": .ignored, "parallel-immediate": .ignored,
        "parallel-max": .ignoredWord, "junk-session-cookies": .ignored, "http0.9": .ignored,
    ]

    private mutating func addHeader(_ text: String) throws(RequestTextError) {
        guard !text.hasPrefix("@") else { throw Self.file(text, "-H") }
        let colon = text.unicodeScalars.firstIndex(of: ":")
        let name = colon.map { String(text[..<$0]) } ?? String(text.dropLast())
        // `Name;` is a field without a value.
        guard HTTPField.Name(name) != nil, colon != nil || text.hasSuffix(";") else {
            throw RequestTextError("“\(text)” is not a header field")
        }
        guard let colon else { return headers.append((name, "")) }
        let value = text.unicodeScalars[text.unicodeScalars.index(after: colon)...]
            .drop { $0 == " " || $0 == "\t" }
        // `Name:` removes a field that curl would send.
        headers.append((name, value.isEmpty ? nil : String(value)))
    }

    private mutating func addData(
        _ text: String,
        keepsLineEnds: Bool = false
    ) throws(RequestTextError) {
        guard text.hasPrefix("@") else { return data.append(text) }
        var text = text
        if text == "@-" {
            switch input {
            case .text(let given):
                let isLineEnd = { (scalar: Unicode.Scalar) in scalar == "\n" || scalar == "\r" }
                let lines = String.UnicodeScalarView(
                    given.unicodeScalars.filter { !isLineEnd($0) }
                )
                return data.append(keepsLineEnds ? given : String(lines))
            case .file(let path): text = "@\(path)"
            case nil: throw RequestTextError("standard input cannot be pasted: name a file")
            }
        }
        guard bodyFile == nil else { throw Self.combined("a file") }
        bodyFile = String(text.dropFirst())
    }

    static func combined(_ part: String) -> RequestTextError {
        RequestTextError("\(part) and other data cannot be combined in one body")
    }

    /// Encodes `name=content`, `=content` or `content`; the name is left as it is.
    private static func encoded(pair text: String) throws(RequestTextError) -> String {
        guard let sign = text.firstIndex(of: "=") else {
            guard !text.contains("@") else { throw file(text, "--data-urlencode") }
            return encoded(text)
        }
        let name = text[..<sign]
        let value = encoded(String(text[text.index(after: sign)...]))
        return name.isEmpty ? value : "\(name)=\(value)"
    }

    /// Since 7.86 curl writes a space as `+` in a query, as in a form.
    private static func encoded(_ text: String) -> String { PercentEncoding.form(text) }

    private mutating func addPart(_ text: String, mayBeFile: Bool) throws(RequestTextError) {
        let part = try CurlFormPart(text, isLiteral: !mayBeFile).row()
        form.append(part.row)
        warnings += part.warnings
    }

    static func file(_ text: String, _ option: String) -> RequestTextError {
        RequestTextError("a file after \(option) is not supported: “\(text)”")
    }
}
