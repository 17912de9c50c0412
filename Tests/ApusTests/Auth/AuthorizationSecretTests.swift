import FoundationEssentials
import Testing

@testable import Apus

@Suite("Secrets of authorization")
struct AuthorizationSecretTests {
    private static let secrets: [any Sendable] = [
        AWSCredentials(
            accessKeyID: "AKID",
            secretAccessKey: "s3cret",
            sessionToken: "s3cret"
        ),
        OAuth2Token(accessToken: "s3cret", refreshToken: "s3cret", identityToken: "s3cret"),
        OAuth2Configuration(
            tokenEndpoint: "https://a/t",
            clientID: "id",
            clientSecret: "s3cret"
        ),
        AccessToken("s3cret"),
        Cookie("sid", "s3cret", domain: "a.test"),
        DeviceAuthorization(
            deviceCode: "s3cret",
            userCode: "WXYZ",
            page: "https://a",
            expires: Date(timeIntervalSince1970: 0)
        ),
        MemoryTokenStore(OAuth2Token(accessToken: "s3cret")),
        AccessTokenPlugin(token: "s3cret"),
        APIKeyPlugin(in: .query("k"), key: "s3cret"),
        CredentialsPlugin(ServerCredentials(.digest, user: "ada", password: "s3cret")),
        TokenRefresher(token: AccessToken("s3cret")) { _, _ in AccessToken("s3cret") },
    ]

    @Test("no description, reflection or dump shows one", arguments: secrets.indices)
    func hidden(index: Int) {
        let value = Self.secrets[index]
        var dumped = ""
        dump(value, to: &dumped)
        for text in ["\(value)", String(reflecting: value), dumped] {
            #expect(!text.contains("s3cret"))
        }
    }

    @Test(
        "a parameter that is set takes the place of all of its name, however they are escaped",
        arguments: ["a%20b=1", "a+b=1", "%61%20b", "a%20b=1&x=2&a+b"]
    )
    func parameterNames(query: String) {
        let target = QueryEditing.setting("a b", to: "key", in: "/p?\(query)")
        #expect(QueryEditing.value(of: "a b", in: target.drop { $0 != "?" }.dropFirst()) == "key")
        #expect(!target.contains("a+b") && !target.contains("%61"))
    }
}
