import HTTPTypes
import Testing

@testable import Apus

struct PlainURLTests {
    private static func request(_ scheme: String, _ authority: String, _ path: String)
        -> HTTPRequest
    {
        HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path)
    }

    private static func text(_ url: PlainURL, withQuery: Bool) -> String {
        var recipe = KeyRecipe()
        url.add(to: &recipe, withQuery: withQuery)
        return recipe.text
    }

    @Test("the usual URLs are plain")
    func plain() {
        for path in [
            "/", "/users/1", "/users?page=1", "/s?a=1&b=2&b=1&c", "/s?keyword=a&sort_key=b",
            "/a.b/c-d_e~f?x=y,z", "/a/../b",
            "/.",
        ] {
            #expect(PlainURL(Self.request("https", "api.example.com:8443", path)) != nil, "\(path)")
        }
    }

    @Test("what has to be changed, or hidden, is not plain")
    func others() {
        let others = [
            ("HTTPS", "a.example", "/"), ("ftp", "a.example", "/"), ("https", "A.example", "/"),
            ("https", "a.example:443", "/"), ("http", "a.example:80", "/"),
            ("https", "a.example:", "/"), ("https", "ada:x@a.example", "/"),
            ("https", "a.example", "/%41"), ("https", "a.example", "/s;x=1"),
            ("https", "a.example", "/s?x=y;z"), ("https", "a.example", "/s?b=1&a=1"),
            ("https", "a.example", "/s?token=1"), ("https", "a.example", "/s?a=1&api_key=1"),
            ("https", "a.example", "/s?API_KEY=1"), ("https", "a.example", "/s?newPassword=1"),
            ("https", "a.example", "/s?user[token]=1"), ("https", "a.example", "/s?a=%41"),
            ("https", "a.example", "/s?to\u{212A}en=1"), ("https", "a.example", ""),
            ("https", "a.example", "?a=1"), ("https", "a.example", "/a\\b"),
        ]
        for (scheme, authority, path) in others {
            let request = Self.request(scheme, authority, path)
            #expect(PlainURL(request) == nil, "\(scheme)://\(authority)\(path)")
        }
    }

    @Test("a plain URL is the normalised one, whatever it is made of")
    func sameAsNormalized() {
        var random = SeededNumbers(state: 11)
        let pieces = [
            "/", ".", "..", "a", "b", "A", "?", "&", "=", "%41", "%2f", "+", "token", "key", "code",
            "[", "]", "_",
            "1", "é", "\\", "#", ";", "-", " ",
        ]
        let authorities = ["a.example", "A.example", "a:80", "a:443", "a:8080", "[::1]:80", "u@a"]
        var plain = 0
        for _ in 0..<20_000 {
            let path =
                "/"
                + (0..<Int.random(in: 0..<9, using: &random))
                .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let authority = authorities.randomElement(using: &random) ?? ""
            let scheme = Bool.random(using: &random) ? "https" : "http"
            let request = Self.request(scheme, authority, path)
            for isSorted in [true, false] {
                guard let url = PlainURL(request, sortsQuery: isSorted) else { continue }
                plain += 1
                let normal = NormalizedURL(request, ignoring: [], sortsQuery: isSorted)
                #expect(Self.text(url, withQuery: true) == normal.text)
                #expect(Self.text(url, withQuery: false) == normal.withoutQuery)
            }
        }
        #expect(plain > 1000)
    }
}
