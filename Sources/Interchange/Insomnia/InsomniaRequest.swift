import Documents

/// A request of Insomnia as an item of a Postman collection.
struct InsomniaRequest {
    private let json: JSON
    private let texts: InsomniaTexts
    /// Header fields of the folders around it, as rows of Postman.
    private let inherited: [JSON]

    init(_ json: JSON, _ texts: InsomniaTexts, inherited: [JSON]) {
        self.json = json
        self.texts = texts
        self.inherited = inherited
    }

    /// The scripts before and after a request.
    static func scripts(_ json: JSON) -> (before: JSON, after: JSON) {
        let scripts = json["scripts"]
        return scripts.exists
            ? (scripts["preRequest"], scripts["afterResponse"])
            : (json["preRequestScript"], json["afterResponseScript"])
    }

    /// The item.
    var item: JSON {
        let about =
            json["description"].filledText ?? json["meta"]["description"].filledText ?? ""
        return JSON(members: [
            (key: "name", value: JSON(json["name"].looseText ?? "")),
            (
                key: "request",
                value: JSON(members: [
                    (key: "description", value: JSON(about)),
                    (key: "method", value: JSON(json["method"].filledText ?? "GET")),
                    (key: "url", value: url),
                    (key: "header", value: JSON(headers)),
                    (key: "auth", value: Self.auth(json["authentication"], texts)),
                    (key: "body", value: body),
                ])
            ),
            (key: "protocolProfileBehavior", value: behavior),
        ])
    }

    private func row(_ json: JSON, _ more: [(key: String, value: JSON)] = []) -> JSON {
        Self.row(json, more, texts)
    }

    /// A row of Postman for one of Insomnia.
    static func row(
        _ json: JSON,
        _ more: [(key: String, value: JSON)] = [],
        _ texts: InsomniaTexts
    ) -> JSON {
        JSON(
            members: [
                (key: "key", value: JSON(texts.text(json["name"].looseText ?? ""))),
                (key: "value", value: JSON(texts.text(json["value"].looseText ?? ""))),
                (key: "disabled", value: JSON(json["disabled"].bool == true)),
                (key: "description", value: JSON(json["description"].looseText ?? "")),
            ] + more
        )
    }

    private var url: JSON {
        let raw = texts.text((json["url"].looseText ?? "").trimmingBlanks)
        let rows = json["parameters"].elements.map { row($0) }
        let present = ImportedURL(raw).pairs.map { pair in
            JSON(members: [
                (key: "key", value: JSON(pair.name)),
                (key: "value", value: pair.value.map { JSON($0) } ?? .null),
            ])
        }
        return JSON(members: [
            (key: "raw", value: JSON(raw)),
            (key: "query", value: rows.isEmpty ? .null : JSON(present + rows)),
            (key: "variable", value: JSON(json["pathParameters"].elements.map { row($0) })),
        ])
    }

    private var headers: [JSON] {
        var rows = json["headers"].elements.map { row($0) }
        let type = json["body"]["mimeType"].filledText
        let sent = json["headers"].elements.filter { $0["disabled"].bool != true }
        let names = sent.compactMap { $0["name"].looseText?.lowercased() }
        rows += inherited.filter { row in
            !names.contains(row["key"].looseText?.lowercased() ?? "")
        }
        // It has a field of its own for what the editor was set to.
        if let type, !names.contains("content-type"), !type.hasPrefix("multipart/"),
            !["application/graphql", "application/x-www-form-urlencoded"].contains(type)
        {
            rows.append(
                JSON(members: [
                    (key: "key", value: JSON("Content-Type")), (key: "value", value: JSON(type)),
                ])
            )
        }
        return rows
    }

