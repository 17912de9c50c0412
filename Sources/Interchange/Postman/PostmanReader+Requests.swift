import Documents
import Workspaces

extension PostmanReader {
    /// The target of an item of a collection.
    func target(_ item: JSON, _ inherited: Inherited) -> ImportedTarget {
        let request = item["request"]
        var target = ImportedTarget(name: item["name"].looseText ?? "", request: "")
        target.note = Self.description(item["description"])
        if let about = Self.description(request["description"]), about != target.note {
            target.appendNote(about)
        }
        var notes = PostmanNotes()
        let rows = variableRows(item["variable"], of: target.name, isScoped: true)
        variables.aliases = addScoped(rows, of: target.name, inherited.aliases)
        let isText = request.kind == .string
        let method = request["method"].filledText ?? "GET"
        setURL(isText ? request : request["url"], method, &target, &notes)
        setHeaders(request["header"], &target, &notes)
        setBody(request["body"], method, item["protocolProfileBehavior"], &target, &notes)
        setAuth(auth(request["auth"], inherited, &target.losses), inherited, &target)
        setProtocol(item["protocolProfileBehavior"], &target)
        setConnection(request, &target)
        setResponses(item["response"], request, &target)
        setScripts(item["event"], &target)
        target.appendNote(notes.text)
        targetCount += 1
        return target
    }

    func setAuth(_ own: [Value.Member]?, _ inherited: Inherited, _ target: inout ImportedTarget) {
        let auth = own ?? inherited.auth
        if own == nil { inheritedNumbers.insert(inherited.authNumber) }
        guard !auth.isEmpty else { return }
        // Postman sends the field that the request has, too.
        if case .object(let fields)? = target["headers"],
            fields.contains(where: { $0.name.lowercased() == "authorization" }),
            auth.first?.name != "apiKey"
        {
            target.losses.append(
                ImportLoss(
                    "inherited credentials",
                    "the request has its own field Authorization",
                    text: Value.object(auth).json
                )
            )
            return
        }
        if case .object(let members)? = auth.first(where: { $0.name == "apiKey" })?.value,
            case .string(let name)? = members["name"],
            name.contains("{{") || !ImportedBody.isFieldName(name)
        {
            target.losses.append(
                ImportLoss("an API key", "its name is no name", text: Value.object(auth).json)
            )
            return
        }
        target["auth"] = .object(auth)
    }

    // MARK: - The URL

    func setURL(
        _ json: JSON,
        _ method: String,
        _ target: inout ImportedTarget,
        _ notes: inout PostmanNotes
    ) {
        var raw = json.looseText ?? json["raw"].looseText ?? ""
        if json.kind == .object, json["host"].exists && !json["host"].isNull || raw.isEmpty {
            let built = Self.structured(json)
            if !built.isEmpty { raw = built }
        }
        let url = ImportedURL(raw)
        var pairs = url.pairs
        if json["query"].kind == .array {
            var rows: [(name: String, value: String?)] = []
            for row in json["query"].elements where row.kind == .object {
                let name = row["key"].looseText ?? ""
                let value = row["value"].looseText
                if notes.isOff(row, "parameter", name, value) { continue }
                if name.isEmpty, value == nil { continue }
                rows.append((name, value))
            }
            // The rows are what Postman shows, the text what it was made of; old files have only one.
            if !rows.isEmpty || pairs.isEmpty || json["host"].exists { pairs = rows }
        }
        if let fragment = json["hash"].filledText ?? url.fragment {
            notes.add("The URL ends with `#\(fragment)`, which is not sent")
        }
        if let about = Self.description(json["description"]) { notes.add(about) }
        let path = withPathVariables(url.base, json["variable"], &notes)
        let lowered = path.lowercased()
        if lowered.hasPrefix("ws://") || lowered.hasPrefix("wss://") {
            target.losses.append(
                ImportLoss(
                    "a WebSocket request",
                    "only the request that opens it is sent",
                    text: raw
                )
            )
        } else if let scheme = lowered.firstRange(of: "://").map({ lowered[..<$0.lowerBound] }),
            !["http", "https"].contains(scheme), !scheme.contains("{"), !scheme.contains("/")
        {
            target.losses.append(
                ImportLoss(
                    "a URL",
                    "requests of the scheme \(scheme) cannot be sent",
                    text: pairs.isEmpty ? raw : "\(url.base)?\(ImportedURL.text(pairs))"
                )
            )
            target.setRequest(method, "https://unreadable.invalid/")
            return
        }
        if path.trimmingBlanks.isEmpty {
            target.losses.append(
                ImportLoss("a request without a URL", "its URL is asked for")
            )
        }
        let base = variables.urlTemplate(path)
        let query = target.setQuery(pairs) { variables.template($0) }
        target.setRequest(method, base + query)
    }

