import Testing

@testable import Apus

@Suite("URLs are put together as one would type them")
struct RequestURLTests {
    @Test(
        "a base and a path make one URL",
        arguments: [
            ("http://h", "", "h", "/"),
            ("http://h/", "users", "h", "/users"),
            ("http://h/api", "/users", "h", "/api/users"),
            ("http://h/api/", "users/", "h", "/api/users/"),
            ("http://h:8080/api?k=1", "users", "h:8080", "/api/users?k=1"),
            ("http://h/api?k=1", "users?q=a", "h", "/api/users?k=1&q=a"),
            ("http://h", "/a b/ü", "h", "/a%20b/%C3%BC"),
            ("http://h", "/a%41%zz?b=100%&c=%4", "h", "/a%41%zz?b=100%&c=%4"),
            ("http://h", "/s?q=a b&r=[1]", "h", "/s?q=a%20b&r=[1]"),
            ("http://h", "/s#part", "h", "/s"),
            ("http://h", "?q=1", "h", "/?q=1"),
            ("HTTP://h", "/x", "h", "/x"),
            ("http://h", "https://other/y?z", "other", "/y?z"),
            ("http://ada:secret@h", "/x", "ada:secret@h", "/x"),
            ("http://[::1]:80", "/x", "[::1]:80", "/x"),
        ]
    )
    func join(base: String, path: String, authority: String, target: String) throws {
        let url = try RequestURL(base: base, appending: path)
        #expect(url.authority == authority)
        #expect(url.requestTarget == target)
    }

    @Test(
        "an authority is a host and a port, whatever its user is called",
        arguments: [
            ("h.test", "h.test", "h.test", nil),
            ("h.test:8080", "h.test", "h.test", 8080),
            ("ada:s3@H.test", "H.test", "H.test", nil),
            ("ada@b:s3@h:1", "h", "h", 1),
            ("ada:s3@\u{301}h:1", "\u{301}h", "\u{301}h", 1),
            ("[::1]", "::1", "[::1]", nil),
            ("ada:s3@[fe80::1]:80", "fe80::1", "[fe80::1]", 80),
            ("[::1", "[", "[", nil), ("h:", "h", "h", nil), ("", "", "", nil),
        ] as [(String, String, String, Int?)]
    )
    func authority(text: String, host: String, bracketedHost: String, port: Int?) {
        for authority in [Authority(text), Authority(ofURL: "http://\(text)/a?b=c@d:1")] {
            #expect(authority?.host == host)
            #expect(authority?.bracketedHost == bracketedHost)
            #expect(authority?.port == port)
        }
        #expect(Authority(ofURL: text) == nil)
    }

    @Test(
        "what is no absolute http URL is an error before anything is sent",
        arguments: [
            ("users", ApusError.Reason.invalidRequest(.url("users"))),
            ("http://", .invalidRequest(.url("http://"))),
            ("http://a b/", .invalidRequest(.url("http://a b/"))),
            ("ftp://h/", .invalidRequest(.scheme("ftp"))),
            ("", .invalidRequest(.url(""))),
        ]
    )
    func refuse(text: String, reason: ApusError.Reason) {
        #expect(throws: ApusError(reason)) { try RequestURL(absolute: text) }
    }
}
