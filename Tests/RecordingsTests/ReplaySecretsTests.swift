import Apus
import HTTPTypes
import Testing

@testable import Recordings

@Suite("secrets that a replay puts back")
struct ReplaySecretsTests {
    private static let plain = "••••••"

    @Test(
        "what stands where a text has masks is found, and put in",
        arguments: [
            ("••••••", "abc", ["abc"]), ("Bearer ••••••", "Bearer abc", ["abc"]),
            ("a=••1; b=••2", "a=x; b=y", ["x", "y"]), ("••1-7", "s-7", ["s"]),
            ("••••••7", "abc7", ["abc"]), ("••12", "x", ["x"]), ("é••••••é", "éüé", ["ü"]),
        ]
    )
    func values(masked: String, own: String, expected: [String]) {
        let text = MaskedText(masked)
        #expect(text.values(in: own) == expected)
        #expect(text.filled(with: expected) == own)
    }

    @Test(
        "a text of another form has no values, and one or two bullets are no mask",
        arguments: [
            ("Bearer ••••••", "Basic abc"), ("a=••••••;c", "a=x;d"), ("•", "x"), ("••", "x"),
            ("• ••x", "y"), ("none", "none"), ("aa••••••aa", "aaa"),
        ]
    )
    func none(masked: String, own: String) {
        #expect(MaskedText(masked).values(in: own) == nil)
    }

    @Test("each place gets what the target has there: field, parameter, member, pair of a form")
    func places() throws {
        let json: HTTPFields = [.contentType: "application/json"]
        let recorded = PreparedRequest.make(
            "/a/\(Self.plain)?page=2&token=\(Self.plain)&token=\(Self.plain)",
            method: .post,
            fields: [.authorization: Self.plain, .xAPIKey: "k-\(Self.plain)"] + json,
            body: .bytes(
                Array(#"{"password": "••••••", "pin": "••••••", "list": [1, "••••••"]}"#.utf8)
            )
        )
        let own = PreparedRequest.make(
            "/a/key?token=one&page=9&token=two",
            method: .post,
            fields: [.xAPIKey: "k-api", .authorization: "Bearer t"] + json,
            body: .bytes(Array(#"{"pin": 1234, "list": [2, "x\"y"], "password": "p"}"#.utf8))
        )
        var secrets = ReplaySecrets()
        let restored = secrets.restore(recorded, from: own)
        #expect(restored.missing.isEmpty)
        #expect(restored.request.head.path == "/a/key?page=2&token=one&token=two")
        #expect(restored.request.head.headerFields[.authorization] == "Bearer t")
        #expect(restored.request.head.headerFields[.xAPIKey] == "k-api")
        let body = #"{"password": "p", "pin": 1234, "list": [1, "x\"y"]}"#
        #expect(restored.request.body == .bytes(Array(body.utf8)))
        #expect(restored.request.line.url.contains("token=••••••"))
        #expect(
            restored.request.mask.masking(text: "key api 1234 Bearer t")
                == "key api •••••• ••••••"
        )
        let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded; charset=utf-8"]
        let filled = secrets.restore(
            .make(method: .post, fields: form, body: .bytes(Array("user=ada&secret=••••••".utf8))),
            from: .make(method: .post, fields: form, body: .bytes(Array("secret=s&user=bob".utf8)))
        )
        #expect(filled.request.body == .bytes(Array("user=ada&secret=s".utf8)))
    }

    @Test("what is not known is named by its place, and nothing else is changed")
    func missing() {
        let recorded = PreparedRequest.make(
            "/a?token=••••••&x=1",
            fields: [.authorization: Self.plain, .accept: "*/*"],
            body: .bytes(Array(#"{"a": {"password": "••••••"}}"#.utf8))
        )
        var secrets = ReplaySecrets()
        let restored = secrets.restore(recorded, from: nil)
        #expect(
            restored.missing == [
                "the parameter token of the URL", "the field Authorization",
                "$['a']['password'] of the body",
            ]
        )
        #expect(restored.request.head == recorded.head && restored.request.body == recorded.body)
        let given = secrets.restore(recorded, from: nil, fields: [.authorization: "mine"])
        #expect(given.request.head.headerFields.map(\.value) == ["*/*", "mine"])
    }

    @Test("a numbered secret is known everywhere once it was found, but at its own origin only")
    func numbers() {
        func recorded(_ authority: String) -> PreparedRequest {
            .make("/b?key=••1", authority: authority, fields: [.cookie: "a=••2"])
        }
        var secrets = ReplaySecrets()
        _ = secrets.restore(
            .make("/a", fields: [.authorization: "Bearer ••1", .cookie: "b=••2"]),
            from: .make("/a", fields: [.authorization: "Bearer t", .cookie: "b=c"])
        )
        let known = secrets.restore(recorded("API.example.com"), from: nil)
        #expect(known.missing.isEmpty && known.request.head.path == "/b?key=t")
        #expect(known.request.head.headerFields[.cookie] == "a=c")
        let foreign = secrets.restore(recorded("evil.example"), from: nil)
        #expect(foreign.missing.count == 2 && foreign.request.head.path == "/b?key=••1")
    }

    @Test("who asks in a URL is the target's own, and nothing that a mask stands for elsewhere")
    func user() {
        var secrets = ReplaySecrets()
        _ = secrets.restore(.make("/users••1"), from: .make("/users/7"))
        let authority = "evil.example:••1@api.example.com"
        let masked = PreparedRequest.make("/users/7", authority: authority)
        for own in [nil, .make(), .make(authority: "ada:pw@else.example")] as [PreparedRequest?] {
            let restored = secrets.restore(masked, from: own)
            #expect(restored.missing == ["the user in the URL"])
            #expect(restored.request.head.authority == authority)
        }
        let own = PreparedRequest.make(authority: "ada:pw@API.example.com")
        let restored = secrets.restore(masked, from: own)
        #expect(restored.missing.isEmpty)
        #expect(restored.request.url == "https://ada:pw@API.example.com/users/7")
    }

    @Test(
        "a URL that two read in two ways has no origin, and a request to it is not made",
        arguments: [
            ("evil.example?@api.example.com", "/x"), ("evil.example#@api.example.com", "/x"),
            ("evil.example/@api.example.com", "/x"), ("evil.example\\@api.example.com", "/x"),
            ("evil.example@x@api.example.com", "/x"), ("api.example.com@", "/x"), ("", "/x"),
            ("api.example.com", "http://evil.example/x"), ("api.example.com", "@evil.example/x"),
            ("api.example.com", ":80@evil.example/x"), ("api.example.com", "/a b"),
        ]
    )
    func oddURLs(authority: String, path: String) throws {
        let request = PreparedRequest.make(path, authority: authority)
        #expect(!request.hasPlainURL && request.origin.isEmpty)
        let endpoint = try? Endpoint(RequestTarget(request))
        #expect(endpoint.map { $0.request.head.authority == "api.example.com" } ?? true)
    }

    @Test("an origin is the scheme, host and port, and not who asks")
    func origins() {
        #expect(PreparedRequest.make().origin == "https://api.example.com")
        let request = PreparedRequest.make("/a?b=@c/••1", authority: "ada:••1@API.example.com:81")
        #expect(request.hasPlainURL && request.origin == "https://api.example.com:81")
    }
}
