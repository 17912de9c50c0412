import Apus
import Documents
import Workspaces

/// A file of requests as JetBrains' IDEs, VS Code's REST Client and httpyac read it.
package enum HTTPFileExporter: Exporter {
    package static let name = "http"
    package static let abstract = "an .http file for IDEs and editors"
    package static let fileExtension = "http"
    package static let keepsVariables = true

    package static func export(_ workspace: ExportedWorkspace) -> ExportOutput {
        var file = HTTPFileExport(
            workspace: workspace.with { call in
                call.function == "basic" || HTTPFileExport.function(call) != nil
            }
        )
        return file.output()
    }
}

/// Writes a file.
private struct HTTPFileExport {
    let workspace: ExportedWorkspace
    private var written = ExportOutput(text: "")
    private var blocks: [String] = []
    private var names = ExportFileNames()

    init(workspace: ExportedWorkspace) { self.workspace = workspace }

    mutating func output() -> ExportOutput {
        written.losses = workspace.losses + workspace.lostFlows("an .http file")
        let head = head()
        if !head.isEmpty { blocks.append(head.joined(separator: "\n")) }
        var group = ""
        for (groups, request) in workspace.requests {
            let path = groups.map(\.name).joined(separator: "/")
            var comments: [String] = []
            if path != group, !path.isEmpty { comments += (groups.last?.note?.lines ?? []) }
            group = path
            blocks.append(block(request, comments))
        }
        written.text = blocks.joined(separator: "\n\n") + "\n"
        return written
    }

    /// The variables: on lines of their own for one environment, else in the file that goes with it.
    private mutating func head() -> [String] {
        var lines = (workspace.note?.lines ?? []).map(Self.comment)
        lines += workspace.losses.map {
            "# Not exported: \($0.target) (\($0.loss.reason))".inOneLine
        }
        let environments = workspace.environments
        let hasFile = environments.count > 1 && workspace.folder != nil
        let chosen = environments.first { $0.name == workspace.environment }
        let texts = workspace.requests.flatMap { _, request in request.sentTexts }
        let tables = (hasFile ? environments : [chosen].compactMap(\.self)).map { environment in
            (environment.name, workspace.values(of: texts, in: environment))
        }
        let rows = tables.flatMap { $0.1 }
        var asked: Set<ExportVariable> = []
        for (variable, _) in rows where asked.insert(variable).inserted {
            let hasValue = rows.contains {
                $0.variable == variable && isWritable($0.value, hasFile)
            }
            if !hasValue {
                lines.append("# Set \(variable.name): \(variable.origin)".inOneLine)
            }
        }
        guard !rows.isEmpty else { return lines }
        guard !hasFile else {
            written.files.append(("http-client.env.json", Self.text(of: tables)))
            return lines
        }
        for (variable, value) in rows {
            guard let value, isWritable(value, hasFile) else {
                if value != nil {
                    written.losses.append(
                        ("", ImportLoss("a value", "it has several lines", text: variable.name))
                    )
                }
                continue
            }
            lines.append("@\(variable.name) = \(value.spelled(spelling))")
        }
        return lines
    }

    /// Whether a value can stand there: a line of its own ends with the line.
    private func isWritable(_ value: ExportText?, _ isInFile: Bool) -> Bool {
        value.map { isInFile || !$0.hasLineEnd } ?? false
    }

    private static func text(
        of environments: [(String, [(variable: ExportVariable, value: ExportText?)])]
    ) -> String {
        let objects = environments.map { name, values in
            let members = values.compactMap { variable, value in
                value.map { Value.Member(variable.name, .string($0.spelled(spelling))) }
            }
            return Value.Member(name, .object(members))
        }
        return Value.object(objects).prettyJSON + "\n"
    }

    /// A comment, which no editor takes for a setting of the request, as `# @no-redirect` is.
    private static func comment(_ line: String) -> String {
        let text = line.trimmingBlanks
        let isSetting = text.unicodeScalars.first == "@"
        return "# \(isSetting ? "\u{201C}\(text)\u{201D}" : line)".trimmingBlanks
    }

