import Apus
import Documents
import HTTPTypes
import Workspaces

/// A Python script with the library requests.
package enum PythonExporter: Exporter {
    package static let name = "python"
    package static let abstract = "Python with requests"
    package static let fileExtension = "py"
    package static let keepsVariables = false

    package static func export(_ workspace: ExportedWorkspace) -> ExportOutput {
        let workspace = workspace.with(functions: PythonExport.isKnown)
        var modules: Set<String> = []
        var blocks: [String] = []
        var losses = workspace.losses + workspace.lostFlows("a script")
        var group = ""
        for (groups, request) in workspace.requests {
            var script = PythonExport(request: request, workspace: workspace)
            let text = script.text()
            modules.formUnion(script.modules)
            let lost = script.losses + request.fixedValues
            losses += lost.map { (request.id, $0) }
            var lines: [String] = []
            let path = groups.map(\.name).joined(separator: "/")
            if path != group, !path.isEmpty {
                lines += ["# ---- \(path.inOneLine)"]
                lines += (groups.last?.note?.lines ?? []).map { "# \($0)" } + [""]
            }
            group = path
            lines += request.remarks.map { "# \($0)" }
            lines += request.expectationLines(PythonExport.named).map { "# Expects: \($0)" }
            lines += request.neededLines.map { "# Set \($0.environmentName): \($1)" }
            lines += request.redirectRemarks(
                "# After a redirect with 302 requests sends GET; Apus repeats the method."
            )
            lines += lost.map { "# \($0.remark)" }
            blocks.append((lines + [text]).joined(separator: "\n"))
        }
        for loss in workspace.losses {
            blocks.append("# Not exported: \(loss.target) (\(loss.loss.reason))".inOneLine)
        }
        if workspace.namesOwnFiles { modules.insert("os") }
        let standard = modules.filter { !$0.contains(" ") }.sorted().map { "import \($0)" }
        let imports =
            standard + (standard.isEmpty ? [] : [""]) + ["import requests"]
            + modules.filter { $0.contains(" ") }.sorted()
            // Paths are from the script's folder, whatever folder it is run in.
            + (workspace.namesOwnFiles
                ? ["", "os.chdir(os.path.dirname(os.path.abspath(__file__)))"] : [])
        let text =
            imports.joined(separator: "\n") + "\n\n" + blocks.joined(separator: "\n\n") + "\n"
        return ExportOutput(text: text, losses: losses)
    }
}

extension PythonExporter {
    /// The settings that the library has arguments for.
    static let carried: Set<String> = [
        "timeout", "verifyTLS", "caFile", "clientCertificate", "proxy", "download", "expect",
        "unixSocket",
    ]

    /// Whether the library, which HTTPie uses, too, sends a URL as it is.
    static func keeps(_ url: String) -> Bool { PythonExport.isNormal(url) }
}

/// Writes one request.
private struct PythonExport {
    let request: ExportedRequest
    let workspace: ExportedWorkspace
    private(set) var losses: [ImportLoss] = []
    /// What must be imported.
    private(set) var modules: Set<String> = []
    private var isForm = false

    init(request: ExportedRequest, workspace: ExportedWorkspace) {
        (self.request, self.workspace) = (request, workspace)
        if let loss = request.tokenLoss { losses.append(loss) }
        losses += request.lostSettings(carrying: PythonExporter.carried, "requests")
            .filter {
                $0.kind != "the setting `redirects`" || request.options.maximumRedirects != 0
            }
        if request.options.clientCertificate?.password != nil {
            losses.append(ImportLoss("the password of a certificate", "requests takes none"))
        }
        let url = request.url.spelled { _ in "x" }
        if !Self.isNormal(url) {
            losses.append(
                ImportLoss("the form of a URL", "the library sends its normal form", text: url)
            )
        }
    }

