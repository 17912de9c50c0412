import Documents
import FoundationEssentials

extension OAuth2Client {
    /// Obtains a token by letting a person sign in with their browser: authorization code with PKCE and a
    /// loopback redirect (RFC 7636, RFC 8252 section 7.3).
    ///
    /// A listener on a free port of 127.0.0.1 takes one redirect and shows a short page. It is closed before
    /// this returns or throws.
    ///
    /// - Parameters:
    ///   - host: the redirect's host, as it is registered at the server: `127.0.0.1` or `localhost`.
    ///   - port: the redirect's port; 0 for a free one, which servers must allow (RFC 8252 section 7.3).
    ///   - path: the redirect's path; `http://127.0.0.1` with it must be registered at the server.
    ///   - timeout: how long the person has to sign in.
    ///   - clock: measures the timeout.
    ///   - opener: shows the page at the URL, in a browser or as text; runs while this waits for the
    ///     redirect, and is cancelled when the waiting ends.
    /// - Returns: the token.
    /// - Throws: `.authorization` with `.refused`, `.stateMismatch` or `.timedOut`; `.hookFailed` with the
    ///   error that `opener` throws; `.cancelled`.
    public func authorizationCode(
        host: String = "127.0.0.1",
        port: UInt16 = 0,
        path: String = "/callback",
        timeout: Duration = .seconds(300),
        clock: any Clock<Duration> = ContinuousClock(),
        opener: @escaping @Sendable (_ url: String) async throws -> Void
    ) async throws(ApusError) -> OAuth2Token {
        let proof = PKCE()
        let state = PKCE.randomText()
        let listener = try LoopbackListener(path: path, port: port)
        defer { listener.close() }
        let redirect = "http://\(host):\(listener.port)\(path)"
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

    /// The URL of the page where a person signs in.
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
            throw ApusError(.unexpectedResponse(status: 302, detail: "the redirect has no code"))
        }
        return Secret(code)
    }
}

/// Proves that the sender of an authorization code is the client that asked for it (RFC 7636).
struct PKCE: Sendable {
    /// The secret that is sent to the token endpoint.
    let verifier: Secret

    /// The digest of the verifier, which goes to the authorization page: S256, never the plain form.
    var challenge: String {
        Data(SHA256.hash(Array(verifier.value.utf8))).base64URLText
    }

    /// Creates a proof with 256 random bits.
    init() { verifier = Secret(Self.randomText()) }

    init(verifier: Secret) { self.verifier = verifier }

    /// 256 bits from the system's random generator, as 43 characters.
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
