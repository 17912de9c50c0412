import FlyingFox

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
                "token": .string(try await call.world.verify(claim)),
                "token_type": "Bearer",
                "expires_in": 3600,
                "user_id": .integer(claim.userID),
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
            let body = try await call.body()
            let id = try await call.world.owner(of: call.bearerToken)
            let avatar = User.Avatar(
                byteCount: body.count,
                contentType: call.request.headers[.contentType] ?? "application/octet-stream",
                checksum: CRC32(of: body).text
            )
            await call.world.setAvatar(avatar, of: id)
            return .json(avatar.json.adding("user_id", .integer(id)))
        },
    ]
}
