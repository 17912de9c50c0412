import Documents
import HTTPTypes

/// Gives each secret a mask of its own, so that the same secret can be recognized elsewhere.
package protocol SecretMasks: Sendable {
    /// The mask for a secret: two bullets and a number.
    func name(of secret: String) -> String
}

extension CredentialMask {
    /// Authentication schemes, which are written before the credential (RFC 9110, section 11.1).
    private static let schemes: Set<String> = [
        "basic", "bearer", "digest", "token", "apikey", "negotiate", "ntlm", "dpop", "hawk",
        "oauth",
        "mutual", "hoba", "vapid", "gnap", "aws4-hmac-sha256", "scram-sha-256", "scram-sha-1",
    ]

    /// Whether a text is a mask, with or without a number.
    static func isMask(_ text: String) -> Bool {
        guard text != mask else { return true }
        let masked = MaskedText(text)
        return masked.masks == [text] && text.unicodeScalars.last != "•"
    }

    /// The mask for a secret.
    package func name(of secret: String) -> String {
        guard let names else { return Self.mask }
        return Self.isMask(secret) ? secret : names.name(of: secret)
    }

    /// A value without its secrets; all of it is masked if its name is that of a secret.
    package func masking(value: String, named name: String) -> String {
        let isSecret =
            rules.contains(name)
            || !SecretFields.isOrdinary(parameter: name) && isCredential(.text(value), named: name)
        guard isOn, !value.isEmpty, isSecret else { return masking(line: value) }
        return self.name(of: masking(text: value))
    }

    /// The mask for a secret that a range of a text holds in any form.
    func name(ofForm range: Range<Int>, in text: UnsafeBufferPointer<UInt8>) -> String {
        name(of: range, in: text) { forms.secret(as: $0) ?? $0 }
    }

    /// The mask for a value that a range of a URL, a form or a line holds.
    func name(ofPlace range: Range<Int>, in text: UnsafeBufferPointer<UInt8>) -> String {
        name(of: range, in: text) { PercentEncoding.decoded($0) ?? $0 }
    }

    /// The mask for what a range of a text holds; `secret` gives the secret that this stands for.
    func name(
        of range: Range<Int>,
        in text: UnsafeBufferPointer<UInt8>,
        _ secret: (String) -> String = { $0 }
    ) -> String {
        guard names != nil else { return Self.mask }
        let shown = name(of: secret(String(decoding: text[range], as: UTF8.self)))
        // A digit after the mask would read as part of its number.
        let isApart =
            range.upperBound == text.count || !(0x30...0x39).contains(text[range.upperBound])
        return isApart ? shown : Self.mask
    }

    /// The mask for the value of a field that carries credentials.
    ///
    /// If masks have names, parts that are not secret stay: the scheme, a cookie's name and attributes.
    func name(ofValue value: String, of field: HTTPField.Name) -> String {
        guard names != nil else { return Self.mask }
        let text = masking(text: value)
        switch field {
        case .authorization, .proxyAuthorization:
            let parts = text.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, Self.schemes.contains(parts[0].lowercased()) else {
                return name(of: text)
            }
            return "\(parts[0]) \(name(of: String(parts[1])))"
        case .cookie: return text.split(separator: ";").map(pair).joined(separator: ";")
        case .setCookie:
            let end = text.firstIndex(of: ";") ?? text.endIndex
            return pair(text[..<end]) + masking(line: String(text[end...]))
        default: return name(of: text)
        }
    }

    /// The value of a field without its secrets.
    func masking(value: String, of field: HTTPField.Name) -> String {
        if isSecret(field: field) { return name(ofValue: value, of: field) }
        return masking(line: Self.isChallenge(field) ? masking(challenge: value) : value)
    }

    /// Whether a field says how to authenticate (RFC 9110, section 11.6).
    static func isChallenge(_ field: HTTPField.Name) -> Bool {
        field == .wwwAuthenticate || field == .proxyAuthenticate
    }

    /// Masks the parameters of a challenge that carry credentials: `Bearer realm="x", token="••••••"`.
    private func masking(challenge: String) -> String {
        let values = NamedValues(inChallenge: Array(challenge.utf8), where: isSecret(member:))
        return challenge.replacing(values.found.map(\.value), with: name(ofPlace:in:))
    }

    /// The index of the quote that ends a quoted text; the end of the bytes if there is none.
    static func endOfQuoted(from start: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int {
        var place = start
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
            place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(place, bytes.count)
    }

    /// The credentials in a field: what follows a scheme, and cookie values of at least 16 bytes.
    func credentials(of field: HTTPField) -> [String] {
        guard isSecret(field: field.name) else { return [] }
        switch field.name {
        case .authorization, .proxyAuthorization:
            let parts = field.value.split(separator: " ", maxSplits: 1)
            let hasScheme = parts.count == 2 && Self.schemes.contains(parts[0].lowercased())
            return [hasScheme ? String(parts[1]) : field.value]
        case .cookie:
            return field.value.split(separator: ";").map { pair in
                String(pair.drop { $0 != "=" }.dropFirst())
            }.filter { $0.utf8.count >= 16 }
        default: return [field.value]
        }
    }

    /// A cookie's name, and the mask for its value.
    private func pair(_ text: Substring) -> String {
        guard let equals = text.firstIndex(of: "=") else {
            let blanks = text.prefix { $0 == " " }
            return blanks + name(of: String(text.dropFirst(blanks.count)))
        }
        let value = String(text[text.index(after: equals)...])
        return text[...equals] + (value.isEmpty ? "" : name(of: value))
    }
}
