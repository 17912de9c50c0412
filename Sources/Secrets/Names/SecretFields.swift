import Documents
package import HTTPTypes

/// The names that carry credentials: header fields, and parameters of URLs, forms and JSON.
///
/// Programs invent such names, so a name is recognized by its words. Common HTTP names that end with such a
/// word but carry no credential are listed as exceptions. A cache key holds only digests of credentials; what
/// is shown, logged or recorded has a mask instead.
package enum SecretFields {
    /// What a field with a known name carries.
    private enum Kind {
        /// A credential that tells a server whose request it is.
        case account
        /// A credential that changes each time, or is meant for an intermediary.
        case passing
        /// No credential, whatever its words say.
        case open
    }

    /// The common fields, which are found without reading their words, and those whose words say nothing or
    /// mislead.
    private static let names: [String: Kind] = [
        "authorization": .account, "cookie": .account, "x-api-key": .account, "api-key": .account,
        "x-auth-token": .account, "x-access-token": .account, "private-token": .account,
        "x-pass": .account, "key": .account, "x-key": .account, "code": .account, "sig": .passing,
        "fastly-key": .account, "x-appwrite-key": .account, "x-bunny-key": .account,
        "x-lc-key": .account, "x-jfrog-art-api": .account, "x-honeycomb-team": .account,
        "x-amzn-oidc-data": .account, "x-ms-client-principal": .account,
        "x-device-code": .account, "x-auth-code": .account, "x-verification-code": .passing,
        "x-shopify-hmac-sha256": .passing,
        "set-cookie": .passing, "proxy-authorization": .passing, "authentication-info": .passing,
        "proxy-authentication-info": .passing, "dpop": .passing, "x-wsse": .passing,
        "connection": .open, "location": .open, "access-control-allow-credentials": .open,
        "lock-token": .open, "x-atlassian-token": .open,
    ]

    /// Whether a field of this name carries credentials.
    package static func contains(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        guard name.utf8.withContiguousStorageIfAvailable(mayContain) ?? true else { return false }
        if let kind = names[name] { return kind != .open }
        return lastWords.contains(lastWord(of: name)) || ends(name, with: fieldEndings)
    }

    /// Words of fields that are credentials only if nothing but a hyphen stands before them: `X-Sid`, `X-Pin`,
    /// but not `X-Ssid` and `X-Design`.
    private static let lastWords: Set<Substring> = [
        "sid", "pin", "sign", "pass", "ticket", "bearer", "otp", "csrf", "xsrf",
    ]

    private static func lastWord(of name: String) -> Substring {
        let start = name.utf8.lastIndex { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        return name[(start.map(name.utf8.index(after:)) ?? name.startIndex)...]
    }

    /// Whether an otherwise unknown credential in a field of this name tells a server whose request it is.
    package static func namesAccount(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        if let kind = names[name] { return kind == .account }
        let word = lastWord(of: name)
        return !["sign", "otp", "csrf", "xsrf"].contains(word)
            && !ends(name, with: passingEndings)
    }

    private static let ownFieldWords = [
        "authorization", "authentication", "auth", "session", "cookie",
        "credential", "credentials", "assertion", "signature", "adminkey", "appkey",
        "applicationkey", "customerkey", "functionskey", "masterkey",
    ]

    private static let fieldEndings = Endings(wordEndings + ownFieldWords)

    /// Credentials that change from request to request.
    private static let passingEndings = Endings([
        "csrftoken", "xsrftoken", "verificationtoken", "otp", "signature",
    ])
}

/// Parameters, form fields, members and elements.
///
/// Of `user[newPassword]` only the last part counts, in lower case and without punctuation: `newpassword`.
extension SecretFields {
    /// Words that are credentials only on their own: `sort_key` and `country_code` are none.
    private static let words: Set<String> = ordinary.union(vague).union([
        "xamzsignature", "xgoogsignature", "oauthsignature", "sharedaccesssignature",
        "xamzcredential", "xgoogcredential", "clientassertion", "samlassertion", "jwtassertion",
        "userassertion", "codeverifier", "oauthverifier", "pkceverifier", "idtokenhint",
        // Codes that stand for a login or a right.
        "authorizationcode", "oauthcode", "authcode", "devicecode", "accesscode", "logincode",
        "verificationcode", "securitycode", "recoverycode", "backupcode", "onetimecode",
        "otpcode", "mfacode", "totpcode", "smscode",
        // SAML, WS-Federation and CAS.
        "samlresponse", "samlrequest", "samlart", "wresult", "proxyticket", "serviceticket",
        "pgt", "pgtid", "pgtiou",
        "connectsid", "expresssid", "jsessionidsso", "phpsession", "laravelsession",
        "authorization", "proxyauthorization", "basicauth", "httpauth", "xauth",
        "dbpass", "userpass", "adminpass", "rootpass", "smtppass", "mailpass", "ftppass",
        "sudopass", "proxypass", "mysqlpass", "redispass", "keypass", "storepass", "mypass",
        "newpass", "oldpass", "loginpass", "currentpass", "pgpass", "sshpass",
        "accountkey", "appkey", "masterkey", "privkey",
    ])

    /// Everyday words, which are credentials in URLs: in a document only a long value counts.
    private static let ordinary: Set<String> = ["key", "code", "sig", "sign", "signature"]

    /// Words that may also name a thing or a count: in a document only a text of one word counts, no number,
    /// list or object: `{"pass": 12}`, `{"ticket": {"title": …}}`.
    private static let vague: Set<String> = [
        "auth", "pass", "sid", "ticket", "bearer", "credential", "credentials", "assertion",
        "cookie", "setcookie", "csrf", "xsrf",
    ]

    /// Those of them whose text may have blanks: `Bearer s3cret`, `a pass phrase`, `sid=1; lang=en`.
    private static let wordy: Set<String> = [
        "auth", "pass", "bearer", "cookie", "setcookie", "credential", "credentials",
    ]

    /// Words that are credentials at the end of a name too: `new_password`, `sessionToken`.
    private static let wordEndings = [
        "password", "passwordconfirmation", "passwd", "passphrase", "passcode", "pwd", "secret",
        "token", "jwt", "otp", "apikey", "accesskey", "accesskeyid", "authkey", "encryptionkey",
        "privatekey", "secretkey", "sessionkey", "sharedkey", "signingkey", "subscriptionkey",
        "sessionid", "sessid",
    ]

    private static let parameterEndings = Endings(wordEndings)

    /// Words after which `token` is a position in a list or the ID of a request, and no credential.
    private static let places = [
        "page", "next", "previous", "prev", "continuation", "sync", "cursor", "resume", "start",
        "pagination", "skip", "delta", "idempotency",
    ].map { Array($0.utf8) }

    private static let token = Array("token".utf8)

    /// Words grouped by their last letter, so that only a few are compared with a name.
    private struct Endings {
        private var lists: [[[UInt8]]] = Array(repeating: [], count: 32)

        init(_ words: [String]) {
            for word in words.map({ Array($0.utf8) }) {
                lists[Int(word.last ?? 0) & 31].append(word)
            }
        }

        subscript(_ last: UInt8) -> [[UInt8]] { lists[Int(last) & 31] }
    }

    /// Whether a member of this name, which has no escapes, carries a credential.
    package static func contains(parameter name: String) -> Bool {
        let word = word(of: name)
        return words.contains(word) || ends(word, with: parameterEndings)
    }

    /// Whether a lower-case name ends with one of these words.
    private static func ends(_ name: String, with endings: Endings) -> Bool {
        // Bytes, not characters, because this runs for the fields of every request that has a key.
        var name = name
        return name.withUTF8 { name in
            guard let last = name.last(where: isLetter) else { return false }
            for ending in endings[last] {
                guard let front = start(of: ending, in: name, before: name.count) else { continue }
                return ending != token || !hasPlace(name, before: front)
            }
            return false
        }
    }

    /// Whether the word before is one of `places`: `next_page_token`, `pageToken`, but not `homepage`.
    private static func hasPlace(_ name: UnsafeBufferPointer<UInt8>, before end: Int) -> Bool {
        places.contains { place in
            guard let start = start(of: place, in: name, before: end) else { return false }
            return start == 0 || !isLetter(name[start - 1]) || hasPlace(name, before: start)
        }
    }

    /// Where the word that a name ends with begins, ignoring punctuation and digits in and after it; nil if
    /// the name does not end with it.
    private static func start(
        of word: [UInt8],
        in name: UnsafeBufferPointer<UInt8>,
        before end: Int
    ) -> Int? {
        var place = end
        for letter in word.reversed() {
            repeat { place -= 1 } while place >= 0 && !isLetter(name[place])
            guard place >= 0, name[place] == letter else { return nil }
        }
        return place
    }

    /// Whether a name, as written in a query, in JSON or in a header, may be that of a credential.
    ///
    /// False is certain, and is found without creating a string.
    static func mayContain(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        var (tail, count) = (0, 0)
        for byte in name.reversed() {
            // An escape of a URL or of JSON, or a letter whose lower case may be ASCII.
            if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\") || byte >= 0x80 {
                return true
            }
            guard count < 3, isLetter(byte | 0x20) else { continue }
            tail |= Int(byte & 31) << (5 * count)
            count += 1
        }
        return count == 3 && tails[tail & 1023] & 1 << UInt32(tail >> 10) != 0
    }

    /// The last three letters of all names: a bit for the third from last, indexed by the last two.
    private static let tails: [UInt32] = [
        Array(words), wordEndings, ownFieldWords, Array(names.keys), lastWords.map(String.init),
    ].joined().reduce(into: Array(repeating: 0, count: 1024)) { tails, name in
        let tail = name.utf8.suffix(3).reduce(0) { $0 << 5 | Int($1 & 31) }
        tails[tail & 1023] |= 1 << UInt32(tail >> 10)
    }

    /// Whether a parameter of this name changes with each request.
    package static func isSignature(parameter name: some StringProtocol) -> Bool {
        signatures.contains(word(of: PercentEncoding.decodedForm(name)))
    }

    private static let signatures: Set<String> = [
        "signature", "sig", "sign", "xamzsignature", "xgoogsignature", "oauthsignature", "otp",
        "code",
    ]

    /// Whether a parameter of this name is a credential in some places and an ordinary word in others.
    package static func isOrdinary(parameter name: some StringProtocol) -> Bool {
        ordinary.contains(word(of: PercentEncoding.decodedForm(name)))
    }

    /// Whether the value of a parameter of this name may be a word that stands elsewhere, too.
    package static func isWeak(parameter name: some StringProtocol) -> Bool {
        let word = word(of: PercentEncoding.decodedForm(name))
        return ordinary.contains(word) || vague.contains(word)
    }

    /// What a document has under a credential's name.
    package enum Found {
        case text(String)
        /// A number.
        case number
        /// A list or an object.
        case group
    }

    /// Whether a value with a credential's name in a document is a credential and not something everyday.
    package static func isCredential(_ value: Found, named name: String) -> Bool {
        let word = word(of: PercentEncoding.decodedForm(name))
        let isVague = vague.contains(word)
        guard isVague || ordinary.contains(word) else { return true }
        guard case .text(let text) = value, isVague || text.count >= 20 else { return false }
        guard isVague else { return !text.contains(where: \.isWhitespace) }
        if text.utf8.allSatisfy({ isDigit($0) }) || wordsOfYAML.contains(text.lowercased()) {
            return false
        }
        return wordy.contains(word) || !text.contains(where: \.isWhitespace)
    }

    /// Texts that formats without types have for a fact, and not for a secret.
    private static let wordsOfYAML: Set<String> = [
        "true", "false", "null", "yes", "no", "none", "~", "",
    ]

    /// The letters and digits of the last part that is not a number, in lower case.
    private static func word(of name: String) -> String {
        // Signs of other scripts may have a Latin lower-case letter, such as the Kelvin sign.
        var name = name.utf8.allSatisfy { $0 < 0x80 } ? name : name.lowercased()
        return name.withUTF8 { name in
            var (start, end, hasLetter) = (name.count, name.count, false)
            while start > 0 {
                if "[].:".utf8.contains(name[start - 1]) {
                    if hasLetter { break }
                    end = start - 1
                } else if isLetter(name[start - 1] | 0x20) {
                    hasLetter = true
                }
                start -= 1
            }
            guard hasLetter else { return "" }
            return String(unsafeUninitializedCapacity: end - start) { word in
                var count = 0
                for byte in name[start..<end] {
                    let isLetter = isLetter(byte | 0x20)
                    guard isLetter || isDigit(byte) else { continue }
                    word[count] = isLetter ? byte | 0x20 : byte
                    count += 1
                }
                return count
            }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte }

    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }
}
