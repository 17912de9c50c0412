import Documents
import HTTPTypes
import Workspaces

/// Makes a workspace of `.http` files.
struct HTTPFileReader {
    var workspace = ImportedWorkspace(format: "HTTP file")
    private let source: ImportSource
    private let translation: TextTranslation
    private let scope: HTTPFileScope
    /// The number of targets so far.
    private var count = 0
    private var captured: [ResponseVariable] = []
    private let environments: HTTPFileEnvironments

    init(_ source: ImportSource) {
        self.source = source
        let scope = HTTPFileScope()
        self.scope = scope
        translation = TextTranslation { names, text in scope.expression(text, &names) }
        environments = HTTPFileEnvironments(source)
        workspace.environments = environments.members(translation)
        workspace.losses = environments.losses
        workspace.variables = environments.shared(translation)
        scope.environmentNames = environments.names
        workspace.defaults = environments.defaults(translation)
    }

    /// Whether a text has a line such as `GET https://…`.
    static func hasRequestLine(_ text: String) -> Bool {
        text.split(separator: "\n").contains { line in
            let words = line.split(separator: " ")
            return words.count >= 2 && HTTPFileBlock.methods.contains(String(words[0]))
        }
    }

    /// The targets of a file; `folder` is before the paths of files.
    mutating func items(of bytes: [UInt8], in folder: String) -> [ImportedItem] {
        let blocks = HTTPFileSplitter.blocks(SourceText.lines(SourceText.decoded(bytes)))
        scope.beginFile()
        scope.requestNames = Set(
            blocks.flatMap { $0.directives.filter { $0.name == "name" }.map(\.value) }
        )
        scope.requestNames.formUnion(blocks.map(\.title).filter { HandlerScript.isName($0) })
        var items: [ImportedItem] = []
        var names: [String: Int] = [:]
        for block in blocks {
            for variable in block.variables { define(variable.name, variable.value) }
            if let command = block.command {
                let targets = targets(of: command, block)
                items += targets
                count += targets.count
                continue
            }
            guard block.requestLine != nil else {
                keep(block)
                continue
            }
            guard let target = target(block, folder) else { continue }
            if let name = block.directives.first(where: { $0.name == "name" })?.value {
                names[name] = count
            }
            if names[block.title] == nil { names[block.title] = count }
            items.append(.target(target))
            count += 1
        }
        for reference in scope.references {
            if let number = names[reference.request], let capture = reference.capture {
                let name = translation.names.name(of: reference.original)
                captured.append(ResponseVariable(name: name, target: number, capture: capture))
            } else {
                workspace.losses.append(
                    ImportLoss(
                        "a value from a response",
                        "there is no such request, or a workspace cannot find it so; it is asked for",
                        text: reference.original
                    )
                )
            }
        }
        return items
    }

    mutating func finished() -> ImportedWorkspace {
        let used = Set(translation.names.used)
        environments.addMembers(to: &workspace, translation) { used.contains($0) }
        workspace.losses += translation.takeLosses() + scope.takeLosses()
        workspace.names = translation.names
        for (name, original) in scope.processVariables {
            let value = Value.object([Value.Member("env", .string(name))])
            workspace.variables.append(Value.Member(translation.names.name(of: original), value))
        }
        for (original, value) in environments.dotenv {
            let name = translation.names.name(of: original)
            guard used.contains(name) else { continue }
            workspace.variables.append(Value.Member(name, .string(ImportNames.literal(value))))
        }
        workspace.names = translation.names
        workspace.complete(captured)
        return workspace
    }

    private mutating func define(_ name: String, _ value: String) {
        // Before the name stands for the new value: `@host = {{host}}/v1`.
        let text = translation.text(value)
        let original = scope.define(name, value)
        let member = translation.names.name(of: original)
        if workspace.variables[member] == nil {
            workspace.variables.append(Value.Member(member, .string(text)))
        }
    }

    /// Keeps what stands in the file without a request.
    private mutating func keep(_ block: HTTPFileBlock) {
        let notes = ([block.title] + block.comments).filter { !$0.isEmpty }
        if !notes.isEmpty {
            workspace.note = ((workspace.note.map { [$0] } ?? []) + notes).joined(separator: "\n")
        }
        for part in block.preScripts + block.scripts {
            workspace.losses.append(Self.script(part))
        }
        for part in block.others + block.asserts { workspace.losses.append(Self.line(part)) }
        workspace.losses += block.unclosed.map(Self.unclosed)
        for directive in block.directives { workspace.losses.append(Self.loss(directive)) }
    }

