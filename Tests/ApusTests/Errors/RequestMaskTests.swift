import Documents
import HTTPTypes
import Testing

@testable import Apus
@testable import Secrets

@Suite("Masking what the engine has")
struct RequestMaskTests {
    private let mask = CredentialMask(secrets: ["k n/own"], parameters: ["mine"])

    @Test(
        "a remark's header is known by its name, closed or not, whatever else has brackets",
        arguments: [
            ("h2h3 [authorization: Bearer s3]", "h2h3 [authorization: ••••••]"),
            ("h2h3 [authorization: Bearer s3 and no end", "h2h3 [authorization: ••••••"),
            ("[HTTP/2] [1] [cookie: a=[s3]]", "[HTTP/2] [1] [cookie: ••••••]"),
            ("[HTTP/2] [1] [:path: /p?token=s3]", "[HTTP/2] [1] [:path: /p?token=••••••]"),
            (
                "Uses proxy env variable http_proxy == 'ada:s3@h:1'",
                """
                Uses proxy env variable http_proxy == 'ada:••••••@h:1'
                """
            ),
        ]
    )
    func remark(text: String, shown: String) {
        let trace = WireTrace()
        trace.add(.remark, text + "\n", mask)
        #expect(trace.entries.map(\.text) == [shown])
    }

    @Test("a trace's lines end where bytes say so, so that no secret is divided")
    func lines() {
        for separator in ["\u{2028}", "\u{85}", "\u{B}", "\u{C}"] {
            let trace = WireTrace()
            let secret = "first\(separator)second"
            let text = "GET / HTTP/1.1\r\nX-Own: a \(secret)\r\nX-Api-Key: k\(separator)s3\r\n\r\n"
            trace.add(.headerOut, text, CredentialMask(secrets: [secret]))
            let shown = ["GET / HTTP/1.1", "X-Own: a ••••••", "X-Api-Key: ••••••"]
            #expect(trace.entries.map(\.text) == shown)
        }
    }

