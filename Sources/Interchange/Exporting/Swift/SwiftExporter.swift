import Workspaces

/// Writes an enum that is a `TargetType` of this package, with a case for each target.
package enum SwiftExporter: Exporter {
    package static let name = "swift"
    package static let abstract = "an enum of targets, for the package Apus"
    package static let fileExtension = "swift"
    package static let keepsVariables = true

    package static func export(_ workspace: ExportedWorkspace) -> ExportOutput {
        let writer = SwiftWriter(workspace.with(functions: SwiftCase.isKnown))
        return ExportOutput(text: writer.text(), losses: writer.losses)
    }
}

/// Writes the parts of the enum.
struct SwiftWriter {
    private let workspace: ExportedWorkspace
    private let values: ExportValues
    var losses: [(target: String, loss: ImportLoss)]
    private var cases: [SwiftCase] = []

    init(_ workspace: ExportedWorkspace) {
        self.workspace = workspace
        values = ExportValues(workspace.environments.first { $0.name == workspace.environment })
        losses = workspace.losses + workspace.lostFlows("an enum of targets")
        var names: Set<String> = []
        for (_, request) in workspace.requests {
            let base = SwiftNames.memberName(request.id)
            var name = base
            var number = 2
            while Self.taken.contains(name) || !names.insert(name).inserted {
                name = "\(base)\(number)"
                number += 1
            }
            cases.append(SwiftCase(request, named: name, workspace, values))
        }
        for one in cases { losses += one.losses.map { (one.request.id, $0) } }
    }

    /// The members of the enum and of `TargetType`, which no case may be named as.
    private static let taken: Set<String> = [
        "baseURL", "cdn", "environment", "path", "method", "parameters", "task", "headerFields",
        "validation", "cachePolicy", "options", "envelope", "sample", "stub", "url", "fields",
        "escaped", "inJSON", "base64", "hash", "hashValue", "description", "debugDescription",
        "credentials", "cdn", "allCases", "rawValue",
    ]

    /// The whole file.
    func text() -> String {
        var lines = [
            "// Requests of \u{201C}\(SwiftNames.comment(workspace.name))\u{201D}, written by `apus export --as swift`.",
            "// swift-format-ignore-file", "", "import Apus", "import Foundation",
            "import HTTPTypes", "",
        ]
        if let note = workspace.note {
            lines += Self.documentation(note, indent: "") + ["///"]
        }
        lines.append(
            "/// `Provider(headerFields: [:])` sends them as they are, without fields of its own."
        )
        let name = SwiftNames.escaped(SwiftNames.typeName(workspace.name))
        guard !cases.isEmpty else {
            return lines.joined(separator: "\n") + "\nenum \(name) {}\n"
        }
        lines.append("enum \(name): TargetType {")
        for one in cases {
            lines += Self.documentation(one.about, indent: "    ")
            lines.append("    case \(one.declaration)")
            lines.append("")
        }
        lines += property("baseURL", "URL", nil) { $0.baseURL }
        lines += property("path", "String", nil) { $0.path }
        lines += property("method", "HTTPRequest.Method", ".get") { $0.method }
        lines += property("headerFields", "HTTPFields", "[:]") { $0.headerFields }
        lines += property("task", "RequestTask", ".plain") { $0.task }
        lines += property("options", "TransportOptions", "TransportOptions()") { $0.options }
        lines += helpers
        lines.append("}")
        if workspace.isCopied, let one = cases.first, cases.count == 1 {
            lines += [
                "",
                "let response = try await Provider<\(name)>(headerFields: [:]).response(for: \(one.call))",
                "debugPrint(response)",
            ]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func documentation(_ text: String, indent: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let line = SwiftNames.comment(String(line))
            return line.isEmpty ? "\(indent)///" : "\(indent)/// \(line)"
        }
    }

    /// A property with a branch for each case whose value is not the standard one.
    private func property(
        _ name: String,
        _ type: String,
        _ standard: String?,
        _ value: (SwiftCase) -> SwiftCase.Expression
    ) -> [String] {
        var branches: [String] = []
        var others = 0
        for one in cases {
            let expression = value(one)
            if let standard, expression.text == standard {
                others += 1
                continue
            }
            branches.append("        case \(one.pattern(using: expression)):")
            branches.append("            \(expression.text)")
        }
        guard !branches.isEmpty else { return [] }
        if others > 0, let standard { branches.append("        default: \(standard)") }
        return ["    var \(name): \(type) {", "        switch self {"] + branches + [
            "        }", "    }", "",
        ]
    }

    /// The functions that the cases use.
    private var helpers: [String] {
        let used = cases.map(\.allTexts).joined(separator: "\n")
        var lines = [
            "    private static func url(_ text: String) -> URL {",
            "        guard let url = URL(string: text) else { preconditionFailure(\"no URL: \\(text)\") }",
            "        return url", "    }",
        ]
        if used.contains("Self.fields(") {
            lines += [
                "",
                "    private static func fields(_ rows: [(name: String, value: String)]) -> HTTPFields {",
                "        var fields = HTTPFields()", "        for row in rows {",
                "            guard let name = HTTPField.Name(row.name) else { continue }",
                "            fields.append(HTTPField(name: name, value: row.value))", "        }",
                "        return fields", "    }",
            ]
        }
        if used.contains("Self.escaped(") {
            lines += [
                "",
                "    /// The text percent-encoded (RFC 3986), as one segment of a path or one value.",
                "    private static func escaped(_ text: String) -> String {",
                "        var result = \"\"", "        for byte in text.utf8 {",
                "            switch byte {",
                "            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:",
                "                result.unicodeScalars.append(Unicode.Scalar(byte))",
                "            default:",
                "                result += byte < 16 ? \"%0\" : \"%\"",
                "                result += String(byte, radix: 16, uppercase: true)",
                "            }", "        }", "        return result", "    }",
            ]
        }
        if used.contains("Self.inJSON(") {
            lines += [
                "", "    /// The text as it stands in a string of JSON.",
                "    private static func inJSON(_ text: String) -> String {",
                "        var result = \"\"", "        for scalar in text.unicodeScalars {",
                "            switch scalar {", "            case \"\\\"\": result += \"\\\\\\\"\"",
                "            case \"\\\\\": result += \"\\\\\\\\\"",
                "            case \"\\n\": result += \"\\\\n\"",
                "            case \"\\r\": result += \"\\\\r\"",
                "            case \"\\t\": result += \"\\\\t\"",
                "            case \"\\0\"..<\" \":",
                "                let digits = String(scalar.value, radix: 16)",
                "                result += \"\\\\u\" + String(repeating: \"0\", count: 4 - digits.count) + digits",
                "            default: result.unicodeScalars.append(scalar)", "            }",
                "        }",
                "        return result", "    }",
            ]
        }
        if used.contains("Self.base64(") {
            lines += [
                "", "    private static func base64(_ text: String) -> String {",
                "        Data(text.utf8).base64EncodedString()", "    }",
            ]
        }
        return lines
    }
}