    private func spelling(_ piece: ExportText.Piece) -> String { Self.spelling(piece) }

    private static func spelling(_ piece: ExportText.Piece) -> String {
        switch piece {
        case .text(let text): return text
        case .variable(let variable): return "{{\(variable.name)}}"
        case .call(let call): return function(call) ?? spelling(call.piece)
        }
    }

    /// JetBrains' function for a call; nil if there is none.
    static func function(_ call: ExportCall) -> String? {
        let arguments = call.arguments.map { $0.literal ?? "" }
        switch (call.function, arguments.count) {
        case ("uuid", 0): return "{{$uuid}}"
        case ("now", 0): return "{{$isoTimestamp}}"
        case ("random", 2):
            guard let first = Int(arguments[0]), let last = Int(arguments[1]), last < .max else {
                return nil
            }
            return "{{$random.integer(\(first), \(last + 1))}}"
        default: return nil
        }
    }

    // MARK: A request

    private mutating func block(_ request: ExportedRequest, _ comments: [String]) -> String {
        var losses: [ImportLoss] = []
        if let loss = request.tokenLoss { losses.append(loss) }
        losses += request.fixedValues
        losses += request.lostSettings(carrying: ["timeout", "expect"], "an .http file")
            .filter {
                $0.kind != "the setting `redirects`" || request.options.maximumRedirects != 0
            }
        var lines = ["### \(request.id.inOneLine)"]
        var notes =
            comments + (request.summary.map { [$0.inOneLine] } ?? []) + (request.note?.lines ?? [])
        notes += request.expectationLines(spelling).map { "Expects: \($0)" }
        if request.options.maximumRedirects == 0 { lines.append("# @no-redirect") }
        if let timeout = request.options.timeout, timeout != TransportOptions().timeout {
            lines.append("# @timeout \(timeout.inSeconds)")
        }
        var head = ["\(request.method) \(request.url.spelled(spelling))"]
        for field in request.sentFields {
            head.append("\(field.name): \(value(of: field, request, &losses))")
        }
        if let field = ownField(request, &losses) { head.append(field) }
        let body = body(request, &losses)
        notes += losses.map(\.remark)
        lines += notes.map(Self.comment) + head
        if let body { lines += ["", body] }
        written.losses += losses.map { (request.id, $0) }
        return lines.joined(separator: "\n")
    }

    private func value(
        of field: ExportedRequest.Field,
        _ request: ExportedRequest,
        _ losses: inout [ImportLoss]
    ) -> String {
        if case .basic(let user, let password) = request.authorization,
            field.isNamed("Authorization"),
            field.value.calls.contains(where: { $0.function == "basic" })
        {
            let call = field.value.calls.first { $0.function == "basic" }
            let arguments = call?.arguments ?? [request.text(user), request.text(password)]
            let words = arguments.map { $0.spelled(spelling) }
            if words.allSatisfy(Self.isWord) { return "Basic \(words.joined(separator: " "))" }
            if let call, let value = call.value { return "Basic \(value)" }
            losses.append(
                ImportLoss("basic authentication", "a user or a password has a space or a colon")
            )
            return "Basic \(words.joined(separator: ":"))"
        }
        if Self.hasBraces(field.value) {
            losses.append(
                ImportLoss("braces", "they stand for a variable in this format", text: field.name)
            )
        }
        return field.value.spelled(spelling)
    }

    /// The field that stands for authentication that answers a challenge.
    private func ownField(_ request: ExportedRequest, _ losses: inout [ImportLoss]) -> String? {
        switch request.authorization {
        case .digest(let user, let password):
            let words = [user, password].map { request.text($0).spelled(spelling) }
            if !words.allSatisfy(Self.isWord) {
                losses.append(
                    ImportLoss(
                        "digest authentication",
                        "a user or a password is empty, or has a space or a colon"
                    )
                )
            }
            return "Authorization: Digest \(words.joined(separator: " "))"
        case .ntlm, .negotiate, .netrc, .aws:
            losses.append(
                ImportLoss("\(request.authorization.name) authentication", "an .http file has none")
            )
            return nil
        case .none, .bearer, .basic, .apiKey, .oauth2, .custom: return nil
        }
    }

