import ArgumentParser
import Documents

/// A format as one names it on the command line.
enum FormatName: String, CaseIterable, ExpressibleByArgument {
    case json, ndjson, sse, xml, html, yaml, form, csv, tsv

    var format: DocumentFormat {
        switch self {
        case .json: .json
        case .ndjson: .jsonLines
        case .sse: .eventStream
        case .xml: .xml
        case .html: .html
        case .yaml: .yaml
        case .form: .form
        case .csv: .csv()
        case .tsv: .csv(delimiter: UInt8(ascii: "\t"))
        }
    }

    /// The format that a file's name ends like; nil when that says nothing.
    init?(fileName: String) {
        guard let format = DocumentFormat(fileName: fileName),
            let name = Self.allCases.first(where: { $0.format == format })
        else { return nil }
        self = name
    }

    /// The same as a Content-Type.
    var contentType: String {
        switch self {
        case .json: "application/json"
        case .ndjson: "application/x-ndjson"
        case .sse: "text/event-stream"
        case .xml: "application/xml"
        case .html: "text/html"
        case .yaml: "application/yaml"
        case .form: "application/x-www-form-urlencoded"
        case .csv: "text/csv"
        case .tsv: "text/tab-separated-values"
        }
    }
}
