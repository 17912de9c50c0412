import HTTPTypes
import Testing

@testable import Apus

struct RedirectFollowerTests {
    private static func follow(
        _ status: Int,
        _ location: String,
        method: HTTPRequest.Method = .get,
        from url: String = "/x/y?z",
        _ change: (inout TransportOptions) -> Void = { _ in }
    ) throws -> PreparedRequest? {
        var fields = HTTPFields()
        fields[.authorization] = "Bearer t"
        fields[.cookie] = "a=b"
        fields[.contentType] = "text/plain"
        fields[.accept] = "*/*"
        var options = TransportOptions()
        change(&options)
        let request = PreparedRequest.make(
            method,
            "example.com",
            url,
            fields: fields,
            body: method == .get ? .none : .bytes([1]),
            options: options
        )
        var follower = RedirectFollower(request)
        var response = Response.make(request, "", status: status)
        response.head.headerFields[.location] = location
        return try follower.follow(response) ? follower.next : nil
    }

    @Test(
        "the method changes as browsers change it",
        arguments: [
            (301, HTTPRequest.Method.post, HTTPRequest.Method.get), (302, .post, .get),
            (303, .post, .get), (303, .put, .get), (303, .head, .head), (301, .put, .put),
            (302, .delete, .delete), (307, .post, .post), (308, .put, .put), (301, .get, .get),
        ]
    )
    func methods(status: Int, method: HTTPRequest.Method, expected: HTTPRequest.Method) throws {
        let next = try #require(try Self.follow(status, "/b", method: method))
        #expect(next.head.method == expected)
        let hasBody = method == expected && method != .get
        #expect((next.body == .bytes([1])) == hasBody)
        #expect((next.head.headerFields[.contentType] != nil) == (method == expected))
        #expect(next.head.headerFields[.authorization] != nil)
    }

