import ArgumentParser
import Documents
import Glibc

/// The format of a document, as given on the command line.
struct DocumentOptions: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "The input's format. Default: guessed from the file name, then from the content.",
            valueName: "format"
        )
    )
    var format: FormatName?
}

/// A document that was read completely.
struct DocumentInput {
    /// The name used in messages.
    let name: String
    /// The tree, and the faults in the text.
    let formatted: FormattedDocument

    var document: Document { formatted.document }

    /// Reads a file, or standard input for `-`.
    static func read(_ path: String, as format: FormatName?) throws -> DocumentInput {
        let name = path == "-" ? "standard input" : path
        do throws(DocumentError) {
            let bytes: DocumentBytes =
                path == "-" ? try .reading(descriptor: STDIN_FILENO) : try .reading(file: path)
            let format = format?.format ?? DocumentFormat(fileName: path)
            return DocumentInput(
                name: name,
                formatted: .opening(bytes, as: format ?? DocumentFormat(sniffing: bytes) ?? .json)
            )
        } catch {
            throw CommandError("\(name): \(error.reason)")
        }
    }

    /// Why the tree is incomplete, if the reason is a memory or time limit; else nil.
    var limit: String? { formatted.limitProblem.map { "\(name): \($0)" } }

    /// The faults in the text, one line each.
    var faults: [String] {
        if formatted.original.count == 0, !formatted.format.canBeEmpty {
            return ["\(name): the input is empty"]
        }
        if !formatted.faults.isEmpty {
            return formatted.faults.map {
                "\(name):\($0.position.line):\($0.position.column): \($0)"
            }
        }
        return document.faults.map { fault in
            let position = document.position(of: fault.offset)
            return "\(name):\(position.line):\(position.column): \(fault) (byte \(fault.offset))"
        }
    }
}

/// A format as it is named on the command line.
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

    /// The format for a file name's ending; nil if the ending is unknown.
    init?(fileName: String) {
        guard let format = DocumentFormat(fileName: fileName),
            let name = Self.allCases.first(where: { $0.format == format })
        else { return nil }
        self = name
    }

    /// The media type of the format.
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
