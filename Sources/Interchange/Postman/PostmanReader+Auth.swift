import Documents
import Workspaces

extension PostmanReader {
    /// The `auth` that something says: nil if it inherits, empty if it says nothing that can be sent.
    func auth(_ json: JSON, _ inherited: Inherited, _ losses: inout [ImportLoss]) -> [Value.Member]?
    {
        guard json.kind == .object, let type = json["type"].filledText else { return nil }
        if type == "inherit" { return nil }
        if type == "noauth" { return [] }
        let values = PostmanAuthValues(json[type], variables)
        let known = Self.ownValues[type] ?? []
        let others = values.texts.filter { row in
            !known.contains(row.name) && row.value != "true" && row.value != "false"
        }
        if !others.isEmpty, Self.ownValues[type] != nil {
            losses.append(
                ImportLoss(
                    "a setting of the credentials \(type)",
                    "a workspace has none such",
                    text: others.map { "\($0.name): \($0.value)" }.joined(separator: "\n"),
                    line: tree.line(of: json)
                )
            )
        }
        switch type {
        case "netrc": return [Value.Member("netrc", .boolean(true))]
        case "basic", "digest", "ntlm":
            let domain = type == "ntlm" ? values["domain"].map { "\($0)\\" } ?? "" : ""
            return [
                Value.Member(
                    type,
                    .object([
                        Value.Member("user", .string(domain + (values["username"] ?? ""))),
                        Value.Member("password", .string(values["password"] ?? "")),
                    ])
                )
            ]
        case "bearer":
            return [Value.Member("bearer", .string(values["token"] ?? ask("token")))]
        case "apikey":
            let given = values["in"] ?? "header"
            let place = ["query", "cookie"].contains(given) ? given : "header"
            return [
                Value.Member(
                    "apiKey",
                    .object([
                        Value.Member("in", .string(place)),
                        Value.Member("name", .string(values.plain("key") ?? "Authorization")),
                        Value.Member("value", .string(values["value"] ?? ask("apiKey"))),
                    ])
                )
            ]
        case "awsv4":
            var members = [
                Value.Member("service", .string(values["service"] ?? "execute-api")),
                Value.Member("region", .string(values["region"] ?? "us-east-1")),
                Value.Member("accessKey", .string(values["accessKey"] ?? ask("accessKey"))),
                Value.Member("secretKey", .string(values["secretKey"] ?? ask("secretKey"))),
            ]
            if let token = values["sessionToken"] {
                members.append(Value.Member("sessionToken", .string(token)))
            }
            return [Value.Member("aws", .object(members))]
        case "oauth2": return oauth2(values, json, &losses)
        default:
            losses.append(
                ImportLoss(
                    "credentials of the kind \(type)",
                    "a workspace cannot sign requests so",
                    text: json.text(.pretty) ?? "",
                    line: tree.line(of: json)
                )
            )
            return []
        }
    }

    /// The values of credentials that a workspace has, too, or that the server says.
    private static let ownValues: [String: Set<String>] = [
        "basic": ["username", "password"],
        "digest": ["username", "password", "algorithm"],
        "ntlm": ["username", "password", "domain"], "bearer": ["token"],
        "apikey": ["key", "value", "in"], "netrc": [],
        "awsv4": ["service", "region", "accessKey", "secretKey", "sessionToken"],
    ]

    private func ask(_ name: String) -> String { variables.names.reference(to: name) }

