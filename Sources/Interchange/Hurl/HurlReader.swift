import Documents
import HTTPTypes
import Workspaces

/// Makes a workspace of hurl files: a target for each entry, and a chain for each file that captures values.
struct HurlReader {
    var workspace = ImportedWorkspace(format: "hurl")
    let translation: TextTranslation
    private let expressions: HurlExpressions
    var captured: [ResponseVariable] = []
    var count = 0
    /// What is captured by each target, by its number, and what its step sets.
    private var steps:
        [(chain: String, target: Int, capture: [Value.Member], set: [Value.Member])] = []
    private var chainsWithCaptures: Set<String> = []
    /// The variables of the file beside it, of which those are taken that it uses.
    private var fileVariables: [Value.Member] = []

    init(_ source: ImportSource) {
        let expressions = HurlExpressions()
        self.expressions = expressions
        translation = TextTranslation { names, text in expressions.expression(text, &names) }
        // hurl follows no redirects unless it is told so.
        workspace.defaults = [Value.Member("redirects", .number("0"))]
        readVariables(source)
    }

    /// The variables of a file beside it, as `--variables-file` reads them.
    private mutating func readVariables(_ source: ImportSource) {
        guard !source.isURL, !source.path.isEmpty else { return }
        for name in source.isFolder
            ? source.names() : ["vars.env", "variables.env", "hurl.env", ".env"]
        {
            guard name.hasSuffix(".env"), fileVariables.isEmpty,
                let bytes = source.bytes(of: name)
            else { continue }
            for line in SourceText.lines(SourceText.decoded(bytes)) {
                let text = line.trimmingBlanks
                guard !text.hasPrefix("#"), let sign = text.firstIndex(of: "=") else { continue }
                let key = translation.names.name(of: text[..<sign].trimmingBlanks)
                let value = text[sign...].dropFirst().trimmingBlanks
                fileVariables[key] = .string(ImportNames.literal(value))
            }
        }
    }

    mutating func items(of bytes: [UInt8], in folder: String, named file: String) -> [ImportedItem]
    {
        let (entries, comments) = HurlEntry.entries(SourceText.lines(SourceText.decoded(bytes)))
        var items: [ImportedItem] = []
        for entry in entries {
            guard let target = target(entry, folder, file) else { continue }
            items.append(.target(target))
            count += 1
        }
        if !comments.isEmpty {
            workspace.note = ((workspace.note.map { [$0] } ?? []) + comments).joined(
                separator: "\n"
            )
        }
        return items
    }

    mutating func finished() -> ImportedWorkspace {
        let paths = workspace.targetPaths
        var chains: [String] = []
        var members: [String: [Value]] = [:]
        for step in steps
        where chainsWithCaptures.contains(step.chain) && paths.indices.contains(step.target) {
            if members[step.chain] == nil { chains.append(step.chain) }
            let number = (members[step.chain]?.count ?? 0) + 1
            var value = [
                Value.Member("step", .string("step\(number)")),
                Value.Member("target", .string(paths[step.target])),
            ]
            if !step.set.isEmpty { value.append(Value.Member("set", .object(step.set))) }
            if !step.capture.isEmpty {
                value.append(Value.Member("capture", .object(step.capture)))
            }
            members[step.chain, default: []].append(.object(value))
        }
        workspace.chains = chains.map { Value.Member($0.inOneLine, .array(members[$0] ?? [])) }
        let used = Set(translation.names.used)
        let values = fileVariables.filter { used.contains($0.name) }
        workspace.variables = values + workspace.variables.filter { values[$0.name] == nil }
        workspace.names = translation.names
        workspace.losses += translation.takeLosses()
        workspace.complete(captured)
        return workspace
    }

    // MARK: A request

