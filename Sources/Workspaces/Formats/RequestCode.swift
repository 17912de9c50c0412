public import Apus
import Documents
import HTTPTypes
import Secrets

/// A request as a command or as code, to use outside of Apus.
///
/// Credentials are masked unless the caller asks for them.
public struct RequestCode: Sendable, Hashable {
    /// The language or tool that the code is for.
    public enum Language: String, Sendable, CaseIterable {
        case curl, httpie, http, swift, python

        /// The name to show.
        public var title: String {
            switch self {
            case .curl: "curl"
            case .httpie: "HTTPie"
            case .http: "HTTP"
            case .swift: "Swift"
            case .python: "Python"
            }
        }
    }

    /// The command or the code.
    public let text: String

    /// Writes a request.
    public init(
        _ request: PreparedRequest,
        as language: Language,
        showsSecrets: Bool = false,
        environment: [String: String]? = nil
    ) {
        let mask = showsSecrets ? CredentialMask.nothing : request.mask
        var masked = mask.masking(request)
        if let proxy = request.options.proxy { masked.options.proxy = mask.masking(url: proxy) }
        if mask.isOn { masked.options.credentials?.password = Apus.Secret(CredentialMask.mask) }
        let content = RequestContent(masked, mask)
        text =
            switch language {
            case .curl:
                if let environment, !showsSecrets {
                    CurlCommand(request, environment: environment).text
                } else {
                    CurlCommand(request, showsSecrets: showsSecrets).text
                }
            case .httpie: Self.httpie(masked, content)
            case .http: Self.http(masked, content)
            case .swift: Self.swift(masked, content)
            case .python: Self.python(masked, content)
            }
    }
}

/// The body of a request, in the forms that code can express.
private enum RequestContent {
    case none
    case text(String)
    case bytes([UInt8])
    case file(path: String)
    case form([Part], boundary: String)
    /// A body that is produced while it is sent; code cannot contain it.
    case other

    struct Part {
        var name: String
        var fileName: String?
        var type: String?
        var text: String?
        var path: String?
    }

    init(_ request: PreparedRequest, _ mask: CredentialMask) {
        switch request.body {
        case .none: self = .none
        case .bytes(let bytes):
            self = CurlBody.text(bytes).map { .text($0) } ?? .bytes(bytes)
        case .file(let path): self = .file(path: mask.masking(text: path))
        case .stream: self = .other
        case .multipart(let form):
            self = .form(
                form.parts.map { part in
                    var result = Part(name: part.name, fileName: part.fileName, type: part.type)
                    switch part.content {
                    case .bytes(let bytes):
                        let isSecret = mask.isSecret(member: part.name)
                        let bytes = isSecret ? Array(CredentialMask.mask.utf8) : mask.masking(bytes)
                        result.text = String(decoding: bytes, as: UTF8.self)
                    case .file(let path): result.path = mask.masking(text: path)
                    case .stream: result.text = ""
                    }
                    return result
                },
                boundary: form.boundary
            )
        }
    }
}

// MARK: - HTTPie

extension RequestCode {
    private static func httpie(_ request: PreparedRequest, _ content: RequestContent) -> String {
        var words = ["http"]
        if !request.options.verifiesTLS {
            words.append("--verify=no")
        } else if let file = request.options.certificateAuthorityFile {
            words.append("--verify=\(shell(file))")
        }
        if let credentials = request.options.credentials, credentials.scheme == .digest {
            let pair = "\(credentials.user):\(credentials.password.value)"
            words.append("--auth-type=digest --auth=\(shell(pair))")
        }
        if let certificate = request.options.clientCertificate {
            words.append("--cert=\(shell(certificate.file))")
            if let key = certificate.keyFile { words.append("--cert-key=\(shell(key))") }
        }
        if request.options.maximumRedirects > 0 { words.append("--follow") }
        if let proxy = request.options.proxy {
            words += ["http", "https"].map { "--proxy \(shell("\($0):\(proxy)"))" }
        }
        var items: [String] = []
        var producer = ""
        switch content {
        case .none, .other: break
        case .text(let text): words.append("--raw=\(shell(text))")
        case .bytes(let bytes): producer = "printf '\(octal(bytes))' |\n"
        case .file(let path): items.append(shell("@\(path)"))
        case .form(let parts, _):
            words.append("--multipart")
            items = parts.map { part in
                let value = part.path.map { "@\($0)" } ?? "=\(escaped(value: part.text ?? ""))"
                return shell("\(escaped(name: part.name))\(value)")
            }
        }
        // Otherwise HTTPie would read the standard input of a script as the body.
        if producer.isEmpty { words.insert("--ignore-stdin", at: 1) }
        words.append("\(method(request)) \(shell(request.url))")
        words += fields(request, content).map { field in
            let value = escaped(value: field.value)
            return shell(value.isEmpty ? "\(field.name);" : "\(field.name):\(value)")
        }
        return producer + (words + items).joined(separator: " \\\n  ")
    }

