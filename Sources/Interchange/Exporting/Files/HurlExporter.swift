import Apus
import Documents
import FoundationEssentials
import Workspaces

/// A file of hurl: requests with what their responses must be, and chains with what they capture.
package enum HurlExporter: Exporter {
    package static let name = "hurl"
    package static let abstract = "a hurl file, with what responses must be"
    package static let fileExtension = "hurl"
    package static let keepsVariables = true

    package static func export(_ workspace: ExportedWorkspace) -> ExportOutput {
        var file = HurlExport(workspace: workspace)
        return file.output()
    }
}

/// Writes a file.
private struct HurlExport {
    let workspace: ExportedWorkspace
    private var losses: [(target: String, loss: ImportLoss)] = []
    /// The values that the next entry sets for itself and those after it.
    private var pending: [String] = []

    init(workspace: ExportedWorkspace) { self.workspace = workspace }

    mutating func output() -> ExportOutput {
        losses = workspace.ownLosses
        var blocks: [String] = []
        let head = head()
        if !head.isEmpty { blocks.append(head.joined(separator: "\n")) }
        let values = values
        pending = values
        blocks += workspace.requests.map { entry($0.request) }
        var output = ExportOutput(text: blocks.joined(separator: "\n\n") + "\n")
        // A file of hurl is one run, so that each chain has its own.
        for chain in workspace.chains {
            losses += chain.losses.map { (chain.name, $0) }
            if workspace.folder != nil { pending = values }
            let text = chain.steps.map { entry($0) }.joined(separator: "\n\n") + "\n"
            if workspace.folder == nil {
                output.text += "\n# ---- The chain \(chain.name.inOneLine)\n\n" + text
            } else {
                output.files.append(("\(Self.fileName(chain.name)).hurl", text))
            }
        }
        let environments = workspace.environments.filter { !$0.values.isEmpty }
        if hasEnvironmentFiles {
            for environment in environments {
                let lines = environment.values.map { variable, value in
                    value.map { "\(variable.name)=\($0.spelled(Self.spelling))" }
                        ?? "# \(variable.name)= (\(variable.origin.inOneLine))"
                }
                let name = "\(Self.fileName(environment.name)).env"
                output.files.append((name, lines.joined(separator: "\n") + "\n"))
            }
        }
        output.losses = losses
        return output
    }

    private static func fileName(_ name: String) -> String {
        String(name.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
    }

    /// Whether values are in a file for each environment, for `--variables-file`, and not in the first entry.
    private var hasEnvironmentFiles: Bool {
        workspace.folder != nil && workspace.environments.count > 1
    }

    /// The environment's values as options of an entry, those first that others are made of.
    private var values: [String] {
        guard !hasEnvironmentFiles else { return [] }
        let environment = workspace.environments.first { $0.name == workspace.environment }
        return (environment?.values ?? []).reversed().compactMap { variable, value in
            value.flatMap { value in
                value.hasLineEnd
                    ? nil
                    : "variable: \(variable.name)=\(Self.quoted(value.spelled(Self.spelling)))"
            }
        }
    }

    /// A value that is taken as a text only where it would be another type.
    private static func quoted(_ text: String) -> String {
        let isOther = Double(text) != nil || ["true", "false", "null"].contains(text)
        return isOther ? text : text.replacing("#", with: "\\#")
    }

    /// What must be given to run it.
    private func head() -> [String] {
        var lines = (workspace.note?.lines ?? []).map { "# \($0)".trimmingBlanks }
        lines += workspace.losses.map {
            "# Not exported: \($0.target) (\($0.loss.reason))".inOneLine
        }
        let environment = workspace.environments.first { $0.name == workspace.environment }
        for (variable, value) in environment?.values ?? [] where hasEnvironmentFiles || value == nil
        {
            let text = value.map { ShellText.word($0.spelled(Self.spelling)) }
            let words = text.map { "=\($0)" } ?? "=… (\(variable.origin))"
            lines.append("# --variable \(variable.name)\(words)".inOneLine)
        }
        return lines.isEmpty ? [] : lines + ["#"]
    }

    private static func spelling(_ piece: ExportText.Piece) -> String {
        switch piece {
        case .text(let text): return text
        case .variable(let variable): return "{{\(variable.name)}}"
        case .call(let call):
            switch (call.function, call.arguments.count) {
            case ("uuid", 0): return "{{newUuid}}"
            case ("now", 0): return "{{newDate}}"
            default: return spelling(call.piece)
            }
        }
    }

    // MARK: An entry

    private mutating func entry(_ request: ExportedRequest) -> String {
        var lost: [ImportLoss] = []
        if let loss = request.tokenLoss { lost.append(loss) }
        for call in request.texts.flatMap(\.calls) {
            let isKnown =
                ["basic", "uuid"].contains(call.function)
                || call.function == "now" && call.arguments.isEmpty
            if isKnown { continue }
            let reason =
                call.value == nil ? "what it makes of a secret must be set" : "it has one value"
            lost.append(
                ImportLoss("the function `\(call.function)`", reason, text: call.value ?? "")
            )
        }
        var lines: [String] = []
        if !request.method.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) {
            lost.append(ImportLoss("a method", "hurl has capitals only", text: request.method))
        }
        lines.append("\(request.method) \(request.url.spelled(Self.spelling))")
        var basic: [ExportText]?
        for field in request.sentFields {
            if let call = field.value.calls.first(where: { $0.function == "basic" }),
                field.isNamed("Authorization")
            {
                basic = call.arguments
                continue
            }
            lines.append("\(field.name): \(text(field.value, &lost))".trimmingBlanks)
        }
        if let basic {
            lines += [
                "[BasicAuth]", "\(text(basic[0], isName: true, &lost)): \(text(basic[1], &lost))",
            ]
        }
        let options = pending + options(request, &lost)
        pending = []
        if !options.isEmpty { lines += ["[Options]"] + options }
        if let body = body(request, &lost) { lines.append(body) }
        lines += response(request, &lost)
        losses += lost.map { (request.id, $0) }
        var comments: [String] = []
        let notes = (request.summary.map { [$0.inOneLine] } ?? []) + (request.note?.lines ?? [])
        comments += notes
        comments += (request.losses + lost).map { loss in
            "Not carried over: \(loss.kind) (\(loss.reason)) \(loss.text)".inOneLine
        }
        // The last comment before a request is its name.
        comments.append(request.id.inOneLine)
        return (comments.map { "# \($0)".trimmingBlanks } + lines).joined(separator: "\n")
    }