    private func oauth2(
        _ values: PostmanAuthValues,
        _ json: JSON,
        _ losses: inout [ImportLoss]
    ) -> [Value.Member] {
        let grants = [
            "authorization_code": "authorizationCode",
            "authorization_code_with_pkce": "authorizationCode",
            "client_credentials": "clientCredentials", "password_credentials": "password",
            "password": "password",
        ]
        let grant = grants[values["grant_type"] ?? "authorization_code"]
        guard let grant, let tokenURL = values.plain("accessTokenUrl"),
            grant != "authorizationCode" || values["authUrl"] != nil
        else {
            // A token that Postman has got, or would get in a way that is not known.
            let kept: Set<String> = [
                "accessToken", "addTokenTo", "headerPrefix", "tokenType", "tokenName", "useBrowser",
            ]
            if values.names.contains(where: { !kept.contains($0) }) {
                losses.append(
                    ImportLoss(
                        "how a token of OAuth 2 is obtained",
                        "a workspace does not know this grant, so the token is asked for",
                        text: json.text(.pretty) ?? "",
                        line: tree.line(of: json)
                    )
                )
            }
            let token = values["accessToken"] ?? ask("accessToken")
            let prefix = values["headerPrefix"]?.trimmingBlanks ?? "Bearer"
            let isQuery = values["addTokenTo"] == "queryParams"
            guard isQuery || prefix.lowercased() != "bearer" else {
                return [Value.Member("bearer", .string(token))]
            }
            let value = isQuery ? token : "\(prefix) \(token)"
            return [
                Value.Member(
                    "apiKey",
                    .object([
                        Value.Member("in", .string(isQuery ? "query" : "header")),
                        Value.Member("name", .string(isQuery ? "access_token" : "Authorization")),
                        Value.Member("value", .string(value)),
                    ])
                )
            ]
        }
        var members = [
            Value.Member("grant", .string(grant)),
            Value.Member("tokenURL", .string(variables.knownURLTemplate(tokenURL))),
            Value.Member("clientID", .string(values["clientId"] ?? ask("clientId"))),
        ]
        var keys = [
            ("clientSecret", "clientSecret"), ("scope", "scope"), ("audience", "audience"),
        ]
        if grant == "authorizationCode", let url = values.plain("authUrl") {
            members.append(
                Value.Member("authorizationURL", .string(variables.knownURLTemplate(url)))
            )
        }
        if grant == "password" { keys += [("username", "username"), ("password", "password")] }
        for (key, name) in keys {
            let needed = key == "clientSecret" && grant == "clientCredentials"
            let asked = needed || (key == "username" || key == "password")
            if let value = values[name] ?? (asked ? ask(name) : nil) {
                members.append(Value.Member(key, .string(value)))
            }
        }
        if values["client_authentication"] == "body" {
            members.append(Value.Member("clientAuthentication", .string("body")))
        }
        let known: Set<String> = [
            "grant_type", "accessTokenUrl", "clientId", "clientSecret", "scope", "audience",
            "client_authentication", "tokenName", "tokenType", "useBrowser", "resource",
        ]
        if let resource = values["resource"] {
            members.append(
                Value.Member("parameters", .object([Value.Member("resource", .string(resource))]))
            )
        }
        for name in values.names where !known.contains(name) {
            let value = values.plain(name) ?? ""
            if name == "headerPrefix", value.trimmingBlanks.lowercased() == "bearer" { continue }
            if name == "addTokenTo", value == "header" { continue }
            if grant == "password", ["username", "password"].contains(name) { continue }
            if grant == "authorizationCode", name == "authUrl" { continue }
            let isHere = ["http://localhost", "http://127.0.0.1"].contains { value.hasPrefix($0) }
            if name == "redirect_uri", isHere, grant == "authorizationCode", !value.contains("{{") {
                members.append(Value.Member("redirect", .string(value)))
                continue
            }
            losses.append(
                ImportLoss(
                    "a setting of OAuth 2",
                    "a workspace has none such",
                    text: "\(name): \(value)"
                )
            )
        }
        return [Value.Member("oauth2", .object(members))]
    }
}

/// The values of credentials: a list of rows in v2.1, an object before.
struct PostmanAuthValues {
    private(set) var texts: [(name: String, value: String)] = []
    private let variables: PostmanVariables

    init(_ json: JSON, _ variables: PostmanVariables) {
        self.variables = variables
        if json.kind == .array {
            for row in json.elements {
                if let key = row["key"].looseText, let value = row["value"].filledText {
                    texts.append((key, value))
                }
            }
        } else {
            for (key, value) in json.members {
                if let value = value.filledText { texts.append((key, value)) }
            }
        }
    }

    /// The names of what has a value.
    var names: [String] { texts.map(\.name) }

    /// The value as a template; nil if there is none.
    subscript(name: String) -> String? { plain(name).map(variables.template) }

    /// The value as it stands.
    func plain(_ name: String) -> String? { texts.first { $0.name == name }?.value }
}
