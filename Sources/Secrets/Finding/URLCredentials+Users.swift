import Documents

/// Users in URLs (RFC 3986, section 3.2.1).
extension URLCredentials {
    /// Finds `https://ada:secret@host/`; a user without a password counts as a token: `https://secret@host/`.
    mutating func lookForUsers(
        in word: Range<Int>,
        of bytes: Bytes,
        _ depth: Int = 0,
        _ source: Source = { $0 }
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

    mutating func lookForUser(
        in authority: Range<Int>,
        of bytes: Bytes,
        _ depth: Int = 0,
        _ source: Source = { $0 }
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
    mutating func lookForPair(
        in word: Range<Int>,
        of bytes: Bytes,
        _ depth: Int = 0,
        _ source: Source = { $0 }
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
        addText(String(decoding: bytes[colon + 1..<at], as: UTF8.self), isWeak: true)
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
}
