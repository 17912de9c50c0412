import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import Apus

@Suite("Access tokens and API keys")
struct AccessTokenPluginTests {
    /// A target that decides for itself.
    private struct Deciding: TargetType, AccessTokenAuthorizable {
        let accessTokenScheme: AccessTokenScheme?
        let baseURL = TestTarget().baseURL
        var path = "/own"
    }

    private static func sent(
        _ target: any TargetType,
        _ plugins: [any Plugin],
        interceptors: [any Interceptor] = []
    ) async throws -> PreparedRequest {
        let transport = ScriptedTransport.answering("ok")
        let provider = Provider<MultiTarget>(
            transport: transport,
            cache: .inMemory,
            plugins: plugins,
            interceptors: interceptors
        )
        _ = try await provider.response(for: MultiTarget(target))
        return try #require(transport.received.first)
    }

    @Test(
        "the scheme stands before the token",
        arguments: [
            (AccessTokenScheme.bearer, "Bearer t0ken:x"),
            (.basic, "Basic dDBrZW46eA=="),
            (.custom("Token"), "Token t0ken:x"),
            (.custom(""), "t0ken:x"),
        ]
    )
    func schemes(scheme: AccessTokenScheme, value: String) async throws {
        let plugin = AccessTokenPlugin(scheme, token: "t0ken:x")
        let request = try await Self.sent(TestTarget(), [plugin])
        #expect(request.head.headerFields[.authorization] == value)
    }

    @Test("a field that is there is replaced, not joined")
    func replaces() async throws {
        let plugin = AccessTokenPlugin(token: "2")
        var target = TestTarget()
        target.headerFields[.authorization] = "Bearer 1"
        let request = try await Self.sent(target, [plugin, plugin])
        #expect(request.head.headerFields[values: .authorization] == ["Bearer 2"])
    }

    @Test("a target inside a MultiTarget decides, and is what the closure gets")
    func decides() async throws {
        let plugin = AccessTokenPlugin(.bearer) { target in
            #expect(target is Deciding)
            return "s"
        }
        let own = try await Self.sent(Deciding(accessTokenScheme: .custom("Own")), [plugin])
        #expect(own.head.headerFields[.authorization] == "Own s")
        let without = try await Self.sent(Deciding(accessTokenScheme: nil), [plugin])
        #expect(without.head.headerFields[.authorization] == nil)
    }

    @Test("a target in an environment decides as well")
    func decidesInEnvironment() async throws {
        let target = Deciding(accessTokenScheme: .custom("Own"))
            .bound(to: EnvironmentStore(TargetEnvironment("e")))
        let request = try await Self.sent(target, [AccessTokenPlugin(.bearer, token: "s")])
        #expect(request.head.headerFields[.authorization] == "Own s")
        let without = Deciding(accessTokenScheme: nil)
            .bound(to: EnvironmentStore(TargetEnvironment("e")))
        let open = try await Self.sent(without, [AccessTokenPlugin(.bearer, token: "s")])
        #expect(open.head.headerFields[.authorization] == nil)
    }

    @Test("a plugin without a scheme leaves other targets alone")
    func onlyDeciding() async throws {
        let plugin = AccessTokenPlugin(nil) { _ in "s" }
        let request = try await Self.sent(TestTarget(), [plugin])
        #expect(request.head.headerFields[.authorization] == nil)
    }