    /// The text of a URL that is written in parts.
    private static func structured(_ json: JSON) -> String {
        func joined(_ value: JSON, by separator: String) -> String {
            guard value.kind == .array else { return value.looseText ?? "" }
            return value.elements.map { $0.looseText ?? $0["value"].looseText ?? "" }
                .joined(separator: separator)
        }
        var text = ""
        let host = joined(json["host"], by: ".")
        if !host.isEmpty {
            if let scheme = json["protocol"].filledText {
                text += scheme.hasSuffix("://") ? scheme : scheme + "://"
            }
            if let user = json["auth"]["user"].filledText {
                text += "\(user):\(json["auth"]["password"].looseText ?? "")@"
            }
            text += host
            if let port = json["port"].filledText { text += ":\(port)" }
        }
        let path = joined(json["path"], by: "/")
        if !path.isEmpty { text += path.hasPrefix("/") ? path : "/" + path }
        return text
    }

    /// The text with values in place of `:name`.
    private func withPathVariables(
        _ base: String,
        _ rows: JSON,
        _ notes: inout PostmanNotes
    ) -> String {
        var values: [String: String] = [:]
        var named: Set<String> = []
        func add(_ name: String, _ value: JSON, _ about: String?) {
            named.insert(name)
            if let about { notes.add("`:\(name)`: \(about)") }
            if let text = value.filledText { values[name] = text }
        }
        for row in rows.elements {
            if let name = row["key"].filledText ?? row["id"].filledText {
                add(name, row["value"], Self.description(row["description"]))
            }
        }
        if rows.kind == .object { for (name, value) in rows.members { add(name, value, nil) } }
        let start = base.firstRange(of: "://").map(\.upperBound) ?? base.startIndex
        var parts = base[start...].split(separator: "/", omittingEmptySubsequences: false)
            .map(String.init)
        for index in parts.indices.dropFirst() where parts[index].hasPrefix(":") {
            let name = String(parts[index].dropFirst())
            guard !name.isEmpty, !name.contains("{") else { continue }
            guard let value = values[name] else {
                parts[index] = "{{\(name)}}"
                continue
            }
            if value.contains("{{") {
                notes.add("`:\(name)` is `\(value)`")
                parts[index] = value
            } else if !variables.isKnown(name), pathValues[name] ?? value == value,
                !value.contains("/")
            {
                pathValues[name] = value
                parts[index] = "{{\(name)}}"
            } else {
                notes.add("`:\(name)` is `\(value)`")
                parts[index] = value.replacing("?", with: "%3F").replacing("#", with: "%23")
            }
        }
        for name in named.sorted() where !base.contains(":\(name)") {
            if let value = values[name] {
                notes.add("The path has no `:\(name)`, whose value is `\(value)`")
            }
        }
        return base[..<start] + parts.joined(separator: "/")
    }

    // MARK: - Fields