    private static func script(_ part: HTTPFileBlock.Part) -> ImportLoss {
        let text = part.mark.isEmpty ? part.text : "{{\(part.mark)\n\(part.text)\n}}"
        return ImportLoss("a script", "a workspace runs no JavaScript", text: text, line: part.line)
    }

    private static func unclosed(_ part: HTTPFileBlock.Part) -> ImportLoss {
        let reason =
            "the file ends without its end, so that only its lines before the next request are taken for it"
        return ImportLoss("what is never closed", reason, text: part.text, line: part.line)
    }

    private static func line(_ part: HTTPFileBlock.Part) -> ImportLoss {
        let kinds = [
            ("import ", "an import"), ("run ", "a run of other requests"),
            (">>", "a file for the response"),
            ("> ", "a script"), ("<>", "a kept response"), ("< ", "a script"),
        ]
        let kind = kinds.first { part.text.hasPrefix($0.0) }?.1 ?? "a line"
        return ImportLoss(kind, "a workspace has no such thing", text: part.text, line: part.line)
    }

    private static func loss(_ directive: HTTPFileBlock.Directive) -> ImportLoss {
        ImportLoss(
            "a directive",
            "a workspace has no such setting",
            text: "@\(directive.name) \(directive.value)",
            line: directive.line
        )
    }

    // MARK: A request

    private mutating func target(_ block: HTTPFileBlock, _ folder: String) -> ImportedTarget? {
        guard let line = block.requestLine else { return nil }
        var parts = RequestParts()
        var (method, url, version) = Self.requestLine(line.text)
        let named = block.directives.first { $0.name == "name" }?.value
        let title = block.directives.first { $0.name == "title" }?.value
        let name =
            [named ?? "", title ?? "", block.title].first { !$0.isEmpty }
            ?? RequestParts.name(method, url)
        var isGraphQL = false
        for field in block.fields {
            guard let colon = field.text.dropFirst().firstIndex(of: ":"),
                !field.text.hasPrefix("...")
            else {
                parts.losses.append(.noField(field.text, line: field.line))
                continue
            }
            let key = String(field.text[..<colon]).trimmingBlanks
            let value = String(field.text[colon...].dropFirst()).trimmingBlanks
            if key.asciiLowercased == "x-request-type", value.asciiLowercased == "graphql" {
                isGraphQL = true
            } else {
                parts.headers.append(RequestParts.Row(name: key, value: translation.text(value)))
            }
        }
        if method == "GRAPHQL" { (method, isGraphQL) = ("POST", true) }
        parts.method = method
        // A path with the field `Host`.
        if url.hasPrefix("/"), let host = parts.header("host"), !host.isEmpty {
            let isLocal =
                host.hasPrefix("localhost") || host.hasPrefix("127.") || host.hasPrefix("{{")
            url =
                host.hasPrefix("http")
                ? host + url : "\(isLocal ? "http" : "https")://\(host)\(url)"
            parts.removeHeader("host")
            parts.url = url.hasPrefix("http://{{") ? translatedHost(url) : translation.text(url)
        } else {
            if url.hasPrefix("/"), let base = scope.base { url = "{{\(base)}}" + url }
            parts.url = translation.text(url)
        }
        if version.hasPrefix("HTTP/2") {
            parts.settings.append(Value.Member("httpVersion", .string("2")))
        } else if version.hasPrefix("HTTP/3") {
            parts.losses.append(
                ImportLoss("a version of HTTP", "a target is sent in 1.1 or 2", text: version)
            )
        }
        if isGraphQL {
            setGraphQL(block.body, folder, &parts)
        } else {
            HTTPFileBody(source: source, folder: folder, translation: translation).read(
                block.body,
                into: &parts
            )
        }
        TextAuthorization.moveHeader(of: &parts)
        readDirectives(block, &parts)
        readScripts(block, &parts)
        setSample(block.response, &parts)
        parts.losses += translation.takeLosses() + scope.takeLosses()
        var note = block.comments
        if named != nil || title != nil, !block.title.isEmpty, block.title != name {
            note.insert(block.title, at: 0)
        }
        guard var target = parts.target(named: name),
            !["WEBSOCKET", "WS", "GRPC", "SSE", "RSOCKET", "AMQP", "MQTT", "EVENTSOURCE"].contains(
                method
            )
        else {
            workspace.losses.append(
                ImportLoss(
                    "a request of another protocol",
                    "a workspace sends HTTP requests only",
                    text: block.text(named: name),
                    line: line.line
                )
            )
            _ = translation.takeLosses() + scope.takeLosses()
            return nil
        }
        if !note.isEmpty { target.note = note.joined(separator: "\n") }
        if let tests = ScriptTests.note(of: block.scripts.map(\.text)) { target.appendNote(tests) }
        return target
    }

