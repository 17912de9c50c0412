import Apus
import Explorer
import HTTPTypes
import Testing

@Suite("A request as code")
struct RequestCodeTests {
    private let request: PreparedRequest = {
        var head = HTTPRequest(method: .post, scheme: "https", authority: "h.test", path: "/a?x=1")
        head.headerFields[.contentType] = "application/json"
        head.headerFields[.authorization] = "Bearer very-secret-token"
        return PreparedRequest(head: head, body: .bytes(Array(#"{"a":"it's"}"#.utf8)))
    }()

    @Test(
        "each language says the URL, the fields and the body",
        arguments: [
            (
                RequestCode.Language.curl,
                [#"--data-raw '{"a":"it'\''s"}'"#, "'https://h.test/a?x=1'"]
            ),
            (.httpie, ["POST 'https://h.test/a?x=1'", #"--raw '{"a":"it'\''s"}'"#]),
            (.http, ["POST /a?x=1 HTTP/1.1\nHost: h.test\n", "\n\n{\"a\":\"it's\"}"]),
            (.swift, ["\"/a?x=1\"", #".data(Array("{\"a\":\"it's\"}".utf8))"#, ".post"]),
            (.python, [#""POST""#, #"data="{\"a\":\"it's\"}".encode()"#]),
        ]
    )
    func languages(language: RequestCode.Language, parts: [String]) {
        let text = RequestCode(request, as: language).text
        for part in parts { #expect(text.contains(part), "\(text)") }
        #expect(text.lowercased().contains("application/json"))
        #expect(!text.contains("very-secret-token"))
        let open = RequestCode(request, as: language, showsSecrets: true).text
        #expect(open.contains("Bearer very-secret-token"))
    }
}
