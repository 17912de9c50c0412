extension DocumentFormat {
    private static let names: [String: DocumentFormat] = [
        "application/json": .json, "text/json": .json, "application/x-json": .json,
        "application/x-ndjson": .jsonLines, "application/ndjson": .jsonLines,
        "application/jsonl": .jsonLines, "application/x-jsonlines": .jsonLines,
        "application/json-lines": .jsonLines, "application/jsonlines": .jsonLines,
        "application/stream+json": .jsonLines, "application/json-seq": .jsonLines,
        "text/event-stream": .eventStream,
        "application/xml": .xml, "text/xml": .xml, "application/xml-dtd": .xml,
        "text/html": .html, "application/xhtml+xml": .html,
        "application/yaml": .yaml, "application/x-yaml": .yaml, "text/yaml": .yaml,
        "text/x-yaml": .yaml, "text/vnd.yaml": .yaml,
        "application/x-www-form-urlencoded": .form,
        "text/tab-separated-values": .csv(delimiter: 0x09),
    ]

    private static let extensions: [String: DocumentFormat] = [
        "json": .json, "geojson": .json, "har": .json, "ndjson": .jsonLines, "jsonl": .jsonLines,
        "xml": .xml, "rss": .xml, "atom": .xml, "svg": .xml, "xsd": .xml, "plist": .xml,
        "html": .html, "htm": .html, "xhtml": .html, "yaml": .yaml, "yml": .yaml,
        "csv": .csv(), "tsv": .csv(delimiter: 0x09), "tab": .csv(delimiter: 0x09),
        "sse": .eventStream,
    ]

    /// What a Content-Type names, with its parameters; nil when it is none of these.
    public init?(contentType: String?) {
        guard let type = MediaType(contentType) else { return nil }
        self.init(type)
    }

    /// What the ending of a file's name says; nil when it says nothing.
    public init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: "."),
            let format = Self.extensions[fileName[dot...].dropFirst().lowercased()]
        else { return nil }
        self = format
    }

    init?(_ type: MediaType) {
        if let format = Self.names[type.name] {
            self = format
        } else if type.name == "text/csv" || type.name == "application/csv" {
            // RFC 4180 section 3: `header` is `present` or `absent`.
            let header = type.parameter("header").map { $0.lowercased() == "present" }
            self = .csv(hasHeader: header)
        } else if type.name.hasPrefix("multipart/"), let boundary = type.parameter("boundary") {
            self = .multipart(boundary: boundary)
        } else if type.name.hasSuffix("+json") {
            self = .json
        } else if type.name.hasSuffix("+xml") {
            self = .xml
        } else if type.name.hasSuffix("+yaml") {
            self = .yaml
        } else {
            return nil
        }
    }
}