    @Test("what the closure throws ends the exchange before anything is sent")
    func throwing() async throws {
        struct Locked: Error {}
        let transport = ScriptedTransport.answering("ok")
        let plugin = AccessTokenPlugin { _ in throw Locked() }
        let provider = Provider.make(transport, plugins: [plugin])
        await #expect {
            try await provider.response(for: TestTarget())
        } throws: { error in
            guard case .hookFailed(let name, _) = (error as? ApusError)?.reason else {
                return false
            }
            return name == "AccessTokenPlugin"
        }
        #expect(transport.received.isEmpty)
    }

    @Test("a token with a line end is refused, and not quoted", arguments: ["a\r\nX: y", ""])
    func unusable(token: String) async throws {
        let provider = Provider.make(plugins: [AccessTokenPlugin(token: Secret(token))])
        let error = await #expect(throws: ApusError.self) {
            try await provider.response(for: TestTarget())
        }
        #expect(error?.code == 1402)
        #expect(error?.description.contains("X: y") == false)
    }

    @Test("an empty key or token is called by its own name", arguments: ["", "a\u{7}"])
    func unusableName(secret: String) async throws {
        let name = try #require(HTTPField.Name("X-API-Key"))
        for (plugin, title) in [
            (APIKeyPlugin(in: .header(name), key: Secret(secret)), "The API key"),
            (AccessTokenPlugin(token: Secret(secret)), "The access token"),
        ] as [(any Plugin, String)] {
            let provider = Provider.make(plugins: [plugin])
            let error = await #expect(throws: ApusError.self) {
                try await provider.response(for: TestTarget())
            }
            #expect(
                error?.message.title
                    == "\(title) is empty or has a character that is not allowed in a header field"
            )
        }
    }

    @Test("a key in a header takes the field's place")
    func keyInHeader() async throws {
        let name = try #require(HTTPField.Name("X-API-Key"))
        var target = TestTarget()
        target.headerFields[name] = "old"
        let request = try await Self.sent(target, [APIKeyPlugin(in: .header(name), key: "k 1")])
        #expect(request.head.headerFields[values: name] == ["k 1"])
    }

    @Test(
        "a key in the query takes the parameter's place",
        arguments: [
            ("/a", "/a?my%20key=k%2B1%26"),
            ("/a?b=1&my%20key=2&c=3", "/a?b=1&c=3&my%20key=k%2B1%26"),
        ]
    )
    func keyInQuery(path: String, sent: String) async throws {
        let plugin = APIKeyPlugin(in: .query("my key"), key: "k+1&")
        let request = try await Self.sent(TestTarget(path: path), [plugin])
        #expect(request.head.path == sent)
    }

    @Test("a key in the query is in no error, no description and no cache recipe")
    func keyStaysSecret() async throws {
        let plugin = APIKeyPlugin(in: .query("clave"), key: "s3cret-key")
        let provider = Provider<TestTarget>(cache: .inMemory, plugins: [plugin])
        let closed = try ClosedPort()
        defer { closed.letGo() }
        let error = await #expect(throws: ApusError.self) {
            try await provider.response(for: TestTarget(base: closed.base, path: "/a?b=1"))
        }
        #expect(error?.description.contains("s3cret-key") == false)
        #expect(error?.request?.url.contains("b=1&clave=") == true)
        let request = try await Self.sent(TestTarget(), [plugin])
        let key = CacheKey(for: request, policy: .keep(in: .memory))
        #expect(!key.recipe.contains("s3cret-key"))
        let other = try await Self.sent(
            TestTarget(),
            [APIKeyPlugin(in: .query("clave"), key: "other")]
        )
        #expect(CacheKey(for: other, policy: .keep(in: .memory)) != key)
    }

    /// All that gives requests credentials.
    private static let givers: [(String, [any Plugin], [any Interceptor])] = [
        ("token", [AccessTokenPlugin(token: "s")], []),
        ("key in a field", [APIKeyPlugin(in: .header(.authorization), key: "s")], []),
        ("key in the query", [APIKeyPlugin(in: .query("api_key"), key: "s")], []),
        ("challenge", [CredentialsPlugin(ServerCredentials(.basic, user: "u", password: "s"))], []),
        (
            "refresher", [],
            [
                RefreshInterceptor(
                    TokenRefresher(token: AccessToken("s")) { _, _ in AccessToken("s") }
                )
            ]
        ),
        (
            "AWS", [],
            [
                AWSSignatureV4(AWSSigner(region: "r", service: "s")) { _ in
                    AWSCredentials(accessKeyID: "i", secretAccessKey: "s", sessionToken: "s")
                }
            ]
        ),
    ]

    @Test(
        "credentials go to the origin of the target's base, and to no absolute URL elsewhere",
        arguments: givers
    )
    func origin(name: String, plugins: [any Plugin], interceptors: [any Interceptor]) async throws {
        for (path, isOwn) in [
            ("/a", true), ("http://api.test/a", true), ("HTTP://API.test:80/a", true),
            ("https://api.test/a", false), ("http://api.test:81/a", false),
            ("http://api.test.evil.test/a", false), ("http://cdn.test/a", false),
        ] {
            let target = TestTarget(path: path)
            let bound = target.bound(to: EnvironmentStore(TargetEnvironment("e")))
            for target in [target, bound] as [any TargetType] {
                let request = try await Self.sent(target, plugins, interceptors: interceptors)
                let hasCredentials =
                    request.head.headerFields[.authorization] != nil
                    || request.head.path?.contains("api_key") == true
                    || request.options.credentials != nil
                #expect(hasCredentials == isOwn, "\(path)")
                // What nobody's credentials are for is nobody's in the cache, too.
                if !isOwn { #expect(request.options.account == nil, "\(path)") }
            }
        }
    }

    @Test("a target that asks for a token gets it wherever it goes")
    func asks() async throws {
        let target = Deciding(accessTokenScheme: .bearer, path: "https://cdn.test/a")
        let bound = target.bound(to: EnvironmentStore(TargetEnvironment("e")))
        let refresher = TokenRefresher(token: AccessToken("s")) { _, _ in AccessToken("s") }
        for target in [target, bound] as [any TargetType] {
            let plain = try await Self.sent(target, [AccessTokenPlugin(nil) { _ in "s" }])
            #expect(plain.head.headerFields[.authorization] == "Bearer s")
            let refreshed = try await Self.sent(
                target,
                [],
                interceptors: [RefreshInterceptor(refresher)]
            )
            #expect(refreshed.head.headerFields[.authorization] == "Bearer s")
        }
    }
}
