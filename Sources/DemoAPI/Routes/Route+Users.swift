import FlyingFox
import FoundationEssentials

extension Route {
    static let users: [Route] = [
        Route("GET", "/users", "users in pages (page, limit), those matching q") { call in
            let text = call.queryText("q") ?? ""
            let query = text.isEmpty ? "" : "&q=\(PercentEncoding.encode(text))"
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

    static func register(_ call: Call) async throws -> HTTPResponse {
        let (user, code) = try await call.world.createUser(try await call.decoded(UserDraft.self))
        return .json(
            user.json.adding("verification_code", .string(code)),
            status: 201,
            fields: [.location: "/users/\(user.id)"]
        )
    }

    private static func change(_ call: Call, isWhole: Bool) async throws -> HTTPResponse {
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
