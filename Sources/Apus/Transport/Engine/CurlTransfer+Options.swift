import CCurl
import Documents
import HTTPTypes

extension CurlTransfer {
    /// Whether a handle's options, except for the URL, are those that this request needs.
    func fits(_ handle: CurlHandle) -> Bool {
        guard isPlain, let preset = handle.preset else { return false }
        return request.travelsLike(preset)
    }

    /// Whether a request leaves no options in a handle that could affect the next one.
    static func isPlain(_ request: PreparedRequest) -> Bool {
        guard case .none = request.body, request.options.shared == nil,
            request.head.method == .get, let authority = request.head.authority
        else { return false }
        return authority.utf8.withContiguousStorageIfAvailable { !$0.contains(0x40) } ?? false
    }

    /// Configures a handle for this request: completely if the handle is new, otherwise only where the
    /// request differs from the preset.
    func configure(
        _ handle: CurlHandle,
        _ configuration: CurlTransport.Configuration
    ) throws(ApusError) {
        let url = try request.sentURL
        do throws(CurlError) {
            try handle.reportProgress(reportsProgress)
            handle.expectLongBody(sink.readsLongBody || handle.hadLongBody)
            if let preset = handle.preset {
                // The rest of the head is the same, because the request fits the handle.
                if !request.hasURL(of: preset) { try handle.setURL(url) }
                handle.preset = request
                return
            }
        } catch {
            throw ApusError(error.reason)
        }
        try configureNew(handle, configuration, url)
        handle.mayShareConnection = mayShareConnection
        handle.preset = isPlain ? request : nil
    }

    private func configureNew(
        _ handle: CurlHandle,
        _ configuration: CurlTransport.Configuration,
        _ url: String
    ) throws(ApusError) {
        guard ["http", "https"].contains(request.head.scheme ?? "http") else {
            throw ApusError(.invalidRequest(.scheme(request.head.scheme ?? "")))
        }
        try request.head.headerFields.check()
        try request.options.shared?.value.check()
        let cookies = try request.options.shared?.value.activeJar?.share()
        do throws(CurlError) {
            try configureAll(handle, configuration, url)
            if let cookies { try configure(handle, cookies) }
        } catch {
            throw ApusError(error.reason)
        }
        try configureBody(handle, configuration)
    }

    private func configureAll(
        _ handle: CurlHandle,
        _ configuration: CurlTransport.Configuration,
        _ url: String
    ) throws(CurlError) {
        try configureEngine(handle, url)
        try configureConnection(handle)
        try configureTLS(handle)
        try configureRedirects(handle)
        if let shared = request.options.shared { try configure(handle, shared.value) }
        if !configuration.sendsOnlyGivenFields, mayUseProxy, !request.omits(.userAgent) {
            try handle.set(CURLOPT_USERAGENT, configuration.userAgent)  // Also sent with CONNECT.
        }
        if request.options.tracesWire { try handle.trace() }
    }

    private func configureEngine(_ handle: CurlHandle, _ url: String) throws(CurlError) {
        try handle.setURL(url)
        try handle.set(CURLOPT_PATH_AS_IS, true)
        try handle.set(CURLOPT_NOSIGNAL, true)
        // Otherwise the end of a transfer waits for getaddrinfo (measured: 3.8 s for all transfers of the
        // engine).
        try handle.set(CURLOPT_QUICK_EXIT, true)
        // One HTTP/2 connection for many first requests instead of one each. In cleartext they would wait
        // for the header of the first response, so one slow response would hold up all others.
        try handle.set(CURLOPT_PIPEWAIT, mayShareConnection)
        // A proxy's response to CONNECT is not the server's.
        try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
    }

