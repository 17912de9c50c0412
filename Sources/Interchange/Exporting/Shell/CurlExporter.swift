import Apus
import Documents
import HTTPTypes
import Workspaces

/// Commands of curl for a POSIX shell.
package enum CurlExporter: Exporter {
    package static let name = "curl"
    package static let abstract = "curl commands for a shell"
    package static let fileExtension = "sh"
    package static let keepsVariables = false

    package static func export(_ workspace: ExportedWorkspace) -> ExportOutput {
        ShellText.script(workspace) { command($0, in: workspace) }
    }

    /// The command of a request, a line for each option, and what it lacks.
    static func command(
        _ request: ExportedRequest,
        in workspace: ExportedWorkspace
    ) -> ScriptedCommand {
        var command = CurlExport(request: request, workspace: workspace)
        let text = command.text()
        let remarks = request.redirectRemarks(
            "After a redirect with 303 curl repeats the method; Apus sends GET."
        )
        return ScriptedCommand(text: text, losses: command.losses, remarks: remarks)
    }

    /// The settings that curl has options for.
    static let carried: Set<String> = [
        "timeout", "connectTimeout", "redirects", "trustRedirects", "verifyTLS", "caFile",
        "clientCertificate", "unixSocket", "httpVersion", "proxy", "decode", "maxBody", "download",
        "expect", "ServerCredentials.any",
    ]
}

/// Writes one command.
private struct CurlExport {
    let request: ExportedRequest
    let workspace: ExportedWorkspace
    private(set) var losses: [ImportLoss] = []
    /// What writes the body to the command's input; nil if it is a word.
    private var producer: String?
    private var hasForm = false

    init(request: ExportedRequest, workspace: ExportedWorkspace) {
        (self.request, self.workspace) = (request, workspace)
        if let loss = request.tokenLoss { losses.append(loss) }
        losses += request.lostSettings(carrying: CurlExporter.carried, "curl")
    }

    mutating func text() -> String {
        let body = body()
        var lines = [verb] + fields() + body + credentials() + transport()
        if let path = request.download { lines.append("--output \(word(fileName(path)))") }
        lines.append(url)
        let command = "curl " + lines.filter { !$0.isEmpty }.joined(separator: " \\\n  ")
        return producer.map { "\($0) |\n\(command)" } ?? command
    }

    private func word(_ text: String) -> String { ShellText.word(text) }

    private func fileName(_ path: String) -> String { ShellText.fileName(path, in: workspace) }

    private var verb: String {
        switch (request.method, request.body) {
        case ("GET", .none): ""
        // What has a body is POST anyway; said, it would be POST after a redirect, too.
        case ("POST", let body) where body != .unknown: ""
        case ("HEAD", .none): "--head"
        default: "--request \(word(request.method))"
        }
    }

    private func fields() -> [String] {
        var lines: [String] = []
        for field in request.sentFields {
            if hasForm, field.isNamed("Content-Type") { continue }
            if isBasic(field) { continue }
            // curl takes a field without a value for one to be left out, unless it ends with a semicolon.
            let text =
                field.value.pieces.isEmpty
                ? ExportText(literal: "\(field.name);")
                : ExportText(literal: "\(field.name): ") + field.value
            lines.append("--header \(ShellText.word(text))")
        }
        var omitted = request.omittedFields
        let hasType = request.field("Content-Type") != nil
        if !hasForm, !hasType, request.declaresLength,
            !omitted.contains(where: { $0.lowercased() == "content-type" })
        {
            omitted.append("Content-Type")
        }
        return lines + omitted.map { "--header \(word("\($0):"))" }
    }

    /// Whether `--user` makes the field.
    private func isBasic(_ field: ExportedRequest.Field) -> Bool {
        guard case .basic = request.authorization, field.isNamed("Authorization") else {
            return false
        }
        return field.value.calls.contains { $0.function == "basic" }
    }

    private mutating func body() -> [String] {
        switch request.body {
        case .none: return request.declaresLength ? ["--data ''"] : []
        case .text(let text):
            // Raw, because a text that begins with @ would be a file name.
            if ShellText.isWord(text) { return ["--data-raw \(ShellText.word(text))"] }
            producer = "{ \(ShellText.printing(text)); }"
        case .bytes(let bytes): producer = ShellText.printing(bytes)
        case .file(let path): return ["--data-binary \(word("@" + fileName(path)))"]
        case .multipart(let parts, _):
            if let form = form(parts) {
                hasForm = true
                return form
            }
            producer = ShellText.printing(request.rawParts, in: workspace)
        case .unknown:
            losses.append(ImportLoss("a body", "it is made while it is sent"))
            return []
        }
        return ["--data-binary @-"]
    }