    private mutating func target(_ entry: HurlEntry, _ folder: String, _ file: String)
        -> ImportedTarget?
    {
        var parts = RequestParts()
        let line = entry.requestLine.text
        let word = line.prefix { $0 != " " && $0 != "\t" }
        let url = line[word.endIndex...].trimmingBlanks
        parts.method = String(word)
        parts.url = translation.text(Self.unescaped(url))
        for field in entry.fields {
            guard let pair = Self.pair(field.text) else {
                parts.losses.append(.noField(field.text, line: field.line))
                continue
            }
            parts.headers.append(
                RequestParts.Row(
                    name: translation.text(pair.name),
                    value: translation.text(pair.value)
                )
            )
        }
        var sets: [Value.Member] = []
        for section in entry.sections { read(section, &parts, &sets, folder) }
        chooseScheme(entry, &parts)
        if let body = entry.body { setBody(body, &parts, folder) }
        TextAuthorization.moveHeader(of: &parts)
        var captures: [Value.Member] = []
        readResponse(entry, &parts, &captures, file)
        parts.losses += translation.takeLosses() + expressions.takeLosses()
        let title =
            entry.comments.last { !$0.isEmpty && !$0.allSatisfy { "-=*#~ ".contains($0) } } ?? ""
        let name = title.isEmpty || title.count > 60 ? RequestParts.name(String(word), url) : title
        guard var target = parts.target(named: name) else {
            workspace.losses.append(
                ImportLoss(
                    "a request of another protocol",
                    "a workspace sends HTTP requests only",
                    text: entry.text,
                    line: entry.requestLine.line
                )
            )
            return nil
        }
        let note = (entry.comments + entry.remarks).joined(separator: "\n")
        if !note.isEmpty, note != name { target.note = note }
        steps.append((file, count, captures, sets))
        if !captures.isEmpty { chainsWithCaptures.insert(file) }
        return target
    }

    /// `name: value`.
    static func pair(_ text: String) -> (name: String, value: String)? {
        var name = ""
        var isEscaped = false
        var depth = 0
        for index in text.indices {
            let character = text[index]
            if character == "{" { depth += 1 }
            if character == "}" { depth -= 1 }
            if character == ":", !isEscaped, depth == 0 {
                return (
                    unescaped(name).trimmingBlanks,
                    unescaped(String(text[index...].dropFirst()).trimmingBlanks)
                )
            }
            isEscaped = character == "\\" && !isEscaped
            name.append(character)
        }
        return nil
    }

    static func unescaped(_ text: String) -> String {
        guard text.contains("\\") else { return text }
        var result = ""
        var rest = text[...]
        while let first = rest.popFirst() {
            guard first == "\\", let next = rest.popFirst() else {
                result.append(first)
                continue
            }
            switch next {
            case "n": result.append("\n")
            case "t": result.append("\t")
            case "r": result.append("\r")
            case "b": result.append("\u{8}")
            case "f": result.append("\u{C}")
            case "u" where rest.first == "{":
                let digits = rest.dropFirst().prefix { $0 != "}" }
                if let code = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(code) {
                    result.unicodeScalars.append(scalar)
                }
                rest = rest.dropFirst(digits.count + 2)
            default: result.append(next)
            }
        }
        return result
    }

    private mutating func read(
        _ section: (name: String, lines: [HurlEntry.Line]),
        _ parts: inout RequestParts,
        _ sets: inout [Value.Member],
        _ folder: String
    ) {
        var members: [Value.Member] = []
        var cookies: [String] = []
        for line in section.lines {
            guard let pair = Self.pair(line.text) else {
                parts.losses.append(
                    ImportLoss(
                        "a line of [\(section.name)]",
                        "it has no colon",
                        text: line.text,
                        line: line.line
                    )
                )
                continue
            }
            switch section.name {
            case "QueryStringParams", "Query":
                parts.query.append(
                    RequestParts.Row(name: pair.name, value: translation.text(pair.value))
                )
            case "FormParams", "Form":
                members.append(.string(translation.text(pair.value)), for: pair.name)
            case "MultipartFormData", "Multipart":
                guard pair.value.hasPrefix("file,") else {
                    members.append(.string(translation.text(pair.value)), for: pair.name)
                    continue
                }
                let pieces = pair.value.dropFirst(5).split(separator: ";").map(\.trimmingBlanks)
                var part = [
                    Value.Member("file", .string(folder + translation.text(pieces.first ?? "")))
                ]
                if pieces.count > 1, !pieces[1].isEmpty {
                    part.append(Value.Member("type", .string(translation.text(pieces[1]))))
                }
                members.append(.object(part), for: pair.name)
            case "Cookies": cookies.append("\(pair.name)=\(translation.text(pair.value))")
            case "BasicAuth" where parts.auth == nil:
                parts.auth = TextAuthorization.credentials(
                    "basic",
                    translation.text(pair.name),
                    translation.text(pair.value)
                )
            case "Options": readOption(pair, line, &parts, &sets, folder)
            default:
                parts.losses.append(
                    ImportLoss(
                        "a line of [\(section.name)]",
                        "a request has no such section",
                        text: line.text,
                        line: line.line
                    )
                )
            }
        }
        switch section.name {
        case "FormParams", "Form":
            setRows("form", "application/x-www-form-urlencoded", members, &parts)
        case "MultipartFormData", "Multipart":
            if !members.isEmpty { setRows("multipart", nil, members, &parts) }
        case "Cookies" where !cookies.isEmpty:
            parts.headers.append(
                RequestParts.Row(name: "Cookie", value: cookies.joined(separator: "; "))
            )
        default: break
        }
    }