    /// The fields of the request, without the type of a form, which has the boundary that the tool chooses.
    private static func fields(_ request: PreparedRequest, _ content: RequestContent) -> HTTPFields
    {
        guard case .form = content else { return request.head.headerFields }
        return request.head.headerFields.filter { $0.name != .contentType }
    }

    private static func shell(_ text: String) -> String { CurlCommand.quoted(text) }

    /// Escapes the name of an item, because HTTPie takes the first separator in it for the item's kind.
    private static func escaped(name text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            if #":=@;\"#.unicodeScalars.contains(scalar) { result += "\\" }
            result.unicodeScalars.append(scalar)
        }
    }

    private static func escaped(value text: String) -> String {
        text.hasPrefix("@") || text.hasPrefix("=") || text.hasPrefix("\\") ? "\\\(text)" : text
    }

    /// A method is a token (RFC 9110, section 5.6.2), which can have characters that are special to a shell.
    private static func method(_ request: PreparedRequest) -> String {
        let method = request.head.method.rawValue
        let isWord = method.utf8.allSatisfy { (0x41...0x5A).contains($0) }
        return isWord ? method : shell(method)
    }

    private static func octal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }.joined()
    }
}

// MARK: - HTTP/1.1

extension RequestCode {
    private static func http(_ request: PreparedRequest, _ content: RequestContent) -> String {
        let head = request.head
        var lines = ["\(head.method.rawValue) \(head.path ?? "/") HTTP/1.1"]
        lines.append("Host: \(head.authority ?? "")")
        lines += head.headerFields.map { "\($0.name): \($0.value)" }
        let body: String
        switch content {
        case .none: body = ""
        case .text(let text): body = text
        case .bytes(let bytes): body = "(\(bytes.count) bytes)"
        case .file(let path): body = "(the file \(path))"
        case .other: body = "(a stream)"
        case .form(let parts, let boundary):
            body =
                parts.map { part in
                    let file = part.fileName.map { "; filename=\"\($0)\"" } ?? ""
                    let type = part.type.map { "Content-Type: \($0)\n" } ?? ""
                    return
                        "--\(boundary)\nContent-Disposition: form-data; name=\"\(part.name)\"\(file)\n"
                        + "\(type)\n\(part.text ?? "(the file \(part.path ?? ""))")\n"
                }.joined() + "--\(boundary)--\n"
        }
        return lines.joined(separator: "\n") + "\n\n" + body
    }
}

// MARK: - Swift

extension RequestCode {
    /// A complete Swift file that sends the request with Apus.
    private static func swift(_ request: PreparedRequest, _ content: RequestContent) -> String {
        let head = request.head
        let base = "\(head.scheme ?? "http")://\(head.authority ?? "")"
        var lines = [
            "import Apus", "import Foundation", "import HTTPTypes", "",
            "struct Request: TargetType {",
            "    var baseURL: URL { URL(string: \(string(base)))! }",
            "    var path: String { \(string(head.path ?? "/")) }",
            "    var method: HTTPRequest.Method { \(method(head.method)) }",
        ]
        if let task = task(content) { lines.append("    var task: RequestTask { \(task) }") }
        let fields = fields(request, content)
        if !fields.isEmpty {
            lines.append("    var headerFields: HTTPFields {")
            lines.append("        var fields = HTTPFields()")
            lines += fields.map { field in
                "        fields.append(HTTPField(name: HTTPField.Name(\(string(field.name.rawName)))!, "
                    + "value: \(string(field.value))))"
            }
            lines += ["        return fields", "    }"]
        }
        lines += [
            "}", "", "let response = try await Provider<Request>().response(for: Request())", "",
        ]
        return lines.joined(separator: "\n")
    }

    private static func method(_ method: HTTPRequest.Method) -> String {
        let known: [HTTPRequest.Method] = [
            .get, .head, .post, .put, .patch, .delete, .options, .trace,
        ]
        return known.contains(method)
            ? ".\(method.rawValue.lowercased())" : "HTTPRequest.Method(\(string(method.rawValue)))!"
    }

    private static func task(_ content: RequestContent) -> String? {
        switch content {
        case .none, .other: return nil
        case .text(let text): return ".data(Array(\(string(text)).utf8))"
        case .bytes(let bytes): return ".data([\(bytes.map(String.init).joined(separator: ", "))])"
        case .file(let path): return ".uploadFile(path: \(string(path)))"
        case .form(let parts, _):
            let parts = parts.map { part in
                guard let path = part.path else {
                    return ".text(\(string(part.name)), \(string(part.text ?? "")))"
                }
                return "MultipartForm.Part(\(string(part.name)), .file(path: \(string(path))))"
            }
            return ".multipart([\(parts.joined(separator: ", "))])"
        }
    }

    private static func string(_ text: String) -> String {
        literal(text) { "\\u{\($0)}" }
    }

