import Documents
import HTTPTypes
import Secrets

/// The lines of a key's recipe; line breaks in values are escaped, so no value can pass for a line.
struct KeyRecipe {
    private(set) var bytes: [UInt8] = []

    init(_ text: String = "") {
        // Most recipes fit, so that all lines take one allocation.
        bytes.reserveCapacity(max(256, 2 * text.utf8.count))
        append(text)
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func add(_ name: String, _ value: String) {
        begin(name)
        appendEscaping(value)
    }

    /// Begins a line: everything up to the value, including the space before it.
    mutating func begin(_ name: String, _ detail: String? = nil) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "\n")) }
        append(name)
        bytes.append(UInt8(ascii: " "))
        guard let detail else { return }
        append(detail)
        bytes.append(UInt8(ascii: " "))
    }

    /// Appends text that contains neither line breaks nor backslashes.
    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ text: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: text) }

    /// Appends text, with line breaks and backslashes escaped.
    mutating func appendEscaping(_ text: String) {
        var text = text
        text.withUTF8 { text in
            for byte in text {
                switch byte {
                case UInt8(ascii: "\n"): bytes.append(contentsOf: #"\n"#.utf8)
                case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
                default: bytes.append(byte)
                }
            }
        }
    }
}

/// Parameters like `a=1&b=2`, as in a query or a form body.
enum ParameterText {
    /// The pairs sorted by name, without those of `ignored` names, with normalized escapes.
    ///
    /// Pairs with the same name keep their order.
    static func sorted(_ text: String, _ ignored: Set<String>) -> String {
        normalized(text, ignored, isSorted: true)
    }

    /// As `sorted`, but in the given order if `isSorted` is false.
    static func normalized(_ text: String, _ ignored: Set<String>, isSorted: Bool) -> String {
        let pairs = text.split(separator: "&", omittingEmptySubsequences: false).map { piece in
            let pair = NormalizedURL.normalizingEscapes(String(piece))
            return (name: pair.prefix { $0 != "=" }, pair: pair)
        }
        let kept =
            ignored.isEmpty ? pairs : pairs.filter { !ignored.contains(decoded($0.name)) }
        // The standard library's sort is stable.
        let ordered =
            isSorted
            ? kept.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } : kept
        return ordered.map(\.pair).joined(separator: "&")
    }

    /// The pairs, with digests instead of values that carry credentials.
    ///
    /// Credentials count for a key but must not appear in its recipe.
    static func hiding(_ secrets: Set<String>, in text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "=")) else { return text }
        let pairs = text.unicodeScalars.split(separator: "&", omittingEmptySubsequences: false)
        return pairs.map { pair in
            guard let equals = pair.firstIndex(of: "="),
                CredentialMask.isSecret(parameter: Substring(pair[..<equals]), among: secrets)
            else { return hidingParameters(secrets, in: String(pair)) }
            let value = String(pair[equals...].dropFirst())
            return "\(Substring(pair[...equals]))\(ContentDigest.short(of: value))"
        }.joined(separator: "&")
    }

    /// Hides secret parameters that follow a `;`, as those of a path's segments (RFC 3986, section 3.3).
    static func hidingParameters(_ secrets: Set<String>, in text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: ";")) else { return text }
        let parts = text.unicodeScalars.split(separator: ";", omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part in
            guard index > 0, let equals = part.firstIndex(of: "="),
                CredentialMask.isSecret(parameter: Substring(part[..<equals]), among: secrets)
            else { return String(part) }
            let value = part[equals...].dropFirst().prefix { $0 != "/" }
            let digest = ContentDigest.short(of: String(value))
            return "\(Substring(part[...equals]))\(digest)\(Substring(part[value.endIndex...]))"
        }.joined(separator: ";")
    }

    /// The name as a server decodes it.
    private static func decoded(_ name: Substring) -> String {
        let bytes = PercentEncoding.decode(Array(name.utf8), plusIsSpace: true).bytes
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A request's URL in normalized form (RFC 3986, section 6.2).
///
/// Scheme and host are in lower case, and the scheme's default port is dropped. Escapes are in upper case,
/// and those of unreserved characters are decoded. The query is sorted by name; repeated names keep their
/// order, which some servers read. Dot segments stay, escaped or not, because they are sent unchanged and
/// each server interprets them differently.
struct NormalizedURL {
    let withoutQuery: String
    let query: String?

    /// Leaves out the parameters in `ignored`, and replaces the values of those that carry credentials (the
    /// usual ones, and `secrets`) with digests.
    ///
    /// Pass false for `sortsQuery` if the order of a query's pairs distinguishes URLs.
    init(
        _ head: HTTPRequest,
        ignoring ignored: Set<String>,
        secrets: Set<String> = [],
        sortsQuery: Bool = true
    ) {
        let scheme = (head.scheme ?? "http").asciiLowercased
        let target = head.path ?? "/"
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        let path = target[..<(mark ?? target.endIndex)]
        let authority = Self.authority(head.authority ?? "", scheme: scheme)
        let text = path.isEmpty ? "/" : Self.normalizingEscapes(String(path), keepingDots: true)
        withoutQuery =
            "\(scheme)://\(authority)\(ParameterText.hidingParameters(secrets, in: text))"
        query = mark.map { mark in
            let text = String(target[target.utf8.index(after: mark)...])
            return ParameterText.hiding(
                secrets,
                in: ParameterText.normalized(text, ignored, isSorted: sortsQuery)
            )
        }
    }

    var text: String { query.map { "\(withoutQuery)?\($0)" } ?? withoutQuery }

    private static func authority(_ text: String, scheme: String) -> String {
        var host = Substring(text)
        var user = ""
        if let at = text.unicodeScalars.lastIndex(of: "@") {
            // A password counts for the key but must not appear in its recipe.
            user = "\(ContentDigest.short(of: String(text[..<at])))@"
            host = text[text.unicodeScalars.index(after: at)...]
        }
        let standard = scheme == "https" ? ":443" : ":80"
        if host.hasSuffix(standard) { host = host.dropLast(standard.count) }
        if host.hasSuffix(":") { host = host.dropLast() }
        // `try?`, because a host that cannot be sent equals only itself.
        let ascii = (try? HostName.authority(String(host))) ?? String(host)
        return user + ascii.asciiLowercased
    }

    /// Writes escapes in upper case, and decodes unreserved characters, except dots if `keepingDots`.
    static func normalizingEscapes(_ text: String, keepingDots: Bool = false) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        let bytes = Array(text.utf8)
        // If one `%` is not an escape, decoding the next could make it one: `%2%35` would become `%25`.
        let hasLone = bytes.indices.contains {
            bytes[$0] == UInt8(ascii: "%") && PercentEncoding.escapedByte(in: bytes, at: $0) == nil
        }
        guard !hasLone else { return text }
        var out: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard let byte = PercentEncoding.escapedByte(in: bytes, at: index) else {
                out.append(bytes[index])
                index += 1
                continue
            }
            if PercentEncoding.isUnreserved(byte), !keepingDots || byte != UInt8(ascii: ".") {
                out.append(byte)
            } else {
                out.append(contentsOf: bytes[index...index + 2].map(Self.upperCased))
            }
            index += 3
        }
        return String(decoding: out, as: UTF8.self)
    }

    private static func upperCased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 0x20 : byte
    }
}
