import Documents
import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Apus

@Suite("OAuth 2")
struct OAuth2Tests {
    /// A token endpoint that says one thing after the other.
    final class Endpoint: Sendable {
        let server: RawServer

        init(_ answers: (status: Int, body: String)...) throws {
            let left = Mutex(answers)
            server = try RawServer { _ in
                let answer = left.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
                return [
                    .send(
                        "HTTP/1.1 \(answer.status) X\r\nContent-Length: \(answer.body.utf8.count)"
                            + "\r\nContent-Type: application/json\r\n\r\n\(answer.body)"
                    )
                ]
            }
        }

        var url: String { "http://\(server.authority)/token" }

        func client(
            secret: Secret? = "p&s",
            _ authentication: OAuth2Configuration.ClientAuthentication = .basic,
            scopes: [String] = []
        ) -> OAuth2Client {
            OAuth2Client(
                OAuth2Configuration(
                    tokenEndpoint: url,
                    authorizationEndpoint: "https://login.test/authorize?tenant=a",
                    deviceEndpoint: "http://\(server.authority)/device",
                    clientID: "my id",
                    clientSecret: secret,
                    clientAuthentication: authentication,
                    scopes: scopes
                ),
                now: { OAuth2Tests.date }
            )
        }

        /// The forms that came, as name and value.
        var forms: [[String: String]] {
            server.received.map { request in
                let text = String(decoding: request.body, as: UTF8.self)
                let names = text.split(separator: "&").map { String($0.prefix { $0 != "=" }) }
                return Dictionary(
                    names.map { ($0, QueryEditing.value(of: $0, in: text) ?? "") },
                    uniquingKeysWith: { first, _ in first }
                )
            }
        }
    }

    static let date = Date(timeIntervalSince1970: 1_000_000)
    static let full = """
        {"access_token":"a1","token_type":"Bearer","expires_in":3600,"refresh_token":"r1",
         "scope":"read write","id_token":"i1"}
        """

