import Testing

@testable import Apus
@testable import Documents

// A combining mark makes one character of itself and the separator before it, and hides it from
// who compares characters. Servers, libcurl and the system see bytes.
@Suite("separators with accents upon them")
struct AccentedSeparatorTests {
    private static let accent = "\u{301}"

    @Test("they end a file's name in Content-Disposition")
    func contentDisposition() {
        let accent = Self.accent
        #expect(ContentDisposition("a;\(accent) filename=\"x\"").fileName == nil)
        #expect(ContentDisposition("a; filename=\(accent)x;\(accent)b").fileName == "\(accent)x")
        #expect(ContentDisposition("a; filename=\"x\"\(accent)y").fileName == "x")
        #expect(
            ContentDisposition("a; filename*=utf-8'\(accent)'\(accent)x").fileName == "\(accent)x"
        )
    }

    @Test("they end parameters of a media type, and its quotes")
    func headerParameters() {
        let accent = Self.accent
        let header = HeaderParameters(
            "a/b;\(accent)x=1; boundary=\"q\"\(accent)r; charset=\(accent)u"
        )
        #expect(header.value == "a/b")
        #expect(header["boundary"] == "q")
        #expect(header["charset"] == "\(accent)u")
    }

    @Test("they part a query where a parameter is replaced")
    func query() {
        let accent = Self.accent
        #expect(QueryEditing.removing("t", from: "/?\(accent)a&t=\(accent)1") == "/?\(accent)a")
        #expect(QueryEditing.value(of: "t", in: "a&\(accent)b&t=\(accent)1") == "\(accent)1")
        #expect(QueryEditing.setting("t", to: "2", in: "/?\(accent)a&t=1") == "/?\(accent)a&t=2")
    }

    @Test("a password or token behind one stands in no recipe of a cache key")
    func recipes() {
        let accent = Self.accent
        let hidden = ParameterText.hiding([], in: "a=1&\(accent)b=2&token=\(accent)s3")
        #expect(hidden.hasPrefix("a=1&\(accent)b=2&token=sha256-"))
        #expect(!hidden.contains("s3"))
        let key = CacheKey(
            for: .make("ada:s3@\(accent)h"),
            policy: .keep(),
            namespace: "n"
        )
        #expect(!key.recipe.contains("s3"))
    }
}
