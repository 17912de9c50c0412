import Documents
import Secrets
import Workspaces

/// Reads HTTP archives (HAR 1.2, and what calls itself 1.1) as targets, grouped by host.
package enum HARImporter: Importer {
    package static let name = "har"

    package static func recognizes(_ head: ImportHead) -> Bool {
        if head.json?["log"]["entries"].kind == .array { return true }
        // One that was cut off.
        return head.json == nil && head.fileExtension == "har" && head.text.contains("\"entries\"")
    }

    package static func read(_ source: ImportSource) throws(ImportError) -> ImportedWorkspace {
        var tree: ImportTree
        var rest: ImportLoss?
        do throws(ImportError) {
            tree = try source.tree()
        } catch {
            guard let archive = CutArchive(source.bytes) else { throw error }
            tree = try ImportTree(archive.bytes, named: source.path)
            rest = ImportLoss(
                "the rest of the file",
                "it ends in the middle: \(error.description)",
                text: ImportedBody.shortened(archive.rest),
                line: archive.line
            )
        }
        guard tree.root["log"]["entries"].kind == .array else {
            throw ImportError("\(source.path): this is no HTTP archive: it has no `log.entries`")
        }
        var reader = ArchiveReader(tree)
        reader.read(tree.root["log"])
        var workspace = reader.workspace
        if let rest { workspace.losses.append(rest) }
        return workspace
    }
}

/// Reads the entries of an archive.
struct ArchiveReader {
    private let tree: ImportTree
    private(set) var workspace = ImportedWorkspace(format: "HAR 1.2")
    private var groups: [ImportedGroup] = []
    private var places: [String: Int] = [:]
    /// The variables that stand for the credentials of a host.
    private var secrets: [String: String] = [:]
    /// How many variables have a name.
    private var counts: [String: Int] = [:]
    private var pages: [String: String] = [:]

    init(_ tree: ImportTree) { self.tree = tree }

    mutating func read(_ log: JSON) {
        if let version = log["version"].filledText { workspace.format = "HAR \(version)" }
        var notes: [String] = []
        var remarks: [String] = []
        for name in ["creator", "browser"] {
            guard let program = log[name]["name"].filledText else { continue }
            if let comment = log[name]["comment"].filledText { remarks.append(comment) }
            notes.append(
                "\(name == "creator" ? "Written by" : "Browser:") \(program) \(log[name]["version"].looseText ?? "")"
                    .trimmingBlanks
            )
        }
        notes += remarks
        if let comment = log["comment"].filledText { notes.append(comment) }
        for page in log["pages"].elements {
            guard let id = page["id"].looseText else { continue }
            let title = page["title"].filledText ?? id
            pages[id] = title
            notes.append(
                "Page: \(title.inOneLine)" + (page["comment"].filledText.map { ". \($0)" } ?? "")
            )
        }
        if !notes.isEmpty { workspace.note = notes.joined(separator: "\n\n") }
        for entry in log["entries"].elements {
            guard entry.kind == .object else {
                let text = ImportedBody.shortened(entry.text() ?? "")
                let line = tree.line(of: entry)
                workspace.losses.append(
                    ImportLoss("an entry", "it is no request", text: text, line: line)
                )
                continue
            }
            read(entry: entry)
        }
        workspace.items =
            groups.count == 1 && groups[0].losses.isEmpty
            ? groups[0].items : groups.map { .group($0) }
    }