    /// A text of one line, with escapes for what would end it.
    private func text(_ text: ExportText, isName: Bool = false, _ lost: inout [ImportLoss])
        -> String
    {
        text.spelled(
            literal: { literal in
                if literal.contains("{{") {
                    lost.append(
                        ImportLoss(
                            "braces",
                            "they stand for a variable in this format",
                            text: literal
                        )
                    )
                }
                return literal.unicodeScalars.reduce(into: "") { result, scalar in
                    switch scalar {
                    case "\\", "#": result += "\\\(scalar)"
                    case ":" where isName: result += "\\:"
                    case "\n": result += "\\n"
                    case "\r": result += "\\r"
                    case "\t": result += "\\t"
                    default: result.unicodeScalars.append(scalar)
                    }
                }
            },
            Self.spelling
        )
    }

    private func options(_ request: ExportedRequest, _ lost: inout [ImportLoss]) -> [String] {
        var lines: [String] = []
        for option in CurlOption.all(of: request) {
            let value: String
            switch option.value {
            case .flag: value = "true"
            case .number(let number): value = "\(number)"
            case .time(let time): value = Self.time(time)
            case .path(let path): value = workspace.path(path)
            case .text(let text): value = text.spelled(Self.spelling)
            }
            if ["max-filesize", "cert-type"].contains(option.name) {
                lost.append(ImportLoss("--\(option.name)", "hurl has no such option", text: value))
            } else {
                lines.append("\(option.name): \(value)")
            }
        }
        if let path = request.download { lines.append("output: \(workspace.path(path))") }
        switch request.authorization {
        case .digest(let user, let password):
            let pair = [user, password].map { request.text($0).spelled(Self.spelling) }
            lines += ["digest: true", "user: \(pair.joined(separator: ":"))"]
        case .ntlm(let user, let password):
            let pair = [user, password].map { request.text($0).spelled(Self.spelling) }
            lines += ["ntlm: true", "user: \(pair.joined(separator: ":"))"]
        case .negotiate: lines.append("negotiate: true")
        case .netrc(let file): lines.append(file.map { "netrc-file: \($0)" } ?? "netrc: true")
        case .aws(let aws):
            let scope = "aws:amz:\(aws.region ?? "us-east-1"):\(aws.service)"
            lines.append("aws-sigv4: \(request.text(scope).spelled(Self.spelling))")
            if let id = aws.accessKey, let secret = aws.secretKey {
                let pair = [id, secret].map { request.text($0).spelled(Self.spelling) }
                lines.append("user: \(pair.joined(separator: ":"))")
            } else {
                lost.append(
                    ImportLoss(
                        "a profile of AWS",
                        "its keys must be given",
                        text: aws.profile ?? "default"
                    )
                )
            }
        case .none, .bearer, .basic, .apiKey, .oauth2, .custom: break
        }
        return lines
    }

