import HTTPTypes

/// Names of header fields, the usual ones as numbers.
///
/// Making a name checks each byte and folds its case, for each field of each hit on disk; the
/// usual ones are made once.
enum FieldNames {
    /// The number of a name, from 1; nil if it is none of the usual.
    static func number(_ name: HTTPField.Name) -> Int? { numbers[name.rawName] }

    /// The name that has a number; nil if none has.
    static func name(_ number: Int) -> HTTPField.Name? {
        1...usual.count ~= number ? usual[number - 1] : nil
    }

    private static let numbers = Dictionary(
        uniqueKeysWithValues: usual.enumerated().map { ($1.rawName, $0 + 1) }
    )

    // The place of a name is its number in records on disk: new ones go to the end.
    private static let usual: [HTTPField.Name] = words.flatMap { word in
        [word, word.lowercased()].compactMap { HTTPField.Name($0) }
    }

    private static let words = [
        "Accept-Ranges", "Access-Control-Allow-Origin", "Age", "Alt-Svc", "Cache-Control",
        "Connection", "Content-Disposition", "Content-Encoding", "Content-Language",
        "Content-Length", "Content-Location", "Content-Range", "Content-Security-Policy",
        "Content-Type", "Date", "ETag", "Expires", "Keep-Alive", "Last-Modified", "Link",
        "Location", "Pragma", "Referrer-Policy", "Retry-After", "Server", "Set-Cookie",
        "Strict-Transport-Security", "Transfer-Encoding", "Vary", "Via", "X-Cache",
        "X-Content-Type-Options", "X-Frame-Options", "X-Powered-By", "X-Request-Id",
        "X-XSS-Protection",
    ]
}
