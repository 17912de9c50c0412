import Documents
import FoundationEssentials

extension OAuth2Client {
    /// A token for a person who signs in with their browser: authorization code with
    /// PKCE on a loopback redirect (RFC 7636, RFC 8252 section 7.3).
    ///
    /// A listener on 127.0.0.1, on a port that is free, takes the one redirect and
    /// shows a short page. It is closed in any case before this returns.
    ///
    /// - Parameters:
    ///   - path: the redirect's path; the server has to know `http://127.0.0.1` with it.
    ///   - timeout: how long the person has.
    ///   - clock: measures that.
    ///   - opener: shows the page at a URL, in a browser or as text; it runs beside the
    ///     waiting, and is cancelled when that ends.
    /// - Returns: the token.
    /// - Throws: `.authorization`: `.refused`, `.stateMismatch`, `.timedOut`; what
    ///   `opener` throws as `.hookFailed`; `.cancelled`.
    public func authorizationCode(
        path: String = "/callback",
        timeout: Duration = .seconds(300),
        clock: any Clock<Duration> = ContinuousClock(),
        opener: @escaping @Sendable (_ url: String) async throws -> Void
    ) async throws(ApusError) -> OAuth2Token {
        let proof = PKCE()
        let state = PKCE.randomText()
        let listener = try LoopbackListener(path: path)
        defer { listener.close() }
        let redirect = "http://127.0.0.1:\(listener.port)\(path)"
        let page = try authorizationPage(redirect: redirect, state: state, proof)
        let query = try await listener.query(state: state, within: timeout, clock) {
            try await opener(page)
        }
        let code = try Self.code(in: query, state: state)
        return try await token([
            ("grant_type", "authorization_code"), ("code", code.value),
            ("redirect_uri", redirect), ("code_verifier", proof.verifier.value),
        ])
    }

    /// The URL where a person signs in.
    func authorizationPage(
        redirect: String,
        state: String,
        _ proof: PKCE
    ) throws(ApusError) -> String {
        guard let endpoint = configuration.authorizationEndpoint else {
            throw ApusError(
                .invalidRequest(.combination(detail: "there is no authorization endpoint"))
            )
        }
        let parameters =
            [
                ("response_type", "code"), ("client_id", configuration.clientID),
                ("redirect_uri", redirect), ("state", state),
                ("code_challenge", proof.challenge), ("code_challenge_method", "S256"),
            ] + configuration.scopeParameters
        let joint = endpoint.contains("?") ? "&" : "?"
        return "\(endpoint)\(joint)\(PercentEncoding.formText(parameters))"
    }

    /// The code in a redirect's query (RFC 6749 section 4.1.2).
    static func code(in query: String, state: String) throws(ApusError) -> Secret {
        guard QueryEditing.value(of: "state", in: query) == state else {
            throw ApusError(.stateMismatch)
        }
        if let error = QueryEditing.value(of: "error", in: query) {
            throw ApusError(
                .refused(
                    OAuth2Refusal(
                        code: error,
                        text: QueryEditing.value(of: "error_description", in: query),
                        page: QueryEditing.value(of: "error_uri", in: query)
                    )
                )
            )
        }
        guard let code = QueryEditing.value(of: "code", in: query), !code.isEmpty else {
            throw ApusError(.unexpectedAnswer(status: 302, detail: "the redirect has no code"))
        }
        return Secret(code)
    }
}

/// A proof that who brings an authorization code is who asked for it (RFC 7636).
struct PKCE: Sendable {
    /// What goes to the token endpoint.
    let verifier: Secret

    /// Its digest, which goes to the authorization page: S256, never the plain form.
    var challenge: String {
        Data(SHA256.hash(Array(verifier.value.utf8))).base64URLText
    }

    /// A proof of 256 random bits.
    init() { verifier = Secret(Self.randomText()) }

    init(verifier: Secret) { self.verifier = verifier }

    /// 256 bits of the system's randomness as 43 characters.
    static func randomText() -> String {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return Data(bytes).base64URLText
    }
}

extension Data {
    /// Base64 for URLs, without padding (RFC 4648 section 5).
    fileprivate var base64URLText: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
