/// The wire trace of one transfer, its secrets masked as they come in.
struct WireTrace {
    private static let secretNames = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key",
        "x-auth-token",
    ]

    private(set) var entries: [WireTraceEntry] = []

    mutating func add(_ kind: WireTraceEntry.Kind, _ text: String) {
        for line in text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline) {
            entries.append(WireTraceEntry(kind: kind, text: Self.masked(String(line), kind)))
        }
    }

    /// A header line keeps its name; a remark may quote one in brackets, as
    /// libcurl does for HTTP/2 ("h2h3 [authorization: …]"), or a URL.
    private static func masked(_ line: String, _ kind: WireTraceEntry.Kind) -> String {
        if kind == .remark, let start = line.lastIndex(of: "["), line.last == "]" {
            let inner = line[line.index(after: start)...].dropLast()
            return "\(line[...start])\(maskedField(inner))]"
        }
        return Redaction.maskingUserInfo(in: maskedField(line[...]))
    }

    private static func maskedField(_ line: Substring) -> String {
        guard let colon = line.firstIndex(of: ":"),
            secretNames.contains(line[..<colon].lowercased())
        else { return String(line) }
        return "\(line[...colon]) \(Redaction.mask)"
    }
}
