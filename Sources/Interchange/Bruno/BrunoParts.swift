import Documents
import Workspaces

/// The body of a request of Bruno.
struct BrunoBody {
    let request: BrunoRequest
    let translation: TextTranslation

    private static let textTypes = ["xml": "application/xml", "sparql": "application/sparql-query"]

    func set(_ parts: inout RequestParts) {
        let text = request.bodyText
        func type(_ name: String) {
            if parts.header("content-type") == nil {
                parts.headers.append(RequestParts.Row(name: "Content-Type", value: name))
            }
        }
        switch request.body {
        case "json" where !text.trimmingBlanks.isEmpty:
            parts.body = translation.body(text, type: "application/json")
            if parts.body?.key != "json" { type("application/json") }
        case "text", "xml", "sparql":
            guard !text.isEmpty else { return }
            parts.body = RequestParts.Body(
                key: "body",
                value: .string(translation.text(text)),
                type: nil
            )
            type(Self.textTypes[request.body] ?? "text/plain")
        case "graphql":
            parts.body = GraphQLBody.body(text, request.bodyVariables, translation)
            if parts.body?.key == "body" { type("application/json") }
        case "form-urlencoded", "formUrlEncoded":
            var rows: [Value.Member] = []
            for entry in enabled(&parts) {
                rows.append(.string(translation.text(entry.value)), for: entry.name)
            }
            parts.body = RequestParts.Body(
                key: "form",
                value: .object(rows),
                type: "application/x-www-form-urlencoded"
            )
        case "multipart-form", "multipartForm":
            var rows: [Value.Member] = []
            for entry in enabled(&parts) { add(entry, to: &rows, &parts) }
            guard !rows.isEmpty else { return }
            parts.body = RequestParts.Body(key: "multipart", value: .object(rows), type: nil)
            parts.removeHeader("content-type")
        case "file", "file-binary":
            guard let entry = enabled(&parts).first else { return }
            let (paths, contentType) = Self.files(entry.value)
            guard let path = paths.first, !path.isEmpty else { return }
            parts.body = RequestParts.Body(
                key: "upload",
                value: .string(translation.text(path)),
                type: nil
            )
            if let contentType { type(contentType) }
        case "none": break
        default:
            guard !text.trimmingBlanks.isEmpty else { return }
            parts.losses.append(
                ImportLoss("a body", "its kind “\(request.body)” is not known", text: text)
            )
        }
    }

    private func enabled(_ parts: inout RequestParts) -> [BruText.Entry] {
        for entry in request.bodyRows where !entry.isEnabled {
            parts.losses.append(
                ImportLoss(
                    "a part of a form that is disabled",
                    "a workspace has only what is sent",
                    text: "\(entry.name): \(entry.value)"
                )
            )
        }
        return request.bodyRows.filter { $0.isEnabled && !$0.name.isEmpty }
    }

    private func add(
        _ entry: BruText.Entry,
        to rows: inout [Value.Member],
        _ parts: inout RequestParts
    ) {
        guard entry.value.hasPrefix("@file(") else {
            var value = entry.value
            if let mark = value.firstRange(of: " @contentType(") {
                parts.losses.append(
                    ImportLoss(
                        "the type of a part",
                        "a part with a text has none",
                        text: "\(entry.name): \(value[mark.lowerBound...])"
                    )
                )
                value = String(value[..<mark.lowerBound])
            }
            rows.append(.string(translation.text(value)), for: entry.name)
            return
        }
        let (paths, contentType) = Self.files(entry.value)
        for path in paths where !path.isEmpty {
            var members = [Value.Member("file", .string(translation.text(path)))]
            if let contentType { members.append(Value.Member("type", .string(contentType))) }
            rows.append(.object(members), for: entry.name)
        }
    }

    /// The paths in `@file(a|b) @contentType(t)`.
    private static func files(_ text: String) -> (paths: [String], type: String?) {
        func content(_ mark: String) -> String? {
            guard let start = text.firstRange(of: mark)?.upperBound,
                let end = text[start...].firstIndex(of: ")")
            else { return nil }
            return String(text[start..<end])
        }
        let paths = content("@file(")?.split(separator: "|").map(\.trimmingBlanks) ?? []
        return (paths, content("@contentType("))
    }
}

/// How a request of Bruno proves who sends it.
struct BrunoAuthorization {
    let mode: String
    let fields: [String: String]

