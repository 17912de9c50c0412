import Documents
import FoundationEssentials

/// The meaning of a value beyond its text: a token, a date, base64, JSON in a string, or the parts of a URL.
package struct DecodedValue: Sendable {
    /// A line shown above the content.
    enum Fact: Equatable, Sendable {
        case words(String, String)
        /// A time in the user's time zone, and its distance from now.
        case moment(String, Date)
        /// A time in UTC.
        case universal(Date)
        /// A day without a time, given as its midnight in UTC.
        case day(Date)
        /// The time when something expires or has expired.
        case expiry(Date)
    }

    /// The decoded content.
    enum Content: Sendable {
        /// Nothing but the facts; the value is shown below them as written.
        case written
        case text(String)
        case body(BodyDocument)
    }

    /// The detected kind, as the title shows it.
    let name: String
    var facts: [Fact] = []
    var content = Content.written

    /// A longer value, in bytes, is shown as written.
    private static let limit = 16 << 20

    /// Interprets a scalar whose escapes are decoded; nil if it means nothing beyond its text.
    init?(_ text: String, kind: ValueKind, _ services: TreeServices) {
        guard text.utf8.count <= Self.limit else { return nil }
        let found: DecodedValue? =
            switch kind {
            case .integer, .decimal: Self.timestamp(text)
            case .string:
                Self.token(text) ?? Self.json(text) ?? Self.date(text) ?? Self.dataURL(text)
                    ?? Self.url(text, services.maskURL) ?? Self.timestamp(text) ?? Self.base64(text)
            default: nil
            }
        guard let found else { return nil }
        self = found
    }

    private init(name: String, facts: [Fact] = [], content: Content = .written) {
        (self.name, self.facts, self.content) = (name, facts, content)
    }

    // MARK: - JSON

    private static func json(_ text: String) -> DecodedValue? {
        tree(Array(text.utf8)).map { DecodedValue(name: "JSON in a string", content: .body($0)) }
    }

    /// The tree of a complete and non-empty object or array; nil for anything else.
    private static func tree(_ bytes: [UInt8]) -> BodyDocument? {
        let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard first == 0x7B || first == 0x5B else { return nil }
        var body = BodyDocument(DocumentBytes(bytes), contentType: "application/json")
        body.document?.parseToEnd()
        body.synchronize()
        guard let document = body.document, document.fault == nil, document.nodeCount > 1 else {
            return nil
        }
        return body
    }

    // MARK: - Tokens

    /// The header and the claims of a JSON Web Token.
    ///
    /// The signature is not checked, because that takes a key.
    private static func token(_ text: String) -> DecodedValue? {
        let bearer = "Bearer "
        let text = text.hasPrefix(bearer) ? text.dropFirst(bearer.count) : text[...]
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = bytes(ofBase64: parts[0]), let top = tree(header),
            let claims = bytes(ofBase64: parts[1]), let inside = tree(claims),
            let algorithm = top.document.flatMap({ member("alg", of: $0) })
        else { return nil }
        var both = Array(#"{"header":"#.utf8)
        both += header
        both += Array(#","claims":"#.utf8)
        both += claims
        both.append(UInt8(ascii: "}"))
        guard let body = tree(both) else { return nil }
        var facts: [Fact] = []
        if let document = inside.document {
            func moment(_ name: String) -> Date? {
                member(name, of: document).flatMap(Double.init).flatMap {
                    abs($0) < 1e11 ? Date(timeIntervalSince1970: $0) : nil
                }
            }
            if let end = moment("exp") { facts.append(.expiry(end)) }
            if let start = moment("nbf") { facts.append(.moment("valid from", start)) }
            if let issued = moment("iat") { facts.append(.moment("issued", issued)) }
        }
        let signature =
            parts[2].isEmpty ? "none: anyone could have written this" : "\(algorithm), not checked"
        facts.append(.words("signature", signature))
        return DecodedValue(name: "JWT", facts: facts, content: .body(body))
    }

    private static func member(_ name: String, of document: Document) -> String? {
        document.member(name, of: .root).map { document.plainText(of: $0) }
    }

    // MARK: - Times

    /// Seconds or milliseconds since 1970, if the time is between 2001 and 2103.
    private static func timestamp(_ text: String) -> DecodedValue? {
        let whole = text.prefix { $0 != "." }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
            let number = Double(text), whole.count == 10 || whole.count == 13
        else { return nil }
        let isMilliseconds = whole.count == 13
        let seconds = isMilliseconds ? number / 1000 : number
        guard (1e9..<4.2e9).contains(seconds) else { return nil }
        let date = Date(timeIntervalSince1970: seconds)
        return DecodedValue(
            name: isMilliseconds ? "milliseconds since 1970" : "seconds since 1970",
            facts: [.moment("local", date), .universal(date)]
        )
    }

    /// A date, or a date with a time, as RFC 3339 writes them.
    private static func date(_ text: String) -> DecodedValue? {
        let bytes = Array(text.utf8)
        if bytes.count == 10 {
            // The parser reads 31 November as 1 December.
            guard let day = RFC3339Date.parse("\(text)T00:00:00Z"),
                day.formatted(Date.ISO8601FormatStyle()).hasPrefix(text)
            else { return nil }
            return DecodedValue(name: "date", facts: [.day(day)])
        }
        guard (17...40).contains(bytes.count), bytes[4] == 0x2D, bytes[7] == 0x2D,
            bytes[10] == 0x54 || bytes[10] == 0x74 || bytes[10] == 0x20
        else { return nil }
        // The parser accepts no fractions of a second, and only an uppercase `T` and `Z`.
        let head = String(decoding: bytes[..<10], as: UTF8.self)
        var time = String(decoding: bytes[11...], as: UTF8.self).uppercased()
        if let point = time.firstIndex(where: { $0 == "." || $0 == "," }) {
            let fraction = time[point...].dropFirst().prefix { $0.isNumber }
            time.removeSubrange(point..<fraction.endIndex)
        }
        guard let date = RFC3339Date.parse("\(head)T\(time)") else { return nil }
        return DecodedValue(name: "date", facts: [.moment("local", date), .universal(date)])
    }

    // MARK: - URLs

    /// The parts of a URL and its query by name, secrets masked.
    private static func url(
        _ text: String,
        _ mask: (String) -> String
    ) -> DecodedValue? {
        guard text.utf8.count <= 64 << 10,
            !text.utf8.contains(where: { $0 <= 0x20 }),
            let colon = text.firstRange(of: "://"),
            !text[..<colon.lowerBound].isEmpty,
            text[..<colon.lowerBound].allSatisfy({
                $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0))
            })
        else { return nil }
        guard let parts = URLParts(mask(text)) else { return nil }
        var json: [UInt8] = [UInt8(ascii: "{")]
        append(parts.members, to: &json)
        if let query = parts.query {
            json += Array(#","query":{"#.utf8)
            let pairs = query.split(separator: "&").map { pair in
                let sign = pair.firstIndex(of: "=")
                return (
                    PercentEncoding.decodedForm(pair[..<(sign ?? pair.endIndex)]),
                    sign.map { PercentEncoding.decodedForm(pair[$0...].dropFirst()) } ?? ""
                )
            }
            append(pairs, to: &json)
            json.append(UInt8(ascii: "}"))
        }
        if let fragment = parts.fragment {
            json.append(UInt8(ascii: ","))
            append([("fragment", String(fragment))], to: &json)
        }
        json.append(UInt8(ascii: "}"))
        return tree(json).map { DecodedValue(name: "URL", content: .body($0)) }
    }

    private static func append(_ members: [(String, String)], to json: inout [UInt8]) {
        for (number, member) in members.enumerated() {
            if number > 0 { json.append(UInt8(ascii: ",")) }
            QuotedText.append(member.0, to: &json)
            json.append(UInt8(ascii: ":"))
            QuotedText.append(member.1, to: &json)
        }
    }

    // MARK: - Base64

    /// `data:image/png;base64,…`.
    private static func dataURL(_ text: String) -> DecodedValue? {
        guard text.hasPrefix("data:"), let comma = text.firstIndex(of: ",") else { return nil }
        let head = text[..<comma].dropFirst("data:".count)
        let rest = text[comma...].dropFirst()
        guard head.hasSuffix(";base64") else { return nil }
        guard let bytes = bytes(ofBase64: rest), !bytes.isEmpty else { return nil }
        let type = head.dropLast(";base64".count)
        return content(bytes, type: type.isEmpty ? nil : String(type))
    }

    /// Text or bytes in base64; nil for a word that only might be base64.
    private static func base64(_ text: String) -> DecodedValue? {
        guard text.utf8.count >= 8, let bytes = bytes(ofBase64: text[...]), !bytes.isEmpty else {
            return nil
        }
        if let words = readable(bytes) {
            // A short word may decode to readable text by chance, but seldom to four bytes of it.
            return words.utf8.count >= 4 ? content(bytes, type: nil) : nil
        }
        let kind = kindName(bytes)
        let letters = text.utf8
        let isMixed =
            letters.contains { (0x41...0x5A).contains($0) }
            && letters.contains { (0x61...0x7A).contains($0) }
            && letters.contains { (0x30...0x39).contains($0) }
        // Bytes of an unknown kind count only if the text is long, mixed, and of the right length.
        guard kind != nil || (text.utf8.count >= 24 && text.utf8.count % 4 == 0 && isMixed) else {
            return nil
        }
        return content(bytes, type: nil)
    }

    private static func content(_ bytes: [UInt8], type: String?) -> DecodedValue {
        let size = Readable.bytes(bytes.count)
        if let body = tree(bytes) {
            let facts = [Fact.words("holds", "JSON, \(size)")]
            return DecodedValue(name: "base64", facts: facts, content: .body(body))
        }
        if let text = readable(bytes) {
            let facts = [Fact.words("holds", "\(type ?? "text"), \(size)")]
            return DecodedValue(name: "base64", facts: facts, content: .text(text))
        }
        let kind = kindName(bytes) ?? type ?? "bytes"
        var body = BodyDocument(DocumentBytes(bytes), contentType: "application/octet-stream")
        body.show(.hex)
        return DecodedValue(
            name: "base64",
            facts: [.words("holds", "\(kind), \(size)")],
            content: .body(body)
        )
    }

    /// Decodes base64 in either of its two alphabets, with or without `=` at the end; nil if it is malformed.
    private static func bytes(ofBase64 text: Substring) -> [UInt8]? {
        var letters: [UInt8] = []
        letters.reserveCapacity(text.utf8.count + 3)
        var padding = 0
        for letter in text.utf8 {
            switch letter {
            case 0x0A, 0x0D: continue
            case 0x3D: padding += 1
            case 0x2D: letters.append(0x2B)
            case 0x5F: letters.append(0x2F)
            default: letters.append(letter)
            }
            if padding > 0, letter != 0x3D { return nil }
        }
        guard letters.count % 4 != 1, padding <= 2 else { return nil }
        while letters.count % 4 != 0 { letters.append(0x3D) }
        return Data(base64Encoded: Data(letters)).map(Array.init)
    }

    /// The bytes as text; nil if they have a control character, are not UTF-8, or are probably random.
    private static func readable(_ bytes: [UInt8]) -> String? {
        let isPlain = bytes.allSatisfy {
            $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D
        }
        guard isPlain, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        // Few random bytes are valid UTF-8 by chance, and those seldom have many ASCII characters.
        let plain = bytes.count { $0 < 0x80 }
        return plain * 2 >= bytes.count || bytes.count >= 64 ? text : nil
    }

    /// The first bytes of a kind of file, and its name.
    private static let kinds: [([UInt8], String)] = [
        ([0x89, 0x50, 0x4E, 0x47], "PNG image"), ([0xFF, 0xD8, 0xFF], "JPEG image"),
        (Array("GIF8".utf8), "GIF image"), (Array("RIFF".utf8), "WebP image or sound"),
        (Array("%PDF".utf8), "PDF document"), ([0x1F, 0x8B], "gzip"),
        ([0x50, 0x4B, 3, 4], "zip archive"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd"),
        ([0x30, 0x82], "DER, such as a certificate or a key"),
    ]

    private static func kindName(_ bytes: [UInt8]) -> String? {
        kinds.first { bytes.starts(with: $0.0) }?.1
    }
}

extension DecodedValue.Fact {
    /// The name and the text of the line.
    func line(_ clock: WallClock) -> (name: String, text: String) {
        switch self {
        case .words(let name, let text): (name, text)
        case .moment(let name, let date):
            (name, "\(clock.words(for: date)), \(clock.distance(to: date))")
        case .universal(let date): ("UTC", clock.words(for: date, in: .gmt))
        case .day(let date): ("day", clock.words(forDay: date))
        case .expiry(let date):
            (
                date < clock.now ? "expired" : "expires",
                "\(clock.words(for: date)), \(clock.distance(to: date))"
            )
        }
    }
}

/// A URL, split into its parts.
private struct URLParts {
    /// The scheme, the user, the host, the port and the path, by name; those that it has.
    private(set) var members: [(String, String)]
    private(set) var query: Substring?
    private(set) var fragment: Substring?

    /// Nil if it has neither a host nor a path.
    init?(_ url: String) {
        guard let colon = url.firstRange(of: "://") else { return nil }
        members = [("scheme", String(url[..<colon.lowerBound]))]
        var rest = url[colon.upperBound...]
        if let sign = rest.firstIndex(of: "#") {
            fragment = rest[rest.index(after: sign)...]
            rest = rest[..<sign]
        }
        if let sign = rest.firstIndex(of: "?") {
            query = rest[rest.index(after: sign)...]
            rest = rest[..<sign]
        }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        var host = rest[..<slash]
        guard !host.isEmpty || slash < rest.endIndex else { return nil }
        if let sign = host.lastIndex(of: "@") {
            members.append(("user", String(host[..<sign])))
            host = host[host.index(after: sign)...]
        }
        if let sign = host.lastIndex(of: ":"), host[sign...].dropFirst().allSatisfy(\.isNumber) {
            members.append(("host", String(host[..<sign])))
            members.append(("port", String(host[sign...].dropFirst())))
        } else {
            members.append(("host", String(host)))
        }
        let path = String(rest[slash...])
        members.append(("path", PercentEncoding.decoded(path) ?? path))
    }
}
