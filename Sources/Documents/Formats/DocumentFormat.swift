/// What a text is written in.
public enum DocumentFormat: Sendable, Hashable {
    /// JSON, RFC 8259.
    case json
    /// JSON texts one after the other, as in NDJSON.
    case jsonLines
    /// `text/event-stream`, the server-sent events of the HTML standard.
    case eventStream
    /// XML 1.0.
    case xml
    /// HTML, read as browsers do: nothing in it is an error that ends it.
    case html
    /// YAML 1.2, values by its core schema.
    case yaml
    /// `application/x-www-form-urlencoded`.
    case form
    /// The query of a URL, with or without the `?` in front.
    case query
    /// Separated values, RFC 4180; what is nil is found out from the text.
    case csv(delimiter: UInt8? = nil, hasHeader: Bool? = nil)
    /// Parts between boundary lines, RFC 2046.
    case multipart(boundary: String)

    /// The name that people know it by.
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

    /// Whether the tree points into the text itself, not into JSON text made from it.
    public var isJSON: Bool { self == .json || self == .jsonLines }

    /// Whether people look at it as a tree first: lines of HTML, YAML and CSV read well as they are.
    var isBestAsTree: Bool {
        switch self {
        case .html, .yaml, .csv: false
        default: true
        }
    }
}
