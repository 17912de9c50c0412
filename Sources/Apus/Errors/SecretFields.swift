import Documents
package import HTTPTypes

/// The names of what carries credentials: header fields, and parameters of URLs, forms and JSON.
///
/// A key holds only their digests; what is shown, logged or recorded has a mask in their place.
package enum SecretFields {
    private static let names: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key",
        "x-auth-token", "x-access-token", "x-csrf-token", "x-xsrf-token", "x-amz-security-token",
        "x-goog-api-key", "x-functions-key", "ocp-apim-subscription-key", "private-token",
        "authentication-info", "proxy-authentication-info", "apikey", "auth-token", "access-token",
        "x-auth", "x-auth-key", "x-apikey", "x-app-key", "x-api-token", "x-api-secret",
        "x-secret-key", "x-secret", "x-token", "x-session-token", "x-session-id", "x-password",
        "x-client-secret", "x-refresh-token", "x-id-token", "x-jwt", "x-signature",
        "x-hub-signature",
        "x-hub-signature-256", "x-gitlab-token", "job-token", "deploy-token", "x-github-token",
        "x-vault-token", "x-consul-token", "x-shopify-access-token",
        "x-shopify-storefront-access-token",
        "x-figma-token", "x-parse-rest-api-key", "x-parse-master-key", "x-rapidapi-key",
        "x-subscription-token", "x-ms-token-aad-access-token", "x-amz-sso_bearer_token",
        "x-aws-ec2-metadata-token", "x-forwarded-access-token", "x-docker-registry-auth",
        "x-registry-auth", "x-elastic-api-key", "x-datadog-api-key", "dd-api-key",
        "dd-application-key", "x-sentry-token", "x-plex-token", "x-emby-token", "x-mbx-apikey",
        "circle-token", "x-honeycomb-team", "token",
    ]

    /// Those that change from request to request, or are for somebody on the way.
    private static let passing: Set<String> = [
        "proxy-authorization", "set-cookie", "x-csrf-token", "x-xsrf-token", "authentication-info",
        "proxy-authentication-info", "x-signature", "x-hub-signature", "x-hub-signature-256",
    ]

    /// Whether a field of this name carries credentials.
    package static func contains(_ name: HTTPField.Name) -> Bool {
        names.contains(name.canonicalName)
    }

    /// Whether a credential in a field of this name, of which no more is known, tells a server whose
    /// request it is.
    static func namesAccount(_ name: HTTPField.Name) -> Bool {
        !passing.contains(name.canonicalName)
    }
}

/// Parameters, form fields, members and elements.
///
/// Of `user[newPassword]` the last part counts, without case and signs: `newpassword`.
extension SecretFields {
    /// Words that are credentials only by themselves: a `sort_key` and a `country_code` are none.
    private static let words: Set<String> = [
        "key", "code", "sig", "signature", "xamzsignature", "xgoogsignature", "xamzcredential",
        "clientassertion", "codeverifier", "authorization",
    ]

    /// Words that are credentials behind others too: `new_password`, `sessionToken`.
    private static let endings = [
        "password", "passwordconfirmation", "passwd", "passphrase", "passcode", "pwd", "secret",
        "token", "jwt", "otp", "apikey", "accesskey", "accesskeyid", "authkey", "encryptionkey",
        "privatekey", "secretkey", "sessionkey", "sharedkey", "signingkey", "subscriptionkey",
    ]

    /// The words in front of a token that is a place in a list, and no credential.
    private static let places = [
        "page", "next", "previous", "prev", "continuation", "sync", "cursor", "resume", "start",
    ]

    /// Whether a member of this name, without escapes, carries a credential.
    static func contains(parameter name: String) -> Bool {
        let word = word(of: name)
        if words.contains(word) { return true }
        // `password2` repeats the first.
        let digits = word.utf8.reversed().prefix { isDigit($0) }.count
        let rest = word.dropLast(digits)
        guard let ending = endings.first(where: { rest.hasSuffix($0) }) else { return false }
        let front = rest.dropLast(ending.count)
        return ending != "token" || !places.contains { front.hasSuffix($0) }
    }

    /// Whether a name, as it stands in a query, may be that of a credential; false is certain, and
    /// found out without making a text of it.
    static func mayContain(parameter name: UnsafeBufferPointer<UInt8>) -> Bool {
        var (tail, count) = (0, 0)
        for byte in name.reversed() {
            // An escape, or a letter that is another in small letters.
            if byte == UInt8(ascii: "%") || byte >= 0x80 { return true }
            guard count < 3, isLetter(byte | 0x20) else { continue }
            tail |= Int(byte & 31) << (5 * count)
            count += 1
        }
        return count == 3 && tails[tail & 1023] & 1 << UInt32(tail >> 10) != 0
    }

    /// The last three letters of all names: a bit for the first of them, by the others.
    private static let tails: [UInt32] = (words + endings).reduce(
        into: Array(repeating: 0, count: 1024)
    ) { tails, name in
        let tail = name.utf8.suffix(3).reduce(0) { $0 << 5 | Int($1 & 31) }
        tails[tail & 1023] |= 1 << UInt32(tail >> 10)
    }

    /// Whether a parameter of this name is another for each request.
    static func isSignature(parameter name: some StringProtocol) -> Bool {
        signatures.contains(word(of: PercentEncoding.decodedForm(name)))
    }

    private static let signatures: Set<String> = [
        "signature", "sig", "xamzsignature", "xgoogsignature", "otp", "code",
    ]

    /// Whether a parameter of this name is a credential in one place and an ordinary word in another.
    static func isOrdinary(parameter name: some StringProtocol) -> Bool {
        ["key", "code", "sig", "signature"].contains(word(of: PercentEncoding.decodedForm(name)))
    }

    /// The letters and digits of the last part that is no number, in small letters.
    private static func word(of name: String) -> String {
        let parts = name.lowercased().utf8.split { "[].:".utf8.contains($0) }
        guard let part = parts.last(where: { $0.contains(where: isLetter) }) else { return "" }
        return String(decoding: part.filter { isLetter($0) || isDigit($0) }, as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}
