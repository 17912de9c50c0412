import ArgumentParser
import Documents
import Terminal

/// `apus format FILE|-`: reformats a document.
struct FormatCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "format",
        _superCommandName: "apus",
        abstract: "Write a document as JSON: pretty, minified or canonical.",
        discussion: """
            Numbers, escapes, duplicate keys and the order of keys stay as written; only white \
            space changes. --canonical (RFC 8785) sorts keys, normalizes numbers and ends without a \
            line feed. Other formats \
            (XML, YAML, CSV and so on) are converted to JSON.

            Exit status: 0 success, 2 bad input; then nothing is written.
            """
    )

    @Argument(help: "A file, or - for standard input.", completion: .file())
    var file = "-"

    @OptionGroup var input: DocumentOptions

    @Flag(exclusivity: .exclusive, help: "The output's form.")
    var style = Style.pretty

    @Option(name: .shortAndLong, help: "Spaces per level, 0 to 8, for --pretty.")
    var indent = 2

    @Flag(name: .shortAndLong, help: "One tab per level, for --pretty.")
    var tab = false

    enum Style: String, EnumerableFlag {
        case pretty, minify, canonical
    }

    func validate() throws {
        guard (0...8).contains(indent) else { throw ValidationError("--indent takes 0 to 8.") }
    }

    func run() throws {
        let input = try DocumentInput.read(file, as: input.format)
        let faults = input.faults
        for fault in faults { StandardError.write("apus: \(fault)") }
        if !faults.isEmpty { throw ExitCode(ExitStatus.usage) }
        let document = input.document
        var output = StandardOutput(.json)
        let isList = document.form == .sequence && style != .canonical
        do {
            for node in isList ? Array(document.children(of: .root)) : [.root] {
                try writer.write(node, of: document) { try output.write($0) }
                // RFC 8785 has no line feed at the end, and its bytes are what is hashed and signed.
                if style != .canonical { try output.write("\n") }
            }
        } catch let fault as DocumentWritingError {
            let position = document.position(of: fault.offset)
            throw CommandError("\(input.name):\(position.line):\(position.column): \(fault)")
        }
        try output.flush()
    }

    private var writer: DocumentWriter {
        switch style {
        case .pretty:
            DocumentWriter(.pretty(PrettyStyle(indentation: tab ? .tab : .spaces(indent))))
        case .minify: DocumentWriter()
        case .canonical: DocumentWriter(.canonical(.strict))
        }
    }
}