    private static func time(_ time: Duration) -> String {
        let (seconds, attoseconds) = time.components
        return attoseconds == 0
            ? "\(seconds)s" : "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000)ms"
    }

    // MARK: Bodies

    private func body(_ request: ExportedRequest, _ lost: inout [ImportLoss]) -> String? {
        switch request.body {
        case .none: return nil
        case .text(let text): return body(text, request, &lost)
        case .bytes(let bytes): return "base64,\(Data(bytes).base64EncodedString());"
        case .file(let path): return "file,\(workspace.path(path));"
        case .multipart(let parts, _): return multipart(parts, &lost)
        case .unknown:
            lost.append(ImportLoss("a body", "it is made while it is sent"))
            return nil
        }
    }

    private func body(_ text: ExportText, _ request: ExportedRequest, _ lost: inout [ImportLoss])
        -> String?
    {
        if text.pieces.isEmpty { return nil }
        let spelled = text.spelled(Self.spelling)
        let hasBraces = text.pieces.contains {
            if case .text(let text) = $0 { text.contains("{{") } else { false }
        }
        let isPlain =
            !hasBraces
            && !spelled.utf8.contains { $0 < 0x20 && $0 != 0x0A && $0 != 0x09 || $0 == 0x7F }
        // hurl sends JSON as it stands, with the type that is sent anyway.
        if isPlain, request.bodyKind == .json || text.place == .json,
            request.field("Content-Type") != nil,
            spelled.hasPrefix("{") && !spelled.hasPrefix("{{") || spelled.hasPrefix("["),
            !spelled.contains("\n"), spelled.hasSuffix("}") || spelled.hasSuffix("]"),
            (try? JSON(parsing: text.spelled { _ in "1" })) != nil
        {
            return spelled
        }
        if isPlain, !spelled.contains("\n"), !spelled.contains("`"), !spelled.contains("\\") {
            return "`\(spelled)`"
        }
        if isPlain, !spelled.contains("```"), !spelled.contains("\\"), !spelled.hasSuffix("`") {
            return "```\n\(spelled)```"
        }
        if let literal = text.literal {
            return "base64,\(Data(literal.utf8).base64EncodedString());"
        }
        lost.append(ImportLoss("a body", "characters in it mean something else in hurl"))
        return "```\n\(spelled)```"
    }

    private func multipart(_ parts: [ExportedRequest.Part], _ lost: inout [ImportLoss]) -> String {
        var lines = ["[MultipartFormData]"]
        for part in parts {
            let name = text(ExportText(literal: part.name), isName: true, &lost)
            switch part.content {
            case .text(let content):
                if part.type != nil || part.fileName != nil {
                    lost.append(
                        ImportLoss(
                            "the type of a part",
                            "a part with a text has none",
                            text: part.name
                        )
                    )
                }
                lines.append("\(name): \(text(content, &lost))".trimmingBlanks)
            case .file(let path):
                let file = workspace.path(path).replacing(";", with: "\\;")
                lines.append("\(name): file,\(file);\(part.type.map { " \($0)" } ?? "")")
            case .bytes: lost.append(ImportLoss("a part", "its bytes are no text", text: part.name))
            }
        }
        return lines.joined(separator: "\n")
    }

    // MARK: What the response must be

    private func response(_ request: ExportedRequest, _ lost: inout [ImportLoss]) -> [String] {
        var status = "*"
        var asserts: [String] = []
        for expectation in request.expectations {
            if expectation.subject == .status, case .statuses(let ranges) = expectation.requirement,
                ranges.count == 1, let range = ranges.first
            {
                if range.count == 1 {
                    status = "\(range.lowerBound)"
                } else {
                    asserts += ["status >= \(range.lowerBound)", "status <= \(range.upperBound)"]
                }
                continue
            }
            if let lines = HurlAssert(expectation, request, Self.spelling).lines {
                asserts += lines
            } else {
                let words = request.text("\(expectation)").spelled(Self.spelling)
                lost.append(ImportLoss("an expectation", "hurl cannot say it", text: words))
            }
        }
        let captures = request.captures.map { capture in
            "\(capture.name): \(HurlAssert.query(capture.path))"
        }
        guard status != "*" || !asserts.isEmpty || !captures.isEmpty else { return [] }
        return ["HTTP \(status)"] + (captures.isEmpty ? [] : ["[Captures]"] + captures)
            + (asserts.isEmpty ? [] : ["[Asserts]"] + asserts)
    }
}
