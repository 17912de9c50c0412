import Documents
import Workspaces

/// How a request says who sends it, as a target has it.
struct OpenAPICredentials {
    /// The value of `auth`; nil if there is none of its kind.
    var auth: Value?
    /// Keys beside the one that `auth` has.
    var headers: [Value.Member] = []
    var query: [Value.Member] = []
    var losses: [ImportLoss] = []
    /// What the note says: other ways, and what the schemes say about themselves.
    var words: [String] = []
    /// Whether the operation needs nothing.
    var isNone = false
}

extension OpenAPIReader {
    /// What an operation or the whole requires; nil if it does not say.
    func credentials(_ owner: OpenAPIObject) -> OpenAPICredentials? {
        guard let node = owner["security"] else { return nil }
        let alternatives = node.list.filter { $0.json.kind == .object }
        guard let first = alternatives.first else { return OpenAPICredentials(isNone: true) }
        var chosen: OpenAPICredentials?
        var index = 0
        for (number, alternative) in alternatives.enumerated() {
            let made = credentials(for: alternative)
            if chosen == nil || made.losses.isEmpty {
                chosen = made
                index = number
            }
            if made.losses.isEmpty { break }
        }
        var result = chosen ?? credentials(for: first)
        let others = alternatives.enumerated().filter { $0.offset != index }.map { alternative in
            let names = alternative.element.json.members.map { "`\($0.key)`" }
            return names.isEmpty ? "nothing" : names.joined(separator: " with ")
        }
        if !others.isEmpty {
            result.words.append(
                "Instead of these credentials it accepts \(others.joined(separator: ", or "))."
            )
        }
        return result
    }

    /// The credentials of one alternative: all of its schemes together.
    private func credentials(for requirement: OpenAPINode) -> OpenAPICredentials {
        var result = OpenAPICredentials()
        let members = requirement.json.members.map {
            ($0.key, OpenAPINode(json: $0.value, file: requirement.file))
        }
        if members.isEmpty { result.isNone = true }
        for (name, scopes) in members {
            guard let scheme = scheme(named: name) else {
                result.losses.append(
                    ImportLoss(
                        "credentials",
                        "the description does not say what `\(name)` is",
                        line: document.line(of: requirement)
                    )
                )
                continue
            }
            add(scheme, name, scopes.list.compactMap(\.text), to: &result)
        }
        return result
    }

    private func scheme(named name: String) -> OpenAPIObject? {
        if let known = schemes[name] { return known }
        let all =
            document.object(root["securityDefinitions"])
            ?? document.object(document.object(root["components"])?["securitySchemes"])
        // In OpenAPI 3.2 the name may be a reference.
        let found =
            document.object(all?[name])
            ?? (name.contains("/") || name.contains("#")
                ? document.object(document.target(of: name, from: rootNode)) : nil)
        schemes[name] = found
        return found
    }

    private func add(
        _ scheme: OpenAPIObject,
        _ name: String,
        _ scopes: [String],
        to result: inout OpenAPICredentials
    ) {
        let type = (scheme.text("type") ?? "").lowercased()
        switch (type, (scheme.text("scheme") ?? "").lowercased()) {
        case ("apikey", _): addKey(scheme, name, to: &result)
        case ("basic", _), ("http", "basic"): setAuth("basic", pair(name, scheme), name, &result)
        case ("http", "digest"): setAuth("digest", pair(name, scheme), name, &result)
        case ("http", "bearer"), ("bearer", _):
            setAuth("bearer", .string(secret(name, "Bearer token", scheme)), name, &result)
        case ("http", let word) where word == "negotiate":
            setAuth("negotiate", .boolean(true), name, &result)
        case ("http", let word) where !word.isEmpty:
            let scheme = "\(scheme.text("scheme") ?? word) \(secret(name, "Credentials", scheme))"
            addKey("header", "Authorization", scheme, name, &result)
        case ("oauth2", _): addOAuth(scheme, name, scopes, to: &result)
        case ("openidconnect", _):
            setAuth("bearer", .string(secret(name, "Access token", scheme)), name, &result)
            result.losses.append(
                ImportLoss(
                    "a sign-in by OpenID Connect",
                    "a token is asked for; `auth: { oauth2: … }` obtains one with what the discovery document says",
                    text: scheme.text("openIdConnectUrl") ?? ""
                )
            )
        case ("mutualtls", _):
            result.losses.append(
                ImportLoss(
                    "a client's certificate",
                    "`\(name)` needs one: name its file under `clientCertificate` in `defaults`",
                    text: scheme.text("description") ?? ""
                )
            )
        default:
            result.losses.append(
                ImportLoss(
                    "credentials",
                    "`\(name)` is of no known type",
                    text: scheme.text("type") ?? ""
                )
            )
        }
    }