    private var body: JSON {
        let body = json["body"]
        let text = body["text"].looseText ?? ""
        let params = body["params"].elements.map { $0 }
        let isRendered =
            json["settingDisableRenderRequestBody"].bool != true
            && json["settings"]["renderRequestBody"].bool != false
        func rendered(_ text: String) -> String {
            isRendered ? texts.text(text) : texts.literal(text)
        }
        func made(_ mode: String, _ content: JSON) -> JSON {
            JSON(members: [(key: "mode", value: JSON(mode)), (key: mode, value: content)])
        }
        if let file = body["fileName"].filledText {
            return made("file", JSON(members: [(key: "src", value: JSON(file))]))
        }
        let type = body["mimeType"].looseText ?? ""
        let isForm = ["application/x-www-form-urlencoded", "multipart/form-data"].contains(type)
        if isForm ? !text.isEmpty && !params.isEmpty : !params.isEmpty {
            let rest = isForm ? text : body["params"].text() ?? ""
            texts.lose("a body that is not sent", "the request has another", rest)
        }
        if body["text"].count > 0 {
            texts.lose("a body", "it is no text", body["text"].text() ?? "")
        }
        switch type {
        case "application/x-www-form-urlencoded" where !params.isEmpty || text.isEmpty:
            return made("urlencoded", JSON(params.map { row($0) }))
        case "multipart/form-data" where !params.isEmpty || text.isEmpty:
            let rows = params.map { param in
                let isFile = param["type"].looseText == "file"
                return row(
                    param,
                    isFile
                        ? [
                            (key: "type", value: JSON("file")),
                            (key: "src", value: JSON(param["fileName"].looseText ?? "")),
                        ] : []
                )
            }
            return made("formdata", JSON(rows))
        case "application/graphql":
            guard let query = try? JSON(parsing: text), query.kind == .object else {
                return made("raw", JSON(rendered(text)))
            }
            let inner = query["variables"]
            let variables = inner.kind == .string ? inner.string : inner.text()
            let others = query.members.filter {
                !["query", "operationName", "variables"].contains($0.key)
            }
            return made(
                "graphql",
                JSON(
                    members: [
                        (key: "query", value: JSON(rendered(query["query"].looseText ?? ""))),
                        (key: "operationName", value: query["operationName"]),
                        (
                            key: "variables",
                            value: JSON(inner.isNull ? "" : rendered(variables ?? ""))
                        ),
                    ] + others.map { (key: $0.key, value: $0.value) }
                )
            )
        case "application/octet-stream" where text.isEmpty:
            return made("file", JSON(members: []))
        default:
            return text.isEmpty ? .null : made("raw", JSON(rendered(text)))
        }
    }

    private var behavior: JSON {
        var members: [(key: String, value: JSON)] = []
        let redirects =
            json["settingFollowRedirects"].looseText
            ?? json["settings"]["followRedirects"].looseText
        if redirects == "off" { members.append((key: "followRedirects", value: JSON(false))) }
        let sends = json["settingSendCookies"].bool ?? json["settings"]["cookies"]["send"].bool
        if sends == false { members.append((key: "disableCookies", value: JSON(true))) }
        let stores =
            json["settingStoreCookies"].bool ?? json["settings"]["cookies"]["store"].bool
        if stores == false, sends != false {
            texts.lose("a setting", "cookies are sent and kept, or neither", "cookies are not kept")
        }
        return JSON(members: members)
    }

    /// Credentials under Postman's names.
    static func auth(_ json: JSON, _ texts: InsomniaTexts) -> JSON {
        guard json.kind == .object, let type = json["type"].filledText else { return .null }
        if json["disabled"].bool == true, type != "none" {
            texts.lose(
                "credentials that are switched off",
                "a workspace has only those that are sent",
                json.text() ?? ""
            )
        }
        if json["disabled"].bool == true || type == "none" {
            return JSON(members: [(key: "type", value: JSON("noauth"))])
        }
        let kind = ["iam": "awsv4", "singleToken": "bearer"][type] ?? type
        let names = [
            "accessKeyId": "accessKey", "secretAccessKey": "secretKey", "addTo": "in",
            "grantType": "grant_type", "authorizationUrl": "authUrl",
            "redirectUrl": "redirect_uri", "tokenPrefix": "headerPrefix",
        ]
        // What the window for signing in was set to, and what all tokens are obtained with.
        let passed: Set<String> = [
            "usePkce", "pkceMethod", "useISO88591", "useDefaultBrowser", "responseType", "prefix",
            "validatePayload",
        ]
        let places = ["queryParams": "query", "cookie": "cookie"]
        var members: [(key: String, value: JSON)] = []
        for (name, value) in json.members where name != "type" && name != "disabled" {
            guard let text = value.looseText else { continue }
            var changed = texts.text(text)
            if name == "addTo" { changed = places[text] ?? "header" }
            if name == "credentialsInBody" {
                if text == "true" {
                    members.append((key: "client_authentication", value: JSON("body")))
                }
                continue
            }
            if passed.contains(name) { continue }
            members.append((key: names[name] ?? name, value: JSON(changed)))
        }
        if kind == "bearer", let prefix = json["prefix"].filledText, prefix.lowercased() != "bearer"
        {
            return JSON(members: [
                (key: "type", value: JSON("apikey")),
                (
                    key: "apikey",
                    value: JSON(members: [
                        (key: "key", value: JSON("Authorization")),
                        (
                            key: "value",
                            value: JSON(texts.text("\(prefix) \(json["token"].looseText ?? "")"))
                        ),
                    ])
                ),
            ])
        }
        return JSON(members: [
            (key: "type", value: JSON(kind)), (key: kind, value: JSON(members: members)),
        ])
    }
}
