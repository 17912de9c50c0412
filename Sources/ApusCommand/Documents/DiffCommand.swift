import ArgumentParser
import Documents
import Terminal

/// `apus diff A B`: what differs between two documents.
struct DiffCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        _superCommandName: "apus",
        abstract: "Print the differences between two documents, path by path.",
        discussion: """
            Each line has a sign, a path and the values: + added, - removed, ~ changed, ↕ moved \
            within its array. The order of an object's keys does not matter.

            --json prints one object: version (1), equal, and differences [{kind (added, removed, \
            changed or moved), path, newPath (of a moved value), old, new}, …], with normalized paths \
            (RFC 9535) and whole values; --patch prints what a program can apply.

            Exit status: 0 no differences, 1 differences, 2 wrong usage or bad input.
            """
    )

    @Argument(help: "A file, or - for standard input.", completion: .file())
    var a: String

    @Argument(help: "Another file, or - for standard input.", completion: .file())
    var b: String

    @OptionGroup var input: DocumentOptions

    @Flag(name: .shortAndLong, help: "Print a JSON Patch (RFC 6902) that turns A into B.")
    var patch = false

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Ignore what this path selects, such as $..updated_at. Can be repeated.",
            valueName: "path"
        )
    )
    var ignore: [String] = []

    @Option(help: "Compare numbers by value (1.0 is 1) or by text.")
    var numbers = Numbers.value

    /// How numbers are compared.
    enum Numbers: String, CaseIterable, ExpressibleByArgument {
        case value, text
    }

    @Flag(help: "Print a JSON object.")
    var json = false

    func validate() throws {
        if patch, json { throw ValidationError("--patch and --json cannot be combined.") }
        if a == "-" && b == "-" {
            throw ValidationError("Only one of the two documents can be standard input.")
        }
    }

    func run() throws {
        let ignored = try ignore.map { try QueryArgument.parse($0) }
        let left = try DocumentInput.read(a, as: input.format)
        let right = try DocumentInput.read(b, as: input.format)
        let faults = left.faults + right.faults
        for fault in faults { StandardError.write("apus: \(fault)") }
        if !faults.isEmpty { throw ExitCode(ExitStatus.usage) }
        let options = DiffOptions(
            numbers: numbers == .value ? .value : .text,
            ignoredLeft: try Self.nodes(matching: ignored, in: left),
            ignoredRight: try Self.nodes(matching: ignored, in: right)
        )
        let diff = DocumentDiff(between: left.document, and: right.document, options: options)
        try print(diff)
        if !diff.isEqual { throw ExitCode(ExitStatus.negative) }
    }

    private static func nodes(
        matching queries: [JSONPath],
        in input: DocumentInput
    ) throws -> NodeSet {
        var nodes = NodeSet()
        for query in queries {
            // There is no time limit; ctrl-c ends the program.
            var walk = QueryWalk(query, in: input.document) { true }
            while let node = walk.next() { nodes.insert(node) }
            if let problem = walk.problem { throw CommandError("\(input.name): \(problem)") }
        }
        return nodes
    }

    /// A difference as a JSON object; values are as written.
    private static func bytes(of difference: Difference, in diff: DocumentDiff) throws -> [UInt8] {
        var bytes = Array("{\"kind\":\"\(difference.kind)\"".utf8)
        func add(_ name: String, _ json: [UInt8]) { bytes += Array(",\"\(name)\":".utf8) + json }
        let oldPath = difference.left.map { diff.left.path(of: $0) }
        let newPath = difference.right.map { diff.right.path(of: $0) }
        add("path", try JSON(oldPath ?? newPath ?? "$").bytes())
        if difference.kind == .moved {
            add("newPath", try JSON(newPath ?? "$").bytes())
            return bytes + Array("}".utf8)
        }
        if let node = difference.left {
            add("old", try DocumentWriter().bytes(of: node, in: diff.left))
        }
        if let node = difference.right {
            add("new", try DocumentWriter().bytes(of: node, in: diff.right))
        }
        return bytes + Array("}".utf8)
    }

    private func print(_ diff: DocumentDiff) throws {
        var output = StandardOutput(.json)
        if patch {
            try diff.patch().jsonBytes().withUnsafeBytes { try output.write($0) }
        } else if json {
            try output.write("{\"version\":1,\"equal\":\(diff.isEqual),\"differences\":[")
            for (place, difference) in diff.differences.enumerated() {
                if place > 0 { try output.write(",") }
                try output.write(Self.bytes(of: difference, in: diff))
            }
            try output.write("]}\n")
        } else {
            let wantsColor = StandardOutput.wantsColor
            for line in diff.lines() {
                if wantsColor { try output.write(ownSequence: DifferenceColor.of(line.sign)) }
                try output.write(line.description)
                if wantsColor { try output.write(ownSequence: "\u{1B}[0m") }
                try output.write("\n")
            }
        }
        try output.flush()
    }
}

/// The colors of differences on a terminal.
enum DifferenceColor {
    /// The color for a sign: green for `+`, red for `-`, blue for `↕`, yellow for `~`.
    static func of(_ sign: String) -> StaticString {
        switch sign {
        case "+": "\u{1B}[32m"
        case "-": "\u{1B}[31m"
        case "↕": "\u{1B}[34m"
        default: "\u{1B}[33m"
        }
    }
}