    private mutating func read(entry: JSON) {
        let request = entry["request"]
        var raw = request["url"].looseText ?? ""
        if raw.hasPrefix("/"),
            let host = request["headers"].elements.first(where: {
                $0["name"].looseText?.lowercased() == "host"
            })?["value"].filledText
        {
            raw = "http://\(host)\(raw)"
        }
        let url = ImportedURL(raw)
        let method = request["method"].filledText ?? "GET"
        let start = url.base.firstRange(of: "://")?.upperBound
        let host = start.map { String(url.base[$0...].prefix { $0 != "/" }) } ?? ""
        let path = start.map { String(url.base[$0...].drop { $0 != "/" }) } ?? url.base
        var target = ImportedTarget(name: "\(method) \(path.isEmpty ? "/" : path)", request: "")
        let scheme = url.base.lowercased().prefix { $0 != ":" }
        if !["http", "https"].contains(scheme) {
            target.losses.append(
                ImportLoss(
                    scheme.hasPrefix("ws") ? "a WebSocket request" : "a request that is no HTTP",
                    "it cannot be sent",
                    text: ImportedBody.shortened(raw, to: 2048),
                    line: tree.line(of: request)
                )
            )
            target.setRequest("GET", "https://unreadable.invalid/")
        } else {
            var pairs = url.pairs
            if url.query == nil {
                pairs = request["queryString"].elements.map { row in
                    (
                        PercentEncoding.component(row["name"].looseText ?? ""),
                        PercentEncoding.component(row["value"].looseText ?? "")
                    )
                }
            }
            let query = setQuery(pairs, host, &target)
            target.setRequest(method, ImportNames.literal(url.base) + query)
        }
        setFields(request, host, &target)
        setBody(request["postData"], &target)
        setResponse(entry["response"], &target)
        setNotes(entry, &target)
        if let place = places[host] {
            groups[place].items.append(.target(target))
        } else {
            places[host] = groups.count
            var group = ImportedGroup(name: host.isEmpty ? "Without a host" : host)
            group.items = [.target(target)]
            groups.append(group)
        }
    }

    /// A template that stands for a credential, which is asked for; equal ones are one variable.
    private mutating func secret(_ name: String, _ value: String, _ host: String) -> String {
        let key = "\(host)\n\(name.lowercased())\n\(value)"
        if let known = secrets[key] { return workspace.names.reference(to: known) }
        var original = name
        var number = 1
        if let last = counts[name] {
            number = last + 1
            original = "\(name)_\(number)"
        }
        counts[name] = counts[name] == nil ? 1 : number
        secrets[key] = original
        let own = workspace.names.name(of: original)
        workspace.variables.append(
            Value.Member(
                own,
                .object([
                    Value.Member("ask", .string("\(name.inOneLine) of \(host.inOneLine)")),
                    Value.Member("secret", .boolean(true)),
                ])
            )
        )
        return workspace.names.reference(to: original)
    }

    /// Parameters under `query`, decoded, or as they stand.
    private mutating func setQuery(
        _ pairs: [(name: String, value: String?)],
        _ host: String,
        _ target: inout ImportedTarget
    ) -> String {
        var isPlain = true
        var decoded: [(name: String, value: String)] = []
        for (name, value) in pairs {
            guard let value, let name = Self.decoded(name), let text = Self.decoded(value) else {
                isPlain = false
                break
            }
            decoded.append((name, text))
        }
        let names = decoded.map { (name: $0.name, value: Optional("")) }
        if isPlain, ImportedURL.isPlain(names) {
            var members: [Value.Member] = []
            for (name, value) in decoded {
                let isSecret = CredentialMask.isSecret(parameter: name) && !value.isEmpty
                members.append(
                    .string(isSecret ? secret(name, value, host) : ImportNames.literal(value)),
                    for: name
                )
            }
            if !members.isEmpty { target["query"] = .object(members) }
            return ""
        }
        let text = pairs.map { pair in
            guard let value = pair.value else { return ImportNames.literal(pair.name) }
            guard CredentialMask.isSecret(parameter: pair.name), !value.isEmpty else {
                return ImportNames.literal("\(pair.name)=\(value)")
            }
            let plain = PercentEncoding.decoded(value) ?? value
            return ImportNames.literal(pair.name) + "=" + secret(pair.name, plain, host)
        }
        return text.isEmpty ? "" : "?" + text.joined(separator: "&")
    }

    /// The text of a part that is the same when it is escaped again; nil if it is not.
    private static func decoded(_ part: String) -> String? {
        guard !part.contains("+") else { return nil }
        guard let text = PercentEncoding.decoded(part) else { return nil }
        return part.contains("%")
            && PercentEncoding.component(text).lowercased() != part.lowercased()
            ? nil : text
    }

    /// Fields that a client makes by itself (RFC 9110; HTTP/2's pseudo-fields).
    private static let ownFields: Set<String> = [
        "host", "content-length", "connection", "accept-encoding", "transfer-encoding",
        "keep-alive", "proxy-connection", "te", "upgrade", "cookie", "http2-settings",
        "priority",
    ]

