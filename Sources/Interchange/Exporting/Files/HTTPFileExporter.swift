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
        var file = HTTPFileExport(workspace: workspace)
        return file.output()
    }
}

/// Writes a file.
private struct HTTPFileExport {
    let workspace: ExportedWorkspace
    private var written = ExportOutput(text: "")
    private var blocks: [String] = []
    private var names: Set<String> = []

    init(workspace: ExportedWorkspace) { self.workspace = workspace }

    mutating func output() -> ExportOutput {
        written.losses = workspace.ownLosses
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
        var lines = (workspace.note?.lines ?? []).map { "# \($0)".trimmingBlanks }
        lines += workspace.losses.map {
            "# Not exported: \($0.target) (\($0.loss.reason))".inOneLine
        }
        let environments = workspace.environments
        let used = environments.flatMap(\.values).map(\.variable)
        for variable in used where variable.isSecret || !hasValue(variable) {
            let line = "# Set \(variable.name): \(variable.origin)".inOneLine
            if !lines.contains(line) { lines.append(line) }
        }
        guard !used.isEmpty else { return lines }
        if environments.count > 1, workspace.folder != nil {
            written.files.append(("http-client.env.json", Self.text(of: environments)))
            return lines
        }
        let environment = environments.first { $0.name == workspace.environment } ?? environments[0]
        // What a variable is made of stands before it.
        for (variable, value) in environment.values.reversed() {
            guard let value, !value.hasLineEnd else { continue }
            lines.append("@\(variable.name) = \(value.spelled(spelling))")
        }
        return lines
    }

    private func hasValue(_ variable: ExportVariable) -> Bool {
        workspace.environments.contains { environment in
            environment.values.contains { $0.variable.name == variable.name && $0.value != nil }
        }
    }

    private static func text(of environments: [ExportedWorkspace.Environment]) -> String {
        let objects = environments.map { environment in
            Value.Member(
                environment.name,
                .object(
                    environment.values.compactMap { variable, value in
                        value.map { Value.Member(variable.name, .string($0.spelled(spelling))) }
                    }
                )
            )
        }
        return Value.object(objects).prettyJSON + "\n"
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
    private static func function(_ call: ExportCall) -> String? {
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
        for call in request.texts.flatMap(\.calls)
        where call.function != "basic" && Self.function(call) == nil {
            let reason =
                call.value == nil ? "what it makes of a secret must be set" : "it has one value"
            losses.append(
                ImportLoss("the function `\(call.function)`", reason, text: call.value ?? "")
            )
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
        for loss in request.losses + losses {
            notes.append("Not carried over: \(loss.kind) (\(loss.reason)) \(loss.text)".inOneLine)
        }
        lines += notes.map { "# \($0)".trimmingBlanks } + head
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
            let isPlain = words.allSatisfy { !$0.isEmpty && !$0.contains(" ") && !$0.contains(":") }
            if isPlain { return "Basic \(words.joined(separator: " "))" }
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
            return "Authorization: Digest \(words.joined(separator: " "))"
        case .ntlm, .negotiate, .netrc, .aws:
            losses.append(
                ImportLoss("\(request.authorization.name) authentication", "an .http file has none")
            )
            return nil
        case .none, .bearer, .basic, .apiKey, .oauth2, .custom: return nil
        }
    }

    private static func hasBraces(_ text: ExportText) -> Bool {
        text.pieces.contains { if case .text(let text) = $0 { text.contains("{{") } else { false } }
    }

    private mutating func body(_ request: ExportedRequest, _ losses: inout [ImportLoss]) -> String?
    {
        switch request.body {
        case .none: return nil
        case .text(let text):
            if text.pieces.isEmpty { return nil }
            let spelled = text.spelled(spelling)
            if Self.isPlain(spelled), !Self.hasBraces(text) { return spelled }
            if workspace.folder != nil {
                let name = fileName(request)
                written.files.append((name, spelled))
                return text.variables.isEmpty && text.calls.isEmpty ? "< ./\(name)" : "<@ ./\(name)"
            }
            losses.append(
                ImportLoss(
                    "a body",
                    "an editor may send it otherwise; in a file (-o) it is in one of its own"
                )
            )
            return spelled
        case .bytes(let bytes):
            losses.append(ImportLoss("a body", "\(bytes.count) bytes that are no text"))
            return nil
        case .file(let path): return "< \(reference(path))"
        case .multipart:
            var text = ""
            for part in request.rawParts {
                switch part {
                case .text(let part): text += part.spelled(spelling).replacing("\r\n", with: "\n")
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

    private func reference(_ path: String) -> String {
        let path = workspace.path(path)
        return path.hasPrefix("/") ? path : "./\(path)"
    }

    private mutating func fileName(_ request: ExportedRequest) -> String {
        let base = String(
            request.id.lowercased().unicodeScalars.map { scalar in
                let isPlain = ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
                return isPlain ? Character(scalar) : "-"
            }
        )
        var name = "\(base).body"
        var number = 2
        while !names.insert(name).inserted {
            name = "\(base)-\(number).body"
            number += 1
        }
        return name
    }

    /// Whether all editors send a text as it stands: nothing in it begins a comment, a script or the next request, and
    /// nothing at its ends is cut.
    private static func isPlain(_ text: String) -> Bool {
        guard !text.utf8.contains(where: { $0 < 0x20 && $0 != 0x0A && $0 != 0x09 || $0 == 0x7F }),
            text.trimmingBlanks.utf8.count == text.utf8.count
        else { return false }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let start = line.drop { $0 == " " || $0 == "\t" }
            if ["#", "//", "<", ">", "??", "{{"].contains(where: { start.hasPrefix($0) }) {
                return false
            }
            let word = start.prefix { ("A"..."Z").contains($0) }
            if word.count > 1, start.dropFirst(word.count).hasPrefix(" ") { return false }
        }
        return true
    }
}
