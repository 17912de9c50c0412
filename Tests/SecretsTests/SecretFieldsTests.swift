import Documents
import HTTPTypes
import Testing

@testable import Secrets

@Suite("names of credentials")
struct SecretFieldsTests {
    @Test(
        "OAuth, SAML and sessions have names that are credentials in URLs, forms and JSON",
        arguments: [
            "assertion", "client_assertion", "clientAssertion", "device_code", "deviceCode",
            "SAMLResponse", "SAMLRequest", "SAMLart", "samlResponse", "wresult", "auth", "sid",
            "SID", "sessionid", "sessionId", "session_id", "session-id", "sessid", "PHPSESSID",
            "JSESSIONID", "connect.sid", "connect_sid", "ASP.NET_SessionId", "pass", "Pass",
            "passwd", "user_pass", "db_pass", "authorization_code", "auth_code", "oauth_verifier",
            "code_verifier", "ticket", "service_ticket", "pgtIou", "bearer", "credential",
            "credentials", "recovery_code", "otp_code", "id_token_hint", "x_api_key", "X-API-Key",
            "user[auth]", "login.sid", "_csrf", "oauth_signature",
        ]
    )
    func secret(name: String) throws {
        #expect(CredentialMask.isSecret(parameter: name))
        let mask = CredentialMask()
        #expect(mask.masking(url: "/p?a=1&\(name)=s3cret") == "/p?a=1&\(name)=••••••")
        #expect(mask.masking(form: Array("\(name)=s3cret".utf8)) == Array("\(name)=••••••".utf8))
        let bytes = Array("{\"\(name)\": \"s3cret\"}".utf8)
        let masked = CredentialMask.maskingMembers(
            of: bytes,
            as: .parse(DocumentBytes(bytes)),
            sparesOrdinary: true,
            with: mask
        )
        #expect(masked == Array("{\"\(name)\": \"••••••\"}".utf8))
    }

    @Test(
        "everyday words that look like them stay",
        arguments: [
            "author", "authors", "authority", "authenticated", "authMethod", "auth_type", "oauth",
            "path", "passenger", "passengers", "passed", "passing", "compass", "bypass", "passport",
            "boarding_pass", "passive", "design", "designs", "assign", "assignee", "signed",
            "signIn", "assertions", "assertionType", "client_assertion_type", "ticketCount",
            "tickets", "ticket_id", "ticketType", "inside", "aside", "side", "ssid", "bssid",
            "resid", "sidebar", "president", "sessions", "session", "sessionCount", "sessionStart",
            "device", "deviceId", "code_challenge", "statusCode", "country_code", "zipCode",
            "barcode", "encode", "tokens", "max_tokens", "token_type", "tokenCount",
            "next_page_token",
            "pageToken", "keyboard", "keyword", "monkey", "sort_key", "secretary", "RelayState",
            "state", "nonce", "grant_type", "client_id", "credentialType", "bearerType", "cookies",
            "cookiePolicy", "verifier", "authorizations", "pin", "pins", "basic", "user",
            "username",
        ]
    )
    func everyday(name: String) {
        #expect(!CredentialMask.isSecret(parameter: name))
        #expect(CredentialMask().masking(url: "/p?\(name)=word") == "/p?\(name)=word")
    }

    @Test(
        "what has such a name and cannot be a credential stays in a document",
        arguments: [
            #"{"pass": 12, "fail": 3}"#, #"{"pass": true, "auth": false, "sid": null}"#,
            #"{"ticket": {"title": "A door squeaks"}}"#, #"{"ticket": "A door squeaks"}"#,
            #"{"ticket": 4711, "sid": 7}"#, #"{"auth": {"type": "basic"}}"#, #"{"auth": "none"}"#,
            #"{"assertion": "a is not b"}"#, #"{"credentials": ["one"]}"#, #"{"sign": "+"}"#,
            #"{"name": "passenger", "value": "Ada"}"#, #"{"name": "password"}"#,
            #"{"key": "colour", "value": "password"}"#, #"{"type": "text", "value": "x"}"#,
            #"{"query": "{ author(name: \"Ada\") { id } }"}"#,
        ]
    )
    func everydayValues(text: String) {
        let bytes = Array(text.utf8)
        let masked = CredentialMask.maskingMembers(
            of: bytes,
            as: .parse(DocumentBytes(bytes)),
            sparesOrdinary: true,
            with: CredentialMask()
        )
        #expect(String(decoding: masked, as: UTF8.self) == text)
    }

