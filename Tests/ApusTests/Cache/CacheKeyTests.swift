import FoundationEssentials
import Glibc
import HTTPTypes
import Testing

@testable import Apus

struct CacheKeyTests {
    struct Pair: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let a: PreparedRequest
        let b: PreparedRequest
        var policy = CachePolicy.keep()
    }

    private static func json(_ text: String, _ type: String = "application/json") -> PreparedRequest
    {
        .cached(method: .post, fields: [.contentType: type], body: .bytes(Array(text.utf8)))
    }

    private static func form(_ text: String) -> PreparedRequest {
        json(text, "application/x-www-form-urlencoded")
    }

    static let equal: [Pair] = [
        Pair(
            testDescription: "query in another order",
            a: .cached("/s?b=2&a=1"),
            b: .cached("/s?a=1&b=2")
        ),
        Pair(
            testDescription: "host in upper case",
            a: .cached(authority: "API.example.com"),
            b: .cached()
        ),
        Pair(
            testDescription: "the scheme's own port",
            a: .cached(authority: "api.example.com:443"),
            b: .cached()
        ),
        Pair(
            testDescription: "escapes in lower case",
            a: .cached("/a%c3%a4"),
            b: .cached("/a%C3%A4")
        ),
        Pair(
            testDescription: "an unreserved character escaped",
            a: .cached("/%7Euser?%61=1"),
            b: .cached("/~user?a=1")
        ),
        Pair(testDescription: "an empty path", a: .cached(""), b: .cached("/")),
        Pair(
            testDescription: "permuted JSON",
            a: json(#"{"a":1,"b":{"c":[1,2],"d":null}}"#),
            b: json(#"{ "b": {"d":null, "c":[1,2]}, "a":1 }"#)
        ),
        Pair(
            testDescription: "escapes in JSON strings",
            a: json(#"{"a":"\u00e4\/"}"#),
            b: json(#"{"a":"ä/"}"#)
        ),
        Pair(
            testDescription: "spellings of a JSON number",
            a: json(#"{"a":[1.0,1E2,-0]}"#),
            b: json(#"{"a":[10e-1,100,0]}"#)
        ),
        Pair(
            testDescription: "a JSON suffix type",
            a: json(#"{"a":1,"b":2}"#, "application/vnd.api+json; charset=utf-8"),
            b: json(#"{"b":2,"a":1}"#, "application/vnd.api+json; charset=utf-8")
        ),
        Pair(testDescription: "form in another order", a: form("b=2&a=1"), b: form("a=1&b=2")),
        Pair(
            testDescription: "a field that is not chosen",
            a: .cached(fields: [.userAgent: "a"]),
            b: .cached(fields: [.userAgent: "b"])
        ),
        Pair(
            testDescription: "an ignored parameter",
            a: .cached("/s?q=1&t%5B%5D=5"),
            b: .cached("/s?q=1&t%5B%5D=6"),
            policy: .keep(key: .full(ignoring: ["t[]"]))
        ),
        Pair(
            testDescription: "an ignored form parameter",
            a: form("q=1&t=5"),
            b: form("t=6&q=1"),
            policy: .keep(key: .full(ignoring: ["t"]))
        ),
        Pair(
            testDescription: "the base strategy and another query",
            a: .cached("/s?page=1"),
            b: .cached("/s?page=2"),
            policy: .keep(key: .base)
        ),
    ]

    @Test("requests that mean the same have the same key", arguments: equal)
    func equalKeys(_ pair: Pair) {
        #expect(
            CacheKey(for: pair.a, policy: pair.policy) == CacheKey(for: pair.b, policy: pair.policy)
        )
    }

    static let different: [Pair] = [
        Pair(testDescription: "query", a: .cached("/s?q=a"), b: .cached("/s?q=b")),
        Pair(testDescription: "an empty query and none", a: .cached("/s?"), b: .cached("/s")),
        Pair(
            testDescription: "order of a repeated name",
            a: .cached("/s?a=1&a=2"),
            b: .cached("/s?a=2&a=1")
        ),
        Pair(
            testDescription: "a reserved character escaped",
            a: .cached("/a%2Fb"),
            b: .cached("/a/b")
        ),
        Pair(
            testDescription: "an escaped ampersand",
            a: .cached("/s?a=1%26b=2"),
            b: .cached("/s?a=1&b=2")
        ),
        Pair(testDescription: "dot segments", a: .cached("/a/./b/../c"), b: .cached("/a/c")),
        Pair(testDescription: "an escaped dot", a: .cached("/%2e%2E/a"), b: .cached("/../a")),
        Pair(testDescription: "path in upper case", a: .cached("/A"), b: .cached("/a")),
        Pair(testDescription: "method", a: .cached(method: .post), b: .cached()),
        Pair(testDescription: "scheme", a: .cached(scheme: "http"), b: .cached()),
        Pair(testDescription: "port", a: .cached(authority: "api.example.com:8443"), b: .cached()),
        Pair(
            testDescription: "user in the URL",
            a: .cached(authority: "ada:x@api.example.com"),
            b: .cached(authority: "ada:y@api.example.com")
        ),
        Pair(
            testDescription: "Authorization",
            a: .cached(fields: [.authorization: "Bearer a"]),
            b: .cached(fields: [.authorization: "Bearer b"])
        ),
        Pair(
            testDescription: "Accept-Language",
            a: .cached(fields: [.acceptLanguage: "de"]),
            b: .cached()
        ),
        Pair(testDescription: "JSON value", a: json(#"{"a":1}"#), b: json(#"{"a":2}"#)),
        Pair(
            testDescription: "JSON number and string",
            a: json(#"{"a":1}"#),
            b: json(#"{"a":"1"}"#)
        ),
        Pair(testDescription: "order of a JSON array", a: json("[1,2]"), b: json("[2,1]")),
        Pair(
            testDescription: "JSON nesting",
            a: json(#"{"a":{"b":1},"c":2}"#),
            b: json(#"{"a":{"b":1,"c":2}}"#)
        ),
        Pair(
            testDescription: "JSON integers that share a double",
            a: json(#"{"a":12345678901234567890}"#),
            b: json(#"{"a":12345678901234567891}"#)
        ),
        Pair(
            testDescription: "order of equal JSON keys",
            a: json(#"{"a":1,"a":2}"#),
            b: json(#"{"a":2,"a":1}"#)
        ),
        Pair(
            testDescription: "halves of surrogate pairs",
            a: json(#""\ud800""#),
            b: json(#""\ud801""#)
        ),
        Pair(testDescription: "broken JSON", a: json(#"{"a":1"#), b: json(#"{"a":2"#)),
        Pair(
            testDescription: "a body and none",
            a: .cached(method: .post, body: .bytes([])),
            b: .cached(method: .post)
        ),
        Pair(
            testDescription: "bytes that are no text",
            a: .cached(method: .put, body: .bytes([0xFF])),
            b: .cached(method: .put, body: .bytes([0xFE]))
        ),
        Pair(
            testDescription: "an escape, and one behind a percent sign that is none",
            a: .cached("/%25"),
            b: .cached("/%2%35")
        ),
        Pair(
            testDescription: "the base strategy and another path",
            a: .cached("/a"),
            b: .cached("/b"),
            policy: .keep(key: .base)
        ),
    ]

    @Test("requests that differ have different keys", arguments: different)
    func differentKeys(_ pair: Pair) {
        #expect(
            CacheKey(for: pair.a, policy: pair.policy) != CacheKey(for: pair.b, policy: pair.policy)
        )
    }

    @Test("namespace, extra key and custom text are parts of the key")
    func policyParts() {
        let request = PreparedRequest.cached()
        let keys = Set([
            CacheKey(for: request, policy: .keep()),
            CacheKey(for: request, policy: .keep(), namespace: "a"),
            CacheKey(for: request, policy: .keep(extraKey: "ada")),
            CacheKey(for: request, policy: .keep(key: .base)),
            CacheKey(for: request, policy: .keep(key: .custom("x"))),
            CacheKey(for: request, policy: .keep(key: .custom("x\nextra ada"))),
            CacheKey(for: request, policy: .keep(key: .custom("x"), extraKey: "ada")),
        ])
        #expect(keys.count == 7)
    }

    @Test("a key is the same after a restart")
    func stability() {
        let request = PreparedRequest.cached("/s?b=2&a=1", fields: [.accept: "text/html"])
        let key = CacheKey(for: request, policy: .keep())
        #expect(
            key.recipe
                == "version 4\nmethod GET\nurl https://api.example.com/s?a=1&b=2\nheader accept text/html"
        )
        // SHA-256 of that text, by sha256sum.
        #expect(key.digest == "43fb345ccdf994e4ad3ae42642fbc17f602e74d25af3f86940100560ae2a3147")
    }

    @Test("a key that is coded or made of its digest is the same key")
    func coding() throws {
        let key = CacheKey(for: .cached(), policy: .keep())
        for key in [key, CacheKey(digest: "of one's own", recipe: "r")] {
            let coded = try JSONDecoder().decode(CacheKey.self, from: JSONEncoder().encode(key))
            #expect(coded == key)
            #expect(coded.digest == key.digest && coded.recipe == key.recipe)
            #expect(CacheKey(digest: key.digest, recipe: "").hashValue == key.hashValue)
        }
        #expect(CacheKey(digest: key.digest.uppercased(), recipe: key.recipe) != key)
    }

    @Test("no credential stands in the recipe")
    func secrets() {
        let request = PreparedRequest.cached(
            authority: "ada:hidden@api.example.com",
            fields: [.authorization: "Bearer hidden", .cookie: "id=hidden"]
        )
        let key = CacheKey(
            for: request,
            policy: .keep(key: .full(fields: [.authorization, .cookie]))
        )
        #expect(!key.recipe.contains("hidden"))
        #expect(key.recipe.contains("header authorization sha256-"))
        #expect(key.recipe.contains("header cookie sha256-"))
    }

    @Test("a file counts by its content, not by its name")
    func files() throws {
        let folder = try CacheFolder()
        for (name, text) in [("a", "one"), ("b", "one"), ("c", "two")] {
            let file = try #require(fopen("\(folder.path)/\(name)", "w"))
            fputs(text, file)
            fclose(file)
        }
        let keys = ["a", "b", "c"].map {
            CacheKey(
                for: .cached(method: .post, body: .file(path: "\(folder.path)/\($0)")),
                policy: .keep()
            )
        }
        #expect(keys[0] == keys[1])
        #expect(keys[0] != keys[2])
    }

    @Test("a file is read for a key only as long as somebody waits for it")
    func cancelledFile() async throws {
        // A file without blocks: to its end it would be minutes.
        let path = Temporary.folder() + "/huge"
        try Temporary.write("", to: path)
        try #require(truncate(path, 1 << 40) == 0)
        var pieces = 0
        let digest = ContentDigest.hex(ofFile: path) {
            pieces += 1
            return pieces < 3
        }
        #expect(digest == nil)
        #expect(pieces == 3)
        let cache = try CacheBench().cache
        let request = PreparedRequest.cached(method: .post, body: .file(path: path))
        let reading = Task { await cache.keyReadingFiles(for: request, policy: .keep()) }
        let other = Task { await cache.keyReadingFiles(for: request, policy: .keep()) }
        reading.cancel()
        other.cancel()
        // Nor is what was read of it the key of anything.
        #expect(await reading.value != other.value)
    }

    @Test("the key of a file is the same wherever it is read")
    func fileKey() async throws {
        let path = Temporary.folder() + "/small"
        try Temporary.write("some bytes", to: path)
        let cache = try CacheBench().cache
        let request = PreparedRequest.cached(method: .post, body: .file(path: path))
        let key = await cache.keyReadingFiles(for: request, policy: .keep())
        #expect(key == cache.key(for: request, policy: .keep()))
    }
}
