import Documents
import Terminal

/// The completions that tab offers for a field of the request pane.
struct FieldCompletion: Equatable {
    /// What the field is for.
    enum Place: Equatable {
        case headerName
        case headerValue(of: String)
        case other
    }

    /// The number of characters before the cursor that a candidate replaces.
    var replaced = 0
    /// The texts, the most useful first.
    var candidates: [String] = []

    /// Finds the candidates for the text before the cursor.
    init(before text: String, after: String, _ place: Place, variables: [CatalogVariable]) {
        if let open = text.ranges(of: "{{").last, !text[open.upperBound...].contains("}}") {
            let typed = text[open.upperBound...].drop { $0 == " " }
            replaced = text[open.lowerBound...].count
            let isClosed = after.drop { $0 == " " }.hasPrefix("}}")
            candidates = variables.map(\.name).filter { $0.hasPrefix(typed) }
                .map { isClosed ? "{{ \($0)" : "{{ \($0) }}" }
            return
        }
        let known: [String]
        switch place {
        case .headerName: known = KnownFields.names
        case .headerValue(let name): known = KnownFields.values[name.asciiLowercased] ?? []
        case .other: known = []
        }
        let typed = text.lowercased()
        replaced = text.count
        candidates = known.filter { $0.lowercased().hasPrefix(typed) && $0 != text }
    }
}

/// Request header fields that people write: from IANA's registry, and other common ones.
enum KnownFields {
    static let names = [
        "Accept", "Accept-Encoding", "Accept-Language", "Authorization", "Cache-Control",
        "Content-Encoding", "Content-Language", "Content-Type", "Cookie", "Date", "Expect",
        "Forwarded", "From", "Host", "Idempotency-Key", "If-Match", "If-Modified-Since",
        "If-None-Match", "If-Range", "If-Unmodified-Since", "Link", "Origin", "Pragma", "Prefer",
        "Priority", "Proxy-Authorization", "Range", "Referer", "TE", "Traceparent", "Tracestate",
        "Trailer", "Upgrade", "User-Agent", "Via", "X-API-Key", "X-Correlation-ID",
        "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-HTTP-Method-Override",
        "X-Request-ID", "X-Requested-With",
    ]

    private static let types = [
        "application/json", "application/problem+json", "application/x-www-form-urlencoded",
        "application/xml", "application/octet-stream", "application/graphql", "text/plain",
        "text/html", "text/csv", "text/event-stream", "multipart/form-data", "image/png", "*/*",
    ]

    /// Common values, by the field's name in lower case.
    static let values: [String: [String]] = [
        "accept": types,
        "accept-encoding": ["gzip", "br", "zstd", "deflate", "identity"],
        "accept-language": ["en", "en-GB", "en-US", "de", "fr", "es", "ja", "*"],
        "authorization": ["Bearer ", "Basic "],
        "cache-control": [
            "no-cache", "no-store", "max-age=0", "max-stale", "min-fresh=60", "only-if-cached",
            "no-transform",
        ],
        "content-encoding": ["gzip", "br", "zstd", "deflate"],
        "content-type": types,
        "expect": ["100-continue"],
        "if-match": ["*"],
        "if-none-match": ["*"],
        "pragma": ["no-cache"],
        "prefer": ["return=minimal", "return=representation", "respond-async"],
        "range": ["bytes=0-1023"],
        "te": ["trailers"],
        "x-http-method-override": ["PUT", "PATCH", "DELETE"],
        "x-requested-with": ["XMLHttpRequest"],
    ]
}