    func setHeaders(_ json: JSON, _ target: inout ImportedTarget, _ notes: inout PostmanNotes) {
        var fields: [Value.Member] = []
        func add(_ name: String, _ value: String) {
            let name = name.trimmingBlanks
            guard ImportedBody.isFieldName(name) else {
                guard !(name + value).isEmpty else { return }
                target.losses.append(
                    ImportLoss("a header field", "its name is none", text: "\(name): \(value)")
                )
                return
            }
            fields.appendField(name, variables.template(value.inOneLine.trimmingBlanks))
        }
        if let text = json.looseText {
            for line in text.split(whereSeparator: \.isNewline) {
                let parts = line.split(
                    separator: ":",
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
                let isOff = line.hasPrefix("//")
                if isOff {
                    notes.add("Switched off: the header field `\(line.dropFirst(2))`")
                } else {
                    add(String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
                }
            }
        }
        for row in json.elements {
            if let line = row.string {
                let parts = line.split(
                    separator: ":",
                    maxSplits: 1,
                    omittingEmptySubsequences: false
                )
                add(String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
                continue
            }
            let name = row["key"].looseText ?? row["name"].looseText ?? ""
            let value = row["value"].looseText ?? ""
            if notes.isOff(row, "header field", name, value) { continue }
            add(name, value)
        }
        if !fields.isEmpty { target["headers"] = .object(fields) }
    }

    // MARK: - Settings

    /// Settings that are as a workspace sends anyway.
    static let ownSettings: Set<String> = [
        "followRedirects", "strictSSL", "disableCookies", "disableBodyPruning",
        "disableUrlEncoding", "followAuthorizationHeader", "followOriginalHttpMethod",
    ]

    private func setProtocol(_ json: JSON, _ target: inout ImportedTarget) {
        for (name, value) in json.members {
            switch (name, value.bool) {
            case ("followRedirects", false): target["redirects"] = .number("0")
            case ("strictSSL", false): target["verifyTLS"] = .boolean(false)
            case ("disableCookies", true): target["cookies"] = .string("none")
            case (_, _?) where Self.ownSettings.contains(name): continue
            case ("disabledSystemHeaders", nil) where value.count == 0: continue
            case ("maxRedirects", _) where value.int != nil && target["redirects"] == nil:
                target["redirects"] = .number("\(min(max(value.intValue, 0), 1000))")
            default:
                target.losses.append(
                    ImportLoss(
                        "a setting of the connection",
                        "a workspace has none such",
                        text: "\(name): \(value.text() ?? "")",
                        line: tree.line(of: value)
                    )
                )
            }
        }
    }

    private func setConnection(_ request: JSON, _ target: inout ImportedTarget) {
        for name in ["proxy", "certificate"]
        where request[name].kind == .object && request[name].count > 0 {
            target.losses.append(
                ImportLoss(
                    "a \(name)",
                    "it is a setting of the machine where the file was made",
                    text: request[name].text(.pretty) ?? "",
                    line: tree.line(of: request[name])
                )
            )
        }
    }

    // MARK: - Responses

    func setResponses(_ json: JSON, _ request: JSON, _ target: inout ImportedTarget) {
        for response in json.elements where response.kind == .object {
            let status = response["code"].int ?? response["responseCode"]["code"].int ?? 200
            let body = response["body"].looseText ?? response["text"].looseText ?? ""
            let rows = response["header"].exists ? response["header"] : response["headers"]
            let lines = rows.looseText?.split(whereSeparator: \.isNewline) ?? []
            let headers =
                lines.map { line -> (name: String, value: String) in
                    let name = line.prefix { $0 != ":" }
                    return (name.trimmingBlanks, line.dropFirst(name.count + 1).trimmingBlanks)
                }
                + rows.elements.compactMap { row -> (name: String, value: String)? in
                    guard let name = row["key"].looseText ?? row["name"].looseText else {
                        return nil
                    }
                    return (name, row["value"].looseText ?? "")
                }
            let name = response["name"].filledText ?? "\(status)"
            let phrase = response["status"].looseText ?? response["responseCode"]["name"].looseText
            var more = Self.cookies(response["cookie"]) + Self.cookies(response["cookies"])
            let older = response["request"]
            let answered = response["originalRequest"].exists ? response["originalRequest"] : older
            if let sent = Self.original(answered, but: request) {
                more.append("It is the response to:\n\(sent)")
            }
            if target["sample"] == nil, (200...299).contains(status),
                let sample = ImportedBody.sample(status: status, headers: headers, body: body)
            {
                target["sample"] = sample
                let shown = [name, phrase ?? ""].reduce(into: [String]()) { words, word in
                    if !word.isEmpty, words.first?.contains(word) != true { words.append(word) }
                }
                target.appendNote(
                    "The sample is the saved response “\(shown.joined(separator: ", "))”."
                )
                if !more.isEmpty {
                    target.losses.append(
                        ImportLoss(
                            "a part of a saved response",
                            "a sample has no such part",
                            text: more.joined(separator: "\n\n"),
                            line: tree.line(of: response)
                        )
                    )
                }
                continue
            }
            let fields = headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
            let head = ["\(status) \(phrase ?? "")".trimmingBlanks, fields]
                .filter { !$0.isEmpty }.joined(separator: "\n")
            target.losses.append(
                ImportLoss(
                    "a saved response",
                    "a target has one sample; this is “\(name.inOneLine)”, status \(status)",
                    text: ([head, ImportedBody.shortened(body)] + more).filter { !$0.isEmpty }
                        .joined(separator: "\n\n"),
                    line: tree.line(of: response)
                )
            )
        }
    }

    private static func cookies(_ json: JSON) -> [String] {
        json.count == 0 ? [] : ["Its cookies: \(json.text() ?? "")"]
    }

    /// The request that was answered, if it is another than that of the item.
    private static func original(_ json: JSON, but request: JSON) -> String? {
        func parts(_ request: JSON) -> [String] {
            let url = request["url"]
            let headers = request["header"].elements.map { row in
                "\(row["key"].looseText ?? ""): \(row["value"].looseText ?? "")"
            }
            let body = request["body"]
            let content = body[body["mode"].looseText ?? ""]
            return [
                request["method"].looseText ?? "GET",
                url.looseText ?? url["raw"].looseText ?? structured(url),
                headers.sorted().joined(separator: "\n"),
                content.looseText ?? content.text() ?? "",
                url["variable"].count == 0 ? "" : url["variable"].text() ?? "",
            ]
        }
        guard json.kind == .object else { return json.filledText }
        let (sent, own) = (parts(json), parts(request))
        guard sent != own else { return nil }
        let line = "\(sent[0]) \(sent[1])"
        let others = zip(sent, own).dropFirst(2).filter { $0 != $1 && !$0.isEmpty }.map(\.0)
        return ImportedBody.shortened(([line] + others).joined(separator: "\n"))
    }

    private func setScripts(_ events: JSON, _ target: inout ImportedTarget) {
        var script = PostmanScript(variables)
        script.read(events, in: tree)
        apply(script, to: &target)
    }

    func apply(_ script: PostmanScript, to target: inout ImportedTarget) {
        if !script.expect.isEmpty { target["expect"] = .object(script.expect) }
        target.losses += script.losses
        if let tests = script.testNote { target.appendNote(tests) }
        for var capture in script.captures {
            capture.target = targetCount
            captures.append(capture)
        }
        for var preset in script.presets {
            preset.target = targetCount
            presets.append(preset)
        }
    }
}

/// What a request's note says of its rows: those that are switched off, and descriptions.
struct PostmanNotes {
    private var lines: [String] = []

    var text: String {
        lines.map { "- \($0.replacing("\n", with: "\n  "))" }.joined(separator: "\n")
    }

    mutating func add(_ line: String) { lines.append(line) }

    /// Whether a row is switched off, which is listed then; its description is listed in any case.
    mutating func isOff(_ row: JSON, _ kind: String, _ name: String, _ value: String?) -> Bool {
        let about = PostmanReader.description(row["description"])
        let isOff = row["disabled"].bool == true || row["enabled"].bool == false
        if isOff {
            let text = value.map { "\(name)=\($0)" } ?? name
            lines.append("Switched off: the \(kind) `\(text)`" + (about.map { ": \($0)" } ?? ""))
        } else if let about {
            lines.append("`\(name)`: \(about)")
        }
        return isOff
    }
}