    private func configureConnection(_ handle: CurlHandle) throws(CurlError) {
        let options = request.options
        try handle.set(CURLOPT_TIMEOUT_MS, Self.milliseconds(options.timeout) ?? 0)
        // Zero would mean libcurl's default of 300 s.
        let connecting = Self.milliseconds(options.connectTimeout) ?? Int(Int32.max)
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, connecting)
        try handle.set(CURLOPT_HTTP_VERSION, httpVersion)
        if httpVersion == CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE, CurlLibrary.beginsHTTP2Again {
            try handle.set(CURLOPT_FRESH_CONNECT, true)
            try handle.set(CURLOPT_FORBID_REUSE, true)
        }
        // Otherwise libcurl searches the environment for each request.
        if !mayUseProxy { try handle.set(CURLOPT_NOPROXY, "*") }
    }

    private var mayUseProxy: Bool {
        CurlLibrary.hasProxyInEnvironment || request.options.proxy != nil
    }

    /// At least 1, because 0 means no limit to libcurl.
    static func milliseconds(_ duration: Duration?) -> Int? {
        guard let duration else { return nil }
        let milliseconds = (duration / .milliseconds(1)).rounded(.up)
        return Int(min(max(milliseconds, 1), Double(Int32.max)))
    }

    private var httpVersion: Int {
        switch request.options.requestedVersion {
        case .automatic: CURL_HTTP_VERSION_2TLS
        case .http1: CURL_HTTP_VERSION_1_1
        case .http2:
            request.head.scheme == "https"
                ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
        }
    }

    private func configureTLS(_ handle: CurlHandle) throws(CurlError) {
        let options = request.options
        if let folder = CurlLibrary.hashedCertificateFolder {
            try handle.set(CURLOPT_CAINFO, nil)
            try handle.set(CURLOPT_CAPATH, folder)
        }
        if !options.verifiesTLS {
            try handle.set(CURLOPT_SSL_VERIFYPEER, false)
            try handle.set(CURLOPT_SSL_VERIFYHOST, 0)
        }
        // Also for http: a redirect may lead to https.
        try handle.set(CURLOPT_CERTINFO, true)
    }

    private func configureRedirects(_ handle: CurlHandle) throws(CurlError) {
        try handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try handle.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        guard request.options.maximumRedirects > 0 else { return }
        try handle.set(CURLOPT_FOLLOWLOCATION, true)
        try handle.set(CURLOPT_MAXREDIRS, request.options.maximumRedirects)
        if request.options.trustsRedirects {
            try handle.set(CURLOPT_UNRESTRICTED_AUTH, true)
        }
    }

    // MARK: method, body, header

    private func configureBody(
        _ handle: CurlHandle,
        _ configuration: CurlTransport.Configuration
    ) throws(ApusError) {
        let method = request.head.method
        var hasBody = true
        if case .none = request.body { hasBody = false }
        guard !hasBody || method != .head && method != .trace else {
            throw ApusError(
                .invalidRequest(.combination(detail: "a \(method.rawValue) request with a body"))
            )
        }
        upload = hasBody ? try UploadSource(request.body) : nil
        let bodyCount = upload?.count ?? 0
        do throws(CurlError) {
            switch method {
            case .get where !hasBody: try handle.set(CURLOPT_HTTPGET, true)
            case .head: try handle.set(CURLOPT_NOBODY, true)
            case .post:
                // libcurl changes the method to GET on 301, 302 and 303, as browsers do.
                try handle.set(CURLOPT_POST, true)
                try handle.set(CURLOPT_POSTFIELDSIZE_LARGE, byteCount: bodyCount)
            default:
                // A method that expects a body announces an empty one (RFC 9110, 8.6).
                if hasBody || method == .put || method == .patch {
                    try handle.set(CURLOPT_UPLOAD, true)
                    try handle.set(CURLOPT_INFILESIZE_LARGE, byteCount: bodyCount)
                }
                if method != .put || !hasBody {
                    try handle.set(CURLOPT_CUSTOMREQUEST, method.rawValue)
                }
            }
            if bodyCount < 0, upload?.mayHaveTrailers == true { try handle.setTrailerCallback() }
            try handle.setHeaderLines(headerLines(bodyCount: bodyCount, configuration))
        } catch {
            throw ApusError(error.reason)
        }
    }

    // Made once, because most requests need one of them.
    private static let noContentType = Array("Content-Type:\0".utf8)
    private static let noAccept = Array("Accept:\0".utf8)
    private static let noExpect = Array("Expect:\0".utf8)
    private static let noHost = Array("Host:\0".utf8)
    private static let noLength = Array("Content-Length: 0\0".utf8)
    private static let chunked = Array("Transfer-Encoding: chunked\0".utf8)
    private static let acceptEncoding = Array(
        "Accept-Encoding: \(BodyDecoder.Coding.accepted)\0".utf8
    )

    // libcurl writes these from the size it is given. A line set by us would be repeated after a redirect,
    // even without a body.
    private static let framingFields: [HTTPField.Name] = [.contentLength, .transferEncoding]

    private func headerLines(
        bodyCount: Int,
        _ configuration: CurlTransport.Configuration
    ) -> [[UInt8]] {
        let fields = request.head.headerFields
        // With a jar, libcurl makes one `Cookie` field for the jar's and the request's cookies.
        let hasJar = request.options.shared?.value.activeJar != nil
        var lines: [[UInt8]] = []
        var hasCookies = hasJar
        for field in fields where !Self.framingFields.contains(field.name) {
            guard field.name == .cookie else {
                lines.append(Self.headerLine(field))
                continue
            }
            // `HTTPFields` keeps each cookie in a separate field, as HTTP/2 does.
            guard !hasCookies, let whole = fields[.cookie] else { continue }
            lines.append(Self.headerLine(HTTPField(name: .cookie, value: whole)))
            hasCookies = true
        }
        // For an unknown length, libcurl adds this itself if the HTTP version has chunks.
        if upload != nil, fields[.transferEncoding]?.asciiLowercased == "chunked" {
            lines.append(Self.chunked)
        }
        // libcurl writes no length where there is no body; "0" is the only one that can be given there.
        if upload == nil, ![.post, .put, .patch].contains(request.head.method),
            fields[values: .contentLength] == ["0"]
        {
            lines.append(Self.noLength)
        }
        // Keeps libcurl from sending the type of a form.
        if request.head.method == .post, fields[.contentType] == nil {
            lines.append(Self.noContentType)
        }
        if request.decodesBody, !request.omits(.acceptEncoding) {
            lines.append(Self.acceptEncoding)
        }
        let givesOnly = configuration.sendsOnlyGivenFields
        // As a header line it costs half: libcurl builds its own for each request, twice and byte by byte
        // (measured, with another such field: 4 % of a small request).
        if !givesOnly, !mayUseProxy, fields[.userAgent] == nil, !request.omits(.userAgent) {
            lines.append(Array("User-Agent: \(configuration.userAgent)\0".utf8))
        }
        if givesOnly || request.omits(.accept), fields[.accept] == nil {
            lines.append(Self.noAccept)
        }
        if let host = HTTPField.Name("Host"), request.omits(host), fields[host] == nil {
            lines.append(Self.noHost)
        }
        // `Expect: 100-continue` costs a round trip, which pays off only for large bodies.
        if upload != nil, fields[.expect] == nil,
            bodyCount <= 1 << 20 || givesOnly || request.omits(.expect)
        {
            lines.append(Self.noExpect)
        }
        return lines
    }

    /// The trailer fields of the request, in libcurl's form.
    ///
    /// Leaves out fields for framing, content format, request modifiers and authentication (RFC 9110,
    /// section 6.5.1).
    var trailerLines: [[UInt8]] {
        guard let fields = upload?.trailers else { return [] }
        return fields.filter { !Self.notInTrailers.contains($0.name) }.map { field in
            // Without the space, libcurl does not accept the line as a field.
            let name = Array("\(field.name.rawName): ".utf8)
            return name + field.withUnsafeBytesOfValue { Array($0) } + [0]
        }
    }

    private static let notInTrailers = Set<HTTPField.Name>([
        .contentLength, .transferEncoding, .trailer, .te, .connection, .upgrade, .contentEncoding,
        .contentType, .contentRange, .authorization, .cookie, .proxyAuthorization, .expect, .range,
    ]).union([HTTPField.Name("Host")].compactMap(\.self))

    /// A field in libcurl's form; bytes, because a value need not be UTF-8 (RFC 9110, 5.5).
    private static func headerLine(_ field: HTTPField) -> [UInt8] {
        var line = Array(field.name.rawName.utf8)
        field.withUnsafeBytesOfValue { value in
            // "Name:" would leave the field out.
            line += value.isEmpty ? [UInt8(ascii: ";")] : [UInt8(ascii: ":"), UInt8(ascii: " ")]
            line += value
        }
        line.append(0)
        return line
    }
}
