/// The format of a text.
public enum DocumentFormat: Sendable, Hashable {
    /// JSON, RFC 8259.
    case json
    /// JSON texts one after the other, as in NDJSON.
    case jsonLines
    /// `text/event-stream`, the server-sent events of the HTML standard.
    case eventStream
    /// XML 1.0.
    case xml
    /// HTML, read as browsers do: no error in it stops the reading.
    case html
    /// YAML 1.2, with values by its core schema.
    case yaml
    /// `application/x-www-form-urlencoded`.
    case form
    /// The query of a URL, with or without the `?` in front.
    case query
    /// Separated values, RFC 4180. Whatever is nil is detected from the text.
    case csv(delimiter: UInt8? = nil, hasHeader: Bool? = nil)
    /// Parts between boundary lines, RFC 2046.
    case multipart(boundary: String)

    /// The format's name for people.
    public var name: String {
        switch self {
        case .json: "JSON"
        case .jsonLines: "JSON lines"
        case .eventStream: "server-sent events"
        case .xml: "XML"
        case .html: "HTML"
        case .yaml: "YAML"
        case .form: "form"
        case .query: "query"
        case .csv(0x09, _): "TSV"
        case .csv: "CSV"
        case .multipart: "multipart"
        }
    }

    /// Whether the tree points into the text itself rather than into JSON text made from it.
    public var isJSON: Bool { self == .json || self == .jsonLines }

    /// Whether a text of no bytes is a right one: no lines, events, pairs or rows, or a page without content.
    package var canBeEmpty: Bool {
        switch self {
        case .json, .xml, .multipart: false
        case .jsonLines, .eventStream, .html, .yaml, .form, .query, .csv: true
        }
    }
}

extension DocumentFormat {
    private static let names: [String: DocumentFormat] = [
        "application/json": .json, "text/json": .json, "application/x-json": .json,
        "application/x-ndjson": .jsonLines, "application/ndjson": .jsonLines,
        "application/jsonl": .jsonLines, "application/x-jsonlines": .jsonLines,
        "application/json-lines": .jsonLines, "application/jsonlines": .jsonLines,
        "application/stream+json": .jsonLines, "application/json-seq": .jsonLines,
        "text/event-stream": .eventStream,
        "application/xml": .xml, "text/xml": .xml, "application/xml-dtd": .xml,
        // `application/xhtml+xml` is XML, as for browsers: `<script/>` has an end there.
        "text/html": .html,
        "application/yaml": .yaml, "application/x-yaml": .yaml, "text/yaml": .yaml,
        "text/x-yaml": .yaml, "text/vnd.yaml": .yaml,
        "application/x-www-form-urlencoded": .form,
        "text/tab-separated-values": .csv(delimiter: 0x09),
    ]

    private static let extensions: [String: DocumentFormat] = [
        "json": .json, "geojson": .json, "har": .json, "ndjson": .jsonLines, "jsonl": .jsonLines,
        "xml": .xml, "rss": .xml, "atom": .xml, "svg": .xml, "xsd": .xml, "plist": .xml,
        "xhtml": .xml, "html": .html, "htm": .html, "yaml": .yaml, "yml": .yaml,
        "csv": .csv(), "tsv": .csv(delimiter: 0x09), "tab": .csv(delimiter: 0x09),
        "sse": .eventStream,
    ]

    /// The format that a Content-Type names, with its parameters; nil if it is none of these.
    public init?(contentType: String?) {
        guard let type = MediaType(contentType) else { return nil }
        self.init(type)
    }

    /// The format for a file name's extension; nil if the extension is unknown.
    public init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: "."),
            let format = Self.extensions[fileName[dot...].dropFirst().asciiLowercased]
        else { return nil }
        self = format
    }

    init?(_ type: MediaType) {
        if let format = Self.names[type.name] {
            self = format
        } else if type.name == "text/csv" || type.name == "application/csv" {
            // RFC 4180 section 3: `header` is `present` or `absent`.
            let header = type.parameter("header").map { $0.asciiLowercased == "present" }
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

extension DocumentFormat {
    /// Detects the format from the first 64 KiB of a text; nil if they are ambiguous.
    ///
    /// JSON, JSON lines, XML, HTML, multipart and server-sent events are recognized by how they begin, YAML
    /// and separated values only if every line looks like them. Reads only the bytes that have already
    /// arrived and never waits.
    public init?(sniffing bytes: DocumentBytes) {
        let start = DecodedText.start(of: bytes)
        let sniffer = BodySniffer(bytes: start)
        guard let format = sniffer.json ?? sniffer.format ?? sniffer.lineFormat else { return nil }
        self = format
    }

    /// Whether the tree's text is one value or a sequence of values.
    var documentForm: DocumentForm { self == .jsonLines ? .sequence : .value }
}