    @Test("the heads of all hops have the limits of one request")
    func heads() throws {
        let request = PreparedRequest.make(.get, "example.com", "/")
        for (count, length, code) in [(4000, 10, 2408), (10, 60_000, 2406)] {
            var follower = RedirectFollower(request)
            var response = Response.make(request, "", status: 302)
            response.head.headerFields[.location] = "/on"
            for number in 0..<count {
                let name = try #require(HTTPField.Name("X-\(number)"))
                let value = String(repeating: "v", count: length)
                response.head.headerFields.append(HTTPField(name: name, value: value))
            }
            #expect(try follower.follow(response))
            let error = #expect(throws: ApusError.self) {
                for _ in 0..<3 { _ = try follower.follow(response) }
            }
            #expect(error?.code == code)
        }
    }

    @Test("another origin gets nothing of an interceptor, of netrc, or through the CDN")
    func leaving() throws {
        let network = CDNBase(
            try RequestURL(absolute: "http://cdn.example/"),
            standingFor: try RequestURL(absolute: "http://example.com/")
        )
        let followed = try Self.follow(302, "http://other.example/b") { options in
            options.usesNetrc = true
            options.rare = options.rare.with { $0.cdn = network }
        }
        let next = try #require(followed)
        #expect(!next.hasCDN && !next.options.usesNetrc)
        var signed = next
        signed.head.headerFields[.authorization] = "AWS4-HMAC-SHA256 …"
        signed.head.headerFields[.accept] = "a/b"
        #expect(
            signed.withinOrigin.head.headerFields == [.contentType: "text/plain", .accept: "a/b"]
        )
    }

    @Test(
        "what speaks of the body goes when the body goes",
        arguments: [(302, "POST"), (303, "GET")]
    )
    func bodyFields(status: Int, method: String) throws {
        var fields: HTTPFields = [
            .contentLength: "1", .transferEncoding: "chunked", .expect: "100-continue",
            .contentType: "text/plain", .accept: "*/*",
        ]
        for name in ["Trailer", "Content-Digest"] {
            if let name = HTTPField.Name(name) { fields[name] = "x" }
        }
        let request = PreparedRequest.make(
            try #require(HTTPRequest.Method(method)),
            "example.com",
            "/",
            fields: fields,
            body: .bytes([1])
        )
        var follower = RedirectFollower(request)
        var response = Response.make(request, "", status: status)
        response.head.headerFields[.location] = "/b"
        #expect(try follower.follow(response))
        #expect(follower.next.head.method == .get)
        #expect(follower.next.body == .none)
        #expect(follower.next.head.headerFields == [.accept: "*/*"])
    }

    @Test(
        "an address of another zone is another origin, for libcurl's redirects and for ours",
        arguments: ["http://[::1%25lo]/b", "http://[::1%25eth0]/b"]
    )
    func zone(location: String) throws {
        let next = try #require(try Self.follow(307, location, from: "/"))
        #expect(next.head.headerFields[.authorization] == nil)
        let handle = try CurlHandle()
        #expect(handle.origin(of: location) != handle.origin(of: "http://[::1]/b"))
        #expect(handle.origin(of: location) == handle.origin(of: location.uppercased()))
    }

    @Test(
        "locations are resolved against the URL that was asked",
        arguments: [
            ("/b", "http://example.com/b"), ("b", "http://example.com/x/b"),
            ("../b?c=d#e", "http://example.com/b?c=d"), ("//other.com/b", "http://other.com/b"),
            ("?q", "http://example.com/x/y?q"), ("http://example.com:81", "http://example.com:81/"),
            ("HTTPS://Example.com/b", "https://Example.com/b"),
            ("http://[::1]:81/b", "http://[::1]:81/b"), ("//[::1]/b", "http://[::1]/b"),
            ("/b%zz?c=5%", "http://example.com/b%zz?c=5%"), ("c%41%", "http://example.com/x/c%41%"),
            ("/a%20b|c", "http://example.com/a%20b%7Cc"),
            ("/d?next=%2Fhome&tag=[a]", "http://example.com/d?next=%2Fhome&tag=%5Ba%5D"),
            ("//other.com/100%", "http://other.com/100%"),
        ]
    )
    func locations(location: String, url: String) throws {
        #expect(try Self.follow(302, location)?.url == url)
    }

    @Test("a percent sign of the URL that was asked, or of a host, is no other's")
    func percentSigns() throws {
        #expect(try Self.follow(302, "c", from: "/5%/y")?.url == "http://example.com/5%/c")
        #expect(try Self.follow(302, "?q=%", from: "/5%")?.url == "http://example.com/5%?q=%")
        let host = try? Self.follow(302, "http://ex%ample.com/5%")?.head.authority
        #expect(host?.contains("~") != true)
    }

    @Test(
        "a location that is no URL is an error",
        arguments: ["://other.com/b", "a b://c", ":81/b"]
    )
    func noURL(location: String) {
        #expect(throws: ApusError.self) { try Self.follow(302, location) }
    }

    @Test(
        "credentials stay with their origin",
        arguments: [
            ("/b", true), ("http://EXAMPLE.com:80/b", true), ("http://other.com/b", false),
            ("https://example.com/b", false), ("http://example.com:81/b", false),
        ]
    )
    func credentials(location: String, areKept: Bool) throws {
        let fields = try #require(try Self.follow(307, location)).head.headerFields
        #expect((fields[.authorization] != nil) == areKept)
        #expect((fields[.cookie] != nil) == areKept)
        #expect(fields[.accept] != nil)
    }

    @Test(
        "user and password of the URL stay with their origin, and are not shown",
        arguments: [
            ("/b", "ada:p%40w@"), ("http://example.com/b", "ada:p%40w@"),
            ("http://bob@EXAMPLE.com:80/b", "ada:p%40w@"), ("//example.com/b", "ada:p%40w@"),
            ("http://other.com/b", ""), ("https://example.com/b", ""),
            ("http://example.com:81/b", ""), ("http://ada:p%40w@other.com/b", ""),
        ]
    )
    func user(location: String, user: String) throws {
        let request = PreparedRequest.make("ada:p%40w@example.com", "/x")
        var follower = RedirectFollower(request)
        var response = Response.make(request, "", status: 302)
        response.head.headerFields[.location] = location
        #expect(try follower.follow(response))
        #expect(follower.next.head.userInfo == user)
        #expect(follower.next.head.authority?.contains("bob") == false)
        let url = try #require(follower.finished(response).metrics?.effectiveURL)
        #expect(url.hasSuffix("/b") && !url.contains("p%40w"))
    }

    @Test(
        "what is no redirect, or says nowhere, is the response",
        arguments: [
            200, 300, 304, 305, 306, 309, 399, 404,
        ]
    )
    func noRedirect(status: Int) throws {
        #expect(try Self.follow(status, "/b") == nil)
        #expect(try Self.follow(302, "") == nil)
    }

    @Test("another origin is told as it is written, an IPv6 address in its brackets")
    func withheldText() {
        let hop = TransferMetrics.Redirect(
            status: 302,
            location: "http://[::1]:8080/b",
            url: "http://example.com/",
            withheldFields: ["X-Key"]
        )
        #expect(hop.withheldText == "X-Key not sent on to [::1]:8080")
    }
}
