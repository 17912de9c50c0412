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
}