    @Test(
        "fields are known in every spelling",
        arguments: [
            ("X-Sid", true), ("X-Pin", true), ("X-User-Pin", true), ("X-Sign", true),
            ("X-Request-Sign", true), ("X-Amzn-Oidc-Data", true), ("X-API-KEY", true),
            ("X-ApiKey", true), ("Api_Key", true), ("X_API_KEY", true), ("X-Ticket", true),
            ("X-Bearer", true), ("X-Sessid", true), ("X-Session-Id", true), ("X-Otp", true),
            ("X-Pass", true), ("X-Device-Code", true), ("Cf-Access-Jwt-Assertion", true),
            ("X-Design", false), ("X-Ssid", false), ("X-Pins", false), ("X-Compass", false),
            ("X-Author", false), ("X-Tickets", false), ("Public-Key-Pins", false),
            ("X-Request-Id", false), ("X-Inside", false), ("X-Assign", false),
        ]
    )
    func fields(name: String, isSecret: Bool) throws {
        let field = try #require(HTTPField.Name(name))
        #expect(CredentialMask().isSecret(field: field) == isSecret)
        // Every known name must pass the quick check that comes first.
        if isSecret { #expect(SecretFields.contains(field)) }
    }

    @Test(
        "a pair that says its name has its value masked",
        arguments: [
            (
                #"[{"name": "password", "value": "s3cret"}]"#,
                #"[{"name": "password", "value": "••••••"}]"#
            ),
            (
                #"{"value": "s3cret", "Name": "API_KEY"}"#,
                #"{"value": "••••••", "Name": "API_KEY"}"#
            ),
            (
                #"{"headers": [{"name": "X-Sid", "value": "s3cret", "n": 1}]}"#,
                #"{"headers": [{"name": "X-Sid", "value": "••••••", "n": 1}]}"#
            ),
            (
                #"{"key": "DB_PASSWORD", "value": {"x": ["s3cret"]}, "a": {"name": "x"}}"#,
                #"{"key": "DB_PASSWORD", "value": "••••••", "a": {"name": "x"}}"#
            ),
            (
                #"{"id": "login", "type": "password", "value": "s3cret"}"#,
                #"{"id": "login", "type": "password", "value": "••••••"}"#
            ),
        ]
    )
    func pairs(text: String, shown: String) {
        let bytes = Array(text.utf8)
        let document = Document.parse(DocumentBytes(bytes))
        let mask = CredentialMask()
        let masked = CredentialMask.maskingMembers(
            of: bytes,
            as: document,
            sparesOrdinary: true,
            with: mask
        )
        #expect(String(decoding: masked, as: UTF8.self) == shown)
    }

    @Test(
        "literals of GraphQL are known by their names",
        arguments: [
            (
                #"mutation { login(user: "a", password: "s3cret") { id } }"#,
                #"mutation { login(user: "a", password: "••••••") { id } }"#
            ),
            (
                ##"{ a(token : """s3"c\"""ret""", b: "password: 1") } # password: "x""##,
                ##"{ a(token : """••••••""", b: "password: 1") } # password: "x""##
            ),
            (
                #"query Q($password: String! = "s3cret", $n: Int = 3) { a }"#,
                #"query Q($password: String! = "••••••", $n: Int = 3) { a }"#
            ),
            (
                #"query Q($p: [String] = ["a"]) { a(in: {tokens: 1, otp: 123456, auth: $p}) }"#,
                #"query Q($p: [String] = ["a"]) { a(in: {tokens: 1, otp: ••••••, auth: $p}) }"#
            ),
            (
                "# one\nmutation{a(secret:[\"s3\",\"s4\"],clientSecret:\"s5",
                "# one\nmutation{a(secret:[\"••••••\",\"••••••\"],clientSecret:\"••••••"
            ),
            (#"password: "x""#, #"password: "x""#), ("query password", "query password"),
        ]
    )
    func graphQL(text: String, shown: String) throws {
        let mask = CredentialMask()
        #expect(mask.masking(graphQL: Array(text.utf8)).masked == Array(shown.utf8))
        let whole = JSON(members: [("query", JSON(text))])
        let bytes = try whole.bytes()
        let document = Document.parse(DocumentBytes(bytes))
        let masked = CredentialMask.maskingMembers(of: bytes, as: document, with: mask)
        #expect(try JSON(parsing: masked)["query"].string == shown)
    }

    @Test(
        "a document that is repeated characters is scanned once",
        arguments: ["password:", "\"", "$a:[", "#", "a:\"\"\""]
    )
    func linearGraphQL(piece: String) {
        let text = "{" + String(repeating: piece, count: 100_000)
        #expect(GraphQLLiterals(text, by: CredentialMask()).places.count < 100_001)
    }
}
