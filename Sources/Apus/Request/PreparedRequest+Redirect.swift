import Documents
import FoundationEssentials
package import HTTPTypes
import Secrets

/// Decides what stays at a request's own origin when a redirect leads to another one. The same rule applies
/// to the redirects that libcurl follows and to those of `RedirectFollower`.
///
/// A body never follows, because nobody knows whether it holds a password. The same is true of custom
/// header fields.
extension PreparedRequest {
    /// The names of fields that are credentials by their name, or whose value holds a known secret or one of
    /// the request's own credentials.
    var secretFieldNames: [HTTPField.Name] {
        // Lazy: fields that are known by their names need no mask.
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

    /// The names of the fields that stay at the request's own origin: those that hold a credential, and all
    /// that are not known to be harmless in HTTP.
    var ownOriginFieldNames: [HTTPField.Name] {
        let secret = Set(secretFieldNames)
        var known: Set<HTTPField.Name> = []
        return head.headerFields.map(\.name).filter {
            (secret.contains($0) || !Self.isHarmless($0.canonicalName)) && known.insert($0).inserted
        }
    }

    /// The request to send after interceptors, which do not know that a redirect has left the origin.
    var withinOrigin: PreparedRequest {
        guard options.shared?.value.hasLeftOrigin == true else { return self }
        let names = Set(ownOriginFieldNames)
        var request = self
        request.head.headerFields.removeAll { names.contains($0.name) }
        return request
    }

    /// Whether anything of it, apart from its URL, must stay at its own origin.
    package var isForOwnOrigin: Bool {
        hasContent || !ownOriginFieldNames.isEmpty || options.credentials != nil
            || options.clientCertificate != nil
    }

    /// The lowercase names of fields that do not identify the sender (RFC 9110, 9111).
    private static let harmlessFields: Set<String> = [
        "cache-control", "date", "expect", "host", "if-match", "if-modified-since", "if-none-match",
        "if-range", "if-unmodified-since", "max-forwards", "pragma", "prefer", "priority", "range",
        "te", "trailer", "transfer-encoding", "upgrade-insecure-requests", "user-agent",
    ]

    /// Whether a field does not identify the sender.
    package static func isHarmless(_ name: HTTPField.Name) -> Bool {
        !SecretFields.contains(name) && isHarmless(name.canonicalName)
    }

    private static func isHarmless(_ name: String) -> Bool {
        harmlessFields.contains(name) || name == "accept" || name.hasPrefix("accept-")
            || name.hasPrefix("content-")
    }

    /// Whether the body holds a known secret, or a credential from the request's fields or URL.
    ///
    /// Files and streams are not read: they count if the request has any secret.
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

    /// Shorter texts may be ordinary words that stand anywhere.
    private static let shortestCredential = 4

    /// The most bytes of credentials to search for, because the search takes a hundred times their memory; no
    /// server accepts a header this long.
    private static let credentialLimit = 32 << 10

    /// The request's mask, with the credentials in its own fields, query and URL added; nil if there are too
    /// many to search for.
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
            by: CredentialMask(parameters: options.secretParameters, rules: options.secretRules),
            shortestOfWeak: Self.shortestCredential
        ).texts
        if !inURL.isEmpty { rest -= url.utf8.count }
        guard rest >= 0, inURL.count < URLCredentials.textLimit else { return nil }
        texts += inURL
        let long = texts.filter { $0.utf8.count >= Self.shortestCredential }
        return CredentialMask(secrets: long).adding(self)
    }

    /// A field's value and the credentials in it: the token after a scheme, what Basic encodes, and the values
    /// of cookies and parameters (RFC 9110, section 11.4).
    private static func credentials(in value: String) -> [String] {
        let scalars = value.unicodeScalars
        let words = scalars.split(separator: " ", maxSplits: 1).map { String($0) }
        var texts = [value]
        if words.count == 2 {
            texts.append(words[1])
            if words[0].asciiLowercased == "basic", let bytes = Data(base64Encoded: words[1]) {
                let pair = String(decoding: bytes, as: UTF8.self)
                texts += [pair, String(pair.unicodeScalars.drop { $0 != ":" }.dropFirst())]
            }
        }
        guard value.utf8.contains(UInt8(ascii: "=")) else { return texts }
        let signs = ([";", ","] as [Unicode.Scalar]).filter(scalars.contains)
        for pair in (signs.isEmpty ? [";"] : signs).flatMap({ scalars.split(separator: $0) }) {
            let name = pair.prefix { $0 != "=" }.split(separator: " ").last.map { String($0) }
            guard !openParameters.contains(name?.asciiLowercased ?? "") else { continue }
            let text = String(pair.drop { $0 != "=" }.dropFirst())
            texts += [text, text.replacing("\"", with: "")]
        }
        return texts
    }

    /// Parameters of `Authorization` that are not credentials, but words of addresses and protocols.
    private static let openParameters: Set<String> = [
        "realm", "uri", "username", "algorithm", "qop", "nc", "charset", "userhash", "headers",
        "oauth_version", "oauth_timestamp", "oauth_signature_method",
    ]
}
