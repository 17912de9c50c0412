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
        var file = HurlExport(
            workspace: workspace.with { call in
                ["basic", "uuid"].contains(call.function)
                    || call.function == "now" && call.arguments.isEmpty
            }
        )
        return file.output()
    }

    /// The settings that hurl has options for.
    static let carried: Set<String> = CurlExporter.carried.subtracting(["maxBody"])
}

/// Writes a file.
struct HurlExport {
    let workspace: ExportedWorkspace
    private var losses: [(target: String, loss: ImportLoss)] = []
    /// The values that the next entry sets for itself and those after it.
    private var pending: [String] = []

    init(workspace: ExportedWorkspace) { self.workspace = workspace }

    mutating func output() -> ExportOutput {
        losses = workspace.losses + workspace.lostFlows("a hurl file", hasChains: true)
        var blocks: [String] = []
        var names = ExportFileNames()
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
                output.files.append((names.name(for: chain.name, ending: "hurl"), text))
            }
        }
        if hasEnvironmentFiles {
            for environment in workspace.environments {
                let lines = used(in: environment).map { variable, value in
                    Self.plain(value, environment).map { "\(variable.name)=\($0)" }
                        ?? "# \(variable.name)= (\(variable.origin))".inOneLine
                }
                let name = names.name(for: environment.name, ending: "env")
                output.files.append((name, lines.joined(separator: "\n") + "\n"))
            }
        }
        output.losses = losses
        return output
    }

    /// The variables of the requests and the steps, with their values in an environment.
    private func used(
        in environment: ExportedWorkspace.Environment?
    ) -> [(variable: ExportVariable, value: ExportText?)] {
        let steps = workspace.chains.flatMap(\.steps)
        let captured = Set(steps.flatMap(\.captures).map(\.name))
        let requests = workspace.requests.map(\.request) + steps
        let texts = requests.flatMap { $0.sentTexts + $0.expectedTexts }
        return workspace.values(of: texts, in: environment)
            .filter { !captured.contains($0.variable.name) }
    }

    /// A value for a file of variables or an option, in which nothing is a variable; nil if it cannot be said there.
    private static func plain(
        _ value: ExportText?,
        _ environment: ExportedWorkspace.Environment
    ) -> String? {
        guard let text = value.flatMap({ ExportValues(environment).text($0) }),
            !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }),
            text.trimmingBlanks.utf8.count == text.utf8.count, text.utf8.first != UInt8(ascii: "\"")
        else { return nil }
        return text
    }

    /// Whether values are in a file for each environment, for `--variables-file`, and not in the first entry.
    private var hasEnvironmentFiles: Bool {
        workspace.folder != nil && workspace.environments.count > 1
    }

    /// The environment's values as options of an entry, those first that others are made of.
    private var values: [String] {
        guard !hasEnvironmentFiles else { return [] }
        return used(in: environment).compactMap { variable, value in
            value.map { "variable: \(variable.name)=\(Self.option($0))" }
        }
    }

    private var environment: ExportedWorkspace.Environment? {
        workspace.environments.first { $0.name == workspace.environment }
    }

    /// A value of a variable in an option: as it is where that reads the same, else between quotes.
    private static func option(_ value: ExportText) -> String {
        let isPlain = value.pieces.allSatisfy { piece in
            guard case .text(let text) = piece else { return true }
            return text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"\\#\"`{}".utf8.contains($0) }
        }
        return isPlain && !value.pieces.isEmpty ? value.spelled(spelling) : quoted(value)
    }

    /// A text between quotes, with its variables.
    static func quoted(_ text: ExportText) -> String {
        "\"\(text.spelled(literal: { escaped($0, "\"#{") }, spelling))\""
    }

    /// A literal text with escapes for these signs, and for what ends a line or is not seen.
    static func escaped(_ text: String, _ signs: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "{" where signs.unicodeScalars.contains("{"): result += "\\u{7b}"
            case _ where scalar == "\\" || signs.unicodeScalars.contains(scalar):
                result += "\\\(scalar)"
            case _ where scalar.properties.generalCategory == .control:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    /// What must be given to run it.
    private func head() -> [String] {
        var lines = (workspace.note?.lines ?? []).map { "# \($0)".trimmingBlanks }
        lines += workspace.losses.map {
            "# Not exported: \($0.target) (\($0.loss.reason))".inOneLine
        }
        let requests = workspace.requests.map(\.request) + workspace.chains.flatMap(\.steps)
        if requests.contains(where: { $0.paths.contains { workspace.path($0).hasPrefix("/") } }) {
            lines.append("# --file-root /")
        }
        if hasEnvironmentFiles { lines.append("# --variables-file ENVIRONMENT.env") }
        for (variable, value) in used(in: environment) where value == nil {
            lines.append("# --variable \(variable.name)=… (\(variable.origin))".inOneLine)
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
        lost += request.fixedValues
        lost += request.lostSettings(carrying: HurlExporter.carried, "hurl")
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
        comments += lost.map(\.remark)
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
                let hasBraces = literal.utf8.contains("{{".utf8)
                return Self.escaped(literal, (isName ? "#:" : "#") + (hasBraces ? "{" : ""))
            },
            Self.spelling
        )
    }

    /// The name of a file, in which blanks and signs are escaped.
    private func file(_ path: String) -> String { Self.escaped(workspace.path(path), "#; {}:") }

    private func options(_ request: ExportedRequest, _ lost: inout [ImportLoss]) -> [String] {
        var lines: [String] = []
        for option in CurlOption.all(of: request) {
            let value: String
            switch option.value {
            case .flag: value = "true"
            case .number(let number): value = "\(number)"
            case .time(let time): value = Self.time(time)
            case .path(let path): value = file(path)
            case .text(let option): value = text(option, &lost)
            }
            // The setting `maxBody` is listed already.
            if option.name == "max-filesize" { continue }
            if ["cert-type", "pass"].contains(option.name) {
                lost.append(ImportLoss("--\(option.name)", "hurl has no such option", text: value))
            } else {
                lines.append("\(option.name): \(value)")
            }
        }
        if let path = request.download { lines.append("output: \(file(path))") }
        switch request.authorization {
        case .digest(let user, let password):
            let pair = [user, password].map { text(request.text($0), &lost) }
            lines += ["digest: true", "user: \(pair.joined(separator: ":"))"]
        case .ntlm(let user, let password):
            let pair = [user, password].map { text(request.text($0), &lost) }
            lines += ["ntlm: true", "user: \(pair.joined(separator: ":"))"]
        case .negotiate: lines.append("negotiate: true")
        case .netrc(let file):
            lines.append(file.map { "netrc-file: \(self.file($0))" } ?? "netrc: true")
        case .aws(let aws):
            let scope = "aws:amz:\(aws.region ?? "us-east-1"):\(aws.service)"
            lines.append("aws-sigv4: \(text(request.text(scope), &lost))")
            let keys = [
                request.keysOfProfile?.id ?? request.text(aws.accessKey ?? ""),
                request.keysOfProfile?.secret ?? request.text(aws.secretKey ?? ""),
            ].map { text($0, &lost) }
            lines.append("user: \(keys.joined(separator: ":"))")
            if request.keysOfProfile != nil {
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
        case .file(let path): return "file,\(file(path));"
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
            if case .text(let text) = $0 { text.utf8.contains("{{".utf8) } else { false }
        }
        let isPlain =
            !hasBraces
            && !spelled.utf8.contains { $0 < 0x20 && $0 != 0x0A && $0 != 0x09 || $0 == 0x7F }
        // hurl sends JSON as it stands, with the type that is sent anyway; a list may look like a section.
        if isPlain, request.bodyKind == .json || text.place == .json,
            request.field("Content-Type") != nil,
            spelled.utf8.first == UInt8(ascii: "{"), !spelled.utf8.starts(with: "{{".utf8),
            !spelled.utf8.contains(0x0A), spelled.utf8.last == UInt8(ascii: "}"),
            (try? JSON(parsing: text.spelled { _ in "1" })) != nil
        {
            return spelled
        }
        let signs = "`\\#"
        if isPlain, !spelled.utf8.contains(0x0A),
            !spelled.utf8.contains(where: { signs.utf8.contains($0) })
        {
            return "`\(spelled)`"
        }
        if isPlain, !spelled.utf8.contains("```".utf8), !spelled.utf8.contains(UInt8(ascii: "\\")),
            spelled.utf8.last != UInt8(ascii: "`")
        {
            return "```\n\(spelled)```"
        }
        if let literal = text.literal {
            return "base64,\(Data(literal.utf8).base64EncodedString());"
        }
        return "`\(text.spelled(literal: { Self.escaped($0, "`#{") }, Self.spelling))`"
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
                lines.append("\(name): file,\(file(path));\(part.type.map { " \($0)" } ?? "")")
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
            if let lines = HurlAssert(expectation, request).lines {
                asserts += lines
            } else {
                let words = request.text("\(expectation)").spelled(Self.spelling).inOneLine
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
