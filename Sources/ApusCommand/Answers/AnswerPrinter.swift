import Apus
import Documents
import Glibc
import HTTPTypes
import Terminal

/// Prints an answer as a command was asked to.
///
/// What does not go to a terminal is the body, byte for byte. On a terminal JSON is indented, and
/// nothing that a server says reaches the terminal as it came.
struct AnswerPrinter {
    let arguments: OutputArguments
    /// Whether a person reads standard output.
    var isTerminal = StandardOutput.isTerminal

    /// Prints the head, if it is wanted, and the body.
    func print(_ response: Response) throws {
        if arguments.include {
            var output = StandardOutput(.text)
            try output.write(Self.head(of: response))
            try output.flush()
        }
        if let path = arguments.output, path != "-" {
            // Half an answer takes nothing's place; what went wrong is told in any case.
            if response.isComplete {
                let file = OutputFile(path: path, content: .bytes(force: arguments.force))
                try file.write { try Self.copy(response.body, to: &$0) }
            }
        } else if isTerminal, arguments.output == nil {
            try printText(of: response)
        } else {
            var output = StandardOutput(.bytes(force: arguments.force))
            try Self.copy(response.body, to: &output)
            try output.flush()
        }
    }

    /// Prints the answer as an object: `AnswerJSON`, its version and the request.
    func printJSON(_ response: Response, after duration: Duration) throws {
        var members: AnswerJSON.Members = [
            ("version", 1),
            (
                "request",
                JSON(members: [
                    ("method", JSON(response.request.head.method.rawValue)),
                    ("url", JSON(response.request.line.url)),
                ])
            ),
        ]
        members += AnswerJSON.members(of: .success(response), after: duration)
        try Self.printLine(JSON(members: members))
    }

    /// Prints a failure as an object.
    func printJSON(_ error: ApusError) throws {
        try Self.printLine(
            JSON(members: [("version", 1), ("error", FailureJSON.value(of: error))])
        )
    }

    private static func printLine(_ json: JSON) throws {
        var output = StandardOutput(.json)
        try json.bytes().withUnsafeBytes { try output.write($0) }
        try output.write("\n")
        try output.flush()
    }

    /// Shows what went over the wire.
    func printTrace(_ metrics: TransferMetrics?) {
        for entry in metrics?.trace ?? [] {
            let sign =
                switch entry.kind {
                case .remark: "*"
                case .headerOut: ">"
                case .headerIn: "<"
                }
            StandardError.write("\(sign) \(entry.text)")
        }
        for text in metrics?.redirects.compactMap(\.withheldText) ?? [] {
            StandardError.write("* \(text)")
        }
    }

    // MARK: the head

    private static func head(of response: Response) -> [UInt8] {
        let version = response.metrics?.negotiatedVersion ?? "1.1"
        let reason = response.head.status.reasonPhrase
        var bytes = Array(
            "HTTP/\(version) \(response.status)\(reason.isEmpty ? "" : " " + reason)\r\n".utf8
        )
        for field in response.head.headerFields {
            bytes += Array("\(field.name.rawName): ".utf8)
            field.withUnsafeBytesOfValue { bytes += $0 }
            bytes += [0x0D, 0x0A]
        }
        return bytes + [0x0D, 0x0A]
    }

    // MARK: the body

    /// Prints the body for a person, with a line end at its end.
    private func printText(of response: Response) throws {
        guard !response.body.isEmpty else { return }
        let bytes = try response.body.load()
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            return try StandardOutput.print(
                "(\(Readable.bytes(bytes.count)) that are no text: -o FILE keeps them)"
            )
        }
        let indented = Self.indented(bytes)
        var output = StandardOutput(indented == nil ? .text : .json)
        try output.write(indented ?? text)
        if (indented ?? text).utf8.last != 0x0A { try output.write("\n") }
        try output.flush()
    }

    /// JSON in lines; nil for what is no whole JSON.
    private static func indented(_ bytes: [UInt8]) -> String? {
        guard let json = try? JSON(parsing: bytes), json.kind == .object || json.kind == .array
        else {
            return nil
        }
        return json.text(.pretty)
    }

    private static func copy(_ body: ResponseBody, to output: inout StandardOutput) throws {
        switch body {
        case .bytes(let bytes): try output.write(bytes)
        case .file(let file): try FileCopy.copy(file.path, to: &output)
        }
    }
}