    /// The first way is `auth`; keys may stand beside it.
    private func setAuth(
        _ kind: String,
        _ value: Value,
        _ name: String,
        _ result: inout OpenAPICredentials
    ) {
        let auth = Value.object([Value.Member(kind, value)])
        switch result.auth {
        case nil: result.auth = auth
        case .object(let members)?:
            // A key can stand elsewhere, the others cannot.
            if case .object(let key)? = members["apiKey"], case .string(let field)? = key["name"],
                let value = key["value"]
            {
                result.auth = auth
                if case .string("query")? = key["in"] {
                    result.query.append(Value.Member(field, value))
                } else if case .string("cookie")? = key["in"] {
                    if case .string(let text) = value { addCookie("\(field)=\(text)", &result) }
                } else {
                    result.headers.append(Value.Member(field, value))
                }
            } else {
                result.losses.append(
                    ImportLoss(
                        "credentials",
                        "a request has one of a kind, and `\(name)` is required too"
                    )
                )
            }
        default: break
        }
    }

    private func addKey(
        _ scheme: OpenAPIObject,
        _ name: String,
        to result: inout OpenAPICredentials
    ) {
        let field = scheme.words("name") ?? name
        let place = (scheme.text("in") ?? "header").lowercased()
        guard ["header", "query", "cookie"].contains(place) else {
            result.losses.append(
                ImportLoss(
                    "credentials",
                    "`\(name)` is sent in no place that is known",
                    text: place
                )
            )
            return
        }
        guard place == "query" || FieldName.isValid(field) else {
            result.losses.append(
                ImportLoss("credentials", "no \(place) can be called so", text: field)
            )
            return
        }
        addKey(place, field, secret(name, "API key \(field)", scheme), name, &result)
    }

    private func addKey(
        _ place: String,
        _ field: String,
        _ value: String,
        _ name: String,
        _ result: inout OpenAPICredentials
    ) {
        guard result.auth != nil else {
            var members = [
                Value.Member("name", .string(field)), Value.Member("value", .string(value)),
            ]
            if place != "header" { members.insert(Value.Member("in", .string(place)), at: 0) }
            result.auth = .object([Value.Member("apiKey", .object(members))])
            return
        }
        switch place {
        case "query": result.query.append(Value.Member(field, .string(value)))
        case "cookie": addCookie("\(field)=\(value)", &result)
        default: result.headers.append(Value.Member(field, .string(value)))
        }
    }

    private func addCookie(_ text: String, _ result: inout OpenAPICredentials) {
        if case .string(let others)? = result.headers["Cookie"] {
            result.headers["Cookie"] = .string("\(others); \(text)")
        } else {
            result.headers["Cookie"] = .string(text)
        }
    }

    private func pair(_ name: String, _ scheme: OpenAPIObject) -> Value {
        .object([
            Value.Member("user", .string(asked("\(name) user", "User", scheme, isSecret: false))),
            Value.Member(
                "password",
                .string(asked("\(name) password", "Password", scheme, isSecret: true))
            ),
        ])
    }

    private func secret(_ name: String, _ what: String, _ scheme: OpenAPIObject) -> String {
        asked(name, what, scheme, isSecret: true)
    }

    /// A reference to a variable that is asked for.
    private func asked(
        _ original: String,
        _ what: String,
        _ scheme: OpenAPIObject,
        isSecret: Bool
    ) -> String {
        // Apart from a parameter of the same name.
        let key = "credentials \(original)"
        let name: String
        if let known = credentialNames[key] {
            name = known
        } else {
            name = workspace.names.use(original)
            credentialNames[key] = name
        }
        if workspace.variables[name] == nil {
            var text = "\(what) (\(original))"
            if let description = scheme.words("description"), description.count <= 100 {
                text += " — \(description.inOneLine)"
            }
            var members = [Value.Member("ask", .string(text))]
            if isSecret { members.append(Value.Member("secret", .boolean(true))) }
            workspace.variables[name] = .object(members)
        }
        return "{{ \(name) }}"
    }

    // MARK: OAuth 2