    private mutating func setFields(_ request: JSON, _ host: String, _ target: inout ImportedTarget)
    {
        var fields: [Value.Member] = []
        var cookie: String?
        let isMultipart = request["postData"]["params"].elements.contains { $0["fileName"].exists }
        for row in request["headers"].elements {
            let name = (row["name"].looseText ?? "").trimmingBlanks
            let value = (row["value"].looseText ?? "").inOneLine.trimmingBlanks
            let lowered = name.lowercased()
            if lowered == "cookie" { cookie = cookie.map { "\($0); \(value)" } ?? value }
            // Another host than that of the URL is sent.
            let isOtherHost =
                lowered == "host" && !value.isEmpty && value.lowercased() != host.lowercased()
                && !host.lowercased().hasPrefix(value.lowercased() + ":")
                && !host.lowercased().hasSuffix("@" + value.lowercased())
            guard !name.hasPrefix(":"), isOtherHost || !Self.ownFields.contains(lowered) else {
                continue
            }
            guard ImportedBody.isFieldName(name) else {
                target.losses.append(
                    ImportLoss("a header field", "its name is none", text: "\(name): \(value)")
                )
                continue
            }
            if lowered == "content-type", isMultipart { continue }
            if lowered == "authorization", !value.isEmpty {
                setAuthorization(value, host, &target, &fields)
            } else if !value.isEmpty, CredentialText.isSecret(name) {
                fields.appendField(name, secret(name, value, host))
            } else {
                fields.appendField(name, ImportNames.literal(value))
            }
        }
        if cookie == nil {
            let pairs = request["cookies"].elements.compactMap { row in
                row["name"].filledText.map { "\($0)=\(row["value"].looseText ?? "")" }
            }
            if !pairs.isEmpty { cookie = pairs.joined(separator: "; ") }
        }
        if let cookie, !cookie.isEmpty {
            fields.appendField("Cookie", secret("Cookie", cookie, host))
            target.appendNote(
                "Cookies: "
                    + cookie.split(separator: ";").map {
                        "`\($0.prefix { $0 != "=" }.inOneLineText)`"
                    }
                    .joined(separator: ", ")
            )
        }
        if !fields.isEmpty { target["headers"] = .object(fields) }
    }

    private mutating func setAuthorization(
        _ value: String,
        _ host: String,
        _ target: inout ImportedTarget,
        _ fields: inout [Value.Member]
    ) {
        if value.lowercased().hasPrefix("bearer ") {
            let token = String(value.dropFirst(7)).trimmingBlanks
            target["auth"] = .object([
                Value.Member("bearer", .string(secret("token", token, host)))
            ])
        } else {
            fields.appendField("Authorization", secret("Authorization", value, host))
        }
    }

    private mutating func setBody(_ json: JSON, _ target: inout ImportedTarget) {
        guard json.kind == .object else { return }
        let type = (json["mimeType"].looseText ?? "").lowercased()
        var text = json["text"].looseText ?? ""
        let rows = json["params"].elements.filter { $0["name"].exists }
        if json["encoding"].looseText == "base64", !text.isEmpty {
            guard let bytes = SourceText.base64(text),
                let plain = String(validating: bytes, as: UTF8.self)
            else {
                loseBytes(text, json, &target)
                return
            }
            text = plain
        }
        if rows.contains(where: { $0["fileName"].exists })
            || type.hasPrefix("multipart/") && text.isEmpty
        {
            setParts(rows, &target)
        } else if !rows.isEmpty, text.isEmpty {
            // Some programs write them as they were sent, some decoded.
            let names = rows.map { $0["name"].looseText ?? "" }
            guard !names.contains(where: { $0.isEmpty || $0 == "<<" }) else {
                let pairs = rows.map { row in
                    [row["name"], row["value"]].map { part in
                        let text = part.looseText ?? ""
                        return PercentEncoding.form(PercentEncoding.decoded(text) ?? text)
                    }.joined(separator: "=")
                }
                target["body"] = .string(ImportNames.literal(pairs.joined(separator: "&")))
                if target.headerField("content-type") == nil {
                    target.setHeader("Content-Type", "application/x-www-form-urlencoded")
                }
                return
            }
            var members: [Value.Member] = []
            for (name, row) in zip(names, rows) {
                let value = row["value"].looseText ?? ""
                members.append(
                    .string(ImportNames.literal(PercentEncoding.decoded(value) ?? value)),
                    for: name
                )
            }
            target["form"] = .object(members)
            target.removeHeader("content-type")
        } else if !text.isEmpty {
            if type.contains("json"),
                let value = ImportedBody.json(text, { ImportNames.literal($0) })
            {
                target["json"] = value
            } else {
                target["body"] = .string(ImportNames.literal(text))
            }
            if !type.isEmpty, target.headerField("content-type") == nil {
                target.setHeader("Content-Type", json["mimeType"].looseText ?? type)
            }
        }
        if let comment = json["comment"].filledText { target.appendNote(comment) }
    }

