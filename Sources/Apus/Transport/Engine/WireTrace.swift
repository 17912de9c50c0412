/// The wire trace of one transfer, its secrets masked as they come in.
final class WireTrace {
    private(set) var entries: [WireTraceEntry] = []

    func add(_ kind: WireTraceEntry.Kind, _ text: String, _ mask: CredentialMask) {
        for line in text.split(omittingEmptySubsequences: true, whereSeparator: \.isNewline) {
            entries.append(WireTraceEntry(kind: kind, text: Self.masked(String(line), kind, mask)))
        }
    }

    /// A remark may quote a header line in brackets, as libcurl does for HTTP/2
    /// ("h2h3 [authorization: …]"), or a URL.
    private static func masked(
        _ line: String,
        _ kind: WireTraceEntry.Kind,
        _ mask: CredentialMask
    ) -> String {
        guard kind == .remark, let start = line.lastIndex(of: "["), line.last == "]" else {
            return mask.masking(headerLine: line)
        }
        let inner = String(line[line.index(after: start)...].dropLast())
        return "\(line[...start])\(mask.masking(headerLine: inner))]"
    }
}
