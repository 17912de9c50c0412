import Apus

/// An option of curl's manual that says how a request is sent; hurl has most of them by the same names.
struct CurlOption {
    /// What follows the name.
    enum Value {
        case flag
        case number(Int)
        case time(Duration)
        case path(String)
        case text(ExportText)
    }

    /// The long name, without dashes: "max-time".
    let name: String
    let value: Value

    /// The options for what differs from what curl does by itself.
    static func all(of request: ExportedRequest) -> [CurlOption] {
        let options = request.options
        let standard = TransportOptions()
        var found: [CurlOption] = []
        func add(_ name: String, _ value: Value = .flag) {
            found.append(CurlOption(name: name, value: value))
        }
        if options.decodesContent, request.field("Accept-Encoding") == nil,
            !request.omittedFields.contains(where: { $0.lowercased() == "accept-encoding" })
        {
            add("compressed")
        }
        if options.maximumRedirects > 0 {
            add(options.trustsRedirects ? "location-trusted" : "location")
            if options.maximumRedirects != standard.maximumRedirects {
                add("max-redirs", .number(options.maximumRedirects))
            }
        }
        if let time = options.timeout, time != standard.timeout { add("max-time", .time(time)) }
        if let time = options.connectTimeout, time != standard.connectTimeout {
            add("connect-timeout", .time(time))
        }
        if let size = options.maximumBodySize, size != standard.maximumBodySize {
            add("max-filesize", .number(size))
        }
        if !options.verifiesTLS { add("insecure") }
        if let file = options.certificateAuthorityFile { add("cacert", .path(file)) }
        if let certificate = options.clientCertificate {
            add("cert", .path(certificate.file))
            if certificate.format == .pkcs12 { add("cert-type", .text(ExportText(literal: "P12"))) }
            if let key = certificate.keyFile { add("key", .path(key)) }
            if let password = certificate.password {
                add("pass", .text(request.text(password.value)))
            }
        }
        if let path = options.unixSocket { add("unix-socket", .path(path)) }
        if let proxy = options.proxy { add("proxy", .text(request.text(proxy, .url))) }
        switch options.requestedVersion {
        case .automatic: break
        case .http1: add("http1.1")
        case .http2: add("http2")
        }
        return found
    }
}

extension Duration {
    /// Seconds as a decimal number.
    var inSeconds: String {
        let (seconds, attoseconds) = components
        guard attoseconds != 0 else { return "\(seconds)" }
        return "\(self / .seconds(1))"
    }
}
