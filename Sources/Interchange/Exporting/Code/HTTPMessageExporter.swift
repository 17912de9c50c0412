import Apus
import Workspaces

/// Messages of HTTP/1.1, line by line as they are sent.
package enum HTTPMessageExporter: Exporter {
    package static let name = "message"
    package static let abstract = "the HTTP/1.1 message, to read or to paste"
    package static let fileExtension = "txt"
    package static let keepsVariables = false

    package static func export(_ workspace: ExportedWorkspace) -> ExportOutput {
        let workspace = workspace.with { _ in false }
        var output = ExportOutput(
            text: "",
            losses: workspace.losses + workspace.lostFlows("a message")
        )
        let messages = workspace.requests.map { _, request in
            let message = HTTPMessage(request: request, workspace: workspace)
            let losses = losses(of: request)
            output.losses += losses.map { (request.id, $0) }
            return message.text
        }
        output.text = messages.joined(separator: "\n\n") + "\n"
        return output
    }

    private static func losses(of request: ExportedRequest) -> [ImportLoss] {
        var losses = request.lostSettings(carrying: [], "a message") + request.fixedValues
        if let loss = request.tokenLoss { losses.append(loss) }
        switch request.authorization {
        case .digest, .ntlm, .negotiate, .netrc, .aws:
            losses.append(
                ImportLoss("\(request.authorization.name) authentication", "a message has none")
            )
        case .none, .bearer, .basic, .apiKey, .oauth2, .custom: break
        }
        switch request.body {
        case .bytes(let bytes):
            losses.append(ImportLoss("a body", "\(bytes.count) bytes that are no text"))
        case .file(let path): losses.append(ImportLoss("a body", "it is in a file", text: path))
        case .multipart:
            for part in request.rawParts {
                if case .text = part { continue }
                losses.append(ImportLoss("a part", "it is no text"))
            }
        case .unknown: losses.append(ImportLoss("a body", "it is made while it is sent"))
        case .none, .text: break
        }
        return losses
    }
}

/// The lines of a request as HTTP/1.1 has them (RFC 9112), with signs for what is no text.
struct HTTPMessage {
    let request: ExportedRequest
    let workspace: ExportedWorkspace

    /// The whole message; its lines end with line feeds alone, and a variable stands as `$NAME`.
    var text: String {
        let url = request.url.spelled(Self.spelling)
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let path = rest[authority.endIndex...].prefix { $0 != "#" }
        let target = path.hasPrefix("/") ? String(path) : "/\(path)"
        var lines = ["\(request.method) \(target) HTTP/1.1"]
        if request.field("Host") == nil { lines.append("Host: \(authority)") }
        return (lines + fields).joined(separator: "\n") + "\n\n" + (body ?? "")
    }

    /// The lines of its fields.
    var fields: [String] {
        request.sentFields.map { "\($0.name): \($0.value.spelled(Self.spelling))" }
    }

    /// Its body; nil without one.
    var body: String? {
        switch request.body {
        case .none: nil
        case .text(let text): text.spelled(Self.spelling)
        case .bytes(let bytes): "(\(bytes.count) bytes)"
        case .file(let path): "(the file \(workspace.path(path)))"
        case .unknown: "(a body that is made while it is sent)"
        case .multipart:
            request.rawParts.map { part in
                switch part {
                case .text(let text):
                    text.spelled(Self.spelling).replacing("\r\n", with: "\n")
                case .bytes(let bytes): "(\(bytes.count) bytes)"
                case .file(let path): "(the file \(workspace.path(path)))"
                }
            }.joined()
        }
    }

    /// A variable as `$NAME`, and what a function gives, or else its name.
    static func spelling(_ piece: ExportText.Piece) -> String {
        switch piece {
        case .text(let text): return text
        case .variable(let variable): return "$\(variable.environmentName)"
        case .call(let call):
            if call.function == "basic" { return "…" }
            if !call.isVarying, let value = call.value { return value }
            let arguments = call.arguments.map { $0.spelled(spelling) }.joined(separator: ", ")
            return "\(call.function)(\(arguments))"
        }
    }
}