    private func addOAuth(
        _ scheme: OpenAPIObject,
        _ name: String,
        _ scopes: [String],
        to result: inout OpenAPICredentials
    ) {
        var flows: [(name: String, flow: OpenAPIObject)] = []
        if isSwagger || scheme["flows"] == nil, let flow = scheme.text("flow") {
            flows = [(flow, scheme)]
        } else {
            flows = (document.object(scheme["flows"])?.members ?? []).compactMap { member in
                document.object(member.node).map { (member.name, $0) }
            }
        }
        for (grant, kinds) in [
            ("authorizationCode", ["authorizationCode", "accessCode"]),
            ("clientCredentials", ["clientCredentials", "application"]),
            ("password", ["password"]), ("deviceCode", ["deviceAuthorization"]),
        ] {
            guard let flow = flows.first(where: { kinds.contains($0.name) })?.flow,
                let value = oauth(grant, flow, name, scopes)
            else { continue }
            let others = flows.filter { !kinds.contains($0.name) }.map { "`\($0.name)`" }
            if !others.isEmpty {
                result.words.append(
                    "`\(name)` has also the flows \(others.joined(separator: ", "))."
                )
            }
            return setAuth("oauth2", value, name, &result)
        }
        setAuth("bearer", .string(secret(name, "Access token", scheme)), name, &result)
        let flow = flows.first
        let url = flow?.flow.text("authorizationUrl") ?? flow?.flow.text("tokenUrl") ?? ""
        result.losses.append(
            ImportLoss(
                "a sign-in by OAuth 2",
                flow?.name == "implicit"
                    ? "the implicit flow is no longer used (RFC 9700); a token is asked for"
                    : "its URLs are not complete; a token is asked for",
                text: url
            )
        )
    }

    /// The value of `oauth2`; nil without the URLs that the grant needs.
    private func oauth(
        _ grant: String,
        _ flow: OpenAPIObject,
        _ name: String,
        _ scopes: [String]
    ) -> Value? {
        guard let tokenURL = absolute(flow.words("tokenUrl")) else { return nil }
        var members = [
            Value.Member("grant", .string(grant)), Value.Member("tokenURL", .string(tokenURL)),
        ]
        if grant == "authorizationCode" {
            guard let url = absolute(flow.words("authorizationUrl")) else { return nil }
            members.append(Value.Member("authorizationURL", .string(url)))
        }
        if grant == "deviceCode" {
            guard let url = absolute(flow.words("deviceAuthorizationUrl")) else { return nil }
            members.append(Value.Member("deviceURL", .string(url)))
        }
        members.append(
            Value.Member(
                "clientID",
                .string(asked("\(name) client", "Client id", flow, isSecret: false))
            )
        )
        if grant == "clientCredentials" {
            let secret = asked("\(name) secret", "Client secret", flow, isSecret: true)
            members.append(Value.Member("clientSecret", .string(secret)))
        }
        if grant == "password" {
            members.append(
                Value.Member(
                    "username",
                    .string(asked("\(name) user", "User", flow, isSecret: false))
                )
            )
            members.append(
                Value.Member(
                    "password",
                    .string(asked("\(name) password", "Password", flow, isSecret: true))
                )
            )
        }
        let known = document.object(flow["scopes"])?.members.map(\.name) ?? []
        let wanted = (scopes.isEmpty ? known : scopes).map {
            ImportNames.literal($0.trimmingBlanks)
        }
        .filter { !$0.isEmpty }
        if !wanted.isEmpty {
            members.append(Value.Member("scope", .array(wanted.map { .string($0) })))
        }
        return .object(members)
    }

    /// A URL of a sign-in; relative ones begin at the server.
    private func absolute(_ url: String?) -> String? {
        guard let url else { return nil }
        var whole = url
        if !ImportSource.isURL(url) {
            guard let server = firstServer?.plainURL, !url.contains("://") else { return nil }
            let start = server.firstRange(of: "://")?.upperBound ?? server.startIndex
            let origin = server[start...].firstIndex(of: "/").map { server[..<$0] } ?? server[...]
            whole = url.hasPrefix("/") ? origin + url : "\(server)/\(url)"
        }
        let host =
            whole.firstRange(of: "://").map { whole[$0.upperBound...] }?.prefix { $0 != "/" } ?? ""
        let isPlain =
            !host.isEmpty
            && host.allSatisfy { $0.isLetter || $0.isNumber || ".-:".contains($0) }
            && !whole.contains(where: \.isWhitespace) && !whole.contains("{")
            && !whole.contains("<")
        return isPlain ? whole : nil
    }
}

/// The names that header fields can have (RFC 9110, section 5.6.2).
enum FieldName {
    static func isValid(_ name: String) -> Bool {
        !name.isEmpty
            && name.unicodeScalars.allSatisfy { scalar in
                scalar.isASCII
                    && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                        || "!#$%&'*+-.^_`|~".unicodeScalars.contains(scalar))
            }
    }
}