    /// A string literal; escapes only quotes, backslashes and control characters.
    ///
    /// `control` escapes a control character, given its code in hexadecimal digits.
    private static func literal(_ text: String, control: (String) -> String) -> String {
        StringLiteral.quoted(text) { scalar in
            scalar.properties.generalCategory == .control
                ? control(String(scalar.value, radix: 16)) : nil
        }
    }
}

// MARK: - Python

extension RequestCode {
    private static func python(_ request: PreparedRequest, _ content: RequestContent) -> String {
        var arguments = [python(request.head.method.rawValue), python(request.url)]
        let fields = fields(request, content)
        if !fields.isEmpty { arguments.append(pythonHeaders(fields)) }
        switch content {
        case .none, .other: break
        case .text(let text): arguments.append("data=\(python(text)).encode()")
        case .bytes(let bytes):
            let hex = bytes.map { byte in
                "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            arguments.append("data=b\"\(hex.joined())\"")
        case .file(let path): arguments.append("data=open(\(python(path)), \"rb\")")
        case .form(let parts, _):
            let rows = parts.map { part in
                let value =
                    part.path.map { "open(\(python($0)), \"rb\")" }
                    ?? "(None, \(python(part.text ?? "")))"
                return "        (\(python(part.name)), \(value)),\n"
            }
            arguments.append("files=[\n\(rows.joined())    ]")
        }
        let repeating = pythonRepeats(fields, request.options)
        arguments += pythonOptions(request.options, isRepeating: !repeating.isEmpty)
        return "import requests\n\(repeating)\nresponse = requests.request(\n"
            + arguments.map { "    \($0),\n" }.joined()
            + ")\nprint(response.status_code, response.text)\n"
    }

    /// The first line of each field; cookies are one line (RFC 6265, section 5.4).
    private static func pythonHeaders(_ fields: HTTPFields) -> String {
        var seen: Set<String> = []
        let rows = fields.compactMap { field -> String? in
            guard seen.insert(field.name.canonicalName).inserted else { return nil }
            let value = field.name == .cookie ? fields[.cookie] ?? "" : field.value
            return "        \(python(field.name.rawName)): \(python(value)),\n"
        }
        return "headers={\n\(rows.joined())    }"
    }

    /// A function that adds the further lines of fields, because a dictionary holds a name only once; empty if
    /// there are none.
    ///
    /// The library calls what is given as `auth` with the finished request.
    private static func pythonRepeats(_ fields: HTTPFields, _ options: TransportOptions) -> String {
        var seen: Set<String> = []
        let more = fields.filter { field in
            !seen.insert(field.name.canonicalName).inserted && field.name != .cookie
        }
        guard !more.isEmpty else { return "" }
        let digest = pythonDigest(options).map { "    request = \($0)(request)\n" } ?? ""
        let lines = more.map { field in
            "    request.headers.add(\(python(field.name.rawName)), \(python(field.value)))\n"
        }
        return """
            from urllib3._collections import HTTPHeaderDict


            def repeat(request):
            \(digest)    request.headers = HTTPHeaderDict(request.headers)
            \(lines.joined())    return request


            """
    }

    private static func pythonDigest(_ options: TransportOptions) -> String? {
        guard let credentials = options.credentials, credentials.scheme == .digest else {
            return nil
        }
        let words = [credentials.user, credentials.password.value].map { python($0) }
        return "requests.auth.HTTPDigestAuth(\(words.joined(separator: ", ")))"
    }

    private static func pythonOptions(
        _ options: TransportOptions,
        isRepeating: Bool
    ) -> [String] {
        var arguments: [String] = []
        if options.maximumRedirects == 0 { arguments.append("allow_redirects=False") }
        if !options.verifiesTLS {
            arguments.append("verify=False")
        } else if let file = options.certificateAuthorityFile {
            arguments.append("verify=\(python(file))")
        }
        if isRepeating {
            arguments.append("auth=repeat")
        } else if let digest = pythonDigest(options) {
            arguments.append("auth=\(digest)")
        }
        if let certificate = options.clientCertificate {
            let files = [certificate.file, certificate.keyFile].compactMap(\.self)
                .map { python($0) }
            let text = files.joined(separator: ", ")
            arguments.append("cert=\(files.count > 1 ? "(\(text))" : text)")
        }
        // The library refuses 0.
        if let timeout = options.timeout, timeout > .zero {
            let isWhole = timeout.components.attoseconds == 0
            let seconds =
                isWhole ? "\(timeout.components.seconds)" : "\(timeout / .seconds(1))"
            arguments.append("timeout=\(seconds)")
        }
        if let proxy = options.proxy {
            arguments.append("proxies={\"http\": \(python(proxy)), \"https\": \(python(proxy))}")
        }
        return arguments
    }

    private static func python(_ text: String) -> String {
        literal(text) { "\\u" + String(repeating: "0", count: 4 - $0.count) + $0 }
    }
}
