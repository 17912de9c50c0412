public import HTTPTypes

/// What is known of an answer when its file is to be named.
public struct SuggestedDownload: Sendable, Hashable {
    /// The name that the answer suggests, without any folder; never empty.
    ///
    /// It is that of `Content-Disposition` (RFC 6266), else the last part of the
    /// URL's path, else "download", with an extension for the media type.
    public let name: String
    /// The answer's status and header fields.
    public let head: HTTPResponse
    /// The URL that answered.
    public let url: String

    /// Works the name out.
    public init(head: HTTPResponse, url: String) {
        self.head = head
        self.url = url
        let fields = head.headerFields
        let given = fields[.contentDisposition].flatMap { ContentDisposition($0).fileName }
        name =
            given.flatMap(Self.safe) ?? Self.lastPathPart(of: url).flatMap(Self.safe)
            ?? "download" + MediaType.fileExtension(for: fields[.contentType])
    }

    private static func lastPathPart(of url: String) -> String? {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let path = rest.prefix { $0 != "?" && $0 != "#" }
        guard let slash = path.lastIndex(of: "/") else { return nil }
        return PercentEncoding.decoded(String(path[path.index(after: slash)...]))
    }

    /// A name cannot lead to another folder, hide itself, or be a control sequence.
    private static func safe(_ name: String) -> String? {
        // Not characters: to the system a slash with an accent upon it is a slash.
        let scalars = name.unicodeScalars.filter { $0.properties.generalCategory != .control }
        let last = scalars.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last
        guard let shown = last?.drop(while: { $0 == "." || $0 == " " }) else { return nil }
        var text = String(shown)
        // Most file systems take 255 bytes, and a suffix is added while it is written.
        while text.utf8.count > 200 { text.removeLast() }
        return text.isEmpty ? nil : text
    }
}