    /// Whether an editor reads a text as one word between blanks.
    private static func isWord(_ text: String) -> Bool {
        !text.isEmpty && !text.utf8.contains { $0 <= 0x20 || $0 == UInt8(ascii: ":") }
    }

    private static func hasBraces(_ text: ExportText) -> Bool {
        text.pieces.contains { piece in
            if case .text(let text) = piece { text.utf8.contains("{{".utf8) } else { false }
        }
    }

    private mutating func body(_ request: ExportedRequest, _ losses: inout [ImportLoss]) -> String?
    {
        switch request.body {
        case .none: return nil
        case .text(let text):
            if text.pieces.isEmpty { return nil }
            let spelled = text.spelled(spelling)
            if Self.isPlain(spelled), !Self.hasBraces(text) { return spelled }
            guard workspace.folder != nil else {
                losses.append(Self.unwritable)
                return nil
            }
            let name = names.name(for: request.id, ending: "body")
            written.files.append((name, spelled))
            guard !text.variables.isEmpty || !text.calls.isEmpty else { return "< ./\(name)" }
            if Self.hasBraces(text) {
                losses.append(
                    ImportLoss("braces", "they stand for a variable in this format", text: name)
                )
            }
            return "<@ ./\(name)"
        case .bytes(let bytes):
            losses.append(ImportLoss("a body", "\(bytes.count) bytes that are no text"))
            return nil
        case .file(let path): return "< \(reference(path))"
        case .multipart:
            var text = ""
            for part in request.rawParts {
                switch part {
                case .text(let part):
                    let spelled = part.spelled(spelling).replacing("\r\n", with: "\n")
                    guard Self.isPlain(spelled, isPart: true), !Self.hasBraces(part) else {
                        losses.append(Self.unwritable)
                        return nil
                    }
                    text += spelled
                case .bytes(let bytes):
                    losses.append(ImportLoss("a part", "\(bytes.count) bytes that are no text"))
                case .file(let path): text += "< \(reference(path))"
                }
            }
            while text.hasSuffix("\n") { text.removeLast() }
            return text
        case .unknown:
            losses.append(ImportLoss("a body", "it is made while it is sent"))
            return nil
        }
    }

    /// What would end the request, or be read as a script of it, must not stand in it.
    private static let unwritable = ImportLoss(
        "a body",
        "an editor would read a line of it as something else; in a file (-o) it has one of its own"
    )

    private func reference(_ path: String) -> String {
        let path = workspace.path(path).inOneLine
        return path.hasPrefix("/") ? path : "./\(path)"
    }

    /// Whether all editors send a text as it stands: nothing in it begins a comment, a script or the next request, and
    /// nothing at its ends is cut.
    private static func isPlain(_ text: String, isPart: Bool = false) -> Bool {
        guard !text.utf8.contains(where: { $0 < 0x20 && $0 != 0x0A && $0 != 0x09 || $0 == 0x7F }),
            isPart || text.trimmingBlanks.utf8.count == text.utf8.count
        else { return false }
        // Bytes, because an editor sees a sign even under a combining accent.
        for line in text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
            let start = line.drop { $0 == 0x20 || $0 == 0x09 }
            if ["#", "//", ">", "??", "@"].contains(where: { start.starts(with: $0.utf8) }) {
                return false
            }
            // A tag is no file, and a variable no script.
            let next = start.dropFirst(start.first == UInt8(ascii: "<") ? 1 : 2).first ?? 0
            let isLetter = (0x41...0x5A).contains(next & 0xDF)
            if start.first == UInt8(ascii: "<"), !isLetter, !"/!?".utf8.contains(next) {
                return false
            }
            if start.starts(with: "{{".utf8), !isLetter, !"$_".utf8.contains(next) {
                return false
            }
            let word = start.prefix { (0x41...0x5A).contains($0) }
            if word.count > 1, start.dropFirst(word.count).first == 0x20 { return false }
        }
        return true
    }
}