    /// Lists a body of another kind that is there already: a request has one only.
    private func loseBody(unless key: String, _ parts: inout RequestParts) {
        guard let body = parts.body, body.key != key else { return }
        let reason = "another one of the request is sent"
        parts.losses.append(
            ImportLoss("a body", reason, text: "\(body.key): \(body.value.prettyJSON)")
        )
    }

    /// Sets the rows of a form, after those of a section before it.
    private func setRows(
        _ key: String,
        _ type: String?,
        _ rows: [Value.Member],
        _ parts: inout RequestParts
    ) {
        loseBody(unless: key, &parts)
        var members: [Value.Member] = []
        if let body = parts.body, body.key == key, case .object(let known) = body.value {
            members = known
        }
        for row in rows {
            guard case .array(let values) = row.value else {
                members.append(row.value, for: row.name)
                continue
            }
            for value in values { members.append(value, for: row.name) }
        }
        parts.body = RequestParts.Body(key: key, value: .object(members), type: type)
    }

    private mutating func readOption(
        _ pair: (name: String, value: String),
        _ line: HurlEntry.Line,
        _ parts: inout RequestParts,
        _ sets: inout [Value.Member],
        _ folder: String
    ) {
        let value = translation.text(pair.value)
        let isOn = pair.value == "true"
        func set(_ name: String, _ value: Value) { parts.settings[name] = value }
        func time(_ name: String, _ unit: String) -> Bool {
            let digits = pair.value.prefix { $0.isNumber }
            let given = pair.value[digits.endIndex...].trimmingBlanks
            let units = ["": unit, "s": "s", "ms": "ms", "m": "min"]
            guard let unit = units[given], let count = Int(digits), count > 0 else { return false }
            set(name, .string("\(count) \(unit)"))
            return true
        }
        switch pair.name {
        case "location" where isOn:
            if parts.settings["redirects"] == nil { set("redirects", .number("10")) }
        case "location": break
        case "location-trusted" where isOn:
            set("redirects", .number("10"))
            set("trustRedirects", .boolean(true))
        case "max-redirs" where Int(pair.value).map { 0...1000 ~= $0 } == true:
            set("redirects", .number(pair.value))
        case "insecure" where isOn: set("verifyTLS", .boolean(false))
        // hurl's own defaults, and what is shown only.
        case "insecure", "compressed", "location-trusted", "verbose", "very-verbose": break
        case _ where pair.value == "false": break
        case "cacert": set("caFile", .string(folder + value))
        case "cert", "key":
            var members: [Value.Member] = []
            if case .object(let known)? = parts.settings["clientCertificate"] { members = known }
            members[pair.name == "cert" ? "file" : "key"] = .string(folder + value)
            set("clientCertificate", .object(members))
        case "proxy": set("proxy", .string(value.contains("://") ? value : "http://" + value))
        case "http1.1" where isOn, "http1.0" where isOn: set("httpVersion", .string("1.1"))
        case "http2" where isOn: set("httpVersion", .string("2"))
        case "unix-socket": set("unixSocket", .string(value))
        case "max-time" where time("timeout", "s"),
            "connect-timeout" where time("connectTimeout", "s"):
            break
        case "user" where parts.auth == nil:
            let pieces = pair.value.split(
                separator: ":",
                maxSplits: 1,
                omittingEmptySubsequences: false
            ).map { translation.text(String($0)) }
            parts.auth = TextAuthorization.credentials(
                "basic",
                pieces[0],
                pieces.count > 1 ? pieces[1] : ""
            )
        case "negotiate" where isOn && parts.auth == nil:
            parts.auth = .object([Value.Member("negotiate", .boolean(true))])
        case "netrc" where isOn && parts.auth == nil:
            parts.auth = .object([Value.Member("netrc", .boolean(true))])
        case "output" where !pair.value.isEmpty && pair.value != "-":
            set(
                "download",
                .object([
                    Value.Member("to", .string(folder + value)),
                    Value.Member("replace", .boolean(true)),
                ])
            )
        case "header" where Self.pair(pair.value) != nil:
            guard let field = Self.pair(pair.value) else { return }
            parts.headers.append(
                RequestParts.Row(name: field.name, value: translation.text(field.value))
            )
        case "user-agent" where parts.header("user-agent") == nil:
            parts.headers.append(RequestParts.Row(name: "User-Agent", value: value))
        case "netrc-file" where parts.auth == nil:
            parts.auth = .object([Value.Member("netrc", .string(folder + value))])
        case "variable" where pair.value.contains("="):
            guard let sign = pair.value.firstIndex(of: "=") else { return }
            let name = translation.names.name(of: pair.value[..<sign].trimmingBlanks)
            var text = String(pair.value[sign...].dropFirst()).trimmingBlanks
            if text.hasPrefix("\""), text.hasSuffix("\""), text.count > 1 {
                text = String(text.dropFirst().dropLast())
            }
            let member = Value.string(translation.text(text))
            sets[name] = member
            if workspace.variables[name] == nil {
                workspace.variables.append(Value.Member(name, member))
            }
        default:
            parts.losses.append(
                ImportLoss(
                    "an option",
                    "a target has no such setting",
                    text: line.text,
                    line: line.line
                )
            )
        }
    }

