import Apus
import Documents
import HTTPTypes
import Workspaces

/// Commands of HTTPie for a POSIX shell.
package enum HTTPieExporter: Exporter {
    package static let name = "httpie"
    package static let abstract = "HTTPie commands for a shell"
    package static let fileExtension = "sh"
    package static let keepsVariables = false

    package static func export(_ workspace: ExportedWorkspace) -> ExportOutput {
        ShellText.script(workspace) { request in
            var command = HTTPieExport(request: request, workspace: workspace)
            let text = command.text()
            let remarks = request.redirectRemarks(
                "After a redirect with 302 HTTPie sends GET; Apus repeats the method."
            )
            return ScriptedCommand(text: text, losses: command.losses, remarks: remarks)
        }
    }

    /// The settings that HTTPie has options for.
    static let carried: Set<String> = [
        "timeout", "redirects", "verifyTLS", "caFile", "clientCertificate", "proxy", "download",
        "expect", "unixSocket",
    ]
}

/// Writes one command.
private struct HTTPieExport {
    let request: ExportedRequest
    let workspace: ExportedWorkspace
    private(set) var losses: [ImportLoss] = []
    private var producer: String?
    private var isForm = false

    init(request: ExportedRequest, workspace: ExportedWorkspace) {
        (self.request, self.workspace) = (request, workspace)
        if let loss = request.tokenLoss { losses.append(loss) }
        losses += request.lostSettings(carrying: HTTPieExporter.carried, "HTTPie")
        let url = request.url.spelled { _ in "x" }
        if !PythonExporter.keeps(url) {
            losses.append(
                ImportLoss("the form of a URL", "HTTPie sends its normal form", text: url)
            )
        }
    }

    mutating func text() -> String {
        let (bodyOptions, items) = body()
        var words = bodyOptions + credentials() + transport()
        // Else HTTPie would read the standard input of a script as the body.
        if producer == nil { words.insert("--ignore-stdin", at: 0) }
        words.append("\(method) \(ShellText.word(request.url))")
        let command = (["http"] + words + fields() + items).joined(separator: " \\\n  ")
        return producer.map { "\($0) |\n\(command)" } ?? command
    }

    private func word(_ text: String) -> String { ShellText.word(text) }

    private func fileName(_ path: String) -> String { ShellText.fileName(path, in: workspace) }

    /// A method is a token (RFC 9110, section 5.6.2), which can have characters that are special to a shell.
    private var method: String {
        request.method.utf8.allSatisfy { (0x41...0x5A).contains($0) }
            ? request.method : word(request.method)
    }

    private func fields() -> [String] {
        var lines: [String] = []
        var names: Set<String> = []
        for field in request.sentFields {
            names.insert(field.name.lowercased())
            if isForm, field.isNamed("Content-Type") { continue }
            if isBasic(field) { continue }
            let text =
                field.value.pieces.isEmpty
                ? ExportText(literal: "\(field.name);")
                : ExportText(literal: "\(field.name):") + Self.escaped(field.value)
            lines.append(ShellText.word(text))
        }
        // Without a value, HTTPie leaves out what it would add.
        let omitted = request.omittedFields.filter { $0.lowercased() != "host" }
        lines += omitted.map { word("\($0):") }
        names.formUnion(omitted.map { $0.lowercased() })
        if !isForm, request.declaresLength, !names.contains("content-type") {
            lines.append("Content-Type:")
        }
        if !names.contains("accept") { lines.append("'Accept:*/*'") }
        if !names.contains("connection") { lines.append("Connection:") }
        return lines
    }

    /// A value that does not look like a file's name or a separator.
    private static func escaped(_ value: ExportText) -> ExportText {
        guard case .text(let first) = value.pieces.first, let scalar = first.unicodeScalars.first,
            "@=\\".unicodeScalars.contains(scalar)
        else { return value }
        return ExportText(literal: "\\") + value
    }

    private func isBasic(_ field: ExportedRequest.Field) -> Bool {
        guard case .basic = request.authorization, field.isNamed("Authorization") else {
            return false
        }
        return field.value.calls.contains { $0.function == "basic" }
    }

