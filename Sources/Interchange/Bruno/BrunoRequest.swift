import Documents

/// A request, a folder or a collection of Bruno, as `.bru` and YAML files have it.
struct BrunoRequest {
    var name: String?
    var type = "http"
    var sequence: Double?
    var tags: [String] = []
    var method = "GET"
    var url = ""
    var parameters: [(entry: BruText.Entry, isPath: Bool)] = []
    var headers: [BruText.Entry] = []
    /// `inherit`, `none`, or the name of a method.
    var authorization = "inherit"
    var credentials: [String: String] = [:]
    /// The name of the kind of body.
    var body = "none"
    var bodyText = ""
    var bodyVariables = ""
    var bodyRows: [BruText.Entry] = []
    var before: [BruText.Entry] = []
    var after: [BruText.Entry] = []
    /// An expression, an operator and its value.
    var assertions: [BruText.Entry] = []
    var scripts: [(kind: String, text: String)] = []
    var docs: String?
    var settings: [BruText.Entry] = []
    /// What has no place here.
    var others: [(name: String, text: String)] = []

    init() {}

    static let methods: Set<String> = [
        "get", "post", "put", "delete", "patch", "options", "head", "connect", "trace",
    ]

    init(_ bru: BruText) {
        name = bru.value("name", in: "meta")
        type = bru.value("type", in: "meta") ?? "http"
        sequence = bru.value("seq", in: "meta").flatMap { Double($0) }
        authorization = bru.value("mode", in: "auth") ?? "inherit"
        for block in bru.blocks { read(block) }
        for other in bru.others { others.append(("a line", other.text)) }
    }

    private mutating func read(_ block: BruText.Block) {
        if Self.methods.contains(block.name) || block.name == "http" || block.name == "grpc"
            || block.name == "ws"
        {
            method = block.name.uppercased()
            for entry in block.entries {
                switch entry.name {
                case "url": url = entry.value
                case "body": body = entry.value
                case "auth": authorization = entry.value
                case "method": method = entry.value
                default: others.append(("a setting", "\(entry.name): \(entry.value)"))
                }
            }
            return
        }
        switch block.name {
        case "meta":
            let known = ["name", "type", "seq", "tags"]
            for entry in block.entries where !known.contains(entry.name) && entry.name != "]" {
                let tag = entry.name.trimmingBlanks
                if entry.value.isEmpty {
                    tags.append(tag)
                } else {
                    others.append(("a setting", "\(entry.name): \(entry.value)"))
                }
            }
        case "auth": break
        case "query", "params:query": parameters += block.entries.map { ($0, false) }
        case "params:path": parameters += block.entries.map { ($0, true) }
        case "headers": headers += block.entries
        case "body", "body:json", "body:text", "body:xml", "body:graphql", "body:sparql",
            "body:file":
            let kind = block.name == "body" ? "json" : String(block.name.dropFirst(5))
            if body == "none" || body == kind {
                if body == "none", kind != "file" { body = kind }
                if kind == "file" { bodyRows = block.entries } else { bodyText = block.text }
            } else {
                others.append(("a body that is not sent", block.text))
            }
        case "body:graphql:vars": bodyVariables = block.text
        case "body:form-urlencoded"
        where ["formUrlEncoded", "form-urlencoded", "none"].contains(body):
            body = "form-urlencoded"
            bodyRows = block.entries
        case "body:multipart-form" where ["multipartForm", "multipart-form", "none"].contains(body):
            body = "multipart-form"
            bodyRows = block.entries
        case "vars", "vars:pre-request": before += block.entries
        case "vars:post-response": after += block.entries
        case "vars:secret": break
        case "assert": assertions += block.entries
        case "script:pre-request", "script:post-response", "tests":
            if !block.text.trimmingBlanks.isEmpty { scripts.append((block.name, block.text)) }
        case "docs": docs = block.text
        case "settings": settings += block.entries
        default:
            if block.name.hasPrefix("auth:") {
                let mode = String(block.name.dropFirst(5))
                guard mode == authorization else {
                    others.append(("credentials that are not sent", block.text))
                    return
                }
                for entry in block.entries where entry.isEnabled {
                    credentials[entry.name] = entry.value
                }
            } else {
                others.append(("the block \(block.name)", block.text))
            }
        }
    }
}

// MARK: - YAML

