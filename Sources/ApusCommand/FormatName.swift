import ArgumentParser
import Documents

/// A format as one names it on the command line.
enum FormatName: String, CaseIterable, ExpressibleByArgument {
    case json, ndjson, sse, xml, html, yaml, form, csv, tsv

    static var list: String { allCases.map(\.rawValue).joined(separator: ", ") }

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
}