    private func field(_ names: String...) -> String {
        for name in names {
            if let value = fields[name], !value.isEmpty { return value }
        }
        return ""
    }

    func set(_ parts: inout RequestParts) {
        switch mode {
        case "none", "inherit", "": break
        case "basic", "digest", "ntlm":
            parts.auth = TextAuthorization.credentials(mode, field("username"), field("password"))
            if !field("domain").isEmpty { lose(&parts, "its domain") }
        case "bearer": parts.auth = .object([Value.Member("bearer", .string(field("token")))])
        case "apikey", "api-key":
            let places = ["queryparams": "query", "query": "query", "cookie": "cookie"]
            let members = [
                Value.Member("in", .string(places[field("placement")] ?? "header")),
                Value.Member("name", .string(field("key"))),
                Value.Member("value", .string(field("value"))),
            ]
            guard !field("key").isEmpty, !field("key").contains("{{") else {
                return lose(&parts, "a name is fixed")
            }
            parts.auth = .object([Value.Member("apiKey", .object(members))])
        case "awsv4":
            var members: [Value.Member] = [
                Value.Member(
                    "service",
                    .string(field("service").isEmpty ? "execute-api" : field("service"))
                )
            ]
            for (name, key) in [
                ("region", "region"), ("accessKeyId", "accessKey"),
                ("secretAccessKey", "secretKey"), ("sessionToken", "sessionToken"),
                ("profileName", "profile"),
            ] where !field(name).isEmpty {
                members.append(Value.Member(key, .string(field(name))))
            }
            let hasPair = members["accessKey"] != nil && members["secretKey"] != nil
            if hasPair {
                if !field("profileName").isEmpty {
                    lose(&parts, "its key counts", "profileName: \(field("profileName"))")
                }
                members["profile"] = nil
            } else {
                (members["accessKey"], members["secretKey"], members["sessionToken"]) = (
                    nil, nil, nil
                )
            }
            parts.auth = .object([Value.Member("aws", .object(members))])
        case "oauth2": setOAuth(&parts)
        default: lose(&parts, "a workspace has no such method")
        }
    }

    private func setOAuth(_ parts: inout RequestParts) {
        let grants = [
            "client_credentials": "clientCredentials", "password": "password",
            "authorization_code": "authorizationCode",
            "resource_owner_password_credentials": "password",
        ]
        guard let grant = grants[field("grant_type", "grantType", "flow")],
            !field("access_token_url", "accessTokenUrl").isEmpty,
            !field("client_id", "clientId").isEmpty
        else {
            return lose(&parts, "a workspace has no such grant")
        }
        var members = [
            Value.Member("grant", .string(grant)),
            Value.Member("tokenURL", .string(field("access_token_url", "accessTokenUrl"))),
            Value.Member("clientID", .string(field("client_id", "clientId"))),
        ]
        func add(_ key: String, _ value: String) {
            if !value.isEmpty { members.append(Value.Member(key, .string(value))) }
        }
        add("clientSecret", field("client_secret", "clientSecret"))
        add("scope", field("scope"))
        switch grant {
        case "authorizationCode":
            guard !field("authorization_url", "authorizationUrl").isEmpty else {
                return lose(&parts, "it has no authorization URL")
            }
            add("authorizationURL", field("authorization_url", "authorizationUrl"))
            let callback = field("callback_url", "callbackUrl")
            if callback.hasPrefix("http://localhost") || callback.hasPrefix("http://127.0.0.1") {
                add("redirect", callback)
            } else if !callback.isEmpty {
                lose(&parts, "a browser comes back to this machine", "callback_url: \(callback)")
            }
        case "password":
            guard !field("username").isEmpty, !field("password").isEmpty else {
                return lose(&parts, "it has no user")
            }
            add("username", field("username"))
            add("password", field("password"))
        default:
            guard !field("client_secret", "clientSecret").isEmpty else {
                return lose(&parts, "it has no secret")
            }
        }
        if field("credentials_placement", "credentialsPlacement") == "body" {
            add("clientAuthentication", "body")
        }
        let known: Set<String> = [
            "grant_type", "grantType", "flow", "access_token_url", "accessTokenUrl", "client_id",
            "clientId", "client_secret", "clientSecret", "scope", "authorization_url",
            "authorizationUrl", "callback_url", "callbackUrl", "username", "password",
            "credentials_placement", "credentialsPlacement", "type", "pkce",
            "auto_fetch_token", "auto_refresh_token", "mode",
        ]
        for (name, value) in fields.sorted(by: { $0.key < $1.key })
        where !known.contains(name) && !value.isEmpty && value != "header" && value != "Bearer" {
            lose(&parts, "a workspace has no such setting", "\(name): \(value)")
        }
        parts.auth = .object([Value.Member("oauth2", .object(members))])
    }