    /// The parts as options; nil if curl would read one of them otherwise.
    private func form(_ parts: [ExportedRequest.Part]) -> [String]? {
        var options: [String] = []
        for part in parts {
            guard part.fields.isEmpty, !part.name.isEmpty,
                !part.name.utf8.contains(where: { "=\"\\\r\n;".utf8.contains($0) })
            else { return nil }
            switch part.content {
            case .text(let text):
                guard part.type == nil, part.fileName == nil, ShellText.isWord(text) else {
                    return nil
                }
                let pair = ExportText(literal: "\(part.name)=") + text
                options.append("--form-string \(ShellText.word(pair))")
            case .file(let path):
                let name = fileName(path)
                let isPlain = !name.utf8.contains { "\"\\;,\r\n".utf8.contains($0) }
                let isOwnName = part.fileName == path.split(separator: "/").last.map(String.init)
                guard isPlain, isOwnName, let type = part.type,
                    !type.utf8.contains(where: { ";,\"\\".utf8.contains($0) })
                else { return nil }
                options.append("--form \(word("\(part.name)=@\(name);type=\(type)"))")
            case .bytes: return nil
            }
        }
        return options
    }

    private mutating func credentials() -> [String] {
        func user(_ user: String, _ password: String) -> String {
            let pair = request.text(user) + ExportText(literal: ":") + request.text(password)
            return "--user \(ShellText.word(pair))"
        }
        switch request.authorization {
        case .basic(let name, let password):
            guard request.fields.contains(where: isBasic) else { return [] }
            return [user(name, password)]
        case .digest(let name, let password):
            let scheme = request.options.credentials?.scheme == .any ? "anyauth" : "digest"
            return ["--\(scheme) \(user(name, password))"]
        case .ntlm(let name, let password): return ["--ntlm \(user(name, password))"]
        case .negotiate: return ["--negotiate --user :"]
        case .netrc(let file):
            return [file.map { "--netrc-file \(word(fileName($0)))" } ?? "--netrc"]
        case .aws(let aws):
            let id = request.keysOfProfile?.id ?? request.text(aws.accessKey ?? "")
            let secret = request.keysOfProfile?.secret ?? request.text(aws.secretKey ?? "")
            if request.keysOfProfile != nil {
                losses.append(
                    ImportLoss(
                        "a profile of AWS",
                        "its keys must be set",
                        text: aws.profile ?? "default"
                    )
                )
            }
            var scope = ExportText(literal: "aws:amz:")
            scope = scope + request.text(aws.region ?? "us-east-1") + ExportText(literal: ":")
            scope = scope + request.text(aws.service)
            let pair = id + ExportText(literal: ":") + secret
            var options = ["--aws-sigv4 \(ShellText.word(scope)) --user \(ShellText.word(pair))"]
            if let token = aws.sessionToken {
                let field = ExportText(literal: "X-Amz-Security-Token: ") + request.text(token)
                options.append("--header \(ShellText.word(field))")
            }
            return options
        case .none, .bearer, .apiKey, .oauth2, .custom: return []
        }
    }

    private func transport() -> [String] {
        CurlOption.all(of: request).map { option in
            let name = "--\(option.name)"
            switch option.value {
            case .flag: return name
            case .number(let number): return "\(name) \(number)"
            case .time(let time): return "\(name) \(time.inSeconds)"
            case .path(let path):
                let file = fileName(path)
                // curl takes what follows a colon for the password.
                let isCertificate = option.name == "cert"
                return "\(name) \(word(isCertificate ? Self.escapingColons(file) : file))"
            case .text(let text): return "\(name) \(ShellText.word(text))"
            }
        }
    }

    private static func escapingColons(_ file: String) -> String {
        file.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
    }

    private var url: String {
        let text = request.url.spelled { _ in "x" }
        // Keeps curl from expanding brackets, and from removing dots in the path.
        let hasBrackets = text.utf8.contains { "[]{}".utf8.contains($0) }
        let path = text.prefix { $0 != "?" && $0 != "#" }.split(separator: "/").dropFirst(2)
        let hasDots = path.contains { segment in
            [".", ".."].contains(segment.lowercased().replacing("%2e", with: "."))
        }
        return (hasBrackets ? "--globoff " : "") + (hasDots ? "--path-as-is " : "")
            + ShellText.word(request.url)
    }
}
