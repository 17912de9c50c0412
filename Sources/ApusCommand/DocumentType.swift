import ArgumentParser

/// A kind of document, by the name that people call it.
enum DocumentType: String, CaseIterable, ExpressibleByArgument {
    case json, ndjson, xml, html, yaml, csv, tsv, form, text, binary

    /// All names, for the help.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// The kind that a file's name ends like; nil when that says nothing.
    init?(path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        switch name[name.index(after: dot)...].lowercased() {
        case "json", "geojson", "har", "webmanifest", "ipynb": self = .json
        case "ndjson", "jsonl", "ldjson": self = .ndjson
        case "xml", "svg", "rss", "atom", "plist", "xsd", "xsl": self = .xml
        case "html", "htm", "xhtml": self = .html
        case "yaml", "yml": self = .yaml
        case "csv": self = .csv
        case "tsv", "tab": self = .tsv
        case "txt", "log", "md": self = .text
        default: return nil
        }
    }

    /// The same as a Content-Type.
    var contentType: String {
        switch self {
        case .json: "application/json"
        case .ndjson: "application/x-ndjson"
        case .xml: "application/xml"
        case .html: "text/html"
        case .yaml: "application/yaml"
        case .csv: "text/csv"
        case .tsv: "text/tab-separated-values"
        case .form: "application/x-www-form-urlencoded"
        case .text: "text/plain"
        case .binary: "image/x-bytes"
        }
    }
}