    private func lose(_ parts: inout RequestParts, _ reason: String, _ text: String? = nil) {
        let all = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(
            separator: "\n"
        )
        parts.losses.append(ImportLoss("the credentials \(mode)", reason, text: text ?? all))
    }
}

/// An assertion of Bruno: `res.body.id: gt 3`.
enum BrunoAssertion {
    static func add(
        _ expression: String,
        _ text: String,
        to expected: inout ExpectedResponse,
        _ translation: TextTranslation
    ) -> Bool {
        let word = String(text.prefix { $0 != " " })
        let isKnown = unary[word] != nil || binary.contains(word)
        let name = isKnown ? word : "eq"
        let rest = isKnown ? String(text.dropFirst(word.count)).trimmingBlanks : text.trimmingBlanks
        guard let subject = HandlerScript.responseSubject(expression) else { return false }
        if let (comparison, value) = unary[name] { return expected.add(subject, comparison, value) }
        let operand = operand(rest, translation)
        switch name {
        case "eq": return expected.add(subject, "is", operand)
        case "neq": return expected.add(subject, "not", operand)
        case "gt": return expected.add(subject, ">", operand)
        case "gte": return expected.add(subject, ">=", operand)
        case "lt": return expected.add(subject, "<", operand)
        case "lte": return expected.add(subject, "<=", operand)
        case "contains": return expected.add(subject, "contains", operand)
        case "in":
            let list = rest.filter { !"[]".contains($0) }.split(separator: ",").map {
                Self.operand($0.trimmingBlanks, translation)
            }
            return expected.add(subject, "in", .array(list))
        case "matches":
            var pattern = rest
            if pattern.hasPrefix("/"), pattern.hasSuffix("/"), pattern.count > 1 {
                pattern = String(pattern.dropFirst().dropLast())
            }
            return expected.add(subject, "matches", .string(ImportNames.literal(pattern)))
        case "startsWith":
            return expected.add(
                subject,
                "matches",
                .string("^" + HandlerScript.escaped(operand.variableText))
            )
        case "endsWith":
            return expected.add(
                subject,
                "matches",
                .string(HandlerScript.escaped(operand.variableText) + "$")
            )
        case "length":
            return Int(rest) == nil ? false : expected.add(subject, "count", .number(rest))
        case "between":
            let ends = rest.split(separator: ",").map(\.trimmingBlanks)
            guard ends.count == 2, let low = HandlerScript.literal(ends[0]),
                let high = HandlerScript.literal(ends[1])
            else { return false }
            let before = expected
            if expected.add(subject, ">=", low), expected.add(subject, "<=", high) { return true }
            expected = before
            return false
        default: return false
        }
    }

    private static let binary: Set<String> = [
        "eq", "neq", "gt", "gte", "lt", "lte", "in", "notIn", "contains", "notContains", "length",
        "matches",
        "notMatches", "startsWith", "endsWith", "between",
    ]

    private static let unary: [String: (String, Value)] = [
        "isNull": ("is", .null), "isUndefined": ("exists", .boolean(false)),
        "isDefined": ("exists", .boolean(true)),
        "isNumber": ("type", .string("number")), "isString": ("type", .string("string")),
        "isBoolean": ("type", .string("boolean")), "isArray": ("type", .string("array")),
        "isJson": ("exists", .boolean(true)), "isEmpty": ("count", .number("0")),
        "isNotEmpty": ("count", .string("> 0")),
        "isTruthy": ("exists", .boolean(true)),
        "isFalsy": ("in", .array([.boolean(false), .null, .number("0"), .string("")])),
    ]

    private static func operand(_ text: String, _ translation: TextTranslation) -> Value {
        if let value = HandlerScript.literal(text) { return value }
        return .string(translation.text(text))
    }
}

extension HandlerScript {
    /// What an expression of a response is; nil for anything else.
    static func responseSubject(_ expression: String) -> ResponseSubject? {
        HandlerScript("", expected: ExpectedResponse()).subject(expression)
    }
}
