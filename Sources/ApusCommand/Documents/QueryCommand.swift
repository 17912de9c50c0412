import ArgumentParser
import Documents
import Terminal

/// `apus query JSONPATH FILE|-`: prints the matches of a query, one per line.
struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        _superCommandName: "apus",
        abstract: "Print what a JSONPath selects in a document, one match per line.",
        discussion: """
            The query is a JSONPath (RFC 9535) such as $.users[?@.age > 30].name, or a short path \
            such as users[0].name, users>0>name or .users[].name. Matches keep their text; only white space \
            between tokens is dropped.

            --json prints one object: version (1), count and matches [{path, value}, …], with their \
            normalized paths.

            Exit status: 0 matches, 1 no match, 2 bad query or input.
            """
    )

    @Argument(help: ArgumentHelp("A JSONPath or a short path.", valueName: "jsonpath"))
    var query: String

    @Argument(help: "A file, or - for standard input.", completion: .file())
    var file = "-"

    @OptionGroup var input: DocumentOptions

    @Flag(
        name: .shortAndLong,
        help: "Print the normalized path of each match instead of its value."
    )
    var paths = false

    @Flag(name: .shortAndLong, help: "Print strings without quotes and escapes.")
    var raw = false

    @Flag(help: "With --raw: print control characters even to a terminal.")
    var force = false

    @Flag(name: .shortAndLong, help: "Print the number of matches.")
    var count = false

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        if [paths, raw, count, json].filter(\.self).count > 1 {
            throw ValidationError("--paths, --raw, --count and --json cannot be combined.")
        }
        if force, !raw { throw ValidationError("--force needs --raw.") }
    }

    func run() throws {
        let query = try QueryArgument.parse(query)
        let input = try DocumentInput.read(file, as: input.format)
        if let limit = input.limit { throw CommandError(limit) }
        let (found, broken, problem) = try print(query, in: input.document)
        // Matches before an error are printed first; then the error, which also sets the exit status.
        var faults = input.faults
        if faults.isEmpty, let broken {
            let place = input.document.position(of: broken.offset)
            faults = ["\(input.name):\(place.line):\(place.column): \(broken)"]
        }
        if let problem { faults.append("\(input.name): \(problem)") }
        for fault in faults { StandardError.write("apus: \(fault)") }
        if !faults.isEmpty { throw ExitCode(ExitStatus.usage) }
        if found == 0 { throw ExitCode(ExitStatus.negative) }
    }

    /// Prints the matches; returns how many there are, the first that could not be printed because it is broken,
    /// and why some may be missing.
    private func print(
        _ query: JSONPath,
        in document: Document
    ) throws -> (count: Int, broken: DocumentWritingError?, problem: String?) {
        var output = StandardOutput(raw ? .bytes(force: force) : .json)
        var found = 0
        var broken: DocumentWritingError?
        let writer = DocumentWriter()
        // There is no time limit; ctrl-c ends the program.
        var walk = QueryWalk(query, in: document) { true }
        if json { try output.write(#"{"version":1,"matches":["#) }
        while let node = walk.next() {
            found += 1
            if count { continue }
            if json {
                if found > 1 { try output.write(",") }
                let path = try JSON(document.path(of: node)).bytes()
                try output.write(Array(#"{"path":"#.utf8) + path + Array(#","value":"#.utf8))
                try writer.bytes(of: node, in: document).withUnsafeBytes { try output.write($0) }
                try output.write("}")
                continue
            }
            if paths {
                try output.write(document.path(of: node))
            } else if raw, let text = document.string(of: node) {
                try output.write(text)
            } else {
                let bytes: [UInt8]
                do throws(DocumentWritingError) {
                    bytes = try writer.bytes(of: node, in: document)
                } catch {
                    // Matches after it are printed; the document's faults say what is wrong and where.
                    broken = broken ?? error
                    continue
                }
                try output.write(bytes)
            }
            try output.write("\n")
        }
        if count { try output.write("\(found)\n") }
        if json { try output.write("],\"count\":\(found)}\n") }
        try output.flush()
        return (found, broken, walk.problem)
    }
}

/// A query on the command line.
enum QueryArgument {
    /// Parses a JSONPath or a short path; the error message marks the wrong column.
    ///
    /// A JSONPath is taken as RFC 9535 has it, without white space around it, which a person at a pane may type.
    static func parse(_ text: String) throws -> JSONPath {
        let path: JSONPath
        do throws(JSONPathError) {
            path = try JSONPath(parsing: text)
        } catch {
            throw wrong(text, error.column, error.message)
        }
        let query = text.drop { $0.isASCII && $0.isWhitespace }
        guard query.first == "$" else { return path }
        if query.startIndex > text.startIndex {
            throw wrong(text, 1, "white space must not precede the $ of a JSONPath")
        }
        if let last = text.last, last.isASCII, last.isWhitespace {
            throw wrong(text, text.unicodeScalars.count, "white space must not follow a JSONPath")
        }
        return path
    }

    private static func wrong(_ text: String, _ column: Int, _ message: String) -> CommandError {
        CommandError(
            """
            column \(column) of the query: \(message)
              \(text)
              \(String(repeating: " ", count: column - 1))^
            """
        )
    }
}