    @Test("client credentials: the form, the client's name and the token")
    func clientCredentials() async throws {
        let endpoint = try Endpoint((200, Self.full))
        let token = try await endpoint.client(scopes: ["read", "write"]).clientCredentials()
        #expect(
            token
                == OAuth2Token(
                    accessToken: "a1",
                    expires: Self.date.addingTimeInterval(3600),
                    refreshToken: "r1",
                    scopes: ["read", "write"],
                    identityToken: "i1"
                )
        )
        let request = try #require(endpoint.server.received.first)
        #expect(request.line == "POST /token HTTP/1.1")
        #expect(request.value(of: "Content-Type") == "application/x-www-form-urlencoded")
        #expect(request.value(of: "Accept") == "application/json")
        // "my+id:p%26s" in base64: both parts are encoded as a form before.
        #expect(request.value(of: "Authorization") == "Basic bXkraWQ6cCUyNnM=")
        #expect(endpoint.forms == [["grant_type": "client_credentials", "scope": "read write"]])
    }

    @Test("a client may show its secret in the form, and a public one its id only")
    func bodyAuthentication() async throws {
        let endpoint = try Endpoint((200, Self.full))
        _ = try await endpoint.client(.body).clientCredentials()
        _ = try await endpoint.client(secret: nil).password(user: "ada", password: "a+b c")
        #expect(endpoint.server.received.allSatisfy { $0.value(of: "Authorization") == nil })
        try #require(endpoint.forms.count == 2)
        #expect(endpoint.forms[0]["client_secret"] == "p&s")
        #expect(
            endpoint.forms[1] == [
                "grant_type": "password", "username": "ada", "password": "a+b c",
                "client_id": "my id",
            ]
        )
    }

    @Test("a refresh keeps the old refresh token if no new one comes")
    func refresh() async throws {
        let endpoint = try Endpoint((200, #"{"access_token":"a2","token_type":"bearer"}"#))
        let token = try await endpoint.client().refresh("r0")
        #expect(token.refreshToken == "r0")
        #expect(token.expires == nil)
        #expect(endpoint.forms == [["grant_type": "refresh_token", "refresh_token": "r0"]])
    }

    @Test(
        "what the server refuses comes as its code, in words and without a secret",
        arguments: [
            ("invalid_client", 401), ("invalid_grant", 400), ("invalid_scope", 400),
            ("unauthorized_client", 400), ("unsupported_grant_type", 400),
            ("invalid_request", 400), ("something_else", 400),
        ]
    )
    func refusals(code: String, status: Int) async throws {
        let endpoint = try Endpoint(
            (status, #"{"error":"\#(code)","error_description":"why","error_uri":"https://x/y"}"#)
        )
        let error = await #expect(throws: ApusError.self) {
            try await endpoint.client().password(user: "ada", password: "pass-w0rd")
        }
        let refusal = OAuth2Refusal(code: code, text: "why", page: "https://x/y")
        #expect(error?.reason == .authorization(.refused(refusal)))
        #expect(error?.code == 1403)
        var dumped = ""
        dump(error, to: &dumped)
        for text in [error?.description ?? "", dumped] {
            #expect(!text.contains("pass-w0rd") && !text.contains("p&s") && text.contains("why"))
        }
    }

    @Test(
        "a response that is none of OAuth's says so",
        arguments: [(200, "<html>"), (500, "{}"), (200, "{}"), (302, ""), (404, "no")]
    )
    func strange(status: Int, body: String) async throws {
        let endpoint = try Endpoint((status, body))
        let error = await #expect(throws: ApusError.self) {
            try await endpoint.client().clientCredentials()
        }
        guard case .authorization(.unexpectedResponse(status, _)) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("a server that is not there is the transport's error, without the form")
    func unreachable() async throws {
        let closed = try ClosedPort()
        defer { closed.letGo() }
        let client = OAuth2Client(
            OAuth2Configuration(
                tokenEndpoint: "\(closed.base)/token",
                clientID: "id",
                clientSecret: "s3cret"
            )
        )
        let error = await #expect(throws: ApusError.self) { try await client.clientCredentials() }
        #expect(error?.code == 2201)
        #expect(error?.response == nil)
    }

    @Test(
        "a lifetime that is none is not taken, and one without end is cut",
        arguments: [
            (#""inf""#, nil), (#""nan""#, nil), ("1e300", 3_155_760_000), ("-5", 0), (#""60""#, 60),
        ] as [(String, Double?)]
    )
    func lifetimes(text: String, seconds: Double?) throws {
        let answer = try JSON(parsing: Array(#"{"access_token":"a","expires_in":\#(text)}"#.utf8))
        let token = try #require(OAuth2Token(response: answer, received: Self.date))
        #expect(token.expires == seconds.map { Self.date.addingTimeInterval($0) })
        let kept = Array(try JSONEncoder().encode(token))
        #expect(try DocumentDecoder().decode(OAuth2Token.self, from: kept) == token)
    }

    // MARK: device

    @Test("a server cannot name a pause or an end that no clock has", arguments: ["1e300", "-1"])
    func devicePause(number: String) async throws {
        let endpoint = try Endpoint(
            (
                200,
                """
                {"device_code":"d1","user_code":"A","verification_uri":"https://x/device",
                 "expires_in":\(number),"interval":\(number)}
                """
            )
        )
        let device = try await endpoint.client().deviceAuthorization()
        #expect(device.interval >= .seconds(1) && device.interval <= .seconds(3_155_760_000))
        #expect(device.expires >= Self.date && device.expires < .distantFuture)
    }

    @Test("a device code is asked for at the server's pace until the person has signed in")
    func device() async throws {
        let endpoint = try Endpoint(
            (
                200,
                """
                {"device_code":"d1","user_code":"WDJB-MJHT","verification_uri":"https://x/device",
                 "verification_uri_complete":"https://x/device?c=1","expires_in":900,"interval":2}
                """
            ),
            (400, #"{"error":"authorization_pending"}"#),
            (400, #"{"error":"slow_down"}"#),
            (400, #"{"error":"authorization_pending"}"#),
            (200, Self.full)
        )
        let client = endpoint.client(secret: nil, scopes: ["read"])
        let device = try await client.deviceAuthorization()
        #expect(device.userCode == "WDJB-MJHT")
        #expect(device.completePage == "https://x/device?c=1")
        #expect(device.expires == Self.date.addingTimeInterval(900))
        let clock = ManualClock()
        async let token = client.token(for: device, clock: clock)
        for pause in [2, 2, 7, 7] {
            await clock.waitUntilAsleep()
            clock.advance(by: .seconds(pause))
        }
        #expect(try await token.accessToken == "a1")
        #expect(clock.slept == [.seconds(2), .seconds(2), .seconds(7), .seconds(7)])
        try #require(endpoint.forms.count == 5)
        #expect(endpoint.forms[0] == ["client_id": "my id", "scope": "read"])
        #expect(
            endpoint.forms[4] == [
                "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
                "device_code": "d1", "client_id": "my id",
            ]
        )
    }

    @Test(
        "a refusal, an expiry and a code that has ended end the asking",
        arguments: [("access_denied", 10.0, 1403), ("expired_token", 10, 1403), ("", 0, 1406)]
    )
    func deviceEnds(code: String, lifetime: Double, number: Int) async throws {
        let endpoint = try Endpoint((400, #"{"error":"\#(code)"}"#))
        let device = DeviceAuthorization(
            deviceCode: "d",
            userCode: "u",
            page: "p",
            expires: Self.date.addingTimeInterval(lifetime),
            interval: .zero
        )
        let client = endpoint.client()
        let error = await #expect(throws: ApusError.self) { try await client.token(for: device) }
        #expect(error?.code == number)
        #expect(endpoint.server.received.count == (code.isEmpty ? 0 : 1))
    }

    // MARK: authorization code

    @Test("the proof is that of RFC 7636, appendix B")
    func proof() {
        let proof = PKCE(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(proof.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(PKCE().verifier.value.count == 43)
        #expect(PKCE().verifier != PKCE().verifier)
    }

    /// What a browser does: opens a page of ours, and is sent to the redirect.
    private static func redirect(
        from page: String,
        with query: String,
        path: String? = nil
    ) async throws -> Response {
        let redirect = try #require(
            QueryEditing.value(of: "redirect_uri", in: Self.query(of: page))
        )
        let url = try RequestURL(absolute: redirect)
        return try await CurlTransport().send(
            .make(url.authority, "\(path ?? url.path)?\(query)"),
            progress: nil
        )
    }

    private static func query(of url: String) -> Substring {
        url.drop { $0 != "?" }.dropFirst()
    }

    @Test("a person signs in on a loopback redirect, with state and proof")
    func authorizationCode() async throws {
        let endpoint = try Endpoint((200, Self.full))
        let pages = AsyncStream<String>.makeStream()
        let client = endpoint.client(secret: nil, scopes: ["read"])
        let attempt = Task {
            try await client.authorizationCode { pages.continuation.yield($0) }
        }
        let page = try #require(await pages.stream.first { _ in true })
        let query = Self.query(of: page)
        let state = try #require(QueryEditing.value(of: "state", in: query))
        // An icon that the browser asks for first does not count.
        let icon = try await Self.redirect(from: page, with: "", path: "/favicon.ico")
        #expect(icon.status == 404)
        let answer = try await Self.redirect(from: page, with: "code=c%2F1&state=\(state)")
        #expect(try await attempt.value.accessToken == "a1")
        #expect(answer.status == 200)
        #expect(answer.text?.contains("You are signed in") == true)
        #expect(page.hasPrefix("https://login.test/authorize?tenant=a&"))
        #expect(QueryEditing.value(of: "response_type", in: query) == "code")
        #expect(QueryEditing.value(of: "code_challenge_method", in: query) == "S256")
        #expect(QueryEditing.value(of: "scope", in: query) == "read")
        let form = try #require(endpoint.forms.first)
        #expect(form["code"] == "c/1")
        #expect(form["redirect_uri"] == QueryEditing.value(of: "redirect_uri", in: query))
        let verifier = try #require(form["code_verifier"])
        #expect(
            PKCE(verifier: Secret(verifier)).challenge
                == QueryEditing.value(of: "code_challenge", in: query)
        )
    }

    @Test(
        "a redirect with another state, an error or no code is refused",
        arguments: [
            ("code=c&state=other", 1405), ("code=c", 1405),
            ("error=access_denied&error_description=no+way&state=STATE", 1403),
            ("state=STATE", 1404),
        ]
    )
    func badRedirects(query: String, code: Int) async throws {
        let endpoint = try Endpoint((200, Self.full))
        let client = endpoint.client()
        let pages = AsyncStream<String>.makeStream()
        let attempt = Task {
            try await client.authorizationCode { pages.continuation.yield($0) }
        }
        let page = try #require(await pages.stream.first { _ in true })
        let state = QueryEditing.value(of: "state", in: Self.query(of: page)) ?? ""
        let answer = try await Self.redirect(
            from: page,
            with: query.replacing("STATE", with: state)
        )
        #expect(answer.status == (code == 1405 ? 400 : 200))
        let error = await #expect(throws: ApusError.self) { try await attempt.value }
        #expect(error?.code == code)
        #expect(endpoint.server.received.isEmpty)
    }

    @Test("a connection that says nothing does not keep the redirect waiting")
    func silentConnection() async throws {
        let listener = try LoopbackListener(path: "/callback")
        async let query = listener.query(state: "s", within: .seconds(300), ContinuousClock())
        let silent = try RawConnection(port: listener.port)
        defer { withExtendedLifetime(silent) {} }
        _ = try await CurlTransport().send(
            .make("127.0.0.1:\(listener.port)", "/callback?code=c&state=s"),
            progress: nil
        )
        #expect(try await query == "code=c&state=s")
    }

    @Test("a person who does nothing runs out of time")
    func timeout() async throws {
        let client = try Endpoint((200, Self.full)).client()
        let clock = ManualClock()
        let attempt = Task {
            try await client.authorizationCode(timeout: .seconds(5), clock: clock) { _ in }
        }
        await clock.waitUntilAsleep()
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: ApusError.self) { try await attempt.value }
        #expect(error?.code == 1406)
    }

    @Test("cancelling ends the waiting; a failing opener ends it too")
    func cancelled() async throws {
        let client = try Endpoint((200, Self.full)).client()
        let clock = ManualClock()
        let attempt = Task { try await client.authorizationCode(clock: clock) { _ in } }
        await clock.waitUntilAsleep()
        attempt.cancel()
        let error = await #expect(throws: ApusError.self) { try await attempt.value }
        #expect(error?.reason == .cancelled)
        struct NoBrowser: Error {}
        let failure = await #expect(throws: ApusError.self) {
            try await client.authorizationCode { _ in throw NoBrowser() }
        }
        #expect(failure?.reason == .hookFailed(plugin: "opener", detail: "NoBrowser()"))
    }
}