    /// A URL whose host is the value of a template already.
    private func translatedHost(_ url: String) -> String {
        guard let close = url.firstRange(of: "}}") else { return url }
        return url[..<close.upperBound] + translation.text(String(url[close.upperBound...]))
    }

    /// The method, the URL and the version of a request line.
    static func requestLine(_ text: String) -> (method: String, url: String, version: String) {
        var rest = text
        var method = "GET"
        let word = text.prefix { $0 != " " && $0 != "\t" }
        let isWord =
            !word.isEmpty
            && word.utf8.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) || $0 == 0x2D }
        if word.utf8.count < text.utf8.count,
            isWord
                && (word == word.uppercased() || HTTPFileBlock.methods.contains(word.uppercased()))
        {
            method = word.uppercased()
            rest = String(text[word.endIndex...]).trimmingBlanks
        }
        var version = ""
        if let mark = rest.ranges(of: " HTTP/").last {
            let tail = rest[mark.lowerBound...].trimmingBlanks
            if tail.dropFirst(5).first?.isNumber == true {
                version = tail
                rest = String(rest[..<mark.lowerBound]).trimmingBlanks
            }
        }
        return (method, rest, version)
    }

    private mutating func setGraphQL(
        _ lines: [String],
        _ folder: String,
        _ parts: inout RequestParts
    ) {
        var query: [String] = []
        var variables: [String] = []
        for line in lines {
            let isStart =
                variables.isEmpty && query.last?.trimmingBlanks.isEmpty == true
                && line.hasPrefix("{")
            if isStart && !query.allSatisfy({ $0.trimmingBlanks.isEmpty }) || !variables.isEmpty {
                variables.append(line)
            } else {
                query.append(line)
            }
        }
        let text = query.joined(separator: "\n").trimmingBlanks
        let json = variables.joined(separator: "\n")
        guard let file = HTTPFileBody.path(text)?.path else {
            parts.body = GraphQLBody.body(text, json, translation)
            return
        }
        let path = HTTPFileBody.isAbsolute(file) ? file : folder + file
        var value = Value.string("{{ file('\(path)') }}")
        if case .object(let members)? = translation.json(json), !members.isEmpty {
            value = .object([
                Value.Member("query", value), Value.Member("variables", .object(members)),
            ])
        } else if !json.trimmingBlanks.isEmpty {
            let reason = "beside a query in a file they are JSON before they are filled in"
            parts.losses.append(ImportLoss("the variables of a query", reason, text: json))
        }
        parts.body = RequestParts.Body(key: "graphql", value: value, type: "application/json")
    }

    /// Keeps a response that stands after its request as the target's sample.
    private func setSample(_ lines: [String], _ parts: inout RequestParts) {
        let words = (lines.first ?? "").split(separator: " ")
        guard words.count > 1, let status = Int(words[1]) else { return }
        var headers: [(name: String, value: String)] = []
        var rest = lines.dropFirst()
        while let line = rest.popFirst(), !line.trimmingBlanks.isEmpty {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers.append(
                (line[..<colon].trimmingBlanks, line[colon...].dropFirst().trimmingBlanks)
            )
        }
        while rest.last?.trimmingBlanks.isEmpty == true { rest.removeLast() }
        let body = rest.joined(separator: "\n")
        if let sample = ImportedBody.sample(status: status, headers: headers, body: body) {
            parts.settings["sample"] = sample
        } else {
            let text = ImportedBody.shortened(lines.joined(separator: "\n"))
            parts.losses.append(
                ImportLoss("a kept response", "it is too large for a sample", text: text)
            )
        }
    }

    /// The targets of a curl command, which VS Code takes in place of a request.
    private mutating func targets(of command: HTTPFileBlock.Part, _ block: HTTPFileBlock)
        -> [ImportedItem]
    {
        let names = block.directives.filter { $0.name == "name" || $0.name == "title" }.map(\.value)
        let title = (names + [block.title]).first { !$0.isEmpty }
        var read = ImportedWorkspace(format: "curl")
        read.names = translation.names
        CurlImporter.read(
            CurlScript.Command(
                text: command.text,
                line: command.line,
                comments: block.comments + (title.map { [$0] } ?? []),
                isCurl: true
            ),
            into: &read
        )
        translation.names = read.names
        for variable in read.variables where workspace.variables[variable.name] == nil {
            workspace.variables.append(variable)
        }
        workspace.losses += read.losses
        for part in block.preScripts { workspace.losses.append(Self.script(part)) }
        for part in block.others { workspace.losses.append(Self.line(part)) }
        workspace.losses += block.unclosed.map(Self.unclosed)
        for directive in block.directives where !["name", "title"].contains(directive.name) {
            workspace.losses.append(Self.loss(directive))
        }
        return read.items
    }

    private mutating func readDirectives(_ block: HTTPFileBlock, _ parts: inout RequestParts) {
        func set(_ name: String, _ value: Value) { parts.settings[name] = value }
        for directive in block.directives {
            switch directive.name {
            // The value is got from the other request by itself.
            case "name", "title", "ref", "forceRef": break
            case "description": set("description", .string(directive.value))
            case "no-redirect", "noRedirect": set("redirects", .number("0"))
            case "no-cookie-jar", "noCookieJar": set("cookies", .string("none"))
            case "no-reject-unauthorized", "noRejectUnauthorized", "insecure",
                "kulala-curl--insecure", "curl-insecure":
                set("verifyTLS", .boolean(false))
            case "proxy": set("proxy", .string(translation.text(directive.value)))
            case "prompt":
                let name = directive.value.prefix { !$0.isWhitespace }
                let text = directive.value[name.endIndex...].trimmingBlanks
                let member = translation.names.name(of: String(name))
                guard !name.isEmpty, workspace.variables[member] == nil else { continue }
                let ask = Value.object([
                    Value.Member("ask", .string(text.isEmpty ? String(name) : text))
                ])
                workspace.variables.append(Value.Member(member, ask))
            case "timeout", "connection-timeout":
                let number = directive.value.prefix { $0.isNumber }
                let unit = directive.value[number.endIndex...].trimmingBlanks
                let name = directive.name == "timeout" ? "timeout" : "connectTimeout"
                let units = ["": "s", "s": "s", "ms": "ms", "m": "min"]
                if let unit = units[unit], let count = Int(number), count > 0 {
                    set(name, .string("\(count) \(unit)"))
                } else {
                    parts.losses.append(Self.loss(directive))
                }
            default: parts.losses.append(Self.loss(directive))
            }
        }
    }

    private mutating func readScripts(_ block: HTTPFileBlock, _ parts: inout RequestParts) {
        for part in block.preScripts { parts.losses.append(Self.script(part)) }
        for part in block.others { parts.losses.append(Self.line(part)) }
        parts.losses += block.unclosed.map(Self.unclosed)
        var expected = ExpectedResponse()
        for part in block.scripts {
            let script = HandlerScript(part.text, expected: expected)
            expected = script.expected
            for assignment in script.assignments {
                workspace.assign(assignment, ofTarget: count, translation, &captured)
            }
            if !script.isWhole { parts.losses.append(Self.script(part)) }
        }
        for part in block.asserts where !HTTPyacAssertion.add(part.text, to: &expected, translation)
        {
            parts.losses.append(
                ImportLoss(
                    "a test",
                    "a workspace cannot expect it",
                    text: "?? " + part.text,
                    line: part.line
                )
            )
        }
        if let value = expected.value { parts.settings["expect"] = value }
    }
}
