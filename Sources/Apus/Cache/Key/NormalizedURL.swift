import HTTPTypes

/// A request's URL in the one form that equal URLs share (RFC 3986 section 6.2).
///
/// Scheme and host are in lower case, the scheme's own port is dropped, escapes
/// are in upper case and those of unreserved characters decoded, dot segments
/// are removed as libcurl removes them before sending (so an escaped dot is none),
/// and the query is sorted by name; repeated names keep their order, which some
/// servers read.
struct NormalizedURL {
    let withoutQuery: String
    let query: String?

    /// Leaves parameters named in `ignored` out, and hides those that carry
    /// credentials: the usual ones, and `secrets`.
    ///
    /// `sortsQuery` is false where the order of a query's pairs tells URLs apart.
    init(
        _ head: HTTPRequest,
        ignoring ignored: Set<String>,
        secrets: Set<String> = [],
        sortsQuery: Bool = true
    ) {
        let scheme = (head.scheme ?? "http").lowercased()
        let target = (head.path ?? "/").utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1)
        let path = Self.removingDotSegments(target.first.map { String(Substring($0)) } ?? "/")
        let authority = Self.authority(head.authority ?? "", scheme: scheme)
        withoutQuery = "\(scheme)://\(authority)\(Self.normalizingEscapes(path))"
        let hasQuery = (head.path ?? "").utf8.contains(UInt8(ascii: "?"))
        let text = target.count > 1 ? String(Substring(target[1])) : ""
        query =
            hasQuery
            ? ParameterText.hiding(
                secrets,
                in: ParameterText.normalized(text, ignored, isSorted: sortsQuery)
            )
            : nil
    }

    var text: String { query.map { "\(withoutQuery)?\($0)" } ?? withoutQuery }

    private static func authority(_ text: String, scheme: String) -> String {
        var host = Substring(text)
        var user = ""
        if let at = text.unicodeScalars.lastIndex(of: "@") {
            // A password counts for the key but may not stand in its recipe.
            user = "sha256-\(ContentDigest.hex(of: String(text[..<at])).prefix(32))@"
            host = text[text.unicodeScalars.index(after: at)...]
        }
        let standard = scheme == "https" ? ":443" : ":80"
        if host.hasSuffix(standard) { host = host.dropLast(standard.count) }
        if host.hasSuffix(":") { host = host.dropLast() }
        return user + host.lowercased()
    }

    /// RFC 3986 section 5.2.4.
    private static func removingDotSegments(_ path: String) -> String {
        guard path.contains("/.") else { return path.isEmpty ? "/" : path }
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                if kept.count > 1 { kept.removeLast() }
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return kept.joined(separator: "/")
    }

    /// Escapes in upper case; those of unreserved characters decoded.
    static func normalizingEscapes(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        let bytes = Array(text.utf8)
        var out: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard let byte = ParameterText.escapedByte(in: bytes, at: index) else {
                out.append(bytes[index])
                index += 1
                continue
            }
            if PercentEncoding.isUnreserved(byte) {
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
