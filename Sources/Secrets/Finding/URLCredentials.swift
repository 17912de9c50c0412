import Documents

/// Finds the credentials in a text that are known by their place in a URL.
///
/// They are the user information (RFC 3986, section 3.2.1) and the parameters of path, query and fragment with
/// a credential's name, also in a URL that is a part of another one, encoded or not.
///
///     https://ada:••••••@host/next?to=%2Flogin%3Ftoken%3D••••••#id_token=••••••
///
/// Works on bytes, because a server takes `@` with a combining accent for an `@`, and Swift takes it for one
/// other character. Each byte is read once for each time that it is encoded.
package struct URLCredentials {
    /// What kind of text to look through: `users` is a URL whose parameters do not count, and an authority has
    /// no scheme before it.
    package enum Kind { case url, line, form, users, authority }

    /// What to collect; leaving out one of the two saves most of the time.
    package enum Wanted { case places, texts, both }

    typealias Bytes = UnsafeBufferPointer<UInt8>
    /// Maps a range of decoded bytes to the text.
    typealias Source = (Range<Int>) -> Range<Int>

    /// How many times a URL may be encoded within another.
    private static let deepest = 3
    /// The most bytes of a text that are decoded, more than any URL has, because decoding takes time and
    /// memory.
    private static let decodedLimit = 1 << 20
    /// The number of bytes after which `shouldContinue` is called.
    private static let stride = 64 << 10
    /// Handling a match takes as long as reading this many bytes.
    static let costOfMatch = 1 << 10
    /// The most texts to collect; there may be more places.
    package static let textLimit = 1000

    /// What says which names are those of credentials.
    private let names: CredentialMask
    /// The minimum length in bytes of a `key`, a `code` and a user without a password.
    private let shortestOfWeak: Int
    private let wanted: Wanted
    private let shouldContinue: (() -> Bool)?
    /// The number of bytes until `shouldContinue` is called again.
    var left = Self.stride
    private var isStopped = false
    private var decodedCount = 0
    /// The ranges of the credentials in bytes; one may lie within another.
    private(set) var places: [Range<Int>] = []
    /// The credentials as they are written and decoded, without short ones.
    package private(set) var texts: [String] = []

    /// Looks through a text once; `shouldContinue` is called now and then, and false ends it.
    package init(
        in text: String,
        as kind: Kind = .line,
        by names: CredentialMask = CredentialMask(),
        shortestOfWeak: Int = CapturedCredentials.shortestOfWeak,
        for wanted: Wanted = .both,
        while shouldContinue: (() -> Bool)? = nil
    ) {
        (self.names, self.shortestOfWeak) = (names, shortestOfWeak)
        (self.wanted, self.shouldContinue) = (wanted, shouldContinue)
        var text = text
        text.withUTF8 { look(through: $0, as: kind) }
    }

    /// The same for bytes, which need not be UTF-8.
    init(in bytes: Bytes, as kind: Kind, by names: CredentialMask, for wanted: Wanted) {
        (self.names, self.wanted) = (names, wanted)
        (shortestOfWeak, shouldContinue) = (CapturedCredentials.shortestOfWeak, nil)
        look(through: bytes, as: kind)
    }

    private mutating func look(through bytes: Bytes, as kind: Kind) {
        switch kind {
        case .form:
            lookForParameters(in: bytes.indices, of: bytes, isInQuery: true)
            look(atPairs: bytes.indices, of: bytes, isFragment: true)
        case _ where !Self.mayHave(bytes): break
        case .url: look(at: bytes.indices, of: bytes)
        case .line: look(atWordsOf: bytes)
        case .authority: lookForUser(in: bytes.indices, of: bytes)
        case .users:
            lookForUsers(in: bytes.indices, of: bytes)
            lookForPair(in: bytes.indices, of: bytes)
        }
    }

    /// The credentials in the URLs of a text, as they are written and decoded, at most a thousand, until
    /// `shouldContinue` returns false.
    package static func texts(
        in text: String,
        while shouldContinue: (() -> Bool)? = nil
    ) -> [String] {
        URLCredentials(in: text, for: .texts, while: shouldContinue).texts
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
        // `;name=` begins a parameter, `; name=` that of a field.
        var isInParameter = false
        return bytes.contains { byte in
            if byte == UInt8(ascii: "="), isInParameter { return true }
            isInParameter = byte == UInt8(ascii: ";") || isInParameter && byte > 0x20
            return isMark(byte)
        }
    }

    /// Finds the parameters of a path's segments, and of a query that is divided by `;`.
    ///
    /// `/cart;jsessionid=1A2B/items;token=3C` (RFC 3986, section 3.3), `?page=1;token=3C`. In a query, values
    /// may have slashes.
    private mutating func lookForParameters(
        in word: Range<Int>,
        of bytes: Bytes,
        isInQuery: Bool = false,
        _ depth: Int = 0,
        _ source: Source = { $0 }
    ) {
        var (place, isInQuery) = (word.lowerBound, isInQuery)
        while place < word.upperBound, goesOn() {
            let mark =
                bytes[place..<word.upperBound].firstIndex { $0 == UInt8(ascii: ";") || $0 == 0x3F }
            guard let mark else { return }
            place = mark + 1
            guard bytes[mark] == UInt8(ascii: ";") else {
                isInQuery = true
                continue
            }
            let end =
                bytes[place..<word.upperBound].firstIndex {
                    Self.endsParameter($0) || !isInQuery && ($0 == 0x2F || $0 == 0x3F)
                } ?? word.upperBound
            defer { place = max(place, end) }
            // `&amp;` in text is followed by the next pair's name.
            guard let equals = bytes[place..<end].firstIndex(of: UInt8(ascii: "=")),
                case let name = Bytes(rebasing: bytes[place..<equals]),
                names.isSecret(parameter: name)
            else { continue }
            left -= Self.costOfMatch
            addValue(equals + 1..<end, of: bytes, named: name, depth, source)
        }
    }

    /// Whether a byte ends a parameter of a path, or text around it.
    private static func endsParameter(_ byte: UInt8) -> Bool { "#;&\"'<>".utf8.contains(byte) }

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
        lookForParameters(in: word, of: bytes, depth, source)
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
            if let equals, names.isSecret(parameter: name) {
                // The value may contain a `?`, and one in a fragment a `#`.
                end =
                    rest[equals...].firstIndex {
                        $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "#") && !isFragment
                    } ?? range.upperBound
                addValue(equals + 1..<end, of: bytes, named: name, depth, source)
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

    /// Finds members of JSON in a parameter, `?filter={"token":"…"}`, which is usually escaped, and literals
    /// in a GraphQL document, `?query={login(password:"…")}`.
    private mutating func lookForMembers(
        in part: Range<Int>,
        of bytes: Bytes,
        _ depth: Int,
        _ source: Source
    ) {
        guard depth < Self.deepest, part.count <= Self.decodedLimit - decodedCount,
            Self.beginsJSON(bytes[part]) || GraphQLLiterals.begins(bytes[part].prefix(64))
        else { return }
        decodedCount += part.count
        let decoded = UnescapedText(bytes[part]).percentDecoded()
        decoded.bytes.withUnsafeBufferPointer { inner in
            func add(_ value: Range<Int>, _ text: String) {
                let range = decoded.source(of: value)
                let found = range.lowerBound + part.lowerBound..<range.upperBound + part.lowerBound
                addPlace(found, depth + 1, source)
                if hasRoom { addText(text, isWeak: false) }
            }
            let literals = GraphQLLiterals(inner, by: names, among: names.parameters)
            for (range, text) in zip(literals.places, literals.texts) { add(range, text) }
            var place = 0
            while let quote = inner[place...].firstIndex(of: UInt8(ascii: "\"")), goesOn() {
                let end = CredentialMask.endOfQuoted(from: quote + 1, in: inner)
                place = min(end + 1, inner.count)
                let key = Bytes(rebasing: inner[quote + 1..<end])
                let rest = inner[place...].drop(while: Self.isBlank)
                guard rest.first == UInt8(ascii: ":"), names.isSecret(parameter: key)
                else { continue }
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
                add(value.indices, String(decoding: value, as: UTF8.self))
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
                (UInt8(ascii: "2"), UInt8(ascii: "5")), (UInt8(ascii: "4"), UInt8(ascii: "0")),
                (UInt8(ascii: "3"), UInt8(ascii: "b")):
                return true
            default: return false
            }
        }
    }

    // MARK: -

    /// Whether another text can be added.
    var hasRoom: Bool { wanted != .places && texts.count < Self.textLimit }

    /// Whether the search should go on.
    mutating func goesOn() -> Bool {
        if left < 0, let shouldContinue {
            left = Self.stride
            isStopped = isStopped || !shouldContinue()
        }
        return !isStopped && (wanted != .texts || hasRoom)
    }

    mutating func addPlace(_ range: Range<Int>, _ depth: Int, _ source: Source) {
        guard wanted != .texts else { return }
        // An empty decoded range has no place in the text.
        if depth == 0 || !range.isEmpty { places.append(source(range)) }
    }

    /// Adds the value of a parameter with a credential's name.
    private mutating func addValue(
        _ value: Range<Int>,
        of bytes: Bytes,
        named name: Bytes,
        _ depth: Int,
        _ source: Source
    ) {
        addPlace(value, depth, source)
        guard hasRoom else { return }
        let isWeak = SecretFields.isWeak(parameter: String(decoding: name, as: UTF8.self))
        addText(String(decoding: bytes[value], as: UTF8.self), isWeak: isWeak)
    }

    /// Adds a value, and its beginning up to a character that ends a URL in other text such as JSON.
    mutating func addText(_ value: String, isWeak: Bool) {
        let ofURL = value.unicodeScalars.prefix { !" \"'`<>\\,;(){}|".unicodeScalars.contains($0) }
        for text in Set([value, String(ofURL)]) {
            for form in Set([text, PercentEncoding.decodedForm(text)]) { add(form, isWeak: isWeak) }
        }
    }

    mutating func add(_ text: String, isWeak: Bool) {
        guard hasRoom,
            text.utf8.count >= (isWeak ? shortestOfWeak : CapturedCredentials.shortest)
        else { return }
        texts.append(text)
    }
}
