import Documents
import FoundationEssentials
import HTTPTypes

extension Route {
    static let accounts: [Route] = [
        Route(
            "POST",
            "/register",
            "signs up: name, email; gives verification_code",
            readsBody: true,
            handler: register
        ),
        Route("POST", "/verify", "user_id and code; gives a token", readsBody: true) { call in
            let claim = try await call.decoded(Verification.self)
            return .json([
                "token": JSON(try await call.world.verify(claim)),
                "token_type": "Bearer",
                "expires_in": 3600,
                "user_id": JSON(claim.userID),
            ])
        },
        Route("GET", "/me", "the user that the bearer token belongs to") { call in
            let id = try await call.world.owner(of: call.bearerToken)
            return .json(try await call.world.user(id).json)
        },
        Route("PATCH", "/me", "changes one's own name, email, city", readsBody: true) { call in
            let draft = try await call.decoded(UserDraft.self)
            let id = try await call.world.owner(of: call.bearerToken)
            return .json(try await call.world.changeUser(id, to: draft, isWhole: false).json)
        },
        Route("PUT", "/avatar", "any bytes as one's picture", readsBody: true) { call in
            let body = try await call.wholeBody()
            let id = try await call.world.owner(of: call.bearerToken)
            let avatar = User.Avatar(
                byteCount: body.count,
                contentType: call.request.headerFields[.contentType] ?? "application/octet-stream",
                checksum: CRC32(of: body).text
            )
            await call.world.setAvatar(avatar, of: id)
            return .json(avatar.json.adding("user_id", JSON(id)))
        },
    ]
}

extension Route {
    static let authorization: [Route] = [
        Route("GET", "/bearer", "401 without a bearer token; any token will do") { call in
            guard let token = call.bearerToken else {
                throw Problem.unauthorized("Bearer", "Send any bearer token.")
            }
            return .json(["authenticated": true, "token": JSON(token)])
        },
        Route("GET", "/basic-auth/{user}/{password}", "401 without exactly these") { call in
            let expected = Data("\(call.parameter(0)):\(call.parameter(1))".utf8)
            guard let text = call.credentials(scheme: "basic"),
                Data(base64Encoded: text) == expected
            else {
                throw Problem.unauthorized(
                    "Basic",
                    "Send the user and the password that stand in the path."
                )
            }
            return .json(["authenticated": true, "user": JSON(call.parameter(0))])
        },
        Route("GET", "/cookies", "sets two cookies and shows those received") { call in
            var fields = HTTPFields()
            fields[values: .setCookie] = [
                "session=demo; Path=/; HttpOnly", "theme=dusk; Path=/; Max-Age=3600",
            ]
            return .json(
                ["received": call.request.headerFields[.cookie].map { JSON($0) } ?? nil],
                fields: fields
            )
        },
    ]
}

extension Route {
    static let users: [Route] = [
        Route("GET", "/users", "users in pages (page, limit), those matching q") { call in
            let text = call.queryText("q") ?? ""
            let query = text.isEmpty ? "" : "&q=\(PercentEncoding.component(text))"
            return .json(
                await call.world.listUsers(
                    try call.page(),
                    matching: text.lowercased(),
                    query: query
                )
            )
        },
        Route(
            "POST",
            "/users",
            "a new user: name, email, role, city",
            readsBody: true,
            handler: register
        ),
        Route("GET", "/users/{id}", "one user; balance, visits and last_seen change") { call in
            .json(try await call.world.user(try call.identifier(of: "user")).json)
        },
        Route("PUT", "/users/{id}", "replaces name and email", readsBody: true) { call in
            try await change(call, isWhole: true)
        },
        Route("PATCH", "/users/{id}", "changes name, email, role or city", readsBody: true) {
            call in
            try await change(call, isWhole: false)
        },
        Route("DELETE", "/users/{id}", "deletes a user") { call in
            try await call.world.deleteUser(try call.identifier(of: "user"))
            return .empty(status: 204)
        },
    ]

    static func register(_ call: Call) async throws -> DemoResponse {
        let (user, code) = try await call.world.createUser(try await call.decoded(UserDraft.self))
        return .json(
            user.json.adding("verification_code", JSON(code)),
            status: 201,
            fields: [.location: "/users/\(user.id)"]
        )
    }

    private static func change(_ call: Call, isWhole: Bool) async throws -> DemoResponse {
        let draft = try await call.decoded(UserDraft.self)
        return .json(
            try await call.world.changeUser(
                try call.identifier(of: "user"),
                to: draft,
                isWhole: isWhole
            ).json
        )
    }
}
