import Documents

/// Finds the credentials in a text that are known by their place in a URL.
///
/// They are the user information (RFC 3986, section 3.2.1) and the parameters of query and fragment with a
/// credential's name, also in a URL that is a part of another one, encoded or not.
///
///     https://ada:••••••@host/next?to=%2Flogin%3Ftoken%3D••••••#id_token=••••••
///
/// Works on bytes, because a server takes `@` with a combining accent for an `@`, and Swift takes it for one
/// other character. Each byte is read once for each time that it is encoded.
package struct URLCredentials {
    /// What kind of text to look through.
    enum Kind { case url, line, form }

    /// What to collect; leaving out one of the two saves most of the time.
    enum Wanted { case places, texts, both }

    private typealias Bytes = UnsafeBufferPointer<UInt8>
    /// Maps a range of decoded bytes to the text.
    private typealias Source = (Range<Int>) -> Range<Int>

    /// How many times a URL may be encoded within another.
    private static let deepest = 3
    /// The most bytes of a text that are decoded, more than any URL has, because decoding takes time and
    /// memory.
    private static let decodedLimit = 1 << 20
    /// The number of bytes after which `shouldContinue` is called.
    private static let stride = 64 << 10
    /// Handling a match takes as long as reading this many bytes.
    private static let costOfMatch = 1 << 10
    /// The most texts to collect; there may be more places.
    static let textLimit = 1000

    /// Secret parameters in addition to the usual ones.
    private let names: Set<String>
    private let rules: SecretRules
    /// The minimum length in bytes of a `key`, a `code` and a user without a password.
    private let shortestOfWeak: Int
    private let wanted: Wanted
    private let shouldContinue: (() -> Bool)?
    /// The number of bytes until `shouldContinue` is called again.
    private var left = Self.stride
    private var isStopped = false
    private var decodedCount = 0
    /// The ranges of the credentials in bytes; one may lie within another.
    private(set) var places: [Range<Int>] = []
    /// The credentials as they are written and decoded, without short ones.
    private(set) var texts: [String] = []

    /// Looks through a text once; `shouldContinue` is called now and then, and false ends it.
    init(
        in text: String,
        as kind: Kind = .line,
        among names: Set<String> = [],
        rules: SecretRules = SecretRules(),
        shortestOfWeak: Int = CapturedCredentials.shortestOfWeak,
        for wanted: Wanted = .both,
        while shouldContinue: (() -> Bool)? = nil
    ) {
        var text = text
        self = text.withUTF8 {
            URLCredentials(
                in: $0,
                as: kind,
                among: names,
                rules: rules,
                shortestOfWeak: shortestOfWeak,
                for: wanted,
                while: shouldContinue
            )
        }
    }

    /// The same for bytes, which need not be UTF-8.
    init(
        in bytes: UnsafeBufferPointer<UInt8>,
        as kind: Kind,
        among names: Set<String>,
        rules: SecretRules,
        shortestOfWeak: Int = CapturedCredentials.shortestOfWeak,
        for wanted: Wanted,
        while shouldContinue: (() -> Bool)? = nil
    ) {
        self.wanted = wanted
        self.shouldContinue = shouldContinue
        self.names = names
        self.rules = rules
        self.shortestOfWeak = shortestOfWeak
        switch kind {
        case .form: look(atPairs: 0..<bytes.count, of: bytes, isFragment: true)
        case _ where !Self.mayHave(bytes): break
        case .url: look(at: 0..<bytes.count, of: bytes)
        case .line: look(atWordsOf: bytes)
        }
    }

    /// Finds the user of an authority, which has no scheme before it.
    init(ofAuthority text: String) {
        (names, rules) = ([], SecretRules())
        shortestOfWeak = CapturedCredentials.shortestOfWeak
        (wanted, shouldContinue) = (.both, nil)
        var text = text
        text.withUTF8 { lookForUser(in: 0..<$0.count, of: $0, 0) { $0 } }
    }

    /// Finds the users in a URL, but no parameters.
    init(usersIn url: String) {
        (names, rules) = ([], SecretRules())
        shortestOfWeak = CapturedCredentials.shortestOfWeak
        (wanted, shouldContinue) = (.both, nil)
        var url = url
        url.withUTF8 { bytes in
            lookForUsers(in: 0..<bytes.count, of: bytes, 0) { $0 }
            lookForPair(in: 0..<bytes.count, of: bytes, 0) { $0 }
        }
    }

    /// The credentials in the URLs of a text, as they are written and decoded; at most a thousand.
    package static func texts(in text: String) -> [String] {
        URLCredentials(in: text, for: .texts).texts
    }

    /// The same until `shouldContinue` returns false.
    static func texts(in text: String, while shouldContinue: @escaping () -> Bool) -> [String] {
        URLCredentials(in: text, for: .texts, while: shouldContinue).texts
    }

    /// The text that was searched, with a mask for each place.
    func masked(
        _ text: String,
        with mask: (Range<Int>, UnsafeBufferPointer<UInt8>) -> String = { _, _ in
            CredentialMask.mask
        }
    ) -> String {
        guard !places.isEmpty else { return text }
        var text = text
        return text.withUTF8 { bytes in
            let masked = SecretMatcher.replacing(places, in: bytes) { mask($0, bytes) }
            return String(decoding: masked, as: UTF8.self)
        }
    }

    /// Whether a byte is one of those without which a text contains no credential.
    static func isMark(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "#"), UInt8(ascii: "%"): true
        default: false
        }
    }

    /// Whether a text may contain a credential.
    static func mayHave(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable(mayHave) ?? true
    }

    private static func mayHave(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        var isBehindSemicolon = false
        return bytes.contains { byte in
            defer { isBehindSemicolon = byte == UInt8(ascii: ";") }
            return isMark(byte) || isBehindSemicolon && byte | 0x20 == session[0]
        }
    }

    private static let session = Array("jsessionid=".utf8)

    /// Finds the session in a path, `/cart;jsessionid=1A2B` (Jakarta Servlet 6.0, section 7.1.3).
    private mutating func lookForSessions(
        in word: Range<Int>,
        of bytes: Bytes,
        _ depth: Int,
        _ source: Source
    ) {
        var place = word.lowerBound
        while let semicolon = bytes[place..<word.upperBound].firstIndex(of: UInt8(ascii: ";")) {
            place = semicolon + 1
            let name = bytes[place..<word.upperBound].prefix(Self.session.count)
            guard name.elementsEqual(Self.session, by: { $0 | 0x20 == $1 | 0x20 }) else { continue }
            let start = name.endIndex
            place =
                bytes[start..<word.upperBound].firstIndex { "/?#;&\"'<>".utf8.contains($0) }
                ?? word.upperBound
            addPlace(start..<place, depth, source)
            guard hasRoom else { continue }
            addValue(String(decoding: bytes[start..<place], as: UTF8.self), isWeak: false)
        }
    }

    private mutating func look(atWordsOf bytes: Bytes) {
        var start = 0
        while start < bytes.count, goesOn() {
            let end = bytes[start...].firstIndex { $0 <= 0x20 } ?? bytes.count
            if Self.mayHave(Bytes(rebasing: bytes[start..<end])) {
                look(at: start..<end, of: bytes)
            }
            left -= end - start
            start = end + 1
        }
    }

    private mutating func look(
        at word: Range<Int>,
        of bytes: Bytes,
        _ depth: Int = 0,
        _ source: Source = { $0 }
    ) {
        lookForUsers(in: word, of: bytes, depth, source)
        lookForSessions(in: word, of: bytes, depth, source)
        // Pairs without a scheme are searched for in each part.
        let mark = bytes[word].firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        look(in: word.lowerBound..<(mark ?? word.upperBound), of: bytes, depth, source)
        guard let mark else { return }
        let isFragment = bytes[mark] == UInt8(ascii: "#")
        look(atPairs: mark + 1..<word.upperBound, of: bytes, isFragment: isFragment, depth, source)
    }

    // MARK: parameters

    private mutating func look(
        atPairs range: Range<Int>,
        of bytes: Bytes,
        isFragment: Bool,
        _ depth: Int = 0,
        _ source: Source = { $0 }
    ) {
        var isFragment = isFragment
        var start = range.lowerBound
        while start < range.upperBound, goesOn() {
            let rest = bytes[start..<range.upperBound]
            var end = rest.firstIndex { "&?#".utf8.contains($0) } ?? range.upperBound
            let equals = bytes[start..<end].firstIndex(of: UInt8(ascii: "="))
            let name = Bytes(rebasing: bytes[start..<(equals ?? end)])
            if let equals, isSecret(name) {
                // The value may contain a `?`, and one in a fragment a `#`.
                end =
                    rest[equals...].firstIndex {
                        $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "#") && !isFragment
                    } ?? range.upperBound
                addPlace(equals + 1..<end, depth, source)
                if hasRoom {
                    let isWeak = SecretFields.isOrdinary(
                        parameter: String(decoding: name, as: UTF8.self)
                    )
                    addValue(
                        String(decoding: bytes[equals + 1..<end], as: UTF8.self),
                        isWeak: isWeak
                    )
                }
            } else {
                let value = (equals.map { $0 + 1 } ?? start)..<end
                look(in: value, of: bytes, depth, source)
                lookForMembers(in: value, of: bytes, depth, source)
            }
            if end < range.upperBound, bytes[end] == UInt8(ascii: "#") { isFragment = true }
            left -= Self.costOfMatch + end - start
            start = end + 1
        }
    }

    /// Finds members of JSON in a parameter, `?filter={"token":"…"}`, which is usually escaped.
    private mutating func lookForMembers(
        in part: Range<Int>,
        of bytes: Bytes,
        _ depth: Int,
        _ source: Source
    ) {
        guard depth < Self.deepest, part.count <= Self.decodedLimit - decodedCount,
            Self.beginsJSON(bytes[part])
        else { return }
        decodedCount += part.count
        let decoded = UnescapedText(bytes[part]).percentDecoded()
        decoded.bytes.withUnsafeBufferPointer { inner in
            var place = 0
            while let quote = inner[place...].firstIndex(of: UInt8(ascii: "\"")), goesOn() {
                let end = CredentialMask.endOfQuoted(from: quote + 1, in: inner)
                place = min(end + 1, inner.count)
                let key = Bytes(rebasing: inner[quote + 1..<end])
                let rest = inner[place...].drop(while: Self.isBlank)
                guard rest.first == UInt8(ascii: ":"), isSecret(key) else { continue }
                var value = rest.dropFirst().drop(while: Self.isBlank)
                if value.first == UInt8(ascii: "\"") {
                    let start = value.startIndex + 1
                    value = inner[start..<CredentialMask.endOfQuoted(from: start, in: inner)]
                } else {
                    value = value.prefix { !",}]".utf8.contains($0) }
                }
                place = value.endIndex + (value.endIndex < inner.count ? 1 : 0)
                let name = String(decoding: key, as: UTF8.self)
                // In `{"key": "name"}` the key is an ordinary word.
                guard value.count >= 20 || !SecretFields.isOrdinary(parameter: name) else {
                    continue
                }
                let range = decoded.source(of: value.indices)
                let found = range.lowerBound + part.lowerBound..<range.upperBound + part.lowerBound
                addPlace(found, depth + 1, source)
                if hasRoom { addValue(String(decoding: value, as: UTF8.self), isWeak: false) }
            }
        }
    }

    /// Whether it is a blank, or the `+` that a form has for one.
    private static func isBlank(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == UInt8(ascii: "+")
    }

    private static func beginsJSON(_ text: Slice<Bytes>) -> Bool {
        guard let first = text.first else { return false }
        if "{[".utf8.contains(first) { return true }
        guard first == UInt8(ascii: "%"), text.count > 2 else { return false }
        // %7B, %5B
        let (high, low) = (text[text.startIndex + 1], text[text.startIndex + 2] | 0x20)
        return "75".utf8.contains(high) && low == UInt8(ascii: "b")
    }

    private func isSecret(_ name: Bytes) -> Bool {
        guard !names.isEmpty || !rules.names.isEmpty else {
            return CredentialMask.isSecret(parameter: name)
        }
        let name = String(decoding: name, as: UTF8.self)
        return CredentialMask.isSecret(parameter: name, among: names)
            || rules.contains(PercentEncoding.decodedForm(name))
    }

    /// Looks at a part of a URL that may itself be an encoded URL.
    private mutating func look(
        in part: Range<Int>,
        of bytes: Bytes,
        _ depth: Int,
        _ source: Source
    ) {
        guard depth < Self.deepest, part.count <= Self.decodedLimit - decodedCount,
            Self.hasEncodedMark(bytes[part])
        else { return lookForPair(in: part, of: bytes, depth, source) }
        decodedCount += part.count
        let decoded = UnescapedText(bytes[part]).percentDecoded()
        decoded.bytes.withUnsafeBufferPointer { inner in
            look(at: 0..<inner.count, of: inner, depth + 1) { range in
                let range = decoded.source(of: range)
                return source(
                    range.lowerBound + part.lowerBound..<range.upperBound + part.lowerBound
                )
            }
        }
    }

    /// Whether a part has an escape, and a sign of a credential, escaped or not.
    private static func hasEncodedMark(_ part: Slice<Bytes>) -> Bool {
        guard let first = part.firstIndex(of: UInt8(ascii: "%")) else { return false }
        if part.contains(UInt8(ascii: "@")) { return true }
        return part.indices[first...].contains { index in
            guard part[index] == UInt8(ascii: "%"), index + 2 < part.endIndex else { return false }
            switch (part[index + 1], part[index + 2] | 0x20) {
            case (UInt8(ascii: "3"), UInt8(ascii: "f")), (UInt8(ascii: "2"), UInt8(ascii: "3")),
                (UInt8(ascii: "2"), UInt8(ascii: "5")), (UInt8(ascii: "4"), UInt8(ascii: "0")):
                return true
            default: return false
            }
        }
    }

    // MARK: users

    /// Finds `https://ada:secret@host/`; a user without a password counts as a token: `https://secret@host/`.
    private mutating func lookForUsers(
        in word: Range<Int>,
        of bytes: Bytes,
        _ depth: Int,
        _ source: Source
    ) {
        guard bytes[word].contains(UInt8(ascii: "@")) else { return }
        var start = word.lowerBound
        if bytes[word].starts(with: "//".utf8) {
            start = Self.endOfAuthority(from: start + 2, in: word, of: bytes)
            lookForUser(in: word.lowerBound + 2..<start, of: bytes, depth, source)
        }
        while let colon = Self.endOfScheme(in: start..<word.upperBound, of: bytes) {
            let end = Self.endOfAuthority(from: colon + 3, in: word, of: bytes)
            lookForUser(in: colon + 3..<end, of: bytes, depth, source)
            left -= Self.costOfMatch + end - colon
            guard goesOn() else { return }
            // The next scheme may be the end of this authority.
            start = max(colon + 3, end - 1)
        }
    }

    private mutating func lookForUser(
        in authority: Range<Int>,
        of bytes: Bytes,
        _ depth: Int,
        _ source: Source
    ) {
        guard let at = bytes[authority].lastIndex(of: UInt8(ascii: "@")),
            at > authority.lowerBound
        else { return }
        let colon = bytes[authority.lowerBound..<at].firstIndex(of: UInt8(ascii: ":"))
        let hasPassword = colon.map { $0 + 1 < at } ?? false
        let start = hasPassword ? (colon ?? at) + 1 : authority.lowerBound
        addPlace(start..<at, depth, source)
        guard hasRoom else { return }
        let user = String(decoding: bytes[authority], as: UTF8.self)
        for text in ProxySecrets(user).secrets { add(text, isWeak: !hasPassword) }
    }

    /// The same without a scheme, `ada:secret@host`, or with too few slashes.
    ///
    /// A user without a password is ignored, because it may be a mail address.
    private mutating func lookForPair(
        in word: Range<Int>,
        of bytes: Bytes,
        _ depth: Int,
        _ source: Source
    ) {
        guard bytes[word].contains(UInt8(ascii: "@")) else { return }
        var start = word.lowerBound
        let first = bytes[word].firstIndex { "/@".utf8.contains($0) } ?? word.lowerBound
        if first > start, bytes[first] == UInt8(ascii: "/"), bytes[first - 1] == UInt8(ascii: ":") {
            start = first + 1
        }
        let authority = start..<Self.endOfAuthority(from: start, in: word, of: bytes)
        guard let at = bytes[authority].lastIndex(of: UInt8(ascii: "@")),
            let colon = bytes[start..<at].firstIndex(of: UInt8(ascii: ":")),
            colon > start, Self.isOfUser(bytes[colon - 1]),
            !bytes[start..<colon].suffix(6).elementsEqual("mailto".utf8)
        else { return }
        addPlace(colon + 1..<at, depth, source)
        guard hasRoom else { return }
        addValue(String(decoding: bytes[colon + 1..<at], as: UTF8.self), isWeak: true)
    }

    /// The index of the colon in the first `://`; `firstRange(of:)` is many times slower.
    private static func endOfScheme(in range: Range<Int>, of bytes: Bytes) -> Int? {
        range.dropLast(2).first {
            bytes[$0] == UInt8(ascii: ":") && bytes[$0 + 1] == UInt8(ascii: "/")
                && bytes[$0 + 2] == UInt8(ascii: "/")
        }
    }

    private static func endOfAuthority(
        from start: Int,
        in word: Range<Int>,
        of bytes: Bytes
    ) -> Int {
        bytes[start..<word.upperBound].firstIndex { "/?#".utf8.contains($0) } ?? word.upperBound
    }

    /// Whether a byte may end a user's name, and not the name of a JSON member.
    private static func isOfUser(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) || byte >= 0x80 || "%!$&*+".utf8.contains(byte)
    }

    // MARK: -

    /// Whether another text can be added.
    private var hasRoom: Bool { wanted != .places && texts.count < Self.textLimit }

    /// Whether the search should go on.
    private mutating func goesOn() -> Bool {
        if left < 0, let shouldContinue {
            left = Self.stride
            isStopped = isStopped || !shouldContinue()
        }
        return !isStopped && (wanted != .texts || hasRoom)
    }

    private mutating func addPlace(_ range: Range<Int>, _ depth: Int, _ source: Source) {
        guard wanted != .texts else { return }
        // An empty decoded range has no place in the text.
        if depth == 0 || !range.isEmpty { places.append(source(range)) }
    }

    /// Adds a value, and its beginning up to a character that ends a URL in other text such as JSON.
    private mutating func addValue(_ value: String, isWeak: Bool) {
        let ofURL = value.unicodeScalars.prefix { !" \"'`<>\\,;(){}|".unicodeScalars.contains($0) }
        for text in Set([value, String(ofURL)]) {
            for form in Set([text, PercentEncoding.decodedForm(text)]) { add(form, isWeak: isWeak) }
        }
    }

    private mutating func add(_ text: String, isWeak: Bool) {
        guard hasRoom,
            text.utf8.count >= (isWeak ? shortestOfWeak : CapturedCredentials.shortest)
        else { return }
        texts.append(text)
    }
}
