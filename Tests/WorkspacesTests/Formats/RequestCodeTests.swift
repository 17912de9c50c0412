import Apus
import HTTPTypes
import Testing
import Workspaces

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
            (.httpie, ["POST 'https://h.test/a?x=1'", #"--raw='{"a":"it'\''s"}'"#]),
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

    @Test("nothing in a copied line is a key for the terminal, an option, or the name of a file")
    func inert() {
        var head = HTTPRequest(method: .post, scheme: "http", authority: "h.test", path: "/")
        head.headerFields[.cookie] = "@/etc/passwd"
        head.headerFields[.accept] = "=[1]"
        let body = PreparedRequest.Body.bytes(Array("x\u{3}\ntouch y\u{7F}".utf8))
        let request = PreparedRequest(head: head, body: body)
        for language in [RequestCode.Language.curl, .httpie] {
            let text = RequestCode(request, as: language, showsSecrets: true).text
            #expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A })
            #expect(text.contains(#"\170\003\012"#))
        }
        let text = RequestCode(request, as: .httpie, showsSecrets: true).text
        #expect(text.contains(#"'Cookie:\@/etc/passwd'"#) && text.contains(#"'Accept:\=[1]'"#))
        let plain = RequestCode(
            PreparedRequest(head: head, body: .bytes(Array("-v".utf8))),
            as: .httpie
        ).text
        #expect(plain.contains("--ignore-stdin") && plain.contains("--raw='-v'"))
    }

    @Test(
        "a timeout in Python has its parts of a second, and 0, which is refused there, is none",
        arguments: [
            (.milliseconds(500), "timeout=0.5,"), (.milliseconds(1500), "timeout=1.5,"),
            (.seconds(60), "timeout=60,"), (.zero, nil),
        ] as [(Duration, String?)]
    )
    func timeout(duration: Duration, argument: String?) {
        var request = request
        request.options.timeout = duration
        let text = RequestCode(request, as: .python).text
        #expect(text.contains(argument ?? "timeout=") == (argument != nil), "\(text)")
    }

    @Test("how a request travels is said too, and no password of it")
    func transport() {
        var request = request
        request.options.proxy = "http://me:proxy-secret@p:1"
        request.options.certificateAuthorityFile = "ca.pem"
        request.options.clientCertificate = ClientCertificate(file: "a:b.p12", keyFile: "k.pem")
        request.options.credentials = .init(.digest, user: "ada", password: "pq")
        let parts: [(RequestCode.Language, [String])] = [
            (
                .curl,
                [
                    #"--cert 'a\:b.p12'"#, "--cert-type P12", "--key 'k.pem'", "--cacert 'ca.pem'",
                    "--digest --user 'ada:",
                ]
            ),
            (
                .httpie,
                [
                    "--cert='a:b.p12'", "--cert-key='k.pem'", "--verify='ca.pem'",
                    "--auth-type=digest --auth='ada:",
                ]
            ),
            (
                .python,
                [
                    #"cert=("a:b.p12", "k.pem")"#, #"verify="ca.pem""#,
                    #"auth=requests.auth.HTTPDigestAuth("ada", "#,
                ]
            ),
        ]
        for (language, parts) in parts {
            let text = RequestCode(request, as: language).text
            for part in parts { #expect(text.contains(part), "\(text)") }
            #expect(!text.contains("-secret") && !text.contains("pq"), "\(text)")
            let open = RequestCode(request, as: language, showsSecrets: true).text
            #expect(open.contains("proxy-secret") && open.contains("pq"))
        }
    }
}
