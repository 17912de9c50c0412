import Apus
import Foundation
import HTTPTypes
import Synchronization

//> enum Account

enum AuthenticationArticle {
    private struct Keychain: Sendable {
        var token: Secret? { get async { "t0ken" } }
    }

    private struct Login: Decodable {
        var accessToken: String
        var lifetime: Double
    }

    private struct Certified {
        let password: String
        //> var options
    }

    //> struct Signed

    private static let password = "s3cret"
    private static let key = "k3y"
    private static let apiKeyField = HTTPField.Name("X-API-Key") ?? .authorization

    static func run() async throws {
        try await token()
        try await refreshing()
        try await keys()
        try await passwords()
        try await signatures()
        let server = Scripted { request in
            (200, request.head.headerFields[.authorization] ?? "none")
        }
        try await oauth(server)
        check(Certified(password: password).options.clientCertificate?.format == .pkcs12)
    }

    private static func token() async throws {
        let keychain = Keychain()
        //> let provider = Provider<Account>(plugins: [AccessToken
        check(await token(sentBy: provider, to: .profile) == "Bearer t0ken")
        check(await token(sentBy: provider, to: .logIn(user: "ada", password: password)) == nil)
    }

    private static func token(sentBy provider: Provider<Account>, to target: Account) async
        -> String?
    {
        try? await provider.preparedRequest(for: target).head.headerFields[.authorization]
    }

    /// A server that takes the second token that it gives, and no other.
    private static func refreshing() async throws {
        let logins = Mutex(0)
        let server = Scripted { request in
            if request.url.hasSuffix("/login") {
                let number = logins.withLock { count in
                    count += 1
                    return count
                }
                return (200, #"{"accessToken":"token \#(number)","lifetime":3600}"#)
            }
            let isGood = request.head.headerFields[.authorization] == "Bearer token 2"
            return (isGood ? 200 : 401, isGood ? "Ada" : "")
        }
        //> let refresher
        _ = provider
        let sending = Provider<Account>(
            transport: server,
            cache: temporaryCache(),
            interceptors: [RefreshInterceptor(refresher)]
        )
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 {
                group.addTask { try await sending.value(for: .profile, using: .string) }
            }
            for try await name in group { check(name == "Ada") }
        }
        check(logins.withLock { $0 } == 2, "one login, and one refresh for all")
    }

    private static func oauth(_ server: Scripted) async throws {
        let file = temporaryFolder() + "/token.json"
        let transport = Scripted { request in
            request.url.hasSuffix("/device")
                ? (
                    200,
                    #"{"device_code":"d","user_code":"AB-CD","verification_uri":"https://a.test","expires_in":60,"interval":0}"#
                )
                : (200, #"{"access_token":"t0ken","token_type":"Bearer"}"#)
        }
        let client: OAuth2Client
        do {
            //> let client
            _ = provider
            try await session.signIn(OAuth2Token(accessToken: "stored"))
            check(try await FileTokenStore(path: file).load()?.accessToken == "stored")
            let sending = Provider<Account>(
                transport: server,
                cache: temporaryCache(),
                interceptors: [session.interceptor]
            )
            check(try await sending.value(for: .profile, using: .string) == "Bearer stored")
        }
        client = OAuth2Client(
            OAuth2Configuration(
                tokenEndpoint: "https://auth.example.com/token",
                deviceEndpoint: "https://auth.example.com/device",
                clientID: "example"
            ),
            transport: transport
        )
        //> let session
        let provider = Provider<Account>(
            transport: server,
            cache: temporaryCache(),
            interceptors: [session.interceptor]
        )
        check(try await provider.value(for: .profile, using: .string) == "Bearer t0ken")
        try await session.signOut()
        try await refusals(server)
    }

    private static func refusals(_ server: Scripted) async throws {
        let client = OAuth2Client(
            OAuth2Configuration(
                tokenEndpoint: "https://auth.example.com/token",
                clientID: "example"
            ),
            transport: Scripted { _ in (400, #"{"error":"invalid_client"}"#) }
        )
        let session = OAuth2Session(client) { try await $0.clientCredentials() }
        let provider = Provider<Account>(
            transport: server,
            cache: temporaryCache(),
            interceptors: [session.interceptor]
        )
        //> do {
        let error = await provider.mappedResponse(for: .profile, using: .string).error
        check(error?.reason == .authorization(.refused(OAuth2Refusal(code: "invalid_client"))))
    }

    private static func keys() async throws {
        //> let byField
        let field = try await byField.preparedRequest(for: .profile)
        check(field.head.headerFields[apiKeyField] == "k3y")
        let query = try await byQuery.preparedRequest(for: .profile)
        check(query.url == "https://api.example.com/profile?api_key=k3y")
    }

    private static func passwords() async throws {
        //> let provider = Provider<Account>(\n    plugins: [Credentials
        let request = try await provider.preparedRequest(for: .profile)
        check(request.options.credentials?.user == "ada")
    }

    private static func signatures() async throws {
        do {
            //> let signing
            _ = (signing, provider)
        }
        let signing = AWSSignatureV4(AWSSigner(region: "eu-central-1", service: "s3")) { _ in
            AWSCredentials(accessKeyID: "AKIDEXAMPLE", secretAccessKey: Secret(key))
        }
        let server = Scripted { request in
            (200, request.head.headerFields[.authorization] ?? "none")
        }
        for interceptor in [signing, Signed(user: "ada") { "\($0.url.count)" }] as [any Interceptor]
        {
            let provider = Provider<Account>(
                transport: server,
                cache: temporaryCache(),
                interceptors: [interceptor]
            )
            let sent = try await provider.value(for: .profile, using: .string)
            check(
                sent.hasPrefix("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/") || sent == "Example 31"
            )
        }
    }
}