    /// The user of `user` and of `[BasicAuth]` by the scheme that another option asks for.
    private mutating func chooseScheme(_ entry: HurlEntry, _ parts: inout RequestParts) {
        guard case .object(let auth)? = parts.auth, let pair = auth["basic"] else { return }
        for section in entry.sections where section.name == "Options" {
            for line in section.lines {
                guard let option = Self.pair(line.text), option.value == "true",
                    ["ntlm", "digest"].contains(option.name)
                else { continue }
                parts.auth = .object([Value.Member(option.name, pair)])
                parts.losses.removeAll { $0.line == line.line && $0.kind == "an option" }
            }
        }
    }

    private mutating func setBody(
        _ body: HurlEntry.Body,
        _ parts: inout RequestParts,
        _ folder: String
    ) {
        loseBody(unless: "", &parts)
        if body.isLiteral {
            let text = ImportNames.literal(body.text)
            parts.body = RequestParts.Body(key: "body", value: .string(text), type: nil)
            return
        }
        let hasType = parts.header("content-type") != nil
        func type(_ name: String) {
            if !hasType {
                parts.headers.append(RequestParts.Row(name: "Content-Type", value: name))
            }
        }
        switch body.kind {
        case .json:
            parts.body = translation.body(body.text, type: "application/json")
            type("application/json")
        case .xml:
            parts.body = translation.body(body.text, type: nil)
            if !hasType { type("application/xml") }
        case .graphQL:
            let pieces = body.text.ranges(of: "\nvariables").first
            let query = pieces.map { String(body.text[..<$0.lowerBound]) } ?? body.text
            let variables = pieces.map { String(body.text[$0.upperBound...]) } ?? ""
            parts.body = GraphQLBody.body(query.trimmingBlanks, variables, translation)
            if parts.body?.key == "body" { type("application/json") }
        case .text: parts.body = translation.body(body.text, type: parts.header("content-type"))
        case .file:
            parts.body = RequestParts.Body(
                key: "upload",
                value: .string(folder + translation.text(body.text)),
                type: nil
            )
        case .base64, .hex:
            let bytes = body.kind == .hex ? Self.hex(body.text) : SourceText.base64(body.text)
            if let bytes, let text = String(validating: bytes, as: UTF8.self) {
                parts.body = RequestParts.Body(
                    key: "body",
                    value: .string(ImportNames.literal(text)),
                    type: nil
                )
            } else {
                let reason = "a workspace has bytes that are no text in a file only"
                parts.losses.append(ImportLoss("a body of bytes", reason, text: body.text))
            }
        }
    }

    private static func hex(_ text: String) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }
}
