import Apus
import HTTPTypes
import Testing

@testable import Recordings
@testable import Secrets

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

    @Test("a numbered secret that was found once is known at the same place, at its own origin")
    func numbers() {
        func recorded(_ authority: String) -> PreparedRequest {
            .make("/b?key=••1", authority: authority, fields: [.cookie: "a=••2"])
        }
        var secrets = ReplaySecrets()
        _ = secrets.restore(
            .make("/b?key=••1", fields: [.cookie: "b=••2"]),
            from: .make("/b?key=t", fields: [.cookie: "b=c"])
        )
        let known = secrets.restore(recorded("API.example.com"), from: nil)
        #expect(known.missing.isEmpty && known.request.head.path == "/b?key=t")
        #expect(known.request.head.headerFields[.cookie] == "a=c")
        let foreign = secrets.restore(recorded("evil.example"), from: nil)
        #expect(foreign.missing.count == 2 && foreign.request.head.path == "/b?key=••1")
    }

    @Test("a numbered secret goes to no other place of its origin: others may read it there")
    func otherPlaces() {
        let json: HTTPFields = [.contentType: "application/json"]
        let text = #"{"text": "••1"}"#
        let elsewhere: [PreparedRequest] = [
            .make("/login?next=http://evil.example/••1"), .make("/search?q=••1"), .make("/b/••1"),
            .make("/gists", method: .post, fields: json, body: .bytes(Array(text.utf8))),
            .make("/gists", method: .post, body: .bytes(Array("text ••1".utf8))),
            .make("/a", fields: [.referer: "••1"]), .make("/a?b=••1"),
        ]
        let own = PreparedRequest.make("/a?key=t", fields: [.authorization: "Bearer t"])
        var secrets = ReplaySecrets()
        let masked = PreparedRequest.make("/a?key=••1", fields: [.authorization: "Bearer ••1"])
        #expect(secrets.restore(masked, from: own).missing.isEmpty)
        for request in elsewhere + [.make("/c?key=••1"), .make("/a?key=••1", method: .put)] {
            #expect(secrets.restore(request, from: nil).missing.count == 1)
        }
        // Nor where the same request has it in its own place.
        for var request in elsewhere {
            request.head.headerFields[.authorization] = "Bearer ••1"
            let restored = secrets.restore(request, from: own)
            #expect(restored.missing.count == 1)
            #expect(restored.request.head.headerFields[.authorization] == "Bearer t")
        }
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
