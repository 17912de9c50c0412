import Documents
import HTTPTypes

/// An HTTP/1.1 request as text: a request line, header fields, and a body after an empty line.
struct RawRequest {
    private let method: String
    private let target: String
    private let fields: [(name: String, value: String)]
    private let body: String
    private(set) var warnings: [String] = []

    /// Nil if the first line is not a request line.
    init?(_ text: String) {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        guard let first = lines.first else { return nil }
        var words = first.split(separator: " ").map(String.init)
        // Without a version, words of a text are not a method: "curl http://…".
        var hasVersion = false
        if words.count == 3, words[2].hasPrefix("HTTP/") {
            hasVersion = true
            words.removeLast()
        }
        guard words.count == 2, HTTPRequest.Method(words[0]) != nil,
            hasVersion
                || !words[0].utf8.contains(where: { (0x61...0x7A).contains($0) || $0 == 0x2E }),
            words[0].utf8.contains(where: { (0x41...0x5A).contains($0 & 0xDF) }),
            words[1].hasPrefix("/") || RequestText.hasScheme(words[1])
        else { return nil }
        (method, target) = (words[0], words[1])
        let head = lines.dropFirst().prefix { !$0.isEmpty }
        fields = head.compactMap { line in
            guard let colon = line.dropFirst().firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            return (String(line[..<colon]), String(value))
        }
        if fields.count < head.count { warnings.append("lines without a colon are ignored") }
        // Taken from the text, so that the line ends in the body stay as they are.
        let rest = lines.dropFirst(head.count + 2)
        body = rest.first.map { String(text[$0.startIndex...]) } ?? ""
        let given = fields.first { $0.name.asciiLowercased == "content-length" }?.value.trimmed
        if let given, given != "\(body.utf8.count)" {
            warnings.append(
                "Content-Length is \(given), but the body has \(body.utf8.count) bytes: that is sent"
            )
        }
    }

    func draft() throws(RequestTextError) -> TargetDraft {
        guard !fields.contains(where: { $0.name.asciiLowercased == "transfer-encoding" }) else {
            throw RequestTextError(
                "a chunked body cannot be read: paste it without `Transfer-Encoding`"
            )
        }
        var draft = TargetDraft(method: method, url: "")
        draft.takeURL(try url())
        for field in fields where !Self.framing.contains(field.name.asciiLowercased) {
            guard HTTPField.Name(field.name) != nil else {
                throw RequestTextError("“\(field.name)” cannot be the name of a header field")
            }
            draft.takeField(field.name, field.value)
        }
        if !body.isEmpty { draft.takeBody(body) }
        return draft
    }

    /// Fields that the URL and the body set.
    private static let framing: Set<String> = ["host", "content-length"]

    /// The URL from target and `Host`; the scheme is `https`, or `http` for this machine and for port 80.
    private func url() throws(RequestTextError) -> String {
        guard target.hasPrefix("/") else { return RequestText.withScheme(target) }
        guard let host = fields.first(where: { $0.name.asciiLowercased == "host" })?.value else {
            throw RequestTextError(
                "the HTTP request has no `Host` field: write the whole URL instead"
            )
        }
        let name = host.prefix { $0 != ":" }
        let isLocal = name == "localhost" || name == "127.0.0.1" || host.hasSuffix(":80")
        return "\(isLocal ? "http" : "https")://\(host)\(target)"
    }
}