    /// Whether the library leaves a URL as it is: it encodes what must be, decodes what need not be, writes hexadecimal
    /// digits as capitals and takes dots out of the path.
    static func isNormal(_ url: String) -> Bool {
        let rest = Array(
            url.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2).drop { $0 != UInt8(ascii: "/") }
        )
        func isUnreserved(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
                || "-._~".utf8.contains(byte)
        }
        for (index, byte) in rest.enumerated() {
            guard byte == UInt8(ascii: "%") else {
                guard isUnreserved(byte) || "!$&'()*+,;=:@/?".utf8.contains(byte) else {
                    return false
                }
                continue
            }
            let digits = String(decoding: rest[(index + 1)...].prefix(2), as: UTF8.self)
            guard let value = UInt8(digits, radix: 16), !isUnreserved(value),
                digits == digits.uppercased()
            else { return false }
        }
        let path = String(decoding: rest.prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self)
        return path.split(separator: "/").allSatisfy { $0 != "." && $0 != ".." }
    }

    /// A variable in a comment.
    static func named(_ piece: ExportText.Piece) -> String {
        switch piece {
        case .text(let text): text
        case .variable(let variable): variable.environmentName
        case .call(let call): named(call.piece)
        }
    }

    mutating func text() -> String {
        var arguments = [Self.literal(request.method), expression(request.url)]
        let body = body()
        var prelude: [String] = []
        let repeated = repeatedFields
        let auth = auth()
        if repeated.isEmpty {
            arguments += [headers()] + body + (auth.map { ["auth=\($0)"] } ?? [])
        } else {
            prelude = repeating(repeated, auth)
            arguments += [headers()] + body + ["auth=repeat_fields"]
        }
        arguments += transport()
        let call =
            "response = requests.request(\n" + arguments.map { "    \($0),\n" }.joined() + ")\n"
        guard let path = request.download else {
            return (prelude + [call + "print(response.status_code, response.text)"]).joined(
                separator: "\n"
            )
        }
        let saving =
            "with open(\(Self.literal(workspace.path(path))), \"wb\") as file:\n    file.write(response.content)"
        return (prelude + [call + saving]).joined(separator: "\n")
    }

    // MARK: Texts

    /// An expression for a text; `isBytes` makes bytes of it.
    private mutating func expression(_ text: ExportText, isBytes: Bool = false) -> String {
        var parts: [String] = []
        for piece in text.pieces {
            switch piece {
            case .text(let text): parts.append(Self.literal(text))
            case .variable(let variable): parts.append(value(of: variable, text.place))
            case .call(let call): parts.append(value(of: call))
            }
        }
        if parts.isEmpty { parts = ["\"\""] }
        let whole = parts.joined(separator: " + ")
        guard isBytes else { return whole }
        return parts.count > 1 ? "(\(whole)).encode()" : "\(whole).encode()"
    }

    private mutating func value(of variable: ExportVariable, _ place: ExportText.Place = .plain)
        -> String
    {
        modules.insert("os")
        let value = "os.environ[\(Self.literal(variable.environmentName))]"
        switch place {
        case .plain: return value
        case .url:
            modules.insert("urllib.parse")
            return "urllib.parse.quote(\(value), safe=\"\")"
        case .json:
            modules.insert("json")
            return "json.dumps(\(value))[1:-1]"
        }
    }

    private mutating func value(of call: ExportCall) -> String {
        let arguments = call.arguments.map { expression($0) }
        let first = arguments.first.map { "(\($0))" } ?? ""
        switch (call.function, arguments.count) {
        case ("uuid", 0):
            modules.insert("uuid")
            return "str(uuid.uuid4())"
        case ("now", 0): return time("%Y-%m-%dT%H:%M:%SZ")
        case ("random", 0):
            modules.insert("random")
            return "str(random.randint(0, 999999))"
        case ("random", 2):
            modules.insert("random")
            return "str(random.randint(int(\(arguments[0])), int(\(arguments[1]))))"
        case ("basic", 2):
            modules.insert("base64")
            return "base64.b64encode((\(arguments[0]) + \":\" + \(arguments[1])).encode()).decode()"
        case ("base64", 1):
            modules.insert("base64")
            return "base64.b64encode(\(first).encode()).decode()"
        case ("hex", 1): return "\(first).encode().hex()"
        case ("sha256", 1):
            modules.insert("hashlib")
            return "hashlib.sha256(\(first).encode()).hexdigest()"
        case ("hmac", 2), ("hmac", 3):
            modules.formUnion(["hmac", "hashlib"])
            let mac = "hmac.new((\(arguments[1])).encode(), \(first).encode(), hashlib.sha256)"
            guard arguments.count == 3, call.arguments[2].literal == "base64" else {
                return "\(mac).hexdigest()"
            }
            modules.insert("base64")
            return "base64.b64encode(\(mac).digest()).decode()"
        case ("url", 1):
            modules.insert("urllib.parse")
            return "urllib.parse.quote(\(first), safe=\"\")"
        case ("json", 1):
            modules.insert("json")
            return "json.dumps(\(first))"
        case ("lower", 1): return "\(first).lower()"
        case ("upper", 1): return "\(first).upper()"
        default: break
        }
        // `isKnown` leaves no others.
        return call.value.map { Self.literal($0) } ?? value(of: call.variable)
    }

    /// Whether Python makes what a function gives.
    static func isKnown(_ call: ExportCall) -> Bool {
        switch (call.function, call.arguments.count) {
        case ("uuid", 0), ("now", 0), ("random", 0), ("random", 2), ("basic", 2), ("base64", 1),
            ("hex", 1), ("sha256", 1), ("hmac", 2), ("url", 1), ("json", 1), ("lower", 1),
            ("upper", 1):
            true
        case ("hmac", 3): call.arguments[2].literal != nil
        default: false
        }
    }

    private mutating func time(_ format: String) -> String {
        modules.insert("time")
        return "time.strftime(\(Self.literal(format)), time.gmtime())"
    }

    /// A string literal; only quotes, backslashes and what is no visible character is escaped.
    static func literal(_ text: String) -> String {
        StringLiteral.quoted(text) { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
                .unassigned:
                StringLiteral.numbered(scalar)
            default: nil
            }
        }
    }

    // MARK: Parts of the request

    /// The fields that have further lines, because a dictionary holds a name only once.
    private var repeatedFields: [ExportedRequest.Field] {
        var seen: Set<String> = []
        return request.sentFields.filter { !seen.insert($0.name.lowercased()).inserted }
    }

    private var isBasic: Bool {
        guard case .basic = request.authorization else { return false }
        return request.field("Authorization")?.calls.contains { $0.function == "basic" } == true
    }

    private mutating func headers() -> String {
        var rows: [String] = []
        var names: Set<String> = []
        for field in request.sentFields {
            if isForm, field.isNamed("Content-Type") { continue }
            guard names.insert(field.name.lowercased()).inserted else { continue }
            if isBasic, field.isNamed("Authorization") { continue }
            rows.append("        \(Self.literal(field.name)): \(value(of: field)),\n")
        }
        // The library leaves out what has no value.
        for name in request.omittedFields + ["Connection"]
        where names.insert(name.lowercased()).inserted {
            rows.append("        \(Self.literal(name)): None,\n")
        }
        return "headers={\n\(rows.joined())    }"
    }

    /// A value of a field; the library sends text as ISO 8859-1, and others as bytes.
    private mutating func value(of field: ExportedRequest.Field) -> String {
        let isASCII = field.value.pieces.allSatisfy { piece in
            if case .text(let text) = piece { text.utf8.allSatisfy { $0 < 0x80 } } else { true }
        }
        return expression(field.value, isBytes: !isASCII)
    }

    private mutating func repeating(_ fields: [ExportedRequest.Field], _ auth: String?) -> [String]
    {
        modules.insert("from urllib3._collections import HTTPHeaderDict")
        let lines = fields.map { field in
            "    request.headers.add(\(Self.literal(field.name)), \(value(of: field)))"
        }
        return ["", "def repeat_fields(request):"]
            + (auth.map { ["    request = \($0)(request)"] } ?? [])
            + ["    request.headers = HTTPHeaderDict(request.headers)"] + lines
            + ["    return request", "", ""]
    }

    private mutating func body() -> [String] {
        switch request.body {
        case .none: return []
        case .text(let text):
            return text.pieces.isEmpty ? [] : ["data=\(expression(text, isBytes: true))"]
        case .bytes(let bytes): return ["data=\(Self.bytes(bytes))"]
        case .file(let path):
            return ["data=open(\(Self.literal(workspace.path(path))), \"rb\").read()"]
        case .multipart(let parts, _):
            if let form = form(parts) {
                isForm = true
                return [form]
            }
            let pieces = request.rawParts.map { part in
                switch part {
                case .text(let text): expression(text, isBytes: true)
                case .bytes(let bytes): Self.bytes(bytes)
                case .file(let path): "open(\(Self.literal(workspace.path(path))), \"rb\").read()"
                }
            }
            return [
                "data=b\"\".join([\n        \(pieces.joined(separator: ",\n        ")),\n    ])"
            ]
        case .unknown:
            losses.append(ImportLoss("a body", "it is made while it is sent"))
            return []
        }
    }

    private static func bytes(_ bytes: [UInt8]) -> String {
        let hex = bytes.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return "b\"\(hex.joined())\""
    }

    /// The parts; nil if the library would write one of them otherwise.
    private mutating func form(_ parts: [ExportedRequest.Part]) -> String? {
        func isPlain(_ text: String) -> Bool {
            text.utf8.allSatisfy { (0x20..<0x7F).contains($0) && !"\"\\%".utf8.contains($0) }
        }
        var rows: [String] = []
        for part in parts {
            guard part.fields.isEmpty, isPlain(part.name) else { return nil }
            let name = Self.literal(part.name)
            switch part.content {
            case .text(let text):
                guard part.type == nil, part.fileName == nil else { return nil }
                rows.append("        (\(name), (None, \(expression(text, isBytes: true)))),\n")
            case .file(let path):
                guard let type = part.type, let fileName = part.fileName, isPlain(fileName) else {
                    return nil
                }
                let file = "open(\(Self.literal(workspace.path(path))), \"rb\")"
                rows.append(
                    "        (\(name), (\(Self.literal(fileName)), \(file), \(Self.literal(type)))),\n"
                )
            case .bytes: return nil
            }
        }
        return "files=[\n\(rows.joined())    ]"
    }

    private mutating func auth() -> String? {
        func pair(_ user: String, _ password: String) -> String {
            "\(expression(request.text(user), isBytes: isBasic)), \(expression(request.text(password), isBytes: isBasic))"
        }
        switch request.authorization {
        case .basic(let user, let password):
            guard isBasic else { return nil }
            return "requests.auth.HTTPBasicAuth(\(pair(user, password)))"
        case .digest(let user, let password):
            return "requests.auth.HTTPDigestAuth(\(pair(user, password)))"
        case .ntlm, .negotiate, .aws:
            losses.append(
                ImportLoss(
                    "\(request.authorization.name) authentication",
                    "requests has a package of its own for it"
                )
            )
            return nil
        case .none, .bearer, .apiKey, .oauth2, .custom, .netrc: return nil
        }
    }

    private mutating func transport() -> [String] {
        let options = request.options
        var arguments: [String] = []
        if options.maximumRedirects == 0 { arguments.append("allow_redirects=False") }
        if !options.verifiesTLS {
            arguments.append("verify=False")
        } else if let file = options.certificateAuthorityFile {
            arguments.append("verify=\(Self.literal(workspace.path(file)))")
        }
        if let certificate = options.clientCertificate {
            let files = [certificate.file, certificate.keyFile].compactMap(\.self)
                .map { Self.literal(workspace.path($0)) }
            let text = files.joined(separator: ", ")
            arguments.append("cert=\(files.count > 1 ? "(\(text))" : text)")
        }
        // The library refuses 0.
        if let timeout = options.timeout, timeout > .zero {
            arguments.append("timeout=\(timeout.inSeconds)")
        }
        if let proxy = options.proxy {
            let text = expression(request.text(proxy, .url))
            arguments.append("proxies={\"http\": \(text), \"https\": \(text)}")
        }
        if let path = options.unixSocket {
            losses.append(
                ImportLoss("a Unix socket", "requests has a package of its own for it", text: path)
            )
        }
        return arguments
    }
}
