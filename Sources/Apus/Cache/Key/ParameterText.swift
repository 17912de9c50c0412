/// `a=1&b=2`, as it stands in a query or a form body.
enum ParameterText {
    /// The pairs sorted by name, those of `ignored` names left out, escapes
    /// normalised.
    ///
    /// Pairs of one name keep their order.
    static func sorted(_ text: String, _ ignored: Set<String>) -> String {
        normalized(text, ignored, isSorted: true)
    }

    /// As `sorted`, but in the order given if `isSorted` is false.
    static func normalized(_ text: String, _ ignored: Set<String>, isSorted: Bool) -> String {
        let pairs = text.split(separator: "&", omittingEmptySubsequences: false).map { piece in
            let pair = NormalizedURL.normalizingEscapes(String(piece))
            return (name: pair.prefix { $0 != "=" }, pair: pair)
        }
        let kept =
            ignored.isEmpty ? pairs : pairs.filter { !ignored.contains(decoded($0.name)) }
        // The standard library's sort keeps the order of equals.
        let ordered =
            isSorted
            ? kept.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } : kept
        return ordered.map(\.pair).joined(separator: "&")
    }

    /// The pairs, the values of those that carry credentials as digests: they count
    /// for a key but may not stand in its recipe.
    static func hiding(_ secrets: Set<String>, in text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "=")) else { return text }
        let pairs = text.unicodeScalars.split(separator: "&", omittingEmptySubsequences: false)
        return pairs.map { pair in
            guard let equals = pair.firstIndex(of: "="),
                CredentialMask.isSecret(parameter: Substring(pair[..<equals]), among: secrets)
            else { return String(pair) }
            let value = String(pair[equals...].dropFirst())
            return "\(Substring(pair[...equals]))sha256-\(ContentDigest.hex(of: value).prefix(32))"
        }.joined(separator: "&")
    }

    /// The name as a server reads it.
    private static func decoded(_ name: Substring) -> String {
        let bytes = Array(name.utf8)
        var out: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if let byte = escapedByte(in: bytes, at: index) {
                out.append(byte)
                index += 3
            } else {
                out.append(bytes[index] == UInt8(ascii: "+") ? 0x20 : bytes[index])
                index += 1
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// What `%41` at `index` stands for; nil if there is no escape.
    static func escapedByte(in bytes: [UInt8], at index: Int) -> UInt8? {
        guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
            let high = hexValue(bytes[index + 1]), let low = hexValue(bytes[index + 2])
        else { return nil }
        return high << 4 | low
    }

    static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