extension BrunoRequest {
    /// A request of an `opencollection` file.
    init(_ json: JSON) {
        let info = json["info"]
        name = info["name"].string ?? json["name"].string
        type = info["type"].string ?? json["type"].string ?? "http"
        sequence =
            info["seq"].variable.flatMap { Double($0) }
            ?? json["seq"].variable.flatMap { Double($0) }
        tags = info["tags"].elements.compactMap(\.string)
        docs = json["docs"].string ?? json["docs"]["content"].string
        let request =
            json["http"].exists
            ? json["http"]
            : json["graphql"].exists
                ? json["graphql"] : json["request"].exists ? json["request"] : json
        if json["graphql"].exists { type = "graphql" }
        method = (request["method"].string ?? (type == "graphql" ? "POST" : "GET")).uppercased()
        url = request["url"].string ?? ""
        headers = request["headers"].rows
        for row in request["params"].elements {
            parameters.append((row.row, row["type"].string == "path"))
        }
        let auth = request["auth"].exists ? request["auth"] : json["runtime"]["auth"]
        authorization = auth.string ?? auth["type"].string ?? "inherit"
        for (name, value) in auth.members { credentials[name] = value.variable }
        for (_, value) in auth.members {
            for (name, inner) in value.members {
                credentials[name] = credentials[name] ?? inner.variable
            }
        }
        readBody(request["body"])
        let runtime = json["runtime"]
        before = runtime["variables"].rows + request["variables"].rows + json["variables"].rows
        for script in runtime["scripts"].elements + Array(request["scripts"].elements) {
            let kinds = [
                "before-request": "script:pre-request", "after-response": "script:post-response",
                "tests": "tests",
            ]
            guard let code = script["code"].string, !code.trimmingBlanks.isEmpty else { continue }
            scripts.append((kinds[script["type"].string ?? ""] ?? "script", code))
        }
        for row in runtime["assertions"].elements {
            let value = [row["operator"].string ?? "eq", row["value"].variable ?? ""].joined(
                separator: " "
            )
            var entry = BruText.Entry(
                name: row["expression"].string ?? "",
                value: value.trimmingBlanks
            )
            entry.isEnabled = row["disabled"].bool != true
            assertions.append(entry)
        }
        for row in runtime["actions"].elements {
            guard let name = row["variable"]["name"].string,
                let text = row["selector"]["expression"].string
            else {
                others.append(("an action", row.text() ?? ""))
                continue
            }
            after.append(BruText.Entry(name: name, value: text))
        }
        for (name, value) in json["settings"].members {
            settings.append(BruText.Entry(name: name, value: value.variable ?? ""))
        }
    }

    private mutating func readBody(_ json: JSON) {
        if type == "graphql", json["query"].exists {
            body = "graphql"
            bodyText = json["query"].string ?? ""
            bodyVariables = json["variables"].variable ?? ""
            return
        }
        guard let kind = json["type"].string else { return }
        body = kind
        if let text = json["data"].string {
            bodyText = text
        } else if json["data"].kind == .object {
            bodyText = json["data"].text() ?? ""
            if json["data"]["query"].exists {
                body = "graphql"
                bodyText = json["data"]["query"].string ?? ""
                bodyVariables = json["data"]["variables"].variable ?? ""
            }
        } else {
            bodyRows = json["data"].elements.map { row in
                var entry = row.row
                if row["type"].string == "file" || row["filePath"].exists {
                    let paths = row["value"].exists ? row["value"] : row["filePath"]
                    let names =
                        paths.kind == .array
                        ? paths.elements.compactMap(\.string) : [paths.string ?? ""]
                    entry = BruText.Entry(
                        name: entry.name,
                        value: "@file(\(names.joined(separator: "|")))",
                        isEnabled: entry.isEnabled
                    )
                    if row["selected"].bool == false { entry.isEnabled = false }
                }
                return entry
            }
        }
    }
}

extension JSON {
    /// The text of a scalar; JSON of other values; nil for nothing and null.
    var variable: String? {
        switch kind {
        case nil, .null: nil
        case .string: string
        case .object where self["data"].exists: self["data"].variable
        default: text()
        }
    }

    /// `{ name, value, disabled }`.
    fileprivate var row: BruText.Entry {
        var entry = BruText.Entry(
            name: self["name"].string ?? "",
            value: self["value"].variable ?? ""
        )
        entry.isEnabled = self["disabled"].bool != true && self["enabled"].bool != false
        entry.description = self["description"].string
        return entry
    }

    /// The rows of a list; a mapping has a row for each member.
    var rows: [BruText.Entry] {
        if kind == .object {
            return members.map { BruText.Entry(name: $0.key, value: $0.value.variable ?? "") }
        }
        return elements.map(\.row)
    }
}
