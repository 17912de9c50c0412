import CCurl
import HTTPTypes

extension CurlTransfer {
    /// Whether a handle's options are those that this request needs, but for the URL.
    func fits(_ handle: CurlHandle) -> Bool {
        guard let preset = handle.preset else { return false }
        return isPlain && request.options == preset.options
            && request.head.headerFields == preset.head.headerFields
            && request.head.scheme == preset.head.scheme
    }

    /// Whether the request leaves nothing in a handle that the next one could suffer from.
    private var isPlain: Bool {
        request.head.method == .get && request.body == .none
            && request.head.authority?.utf8.contains(UInt8(ascii: "@")) != true
    }

    /// Sets a handle up for this request, if it is as new wholly, else where it
    /// differs from the one that it fits.
    func configure(_ handle: CurlHandle, userAgent: String) throws(ApusError) {
        guard ["http", "https"].contains(request.head.scheme ?? "http") else {
            throw ApusError(.invalidRequest(.scheme(request.head.scheme ?? "")))
        }
        do throws(CurlFault) {
            try handle.reportProgress(reportsProgress)
            if let preset = handle.preset {
                if preset.head != request.head { try handle.setURL(request.url) }
            } else {
                try configureAll(handle, userAgent: userAgent)
            }
        } catch {
            throw ApusError(error.reason)
        }
        if handle.preset == nil { try configureBody(handle) }
        handle.preset = isPlain ? request : nil
    }

    private func configureAll(_ handle: CurlHandle, userAgent: String) throws(CurlFault) {
        try configureEngine(handle)
        try configureConnection(handle)
        try configureTLS(handle)
        try configureRedirects(handle)
        try handle.set(CURLOPT_USERAGENT, userAgent)
        if request.options.tracesWire { try handle.trace() }
    }

    private func configureEngine(_ handle: CurlHandle) throws(CurlFault) {
        try handle.setURL(request.url)
        try handle.set(CURLOPT_PATH_AS_IS, true)
        try handle.set(CURLOPT_NOSIGNAL, true)
        // Else the end of a transfer waits for getaddrinfo (measured: 3.8 s for
        // all transfers of the engine).
        try handle.set(CURLOPT_QUICK_EXIT, true)
        // One HTTP/2 connection for many first requests, instead of one each.
        try handle.set(CURLOPT_PIPEWAIT, true)
        // A proxy's answer to CONNECT is not the server's.
        try handle.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, true)
    }

    private func configureConnection(_ handle: CurlHandle) throws(CurlFault) {
        let options = request.options
        try handle.set(CURLOPT_TIMEOUT_MS, Self.milliseconds(options.timeout) ?? 0)
        // Zero would mean libcurl's own limit, 300 s.
        let connecting = Self.milliseconds(options.connectTimeout) ?? Int(Int32.max)
        try handle.set(CURLOPT_CONNECTTIMEOUT_MS, connecting)
        try handle.set(CURLOPT_HTTP_VERSION, httpVersion)
        if let proxy = options.proxy { try handle.set(CURLOPT_PROXY, proxy) }
        if options.decodesContent, request.head.headerFields[.acceptEncoding] == nil {
            try handle.set(CURLOPT_ACCEPT_ENCODING, "")  // All that libcurl can decode.
        }
    }

    /// At least one, because zero means no limit to libcurl.
    private static func milliseconds(_ duration: Duration?) -> Int? {
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

    private func configureTLS(_ handle: CurlHandle) throws(CurlFault) {
        let options = request.options
        if let file = options.certificateAuthorityFile {
            try handle.set(CURLOPT_CAINFO, file)
            try handle.set(CURLOPT_CAPATH, nil)
        } else if let folder = CurlLibrary.hashedCertificateFolder {
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

    private func configureRedirects(_ handle: CurlHandle) throws(CurlFault) {
        try handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try handle.set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https")
        guard request.options.maximumRedirects > 0 else { return }
        try handle.set(CURLOPT_FOLLOWLOCATION, true)
        try handle.set(CURLOPT_MAXREDIRS, request.options.maximumRedirects)
    }

    // MARK: method, body, header

    private func configureBody(_ handle: CurlHandle) throws(ApusError) {
        let method = request.head.method
        let hasBody = request.body != .none
        guard !hasBody || method != .head else {
            throw ApusError(.invalidRequest(.combination(detail: "a HEAD request with a body")))
        }
        let upload = try UploadSource(request.body)
        self.upload = hasBody ? upload : nil
        do throws(CurlFault) {
            switch method {
            case .get where !hasBody: try handle.set(CURLOPT_HTTPGET, true)
            case .head: try handle.set(CURLOPT_NOBODY, true)
            case .post:
                // libcurl turns it into GET on 301, 302 and 303, as browsers do.
                try handle.set(CURLOPT_POST, true)
                try handle.set(CURLOPT_POSTFIELDSIZE_LARGE, byteCount: upload.count)
            default:
                // A method that expects a body says that it is empty (RFC 9110, 8.6).
                if hasBody || method == .put || method == .patch {
                    try handle.set(CURLOPT_UPLOAD, true)
                    try handle.set(CURLOPT_INFILESIZE_LARGE, byteCount: upload.count)
                }
                if method != .put || !hasBody {
                    try handle.set(CURLOPT_CUSTOMREQUEST, method.rawValue)
                }
            }
            try handle.setHeaderLines(headerLines(bodyCount: upload.count))
        } catch {
            throw ApusError(error.reason)
        }
    }

    private func headerLines(bodyCount: Int) -> [String] {
        let fields = request.head.headerFields
        var lines = fields.map { field in
            // "Name:" would leave the field out.
            field.value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(field.value)"
        }
        // A POST without a type is not a form.
        if request.head.method == .post, fields[.contentType] == nil {
            lines.append("Content-Type:")
        }
        // Asking first costs a round trip: it pays only for large bodies.
        if (1...1 << 20).contains(bodyCount), fields[.expect] == nil { lines.append("Expect:") }
        return lines
    }
}
