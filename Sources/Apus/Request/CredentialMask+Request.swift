import Documents
import HTTPTypes
package import Secrets

/// What the engine's own types add to the mask.
extension CredentialMask {
    /// This mask, with the secrets that a request declares.
    package func adding(_ request: PreparedRequest) -> CredentialMask {
        // Most requests have no uncommon options and no user in their URL.
        let options = request.options.shared?.value
        let hasUser = request.head.authority?.utf8.contains(UInt8(ascii: "@")) == true
        guard isOn, options != nil || hasUser else { return self }
        var own = options.map(Self.secrets) ?? []
        if hasUser, let authority = request.head.authority {
            own.formUnion(ProxySecrets(authority).secrets)
        }
        return adding(
            own,
            parameters: options?.secretParameters ?? [],
            rules: options?.secretRules ?? SecretRules()
        )
    }

    /// All secrets in the options; a user and password also as the pair that Basic encodes (RFC 7617, section
    /// 2).
    private static func secrets(of options: RareOptions) -> Set<String> {
        var secrets = Set(options.secretTexts.map(\.value))
        for credentials in [options.credentials, options.proxyCredentials] {
            guard let credentials else { continue }
            secrets.insert(credentials.password.value)
            secrets.insert("\(credentials.user):\(credentials.password.value)")
        }
        if let password = options.clientCertificate?.password { secrets.insert(password.value) }
        if let proxy = options.proxy { secrets.formUnion(ProxySecrets(proxy).secrets) }
        return secrets
    }

    /// The request without its secrets.
    package func masking(_ request: PreparedRequest) -> PreparedRequest {
        adding(request).maskingParts(of: request)
    }

    /// The same with a mask to which the request's secrets were already added.
    package func maskingParts(of request: PreparedRequest) -> PreparedRequest {
        guard isOn else { return request }
        var masked = request
        if let head = self.masked(request.head) { masked.head = head }
        if case .bytes(let bytes) = request.body {
            masked.body = .bytes(masking(bytes, isForm: request.hasForm))
        }
        return masked
    }

    /// The metrics without the secrets in URLs, fields and the wire trace.
    package func masking(_ metrics: TransferMetrics) -> TransferMetrics {
        guard isOn else { return metrics }
        var metrics = metrics
        metrics.effectiveURL = metrics.effectiveURL.map { masking(url: $0) }
        for index in metrics.redirects.indices {
            let hop = metrics.redirects[index]
            metrics.redirects[index].location = masking(url: hop.location)
            metrics.redirects[index].url = masking(url: hop.url)
            metrics.redirects[index].fields = masking(hop.fields)
        }
        metrics.irregularHeaderLines = metrics.irregularHeaderLines.map {
            masking(headerLine: $0)
        }
        metrics.undecoded = metrics.undecoded.map { masking(text: $0) }
        for index in metrics.interimResponses.indices {
            let fields = metrics.interimResponses[index].headerFields
            metrics.interimResponses[index].headerFields = masking(fields)
        }
        metrics.trace = metrics.trace.map {
            WireTraceEntry(kind: $0.kind, text: masking(headerLine: $0.text))
        }
        return metrics
    }

    // MARK: pairs of a query

    /// The pairs in a request's query that carry credentials.
    static func secretPairs(of request: PreparedRequest) -> [Substring] {
        queryPairs(of: request).filter { pair in
            isSecret(parameter: name(of: pair), among: request.options.secretParameters)
        }
    }

    /// The pairs in a request's query that identify an account: those with a known secret, and those that
    /// carry credentials, except signatures, which change each time.
    static func accountPairs(of request: PreparedRequest) -> [Substring] {
        let mask = request.mask
        return queryPairs(of: request).filter { pair in
            let name = name(of: pair)
            return mask.masking(text: String(pair)) != pair
                || isSecret(parameter: name, among: request.options.secretParameters)
                    && !SecretFields.isSignature(parameter: name)
        }
    }

    /// The pairs with one of these names, in a request's query or form, that contain a known secret.
    static func knownPairs(of request: PreparedRequest, among names: Set<String>) -> [Substring] {
        let mask = request.mask
        guard mask.hasSecrets else { return [] }
        var pairs = queryPairs(of: request)
        if case .bytes(let bytes) = request.body, request.hasForm {
            pairs += Self.pairs(String(decoding: bytes, as: UTF8.self).unicodeScalars[...])
        }
        return pairs.filter { pair in
            names.contains(PercentEncoding.decodedForm(name(of: pair)))
                && mask.masking(text: String(pair)) != pair
        }
    }

    private static func queryPairs(of request: PreparedRequest) -> [Substring] {
        pairs((request.head.path ?? "").unicodeScalars.drop { $0 != "?" }.dropFirst())
    }

    private static func pairs(_ text: Substring.UnicodeScalarView) -> [Substring] {
        text.split(separator: "&").map(Substring.init)
    }

    private static func name(of pair: Substring) -> Substring {
        Substring(pair.unicodeScalars.prefix { $0 != "=" })
    }
}
