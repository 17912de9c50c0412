import Documents
import Terminal
import Workspaces

/// The completions that tab offers for a field of the request pane.
struct FieldCompletion: Equatable {
    /// What the field is for.
    enum Place: Equatable {
        case headerName
        case headerValue(of: String)
        /// The value of an option of the workspace format.
        case option(String)
        /// A method and a URL.
        case requestLine
        case other
    }

    /// The number of characters before the cursor that a candidate replaces.
    var replaced = 0
    /// The texts, the most useful first.
    var candidates: [String] = []

    /// Finds the candidates for the text before the cursor.
    init(before text: String, after: String, _ place: Place, variables: [CatalogVariable]) {
        if let open = text.ranges(of: "{{").last, !text[open.upperBound...].contains("}}") {
            let isClosed = after.drop { $0 == " " }.hasPrefix("}}")
            complete(text[open.lowerBound...], isClosed: isClosed, variables)
            return
        }
        let known: [String]
        switch place {
        case .headerName: known = KnownFields.names
        case .headerValue(let name): known = KnownFields.values[name.asciiLowercased] ?? []
        case .option(let name): known = FormatSection[.target].key(name)?.completions ?? []
        case .requestLine: known = text.contains(" ") ? [] : Self.methods.map { "\($0) " }
        case .other: known = []
        }
        let typed = text.lowercased()
        replaced = text.count
        candidates = known.filter { $0.lowercased().hasPrefix(typed) && $0 != text }
    }

    private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]

    /// Completes what was typed after `{{`: a variable or a function, after `|` a function.
    private mutating func complete(
        _ text: Substring,
        isClosed: Bool,
        _ variables: [CatalogVariable]
    ) {
        let end = isClosed ? "" : " }}"
        if let bar = text.lastIndex(of: "|") {
            let typed = text[text.index(after: bar)...].drop { $0 == " " }
            replaced = text[bar...].count
            let functions = TemplateFunction.all.compactMap(\.pipedExample) + ["raw"]
            candidates = functions.filter { $0.hasPrefix(typed) }.map { "| \($0)\(end)" }
            return
        }
        let typed = text.dropFirst(2).drop { $0 == " " }
        replaced = text.count
        let functions = TemplateFunction.all.map(\.example).filter { !$0.contains("|") }
        candidates = (variables.map(\.name) + functions).filter { $0.hasPrefix(typed) }
            .map { "{{ \($0)\(end)" }
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
