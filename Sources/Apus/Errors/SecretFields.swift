import Documents
package import HTTPTypes

/// The names of what carries credentials: header fields, and parameters of URLs, forms and JSON.
///
/// A name is taken by its words, as programs make them up; what is usual in HTTP and ends with such a
/// word is told apart. A key holds only their digests; what is shown, logged or recorded has a mask in
/// their place.
package enum SecretFields {
    /// What a field is known as by its whole name.
    private enum Kind {
        /// A credential that tells a server whose request it is.
        case account
        /// One that is another each time, or for somebody on the way.
        case passing
        /// None, whatever its words say.
        case open
    }

    /// The usual fields, found without reading their words, and those whose words say nothing or
    /// something else.
    private static let names: [String: Kind] = [
        "authorization": .account, "cookie": .account, "x-api-key": .account, "api-key": .account,
        "x-auth-token": .account, "x-access-token": .account, "private-token": .account,
        "x-pass": .account, "key": .account, "x-key": .account, "code": .account, "sig": .passing,
        "fastly-key": .account, "x-appwrite-key": .account, "x-bunny-key": .account,
        "x-lc-key": .account, "x-jfrog-art-api": .account, "x-honeycomb-team": .account,
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
        return ends(name, with: fieldEndings)
    }

    /// Whether a credential in a field of this name, of which no more is known, tells a server whose
    /// request it is.
    static func namesAccount(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return names[name].map { $0 == .account } ?? !ends(name, with: passingEndings)
    }

    private static let ownFieldWords = [
        "authorization", "authentication", "auth", "session", "sessionid", "sessid", "cookie",
        "credential", "credentials", "assertion", "signature", "adminkey", "appkey",
        "applicationkey", "customerkey", "functionskey", "masterkey",
    ]

    private static let fieldEndings = Endings(wordEndings + ownFieldWords)

    /// What changes from request to request.
    private static let passingEndings = Endings([
        "csrftoken", "xsrftoken", "verificationtoken", "otp", "signature",
    ])
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
    private static let wordEndings = [
        "password", "passwordconfirmation", "passwd", "passphrase", "passcode", "pwd", "secret",
        "token", "jwt", "otp", "apikey", "accesskey", "accesskeyid", "authkey", "encryptionkey",
        "privatekey", "secretkey", "sessionkey", "sharedkey", "signingkey", "subscriptionkey",
    ]

    private static let parameterEndings = Endings(wordEndings)

    /// The words in front of a token that is a place in a list, or a request's, and no credential.
    private static let places = [
        "page", "next", "previous", "prev", "continuation", "sync", "cursor", "resume", "start",
        "pagination", "skip", "delta", "idempotency",
    ].map { Array($0.utf8) }

    private static let token = Array("token".utf8)

    /// Words by their last letters: so few are compared with a name.
    private struct Endings {
        private var lists: [[[UInt8]]] = Array(repeating: [], count: 32)

        init(_ words: [String]) {
            for word in words.map({ Array($0.utf8) }) {
                lists[Int(word.last ?? 0) & 31].append(word)
            }
        }

        subscript(_ last: UInt8) -> [[UInt8]] { lists[Int(last) & 31] }
    }

    /// Whether a member of this name, without escapes, carries a credential.
    static func contains(parameter name: String) -> Bool {
        let word = word(of: name)
        return words.contains(word) || ends(word, with: parameterEndings)
    }

    /// Whether a name in small letters ends with one of these words.
    private static func ends(_ name: String, with endings: Endings) -> Bool {
        // Bytes, not characters: this runs for the fields of every request that has a key.
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

    /// Whether the word in front is that of a place: `next_page_token`, `pageToken`, but no `homepage`.
    private static func hasPlace(_ name: UnsafeBufferPointer<UInt8>, before end: Int) -> Bool {
        places.contains { place in
            guard let start = start(of: place, in: name, before: end) else { return false }
            return start == 0 || !isLetter(name[start - 1]) || hasPlace(name, before: start)
        }
    }

    /// Where a word begins that a name ends with, whatever signs and numbers stand in it and behind it;
    /// nil if it ends otherwise.
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

    /// Whether a name, as it stands in a query, in JSON or of a field, may be that of a credential; false is
    /// certain, and found out without making a text of it.
    static func mayContain(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        var (tail, count) = (0, 0)
        for byte in name.reversed() {
            // An escape of a URL or of JSON, or a letter that is another in small letters.
            if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\\") || byte >= 0x80 {
                return true
            }
            guard count < 3, isLetter(byte | 0x20) else { continue }
            tail |= Int(byte & 31) << (5 * count)
            count += 1
        }
        return count == 3 && tails[tail & 1023] & 1 << UInt32(tail >> 10) != 0
    }

    /// The last three letters of all names: a bit for the first of them, by the others.
    private static let tails: [UInt32] = (words + wordEndings + ownFieldWords + names.keys).reduce(
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
    package static func isOrdinary(parameter name: some StringProtocol) -> Bool {
        ["key", "code", "sig", "signature"].contains(word(of: PercentEncoding.decodedForm(name)))
    }

    /// The letters and digits of the last part that is no number, in small letters.
    private static func word(of name: String) -> String {
        // Signs of other scripts may have a Latin small letter, as that of Kelvin has.
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
