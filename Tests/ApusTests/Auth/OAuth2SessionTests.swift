import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import Apus

@Suite("OAuth 2: stores and sessions")
struct OAuth2SessionTests {
    @Test("a token's file is closed to others when it is read, and one of another user refused")
    func closesTokenFile() async throws {
        let store = FileTokenStore(path: Temporary.folder() + "/token.json")
        try await store.save(OAuth2Token(accessToken: "a"))
        chmod(store.path, 0o644)
        #expect(try await store.load()?.accessToken == "a")
        #expect(try FileMode.of(store.path) == 0o600)
        // Only root can give a file away.
        guard geteuid() == 0, chown(store.path, 12_345, 12_345) == 0 else { return }
        let error = await #expect(throws: ApusError.self) { try await store.load() }
        #expect(error?.reason == .file(path: store.path, errno: EPERM))
        #expect(error?.description.contains("It must belong to you") == true)
        // A link that another user made to a file of ours is theirs, too.
        let own = "\(store.path)-own"
        try await FileTokenStore(path: own).save(OAuth2Token(accessToken: "b"))
        symlink(own, "\(own)-link")
        #expect(try await FileTokenStore(path: "\(own)-link").load()?.accessToken == "b")
        lchown("\(own)-link", 12_345, 12_345)
        await #expect(throws: ApusError.self) {
            try await FileTokenStore(path: "\(own)-link").load()
        }
    }

    @Test("a file store keeps a token for its owner only")
    func fileStore() async throws {
        let store = FileTokenStore(path: Temporary.folder() + "/new/token.json")
        #expect(try await store.load() == nil)
        let token = OAuth2Token(
            accessToken: "a\"1",
            expires: OAuth2Tests.date,
            refreshToken: "r",
            scopes: ["x"],
            identityToken: "i"
        )
        try await store.save(OAuth2Token(accessToken: "0"))
        try await store.save(token)
        #expect(try await store.load() == token)
        #expect(try FileMode.of(store.path) == 0o600)
        let folder = String(store.path.dropLast("/token.json".count))
        #expect(Temporary.names(in: folder) == ["token.json"])
        try Temporary.write("{\"access_token\": \"s3cret\"", to: store.path)
        let error = await #expect(throws: ApusError.self) { try await store.load() }
        #expect(error?.code == 1408)
        #expect(error?.description.contains("s3cret") == false)
        try await store.save(nil)
        #expect(try await store.load() == nil)
    }

    @Test("a session takes a stored token, refreshes it, and begins anew when it must")
    func session() async throws {
        let endpoint = try OAuth2Tests.Endpoint(
            (200, #"{"access_token":"a2","token_type":"Bearer","expires_in":10}"#),
            (400, #"{"error":"invalid_grant"}"#),
            (200, OAuth2Tests.full)
        )
        let store = MemoryTokenStore(
            OAuth2Token(
                accessToken: "a0",
                expires: OAuth2Tests.date.addingTimeInterval(60),
                refreshToken: "r0"
            )
        )
        let session = OAuth2Session(endpoint.client(), store: store) {
            try await $0.clientCredentials()
        }
        let transport = ScriptedTransport { request throws(ApusError) in
            let token = request.head.headerFields[.authorization]
            return .make(request, token ?? "", status: token == "Bearer a0" ? 401 : 200)
        }
        let provider = Provider.make(transport, interceptors: [session.interceptor])
        // Stored, refused, refreshed.
        #expect(try await provider.response(for: TestTarget()).text == "Bearer a2")
        #expect(await store.load()?.refreshToken == "r0")
        // It ends within the leeway; the refresh token is refused; a new grant.
        #expect(try await provider.response(for: TestTarget()).text == "Bearer a1")
        #expect(await store.load()?.refreshToken == "r1")
        #expect(
            endpoint.forms.map { $0["grant_type"] ?? "" }
                == ["refresh_token", "refresh_token", "client_credentials"]
        )
    }

    @Test(
        "signing in or out during a refresh is not undone by its end, however it ends",
        arguments: [nil, OAuth2Token(accessToken: "b1")],
        [#"{"access_token":"a2"}"#, #"{"error":"invalid_grant"}"#]
    )
    func sessionEnds(next: OAuth2Token?, answer: String) async throws {
        let gate = Gate()
        let client = OAuth2Client(
            OAuth2Configuration(tokenEndpoint: "https://login.test/token", clientID: "id"),
            transport: ScriptedTransport { request in
                await gate.pass()
                return .make(request, answer)
            }
        )
        let store = MemoryTokenStore(OAuth2Token(accessToken: "a1", refreshToken: "r1"))
        let session = OAuth2Session(client, store: store, account: "a")
        let provider = Provider.make(
            .answering("no", status: 401),
            interceptors: [session.interceptor]
        )
        let waiting = Task { try await provider.response(for: TestTarget()) }
        await gate.waitForArrivals()
        if let next {
            try await session.signIn(next, account: "b")
        } else {
            try await session.signOut()
        }
        gate.open()
        let error = await #expect(throws: ApusError.self) { try await waiting.value }
        #expect(error?.reason == .cancelled)
        #expect(session.refresher.token?.value == next?.accessToken)
        #expect(await store.load() == next)
    }

    @Test("a session without a token and without a grant says so")
    func nothing() async throws {
        let session = OAuth2Session(try OAuth2Tests.Endpoint((200, OAuth2Tests.full)).client())
        let provider = Provider.make(interceptors: [session.interceptor])
        let error = await #expect(throws: ApusError.self) {
            try await provider.response(for: TestTarget())
        }
        #expect(error?.reason == .authorization(.noToken))
        try await session.signIn(OAuth2Token(accessToken: "given"))
        _ = try await provider.response(for: TestTarget())
        try await session.signOut()
        await #expect(throws: ApusError.self) { try await provider.response(for: TestTarget()) }
    }
}
