import Documents
import HTTPTypes
import Testing

@testable import Secrets

@Suite("Masking")
struct CredentialMaskTests {
    private let mask = CredentialMask(secrets: ["k n/own"], parameters: ["mine"])

    @Test("bytes that are no UTF-8 hide nothing of what stands beside them")
    func otherBytes() throws {
        let latin: [UInt8] = [0xE9]
        let pattern = try RegularExpression(multiline: #"\d{4}-\d{4}"#)
        let mask = CredentialMask(
            secrets: ["s3cret/one"],
            rules: SecretRules(names: ["pin"], patterns: [pattern])
        )
        let text = latin + Array(" Bearer s3cret%2Fone, 1234-5678 ".utf8) + latin
        let shown = latin + Array(" Bearer ••••••, •••••• ".utf8) + latin
        #expect(mask.masking(text) == shown)
        let form =
            Array("name=J".utf8) + latin + Array("&password=x".utf8) + latin + Array("&pin=7".utf8)
        let masked = Array("name=J".utf8) + latin + Array("&password=••••••&pin=••••••".utf8)
        #expect(mask.masking(form, isForm: true) == masked)
    }

    @Test(
        "a URL keeps all but its secrets",
        arguments: [
            ("http://h/p?q=1&token=s3&a", "http://h/p?q=1&token=••••••&a"),
            ("http://h/p?mine=s3&Mine=1", "http://h/p?mine=••••••&Mine=1"),
            ("/p?API_KEY=s3", "/p?API_KEY=••••••"),
            ("http://h/p?access%5Ftoken=s3", "http://h/p?access%5Ftoken=••••••"),
            ("http://h/p#access_token=s3&state=1", "http://h/p#access_token=••••••&state=1"),
            ("http://h/p?a=1#id_token=s3", "http://h/p?a=1#id_token=••••••"),
            ("http://ada:s3@h/p?a@b", "http://ada:••••••@h/p?a@b"),
            ("http://s3@h/p", "http://••••••@h/p"), ("http://s3:@h/p", "http://••••••@h/p"),
            ("ada:s3@h:1", "ada:••••••@h:1"), ("http:ada:s3@h", "http:••••••@h"),
            ("http:/ada:s3@h/p", "http:/ada:••••••@h/p"), ("'ada:s3@h'", "'ada:••••••@h'"),
            (
                "/a;JSESSIONID=s3;v=1/b;jsessionid=s4?q",
                "/a;JSESSIONID=••••••;v=1/b;jsessionid=••••••?q"
            ),
            ("/a;jsession=1;j", "/a;jsession=1;j"),
            ("/q;access_token=s3", "/q;access_token=••••••"),
            ("/q;password=s3/x;v=1;Token=s4;w", "/q;password=••••••/x;v=1;Token=••••••;w"),
            ("/q;access%5Ftoken=s3#a", "/q;access%5Ftoken=••••••#a"),
            ("/p?a=1;client_secret=s3/4;b=2", "/p?a=1;client_secret=••••••;b=2"),
            ("/p?to=%2Fq%3Btoken%3Ds3%3Ba", "/p?to=%2Fq%3Btoken%3D••••••%3Ba"),
            ("/p;matrix=1;design=2?a;b=c", "/p;matrix=1;design=2?a;b=c"),
            (
                "/g?query=mutation%7Blogin(password:%22s3%22)%7D&a=1",
                "/g?query=mutation%7Blogin(password:%22••••••%22)%7D&a=1"
            ),
            ("/g?query={login(password:\"s3\")}", "/g?query={login(password:\"••••••\")}"),
            (#"/p?f={"password":"s3","n":1}&a=1"#, #"/p?f={"password":"••••••","n":1}&a=1"#),
            (
                "/p?f=%7B%22a%22:[%7B%22Token%22+:+12,%22b%22:1",
                "/p?f=%7B%22a%22:[%7B%22Token%22+:+••••••,%22b%22:1"
            ),
            ("/p?f=[%22password%22,%22x%22]", "/p?f=[%22password%22,%22x%22]"),
            // Addresses, paths and values are nobody's password.
            ("ada@h", "ada@h"), ("mailto:ada@h", "mailto:ada@h"), ("/a:b@c", "/a:b@c"),
            ("git@h:x", "git@h:x"), (#"{"a":"b@c"}"#, #"{"a":"b@c"}"#), ("http://@h", "http://@h"),
            ("http://h/k%20n%2Fown/x", "http://h/••••••/x"),
            ("http://h/p?a=1", "http://h/p?a=1"),
            // To a server a separator with an accent upon it is one.
            ("http://ada\u{301}:s3@h/p", "http://ada\u{301}:••••••@h/p"),
            ("http://ada:\u{301}s3@h/p", "http://ada:••••••@h/p"),
            ("http://ada:s3@\u{301}h/p", "http://ada:••••••@\u{301}h/p"),
            ("http://\u{301}ada:s3@h/p", "http://\u{301}ada:••••••@h/p"),
            ("http://ada:s3@h/\u{301}p@x", "http://ada:••••••@h/\u{301}p@x"),
            ("http://h/p?\u{301}&token=s3", "http://h/p?\u{301}&token=••••••"),
            ("http://h/p?a&\u{301}b&token=\u{301}s3", "http://h/p?a&\u{301}b&token=••••••"),
            ("http://h/p?a#\u{301}b&token=s3", "http://h/p?a#\u{301}b&token=••••••"),
        ]
    )
    func url(text: String, shown: String) { #expect(mask.masking(url: text) == shown) }

    @Test(
        "a line of the wire keeps its name, and what is no secret",
        arguments: [
            ("GET /p?token=s3 HTTP/1.1", "GET /p?token=•••••• HTTP/1.1"),
            ("Location: /p?token=s3&a=1", "Location: /p?token=••••••&a=1"),
            (
                #"WWW-Authenticate: Bearer realm="a=b, c", token="s3\"3", error=x"#,
                #"WWW-Authenticate: Bearer realm="a=b, c", token="••••••", error=x"#
            ),
            (
                "Proxy-Authenticate: X access_token=s3, a=1",
                "Proxy-Authenticate: X access_token=••••••, a=1"
            ),
            ("X-Goog-Api-Key: s3", "X-Goog-Api-Key: ••••••"),
            (":path: /p?mine=s3", ":path: /p?mine=••••••"),
            (
                "Issue another request to this URL: 'http://h/?code=s3'",
                "Issue another request to this URL: 'http://h/?code=••••••"
            ),
            ("Authorization:\u{301} s3", "Authorization: ••••••"),
            ("see \u{301}http://ada:s3@h/", "see \u{301}http://ada:••••••@h/"),
            ("Connected to h (::1) port 80", "Connected to h (::1) port 80"),
        ]
    )
    func line(text: String, shown: String) { #expect(mask.masking(headerLine: text) == shown) }

    @Test(
        "what was meant as a URL hides all in front of its last @",
        arguments: [
            ("http://u:pa/ss@h/x?token=abcd", "http://••••••@h/x?token=••••••"),
            ("u:p?w@h", "••••••@h"), ("//u:pw@h", "//••••••@h"), ("http:/u:pw@h", "••••••@h"),
            ("Users@v2", "Users@v2"), ("http://h/a@b", "http://••••••@b"),
        ]
    )
    func arguments(text: String, shown: String) {
        #expect(CredentialMask().masking(argument: text) == shown)
    }

    @Test(
        "the passwords of the environment's proxies are known, in either case and without a scheme"
    )
    func environment() {
        let secrets = ProxySecrets.secrets(in: [
            "http_proxy": "ada:one-pass@h:1", "HTTPS_PROXY": "http://ada:two%2Dpass@h:1",
            "all_proxy": "socks5h://ada:three/pass@h", "ALL_PROXY": "http://four-token@h",
            "ftp_proxy": "http://five:pa@ss@h", "no_proxy": "six:pass@h", "OTHER": "a:seven@h",
            "FTP_PROXY": "http://h:1",
        ])
        #expect(
            secrets == [
                "one-pass", "ada:one-pass", "two%2Dpass", "ada:two%2Dpass", "two-pass",
                "ada:two-pass", "three/pass", "ada:three/pass", "four-token", "pa@ss", "five:pa@ss",
            ]
        )
    }

    @Test("a name is that of a credential by its last part and the words at its end")
    func names() {
        let secret = [
            "key", "code", "sig", "Api-Key", "apiKey", "X_API_KEY", "password2", "new_password",
            "newPassword", "NEWPASSWORD", "sessionToken", "user_password", "secretKey",
            "accessKeyId", "awsSecretAccessKey", "clientSecret", "user[password]", "user[pwd][]",
            "user%5Bpassword%5D", "a.b.token", "wsse:Password", "@password", "+password",
            "%70assword", "passwor%64", "password[0]", "password_confirmation", "csrfToken",
            "to\u{212A}en", "coupon[code]", "_token_", "async_token", "restartToken",
            "homepage_token",
        ]
        let open = [
            "sort_key", "country_code", "primaryKey", "keys", "keyword", "mode", "page", "q", "id",
            "nextPageToken", "page_token", "continuationToken", "sync-token", "tokens",
            "max_tokens", "token_type", "password_hash", "key2", "user[id]", "token.id", "",
            "[]", "1", "secretary", "codes", "signed", "design",
        ]
        for name in secret {
            #expect(CredentialMask.isSecret(parameter: name), "\(name)")
            #expect(CredentialMask.isSecret(parameter: "x&\(name)=".dropFirst(2).dropLast()))
        }
        for name in open { #expect(!CredentialMask.isSecret(parameter: name), "\(name)") }
        #expect(CredentialMask.isSecret(parameter: "mine", among: ["mine"]))
        let shown = mask.masking(
            url: "http://h/p?newPassword=s3&user[token]=s3&pageToken=5&mine=s3"
        )
        #expect(
            shown == "http://h/p?newPassword=••••••&user[token]=••••••&pageToken=5&mine=••••••"
        )
    }

    @Test(
        "a field's name is that of a credential by the words at its end",
        arguments: """
            Authorization Proxy-Authorization X-Authorization Authentication X-Authentication-Token
            Cookie Set-Cookie Cookie2 X-Cookie X-User-Token X-Admin-Token X-Auth X-Auth-Secret
            X-Hasura-Admin-Secret X-Parse-Session-Token X-Parse-REST-API-Key X-Parse-Master-Key
            X-Redmine-API-Key X-Yandex-API-Key X-CSRFToken X-CSRF-Token X-GitHub-OTP X-TOTP
            X-Octopus-ApiKey X-Postmark-Server-Token X-Recharge-Access-Token Api-Token AccessToken
            AccessKey Access-Key Secret-Key Client-Secret Fastly-Key JWT Session SessionId
            X-Session X-Session-ID Mcp-Session-Id PHPSESSID Password X-Pass X-Password X-WSSE DPoP
            X-Api-Key-2 Api_Key apikey X-APIKEY Token Private-Token X-Goog-Api-Key X-Functions-Key
            X-Auth-Key X-App-Key X-Admin-Key DD-Application-Key X-Honeycomb-Team X-Bunny-Key
            X-Amz-Security-Token X-Amz-SSO_bearer_token Ocp-Apim-Subscription-Key X-Registry-Auth
            X-Hub-Signature X-Hub-Signature-256 Stripe-Signature Signature Authentication-Info
            Cf-Access-Jwt-Assertion X-Amz-Server-Side-Encryption-Customer-Key X-JFrog-Art-Api
            X-Serverless-Authorization RequestVerificationToken X-Credentials
            """.split { $0 == " " || $0 == "\n" }.map(String.init)
    )
    func secretField(_ name: String) throws {
        #expect(SecretFields.contains(try #require(HTTPField.Name(name))))
    }

    @Test(
        "a field that only sounds like a credential is none",
        arguments: """
            Idempotency-Key Idempotency-Token Sec-WebSocket-Key Sec-WebSocket-Key1 Surrogate-Key
            Cache-Key X-Cache-Key Continuation-Token X-Ms-Continuation Next-Page-Token
            X-Pagination-Token Sync-Token Lock-Token X-Atlassian-Token X-Request-Id X-Trace-Id
            Sec-Fetch-Site Sec-Fetch-User Sec-Token-Binding Sec-Private-State-Token-Crypto-Version
            X-Auth-Request-Redirect X-Auth-Request-User WWW-Authenticate Proxy-Authenticate
            Access-Control-Allow-Credentials Access-Control-Request-Headers Content-Type
            Content-Disposition Content-Length Content-Location Connection Location
            Strict-Transport-Security Signature-Input Public-Key-Pins Host Accept Accept-Encoding
            User-Agent Referer Origin Range If-Match ETag Vary Via Warning Authority Author Tokens
            X-Author X-Sessions Cookie-Consent Partition-Key X-Amz-Date X-Amz-Cf-Id Keep-Alive
            """.split { $0 == " " || $0 == "\n" }.map(String.init)
    )
    func openField(_ name: String) throws {
        #expect(!SecretFields.contains(try #require(HTTPField.Name(name))))
    }

    @Test("what changes from request to request tells no accounts apart")
    func passingFields() throws {
        func isAccount(_ name: String) throws -> Bool {
            SecretFields.namesAccount(try #require(HTTPField.Name(name)))
        }
        for name in [
            "X-CSRFToken", "X-Csrf-Token", "X-XSRF-TOKEN", "X-GitHub-OTP", "X-Hub-Signature-256",
            "Signature", "RequestVerificationToken", "Proxy-Authorization", "DPoP", "X-WSSE",
        ] { #expect(try !isAccount(name), "\(name)") }
        for name in ["Authorization", "Cookie", "X-User-Token", "X-Api-Key-2", "Fastly-Key"] {
            #expect(try isAccount(name), "\(name)")
        }
    }

    @Test("a value keeps its form without the secrets in it; a number that is one becomes a text")
    func values() throws {
        let mask = CredentialMask(secrets: ["s3cret", "44556677"])
        let value = try JSON(parsing: #"{"a": ["my s\u0033cret", 7, {"s3cret": null}], "n": 1}"#)
        #expect(
            mask.masking(value).text() == #"{"a":["my ••••••",7,{"••••••":null}],"n":1}"#
        )
        #expect(mask.masking(JSON(44_556_677)).string == "••••••")
        let untouched = JSON("as it was")
        #expect(mask.masking(untouched) == untouched)
    }

    @Test("the name of a member is read without its escapes")
    func escapedNames() throws {
        let text = #"{"toke\u006e":"a","pass\u0077ord":"b","p\u0061sswd":"c","toke\u0073":"d"}"#
        let members = CredentialMask().masking(try JSON(parsing: text)).members
        #expect(members.map(\.value.string) == ["••••••", "••••••", "••••••", "d"])
    }
}
