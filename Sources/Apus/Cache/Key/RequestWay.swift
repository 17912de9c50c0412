import HTTPTypes

/// How a request is sent, as far as another way may get another answer: the host that it names
/// beside the one of its URL, whether its body comes coded, who is taken for the server, and where
/// the connection leads, which the environment may say too.
///
/// Nearly all requests go the usual way, which has no part: their keys are as if there were
/// no other.
struct RequestWay: Equatable {
    /// A part that is not as usual, with its value; secrets are in the values.
    struct Part: Equatable {
        let name: String
        let value: String
    }

    private(set) var parts: [Part] = []

    /// The way of a request.
    init(_ request: PreparedRequest, in environment: ProxyEnvironment = .current) {
        let options = request.options
        addFields(request.head.headerFields, isDecoded: options.decodesContent)
        if !options.verifiesTLS { add("tls", "unverified") }
        let rare = options.shared?.value
        if let rare { add(rare) }
        // As libcurl does: what a request says itself is said instead of the environment.
        guard rare?.proxy != nil || environment.proxies != nil else { return }
        if rare?.proxy == nil, let proxies = environment.proxies {
            add("environment-proxy", proxies)
        }
        if rare?.proxyExceptions.isEmpty ?? true, let hosts = environment.exceptions {
            add("environment-no-proxy", hosts)
        }
    }

    /// What the fields of a request say of it.
    init(fieldsOf request: PreparedRequest) {
        addFields(request.head.headerFields, isDecoded: request.options.decodesContent)
    }

    private mutating func add(_ name: String, _ value: String) {
        parts.append(Part(name: name, value: value))
    }

    private mutating func addFields(_ fields: HTTPFields, isDecoded: Bool) {
        if !isDecoded { add("body", "coded") }
        for field in fields {
            switch field.name.canonicalName {
            // The target URI has the host of this field (RFC 9110, 7.1); the URL, where it is sent.
            case "host": add("host", field.value)
            // Who names codings gets them undecoded.
            case "accept-encoding": add("codings", field.value)
            default: break
            }
        }
    }

    private mutating func add(_ options: RareOptions) {
        if let file = options.certificateAuthorityFile { add("tls-authorities", file) }
        for pin in options.pinnedPublicKeys { add("tls-pin", pin) }
        if let version = options.minimumTLSVersion { add("tls-minimum", version.rawValue) }
        if let socket = options.unixSocket { add("socket", socket) }
        if let proxy = options.proxy { add("proxy", proxy) }
        for host in options.proxyExceptions { add("no-proxy", host) }
        for other in options.addressOverrides {
            let from = "\(other.host):\(other.port.map(String.init) ?? "")"
            add("address", "\(from) \(other.address):\(other.toPort.map(String.init) ?? "")")
        }
    }

    /// Adds a line for each part.
    func add(to recipe: inout KeyRecipe) {
        for part in parts { recipe.add("way-\(part.name)", part.value) }
    }
}

extension PreparedRequest {
    /// Whether a coded body is asked for and decoded: not for a request that names codings itself.
    var decodesBody: Bool {
        options.decodesContent && head.headerFields[.acceptEncoding] == nil
    }
}
