import Documents
import HTTPTypes
import Workspaces

/// Makes a workspace of hurl files: a target for each entry, and a chain for each file that captures values.
struct HurlReader {
    var workspace = ImportedWorkspace(format: "hurl")
    let translation: TextTranslation
    var captured: [ResponseVariable] = []
    var count = 0
    /// What is captured by each target, by its number, and what its step sets.
    private var steps:
        [(chain: String, target: Int, capture: [Value.Member], set: [Value.Member])] = []
    private var chainsWithCaptures: Set<String> = []

    init(_ source: ImportSource) {
        translation = TextTranslation { names, text in Self.expression(text, &names) }
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
            guard name.hasSuffix(".env"), workspace.variables.isEmpty,
                let bytes = source.bytes(of: name)
            else { continue }
            for line in SourceText.lines(SourceText.decoded(bytes)) {
                let text = line.trimmingBlanks
                guard !text.hasPrefix("#"), let sign = text.firstIndex(of: "=") else { continue }
                let key = translation.names.name(of: text[..<sign].trimmingBlanks)
                let value = text[sign...].dropFirst().trimmingBlanks
                workspace.variables[key] = .string(ImportNames.literal(value))
            }
        }
    }

    private static func expression(_ text: String, _ names: inout ImportNames) -> String? {
        let words = text.split(separator: " ").map(String.init)
        switch words.first {
        case nil: return nil
        case "newUuid": return "{{ uuid }}"
        case "newDate": return "{{ now }}"
        case "getEnv" where words.count == 2:
            let name = words[1].replacing("\"", with: "").replacing("'", with: "")
            return "{{ env('\(name)') }}"
        default: return names.reference(to: words[0])
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
        if let body = entry.body { setBody(body, &parts, folder) }
        TextAuthorization.moveHeader(of: &parts)
        var captures: [Value.Member] = []
        readResponse(entry, &parts, &captures, file)
        parts.losses += translation.takeLosses()
        let title =
            entry.comments.last { !$0.isEmpty && !$0.allSatisfy { "-=*#~ ".contains($0) } } ?? ""
        let name = title.isEmpty || title.count > 60 ? RequestParts.name(String(word), url) : title
        guard var target = parts.target(named: name) else {
            workspace.losses.append(
                ImportLoss(
                    "a request of another protocol",
                    "a workspace sends HTTP requests only",
                    text: line,
                    line: entry.requestLine.line
                )
            )
            return nil
        }
        let note = entry.comments.joined(separator: "\n")
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
            case "BasicAuth":
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
            parts.body = RequestParts.Body(
                key: "form",
                value: .object(members),
                type: "application/x-www-form-urlencoded"
            )
        case "MultipartFormData", "Multipart":
            if !members.isEmpty {
                parts.body = RequestParts.Body(key: "multipart", value: .object(members), type: nil)
            }
        case "Cookies" where !cookies.isEmpty:
            parts.headers.append(
                RequestParts.Row(name: "Cookie", value: cookies.joined(separator: "; "))
            )
        default: break
        }
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
        case "insecure", "compressed", "location-trusted": break
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
        case "user":
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
        case "negotiate" where isOn:
            parts.auth = .object([Value.Member("negotiate", .boolean(true))])
        case "netrc" where isOn: parts.auth = .object([Value.Member("netrc", .boolean(true))])
        case "output" where !pair.value.isEmpty && pair.value != "-":
            set(
                "download",
                .object([
                    Value.Member("to", .string(folder + value)),
                    Value.Member("replace", .boolean(true)),
                ])
            )
        case "variable":
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

    private mutating func setBody(
        _ body: HurlEntry.Body,
        _ parts: inout RequestParts,
        _ folder: String
    ) {
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
            let bytes = body.kind == .hex ? Self.hex(body.text) : Self.base64(body.text)
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

    private static func base64(_ text: String) -> [UInt8]? {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
        )
        var bytes: [UInt8] = []
        var (buffer, bits) = (0, 0)
        for byte in text.utf8 where byte != UInt8(ascii: "=") && byte > 0x20 {
            guard let value = alphabet.firstIndex(of: byte) else { return nil }
            buffer = (buffer << 6 | value) & 0xFFFF
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(buffer >> bits & 0xFF))
        }
        return bytes
    }
}
