import HTTPTypes

/// The parts of how a request is sent that can change its response.
///
/// They are a `Host` field, the fields that are left out, whether the body arrives encoded, which servers TLS
/// trusts, and where the connection goes (also by the environment's proxy variables). Nearly all requests take
/// the usual route, which has no parts and adds nothing to their keys.
struct RequestRoute: Equatable {
    /// A part that is not as usual; the value may contain secrets.
    struct Part: Equatable {
        let name: String
        let value: String
    }

    private(set) var parts: [Part] = []

    init(_ request: PreparedRequest, in environment: ProxyEnvironment = .current) {
        let options = request.options
        addFields(request.head.headerFields, isDecoded: options.decodesContent)
        if !options.verifiesTLS { add("tls", "unverified") }
        let rare = options.shared?.value
        if let rare { add(rare) }
        // As in libcurl, the request's own settings override the environment.
        guard rare?.proxy != nil || environment.proxies != nil else { return }
        if rare?.proxy == nil, let proxies = environment.proxies {
            add("environment-proxy", proxies)
        }
        if rare?.proxyExceptions.isEmpty ?? true, let hosts = environment.exceptions {
            add("environment-no-proxy", hosts)
        }
    }

    /// The parts from the request's fields and its decoding option only.
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
            // The target URI has this field's host (RFC 9110, 7.1); the URL says where to send the request.
            case "host": add("host", field.value)
            // A caller that names codings gets the body undecoded.
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
        for name in options.omittedFields.map(\.canonicalName).sorted() { add("without", name) }
        for other in options.addressOverrides {
            let from = "\(other.host):\(other.port.map(String.init) ?? "")"
            add("address", "\(from) \(other.address):\(other.toPort.map(String.init) ?? "")")
        }
    }

    func add(to recipe: inout KeyRecipe) {
        for part in parts { recipe.add("way-\(part.name)", part.value) }
    }
}
