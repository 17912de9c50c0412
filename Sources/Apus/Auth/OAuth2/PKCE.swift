import FoundationEssentials

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