    private func loseBytes(_ text: String, _ json: JSON, _ target: inout ImportedTarget) {
        target.losses.append(
            ImportLoss(
                "a binary body",
                "a body here is text",
                text: "\(json["mimeType"].looseText ?? "") \(ImportedBody.shortened(text))"
                    .trimmingBlanks
            )
        )
    }

    private func setParts(_ rows: [JSON], _ target: inout ImportedTarget) {
        var members: [Value.Member] = []
        for row in rows {
            let name = row["name"].looseText ?? ""
            guard !name.isEmpty, name != "<<" else { continue }
            guard let file = row["fileName"].filledText else {
                members.append(
                    .string(ImportNames.literal(row["value"].looseText ?? "")),
                    for: name
                )
                continue
            }
            var part = [Value.Member("file", .string(file))]
            if let type = row["contentType"].filledText {
                part.append(Value.Member("type", .string(ImportNames.literal(type))))
            }
            members.append(.object(part), for: name)
            if let content = row["value"].filledText {
                target.losses.append(
                    ImportLoss(
                        "the content of a file",
                        "the target sends the file \(file.inOneLine)",
                        text: ImportedBody.shortened(content)
                    )
                )
            }
        }
        if !members.isEmpty { target["multipart"] = .object(members) }
        target.removeHeader("content-type")
    }

    private func setResponse(_ json: JSON, _ target: inout ImportedTarget) {
        guard let status = json["status"].int, status > 0 else {
            target.appendNote("There was no response.")
            return
        }
        let content = json["content"]
        let isText = content["encoding"].looseText != "base64"
        let body = content["text"].looseText ?? ""
        var headers: [(name: String, value: String)] = []
        for row in json["headers"].elements {
            guard let name = row["name"].looseText, !CredentialText.isSecret(name) else { continue }
            headers.append((name, row["value"].looseText ?? ""))
        }
        let sample =
            isText && (100...599).contains(status)
            ? ImportedBody.sample(status: status, headers: headers, body: body) : nil
        if let sample {
            target["sample"] = sample
        } else {
            target.losses.append(
                ImportLoss(
                    "a response body",
                    isText ? "it is too large for a sample" : "it is no text",
                    text: isText ? ImportedBody.shortened(body, to: 4096) : "",
                    line: tree.line(of: content)
                )
            )
        }
        target.appendNote(
            "Status \(status) \(json["statusText"].looseText ?? "")".trimmingBlanks + "."
        )
        if let comment = json["comment"].filledText { target.appendNote(comment) }
    }

    private func setNotes(_ entry: JSON, _ target: inout ImportedTarget) {
        for json in [entry["comment"], entry["request"]["comment"]] {
            if let comment = json.filledText { target.appendNote(comment) }
        }
        if let time = entry["startedDateTime"].filledText {
            target.appendNote("Sent at \(time.inOneLine).")
        }
        if let page = entry["pageref"].looseText, pages.count > 1, let title = pages[page] {
            target.appendNote("Of the page \(title.inOneLine).")
        }
        let messages = entry["_webSocketMessages"]
        if messages.count > 0 {
            target.losses.append(
                ImportLoss(
                    "messages of a WebSocket",
                    "only the request that opened it is kept",
                    text: ImportedBody.shortened(messages.text(.pretty) ?? "")
                )
            )
        }
    }
}

extension StringProtocol {
    /// The text in one line, without blanks at its ends.
    fileprivate var inOneLineText: String { String(self).inOneLine.trimmingBlanks }
}