    @Test("what libcurl cuts ends without the beginning of a secret")
    func cutRemarks() {
        let secret = String(repeating: "0123456789abcdef", count: 200)
        let mask = CredentialMask(secrets: [secret])
        let trace = WireTrace()
        trace.add(.remark, String("h2h3 [x-own: \(secret)]".prefix(2048)) + "\n", mask)
        trace.add(.headerOut, "GET / HTTP/1.1\r\nX-Own: \(secret.prefix(99))", mask)
        let shown = ["h2h3 [x-own: ••••••", "GET / HTTP/1.1", "X-Own: ••••••"]
        #expect(trace.entries.map(\.text) == shown)
        let detail = String("Could not resolve proxy: \(secret)".prefix(255))
        #expect(
            mask.masking(.proxy(detail: detail))
                == .proxy(detail: "Could not resolve proxy: ••••••")
        )
    }

    @Test("libcurl's remarks of cookies and users show neither, and a trace has an end")
    func remarks() {
        let trace = WireTrace()
        for text in [
            "Added cookie sid=\"a for domain b\" for domain h, path /, expire 0",
            "Server auth using Basic with user 'ghp_token'", "Connected to h",
        ] { trace.add(.remark, text, CredentialMask()) }
        let shown = [
            "Added cookie sid=••••••", "Server auth using Basic with user '••••••",
            "Connected to h",
        ]
        #expect(trace.entries.map(\.text) == shown)
        let long = String(repeating: "a", count: 1 << 20)
        for _ in 0..<100 { trace.add(.remark, long, CredentialMask()) }
        #expect(trace.entries.count < 20)
        #expect(trace.entries.last?.text == "The trace was cut off here, at 8 MiB.")
    }

    @Test("a URL's user and password are secrets of its request, wherever they are echoed")
    func userOfURL() {
        for (authority, secret) in [("ada:pass-1@h", "pass-1"), ("tok-12345@h:1", "tok-12345")] {
            let mask = PreparedRequest.make(authority).mask
            #expect(mask.masking(text: "it was \(secret)") == "it was ••••••")
        }
    }

    @Test("nothing of a response's way shows a secret of its request")
    func metrics() {
        var request = PreparedRequest.make("h", "/p?mine=s3")
        request.options.secretParameters = ["mine"]
        request.options.secretTexts = ["s3cret"]
        let shown = request.mask.masking(
            TransferMetrics(
                redirects: [
                    .init(
                        status: 302,
                        location: "/p?mine=s3",
                        url: "http://h/s3cret",
                        fields: [.setCookie: "s3", .location: "/p?mine=s3", .server: "ok"],
                        withheldFields: ["X-Key"]
                    )
                ],
                effectiveURL: "http://u:s3@h/p?mine=s3",
                irregularHeaderLines: ["Set-Cookie : s3cret"],
                trace: [WireTraceEntry(kind: .headerOut, text: "GET /p?mine=s3 HTTP/1.1")]
            )
        )
        #expect(!"\(shown)".contains("s3"))
        #expect("\(shown)".contains("ok"))
        #expect(shown.redirects.first?.withheldFields == ["X-Key"])
        #expect(request.line.url == "http://h/p?mine=••••••")
    }

    @Test("a URL that cannot be asked is told without its secrets")
    func errors() {
        let error = ApusError(.invalidRequest(.url("ftp:/u?api_key=s3")))
        #expect(!error.description.contains("s3"))
    }

    @Test("a cache's recipe holds no text that is known as a secret")
    func recipe() {
        var request = PreparedRequest.make("h", "/bot-s3cret/send")
        let key = CacheKey(for: request, policy: .keep())
        request.options.secretTexts = ["s3cret"]
        let hidden = CacheKey(for: request, policy: .keep())
        #expect(!hidden.recipe.contains("s3cret"))
        #expect(hidden.digest == key.digest)
    }

    @Test("what is captured as a credential is a mask, by either of its names")
    func captures() throws {
        let captures = [
            try ChainPlan.Capture("token", "$.t"),
            try ChainPlan.Capture("t", "$.user.access_token"),
            try ChainPlan.Capture("c", "header:Set-Cookie"),
            try ChainPlan.Capture("id", "$.user.id"),
        ]
        #expect(captures.map(\.isCredential) == [true, true, true, false])
    }

    @Test("a secret that stands in a URL's scheme is masked in the error, in small letters too")
    func scheme() throws {
        let mask = CredentialMask(secrets: ["Tok3nValue"])
        let error = #expect(throws: ApusError.self) { try RequestURL(absolute: "Tok3nValue://h/") }
        let reason = mask.masking(try #require(error?.reason))
        #expect(reason == .invalidRequest(.scheme("••••••")))
    }

    @Test("a proxy's password is known, whatever stands around its separators")
    func proxyPassword() {
        var options = TransportOptions()
        options.proxy = "http://ada\u{301}:\u{301}pass-word@\u{301}h:1"
        let request = PreparedRequest.make("h", options: options)
        let shown = CredentialMask().adding(request).masking(text: "no \u{301}pass-word here")
        #expect(shown == "no •••••• here")
    }

    @Test("a password is known with its user, as Basic sends them, in a proxy's URL too")
    func basic() {
        var request = PreparedRequest.make("h", "/")
        request.options.credentials = ServerCredentials(.basic, user: "ada", password: "hunter22")
        request.options.proxy = "http://bob:opens%40same@proxy:1"
        for (text, shown) in [
            ("Basic YWRhOmh1bnRlcjIy", "Basic ••••••"), ("for hunter22", "for ••••••"),
            ("Basic Ym9iOm9wZW5zQHNhbWU=", "Basic ••••••"), ("opens@same", "••••••"),
        ] {
            #expect(request.mask.masking(text: text) == shown)
        }
        #expect(!"\(request.mask)".contains("hunter22"))
    }

    @Test("an error's host, file and words are without known secrets")
    func reasons() {
        let mask = CredentialMask(secrets: ["s3cr3t"])
        let reasons: [ApusError.Reason] = [
            .nameLookup(host: "s3cr3t.h", detail: "Could not resolve host: s3cr3t.h"),
            .connect(host: "s3cr3t.h", port: 1, detail: "s3cr3t"),
            .tls(.otherHost, host: "s3cr3t.h", detail: "s3cr3t"),
            .connectionLost(received: 0, expected: nil, detail: "s3cr3t"),
            .transport(code: 1, detail: "s3cr3t"), .proxy(detail: "s3cr3t"),
            .mapping(ApusError.MappingFault(.json, detail: "s3cr3t")),
            .envelope(code: nil, message: "s3cr3t"), .file(path: "/a/s3cr3t", errno: 2),
            .invalidRequest(.url("s3cr3t")), .protocolViolation(detail: "s3cr3t"),
            .hookFailed(plugin: "p", detail: "s3cr3t"), .bodySource(detail: "s3cr3t"),
            .hookTimeout(plugin: "s3cr3t", limit: .zero), .vetoed(reason: "s3cr3t"),
            .bodyNotReplayable(detail: "s3cr3t"), .brokenChunk(detail: "s3cr3t"),
            .contentDecoding(detail: "s3cr3t"), .bodyInRedirect(to: "http://s3cr3t.h:80"),
            .redirectScheme("s3cr3t"), .redirectLocation("http://s3cr3t:x"),
            .invalidRequest(.scheme("s3cr3t")),
            .invalidRequest(.encoding(detail: "s3cr3t")),
            .invalidRequest(.combination(detail: "s3cr3t")),
            .invalidRequest(.target(detail: "s3cr3t")), .invalidRequest(.unsupported("s3cr3t")),
            .invalidRequest(.fields(detail: "s3cr3t")),
            .authorization(.unusable(what: "s3cr3t")),
            .authorization(.refused(OAuth2Refusal(code: "s3cr3t", text: "s3cr3t", page: "s3cr3t"))),
            .authorization(.unexpectedResponse(status: 1, detail: "s3cr3t")),
            .authorization(.unsignable(detail: "s3cr3t")),
            .authorization(.unreadableStore(detail: "s3cr3t")),
            .envelope(code: "s3cr3t", message: "s3cr3t"),
        ]
        for reason in reasons {
            let error = ApusError(mask.masking(reason))
            #expect(!"\(error) \(error.reason)".contains("s3cr3t"))
            #expect(error.code == ApusError(reason).code)
        }
    }

    @Test("without known secrets an error's URLs are masked all the same")
    func reasonsWithoutSecrets() {
        for text in [
            "for 'http://ada:s3cr3t@h:1'", "for 'ada:s3cr3t@h:1'", "http://s3cr3t@h/",
            "http:/ada:s3cr3t@h/", "http://h/?token=s3cr3t",
        ] {
            // What is meant for a URL may have been taken for a file.
            for reason: ApusError.Reason in [
                .proxy(detail: text), .invalidRequest(.url(text)), .file(path: text, errno: 2),
            ] {
                #expect(!"\(CredentialMask().masking(reason))".contains("s3cr3t"), "\(text)")
            }
        }
    }

    @Test("logged bodies and curl commands are without known secrets, wherever they stand")
    func logs() {
        var request = PreparedRequest.make("h", "/")
        request.head.method = .post
        request.options.secretTexts = ["s3cr3t/x"]
        request.options.proxy = "http://ada:hunter22@proxy:1"
        for body: PreparedRequest.Body in [
            .bytes(Array(#"{"note": "s3cr3t\/x"}"#.utf8)), .bytes(Array("a s3cr3t/x b".utf8)),
            .bytes(Array("a=s3cr3t%2Fx".utf8)), .file(path: "/tmp/s3cr3t/x"),
        ] {
            request.body = body
            let layout = LogLayout(options: .verbose, maximumBodySize: 4096, showsSecrets: false)
            var entry = LogEntry(id: ExchangeID(1), attempt: 1, kind: .request)
            layout.put(request, adding: [:], into: &entry)
            let text = layout.text(of: entry) + CurlCommand(request).text
            #expect(!text.contains("s3cr3t") && !text.contains("hunter22"))
            #expect(text.contains("••••••"))
        }
        #expect(CurlCommand(request, showsSecrets: true).text.contains("hunter22"))
    }
}
