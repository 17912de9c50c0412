import HTTPTypes

/// Names of header fields by their text.
///
/// Making a name checks each byte and folds its case, for each field of each hit on disk; the
/// usual ones are looked up instead.
enum FieldNames {
    /// Nil if the text is no name.
    static func name(_ text: String) -> HTTPField.Name? { usual[text] ?? HTTPField.Name(text) }

    private static let usual: [String: HTTPField.Name] = {
        let words = [
            "Accept-Ranges", "Access-Control-Allow-Origin", "Age", "Alt-Svc", "Cache-Control",
            "Connection", "Content-Disposition", "Content-Encoding", "Content-Language",
            "Content-Length", "Content-Location", "Content-Range", "Content-Security-Policy",
            "Content-Type", "Date", "ETag", "Etag", "Expires", "Keep-Alive", "Last-Modified",
            "Link",
            "Location", "Pragma", "Referrer-Policy", "Retry-After", "Server", "Set-Cookie",
            "Strict-Transport-Security", "Transfer-Encoding", "Vary", "Via", "X-Cache",
            "X-Content-Type-Options", "X-Frame-Options", "X-Powered-By", "X-Request-Id",
            "X-XSS-Protection",
        ]
        var names: [String: HTTPField.Name] = [:]
        for word in words + words.map({ $0.lowercased() }) { names[word] = HTTPField.Name(word) }
        return names
    }()
}
