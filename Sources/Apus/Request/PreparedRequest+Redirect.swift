import FoundationEssentials
package import HTTPTypes

/// What is for a request's own origin, and does not follow a redirect to another one: one rule for
/// the redirects that libcurl follows and for those of `RedirectFollower`.
///
/// A body never does: nobody can tell of all that people send whether a password stands in it.
/// The same holds for fields that somebody made up.
extension PreparedRequest {
    /// The names of the fields that carry credentials by their name, or hold a known secret or
    /// one of the request's own credentials.
    var secretFieldNames: [HTTPField.Name] {
        // What all fields tell by their names needs no mask.
        lazy var mask = originMask
        func isKnown(_ value: String) -> Bool {
            mask.map { $0.masking(line: value) != value } ?? true
        }
        let rules = options.shared?.value.secretRules
        func isOwn(_ name: HTTPField.Name) -> Bool { rules?.contains(name.canonicalName) ?? false }
        var names: [HTTPField.Name] = []
        var known: Set<HTTPField.Name> = []
        for field in head.headerFields where !known.contains(field.name) {
            let isNamed = SecretFields.contains(field.name) || isOwn(field.name)
            guard isNamed || isKnown(field.value) else { continue }
            known.insert(field.name)
            names.append(field.name)
        }
        return names
    }

    /// The names of the fields that are for the request's own origin: all that HTTP itself does not
    /// know as harmless, and those with a credential in them.
    var ownOriginFieldNames: [HTTPField.Name] {
        let secret = Set(secretFieldNames)
        var known: Set<HTTPField.Name> = []
        return head.headerFields.map(\.name).filter {
            (secret.contains($0) || !Self.isHarmless($0.canonicalName)) && known.insert($0).inserted
        }
    }

    /// What may be sent: an interceptor knows nothing of the origin that a redirect left.
    var withinOrigin: PreparedRequest {
        guard options.shared?.value.hasLeftOrigin == true else { return self }
        let names = Set(ownOriginFieldNames)
        var request = self
        request.head.headerFields.removeAll { names.contains($0.name) }
        return request
    }

    /// Whether anything of it is for its own origin, but for what its URL says.
    package var isForOwnOrigin: Bool {
        hasContent || !ownOriginFieldNames.isEmpty || options.credentials != nil
            || options.clientCertificate != nil
    }

    /// Fields that say nothing of who asks (RFC 9110, 9111), by their names in small letters.
    private static let harmlessFields: Set<String> = [
        "cache-control", "date", "expect", "host", "if-match", "if-modified-since", "if-none-match",
        "if-range", "if-unmodified-since", "max-forwards", "pragma", "prefer", "priority", "range",
        "te", "trailer", "transfer-encoding", "upgrade-insecure-requests", "user-agent",
    ]

    /// Whether a field says nothing of who asks.
    package static func isHarmless(_ name: HTTPField.Name) -> Bool {
        !SecretFields.contains(name) && isHarmless(name.canonicalName)
    }

    private static func isHarmless(_ name: String) -> Bool {
        harmlessFields.contains(name) || name == "accept" || name.hasPrefix("accept-")
            || name.hasPrefix("content-")
    }

    /// Whether a known secret, or a credential of the request's fields or URL, stands in the body, or
    /// might: files and streams are not read for it.
    var bodyHoldsSecret: Bool {
        guard hasContent else { return false }
        guard let mask = originMask else { return true }
        guard case .bytes(let bytes) = body else {
            // Passwords of the environment's proxies are in every mask.
            return mask.secrets.count > CredentialMask().secrets.count
        }
        let text = String(decoding: bytes, as: UTF8.self)
        return mask.masking(text: text) != text
    }

    // MARK: the request's own credentials

    /// Shorter ones are words that may well stand anywhere.
    private static let shortestCredential = 4

    /// More bytes of credentials than this are not looked for, which takes a hundred times as much
    /// memory: no server takes a header so long.
    private static let credentialLimit = 32 << 10

    /// The request's mask, with what its own fields, its query and its URL carry as credentials; nil
    /// if they are so much that they may stand anywhere.
    private var originMask: CredentialMask? {
        var texts: [String] = []
        var rest = Self.credentialLimit
        for field in head.headerFields where SecretFields.contains(field.name) {
            rest -= field.value.utf8.count
            guard rest >= 0 else { return nil }
            texts += Self.credentials(in: field.value)
        }
        let inURL = URLCredentials(
            in: url,
            as: .url,
            among: options.secretParameters,
            rules: options.secretRules,
            shortestOfWeak: Self.shortestCredential
        ).texts
        if !inURL.isEmpty { rest -= url.utf8.count }
        guard rest >= 0, inURL.count < URLCredentials.textLimit else { return nil }
        texts += inURL
        let long = texts.filter { $0.utf8.count >= Self.shortestCredential }
        return CredentialMask(secrets: long).adding(self)
    }

    /// A field's value, and in it the token behind a scheme, what Basic encodes, the values of
    /// cookies and of parameters (RFC 9110, section 11.4).
    private static func credentials(in value: String) -> [String] {
        let scalars = value.unicodeScalars
        let words = scalars.split(separator: " ", maxSplits: 1).map { String($0) }
        var texts = [value]
        if words.count == 2 {
            texts.append(words[1])
            if words[0].lowercased() == "basic", let bytes = Data(base64Encoded: words[1]) {
                let pair = String(decoding: bytes, as: UTF8.self)
                texts += [pair, String(pair.unicodeScalars.drop { $0 != ":" }.dropFirst())]
            }
        }
        guard value.utf8.contains(UInt8(ascii: "=")) else { return texts }
        let signs = ([";", ","] as [Unicode.Scalar]).filter(scalars.contains)
        for pair in (signs.isEmpty ? [";"] : signs).flatMap({ scalars.split(separator: $0) }) {
            let name = pair.prefix { $0 != "=" }.split(separator: " ").last.map { String($0) }
            guard !openParameters.contains(name?.lowercased() ?? "") else { continue }
            let text = String(pair.drop { $0 != "=" }.dropFirst())
            texts += [text, text.replacing("\"", with: "")]
        }
        return texts
    }

    /// Parameters of `Authorization` that are no credential, but words of addresses and protocols.
    private static let openParameters: Set<String> = [
        "realm", "uri", "username", "algorithm", "qop", "nc", "charset", "userhash", "headers",
        "oauth_version", "oauth_timestamp", "oauth_signature_method",
    ]
}
