import Workspaces

extension PostmanWriter {
    /// `auth`, and the name of the parameter that it adds to the URL.
    func authorization(of request: ExportedRequest) -> (Value?, parameter: String?) {
        func spelled(_ marked: String) -> String { text(request.text(marked), of: request) }
        switch request.authorization {
        case .none: return (nil, nil)
        case .bearer(let token): return (Self.auth("bearer", [("token", spelled(token))]), nil)
        case .basic(let user, let password):
            return (Self.auth("basic", Self.user(spelled(user), spelled(password))), nil)
        case .digest(let user, let password):
            return (Self.auth("digest", Self.user(spelled(user), spelled(password))), nil)
        case .ntlm(let user, let password):
            return (Self.auth("ntlm", Self.user(spelled(user), spelled(password))), nil)
        case .apiKey(.cookie, _, _): return (nil, nil)
        case .apiKey(let place, let name, let value):
            let rows = [
                ("key", name), ("value", spelled(value)),
                ("in", place == .query ? "query" : "header"),
            ]
            return (Self.auth("apikey", rows), place == .query ? name : nil)
        case .oauth2(let oauth2): return (self.oauth2(oauth2, request), nil)
        case .aws(let aws):
            var rows = [("service", spelled(aws.service)), ("region", spelled(aws.region ?? ""))]
            rows.append(("accessKey", spelled(aws.accessKey ?? "")))
            rows.append(("secretKey", spelled(aws.secretKey ?? "")))
            if let token = aws.sessionToken { rows.append(("sessionToken", spelled(token))) }
            if aws.accessKey == nil {
                lose(
                    "a profile of AWS",
                    "Postman reads no profiles: set the keys",
                    aws.profile ?? "default",
                    of: request
                )
            }
            return (Self.auth("awsv4", rows.filter { !$0.1.isEmpty }), nil)
        case .negotiate, .netrc, .custom:
            lose(
                "credentials of the kind \(request.authorization.name)",
                "Postman does not know them",
                of: request
            )
            return (nil, nil)
        }
    }

    private func oauth2(
        _ oauth2: ExportedAuthorization.OAuth2,
        _ request: ExportedRequest
    ) -> Value {
        func spelled(_ marked: String) -> String { text(request.text(marked), of: request) }
        let grant =
            switch oauth2.grant {
            case .clientCredentials: "client_credentials"
            case .password: "password_credentials"
            case .authorizationCode: "authorization_code_with_pkce"
            case .deviceCode: "device_code"
            }
        if oauth2.grant == .deviceCode {
            lose("a grant of OAuth 2", "Postman signs in on no other device", of: request)
        }
        var rows = [
            ("grant_type", grant), ("accessTokenUrl", spelled(oauth2.tokenURL)),
            ("clientId", spelled(oauth2.clientID)),
        ]
        for (key, value) in [
            ("authUrl", oauth2.authorizationURL), ("clientSecret", oauth2.clientSecret),
            ("username", oauth2.user), ("password", oauth2.password),
        ] {
            if let value { rows.append((key, spelled(value))) }
        }
        let scope = oauth2.scopes.map(spelled).joined(separator: " ")
        if !scope.isEmpty { rows.append(("scope", scope)) }
        for (name, value) in oauth2.parameters {
            if name == "audience" {
                rows.append((name, spelled(value)))
            } else {
                lose("a parameter of OAuth 2", "a collection has none such", name, of: request)
            }
        }
        rows.append(("client_authentication", oauth2.sendsClientInBody ? "body" : "header"))
        rows.append(("addTokenTo", "header"))
        return Self.auth("oauth2", rows)
    }

    private static func user(_ user: String, _ password: String) -> [(String, String)] {
        [("username", user), ("password", password)]
    }

    private static func auth(_ type: String, _ rows: [(String, String)]) -> Value {
        let values = rows.map { key, value in
            Value.object([
                Value.Member("key", .string(key)), Value.Member("value", .string(value)),
                Value.Member("type", .string("string")),
            ])
        }
        return .object([
            Value.Member("type", .string(type)), Value.Member(type, .array(values)),
        ])
    }
}
