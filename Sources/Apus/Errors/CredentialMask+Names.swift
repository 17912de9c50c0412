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
        let rest = text.unicodeScalars.drop { $0 == "•" }
        let count = text.unicodeScalars.count - rest.count
        let isNumber = !rest.isEmpty && rest.allSatisfy { ("0"..."9").contains($0) }
        return text == mask || count == 2 && isNumber
    }

    /// The mask for a secret.
    func name(of secret: String) -> String {
        guard let names else { return Self.mask }
        return Self.isMask(secret) ? secret : names.name(of: secret)
    }

    /// A value without its secrets; all of it is masked if its name is that of a secret.
    package func masking(value: String, named name: String) -> String {
        let isSecret =
            rules.contains(name)
            || Self.isSecret(parameter: name) && !SecretFields.isOrdinary(parameter: name)
                && SecretFields.isCredential(.text(value), named: name)
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

    /// The mask for a pattern's match in a range; `secret` is the match without its escapes.
    func name(
        ofMatch range: Range<Int>,
        in text: UnsafeBufferPointer<UInt8>,
        _ secret: String?
    ) -> String {
        name(of: range, in: text) { secret ?? $0 }
    }

    private func name(
        of range: Range<Int>,
        in text: UnsafeBufferPointer<UInt8>,
        _ secret: (String) -> String
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
        var text = challenge
        return text.withUTF8 { bytes in
            var (places, place) = ([Range<Int>](), 0)
            while let equals = bytes[place...].firstIndex(of: UInt8(ascii: "=")) {
                let start = bytes[place..<equals].lastIndex { " \t,".utf8.contains($0) }
                let name = String(
                    decoding: bytes[(start.map { $0 + 1 } ?? place)..<equals],
                    as: UTF8.self
                )
                var (value, end) = (equals + 1, equals + 1)
                if value < bytes.count, bytes[value] == UInt8(ascii: "\"") {
                    value += 1
                    end = Self.endOfQuoted(from: value, in: bytes)
                } else {
                    end = bytes[value...].firstIndex { ", \t".utf8.contains($0) } ?? bytes.count
                }
                if value < end, isSecret(member: name) { places.append(value..<end) }
                place = max(end, equals + 1)
            }
            guard !places.isEmpty else { return challenge }
            let masked = SecretMatcher.replacing(places, in: bytes) {
                self.name(ofPlace: $0, in: bytes)
            }
            return String(decoding: masked, as: UTF8.self)
        }
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