    private mutating func body() -> (options: [String], items: [String]) {
        switch request.body {
        case .none: return ([], [])
        case .text(let text):
            if ShellText.isWord(text), !text.pieces.isEmpty {
                return (["--raw=\(ShellText.word(text))"], [])
            }
            if text.pieces.isEmpty { return ([], []) }
            producer = "{ \(ShellText.printing(text)); }"
        case .bytes(let bytes): producer = ShellText.printing(bytes)
        case .file(let path): producer = "cat \(word(fileName(path)))"
        case .multipart(let parts, let boundary):
            if let items = form(parts) {
                isForm = true
                return (["--multipart", "--boundary=\(boundary)"], items)
            }
            producer = ShellText.printing(request.rawParts, in: workspace)
        case .unknown: losses.append(ImportLoss("a body", "it is made while it is sent"))
        }
        return ([], [])
    }

    /// The parts as items; nil if HTTPie would send one of them otherwise.
    private func form(_ parts: [ExportedRequest.Part]) -> [String]? {
        func isPlain(_ text: String) -> Bool {
            !text.isEmpty
                && text.utf8.allSatisfy { byte in
                    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
                        || "-._/ ".utf8.contains(byte)
                }
        }
        var items: [String] = []
        for part in parts {
            guard part.fields.isEmpty, isPlain(part.name), !part.name.hasPrefix("-") else {
                return nil
            }
            switch part.content {
            case .text(let text):
                guard part.type == nil, part.fileName == nil, ShellText.isWord(text),
                    !text.hasLineEnd
                else { return nil }
                items.append(
                    ShellText.word(ExportText(literal: "\(part.name)=") + Self.escaped(text))
                )
            case .file(let path):
                let name = fileName(path)
                guard isPlain(name), let type = part.type, isPlain(type),
                    part.fileName == path.split(separator: "/").last.map(String.init)
                else { return nil }
                items.append(word("\(part.name)@\(name);type=\(type)"))
            case .bytes: return nil
            }
        }
        return items
    }

    private mutating func credentials() -> [String] {
        func pair(_ user: String, _ password: String) -> String {
            let text = request.text(user) + ExportText(literal: ":") + request.text(password)
            return "--auth=\(ShellText.word(text))"
        }
        switch request.authorization {
        case .basic(let user, let password):
            return request.fields.contains(where: isBasic) ? [pair(user, password)] : []
        case .digest(let user, let password): return ["--auth-type=digest", pair(user, password)]
        case .ntlm, .negotiate, .netrc, .aws:
            losses.append(
                ImportLoss(
                    "\(request.authorization.name) authentication",
                    "HTTPie has a plug-in for it, or none"
                )
            )
            return []
        case .none, .bearer, .apiKey, .oauth2, .custom: return []
        }
    }

    private mutating func transport() -> [String] {
        let options = request.options
        var words: [String] = []
        if options.maximumRedirects > 0 {
            words.append("--follow")
            if options.maximumRedirects != TransportOptions().maximumRedirects {
                words.append("--max-redirects=\(options.maximumRedirects)")
            }
        }
        if let timeout = options.timeout, timeout != TransportOptions().timeout {
            words.append("--timeout=\(timeout.inSeconds)")
        }
        if !options.verifiesTLS {
            words.append("--verify=no")
        } else if let file = options.certificateAuthorityFile {
            words.append("--verify=\(word(fileName(file)))")
        }
        if let certificate = options.clientCertificate {
            words.append("--cert=\(word(fileName(certificate.file)))")
            if let key = certificate.keyFile { words.append("--cert-key=\(word(fileName(key)))") }
            if let password = certificate.password {
                words.append("--cert-key-pass=\(ShellText.word(request.text(password.value)))")
            }
        }
        if let proxy = options.proxy {
            for scheme in ["http", "https"] {
                let text = ExportText(literal: "\(scheme):") + request.text(proxy, .url)
                words.append("--proxy=\(ShellText.word(text))")
            }
        }
        if let path = options.unixSocket {
            losses.append(ImportLoss("a Unix socket", "HTTPie has a plug-in for it", text: path))
        }
        if let path = request.download {
            words.append("--download --output=\(word(fileName(path)))")
        }
        let isPlain = request.url.spelled { _ in "x" }.split(separator: "/")
            .allSatisfy { ![".", ".."].contains($0.lowercased().replacing("%2e", with: ".")) }
        if !isPlain { words.append("--path-as-is") }
        return words
    }
}
