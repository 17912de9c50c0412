import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Apus

/// Where a server redirects to, once that is known.
private final class Place: Sendable {
    private let text = Mutex("")
    var value: String {
        get { text.withLock { $0 } }
        set { text.withLock { $0 = newValue } }
    }
}

@Suite("CurlTransport: what follows a redirect")
struct CurlTransportRedirectTests {
    private static let names = [
        "Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "Private-Token", "Api-Key",
        "X-Goog-Api-Key", "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key",
        "Proxy-Authorization", "X-Own",
    ]
    private static var fields: HTTPFields {
        var fields = HTTPFields()
        for name in names {
            if let name = HTTPField.Name(name) { fields[name] = "the hidden word" }
        }
        if let name = HTTPField.Name("X-Plain") { fields[name] = "plain" }
        return fields
    }
    private static let options = TransportOptions().with { $0.secretTexts = [Secret("hidden")] }

    private let transport = CurlTransport()

    private static func to(_ location: String, status: Int = 302) -> RawServer.Step {
        .send("HTTP/1.1 \(status) R\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")
    }

    @Test(
        "what is secret stays behind at another origin, by libcurl's redirects and by ours",
        arguments: [false, true]
    )
    func crossOrigin(byCache: Bool) async throws {
        let other = try RawServer { _ in [RawServer.ok("ok", fields: "Cache-Control: no-store\r\n")]
        }
        let first = try RawServer { [other] _ in [Self.to("http://\(other.authority)/b")] }
        let response: Response
        if byCache {
            let target = TestTarget(
                base: "http://\(first.authority)",
                path: "/a",
                headerFields: Self.fields,
                cachePolicy: .http(in: .memory),
                options: Self.options
            )
            response = try await Provider<TestTarget>(transport: transport).response(
                for: target,
                from: .cacheIfPossible
            )
        } else {
            response = try await transport.send(
                .make(first.authority, "/a", fields: Self.fields, options: Self.options)
            )
        }
        #expect(response.bodyText == "ok")
        let received = try #require(other.received.first)
        for name in Self.names { #expect(received.value(of: name) == nil, "\(name)") }
        #expect(received.value(of: "X-Plain") == "plain")
        #expect(first.received.first?.value(of: "X-Api-Key") == "the hidden word")
        let hop = try #require(response.redirects.first)
        #expect(Set(hop.withheldFields) == Set(Self.names))
    }

    private static let bodyFields: HTTPFields = {
        var fields: HTTPFields = [
            .contentLength: "300", .contentType: "text/plain", .contentEncoding: "gzip",
            .expect: "100-continue",
        ]
        for name in ["Trailer", "Content-Digest", "X-Plain"] {
            if let name = HTTPField.Name(name) { fields[name] = "x" }
        }
        return fields
    }()

    @Test(
        "where the body stays behind, the fields that announce it do",
        arguments: [(302, HTTPRequest.Method.post), (303, .post), (303, .put), (303, .get)],
        ["", "chunked"]
    )
    func bodyFields(hop: (status: Int, method: HTTPRequest.Method), coding: String) async throws {
        // A GET that announces 300 bytes would have the next request taken for them.
        let other = try RawServer { [RawServer.ok($0.path)] }
        let first = try RawServer(continues: false) { [other] _ in
            [
                .send(
                    "HTTP/1.1 \(hop.status) R\r\nLocation: http://\(other.authority)/b\r\n"
                        + "Content-Length: 0\r\nConnection: close\r\n\r\n"
                ), .hang,
            ]
        }
        var fields = Self.bodyFields
        if !coding.isEmpty { fields[.transferEncoding] = coding }
        let request = PreparedRequest.make(
            hop.method,
            first.authority,
            "/a",
            fields: fields,
            body: .bytes(Array(repeating: 0x41, count: 300))
        )
        for isFollowed in [true, false] {
            let response =
                isFollowed
                ? try await transport.send(request)
                : try await transport.send(.make(other.authority, "/next"))
            #expect(response.bodyText == (isFollowed ? "/b" : "/next"))
        }
        let hopped = try #require(other.received.first)
        #expect(hopped.method == "GET")
        for name in [
            "Content-Length", "Content-Type", "Content-Encoding", "Content-Digest", "Expect",
            "Trailer", "Transfer-Encoding",
        ] { #expect(hopped.value(of: name) == nil, "\(name)") }
        #expect(hopped.value(of: "X-Plain") == "x")
    }

    @Test("a length is libcurl's to write, whatever was given", arguments: ["2", "300"])
    func length(given: String) async throws {
        let server = try RawServer(RawServer.ok("ok"))
        let fields: HTTPFields = [.contentLength: given]
        _ = try await transport.send(
            .make(.post, server.authority, fields: fields, body: .bytes([1, 2]))
        )
        _ = try await transport.send(.make(server.authority, fields: fields))
        #expect(server.received.map { $0.value(of: "Content-Length") } == ["2", nil])
    }

    @Test("a plain request leaves no field missing for the next, nor its own fields behind")
    func nextRequest() async throws {
        let other = try RawServer(RawServer.ok("ok"))
        let first = try RawServer { [other] request in
            request.path == "/a" ? [Self.to("http://\(other.authority)/b")] : [RawServer.ok("ok")]
        }
        for path in ["/a", "/c", "/a", "/c"] {
            _ = try await transport.send(.make(first.authority, path, fields: Self.fields))
        }
        #expect(first.received.allSatisfy { $0.value(of: "X-Api-Key") == "the hidden word" })
        #expect(other.received.allSatisfy { $0.value(of: "X-Api-Key") == nil })
    }

    @Test("all goes along within an origin, however the location is written")
    func sameOrigin() async throws {
        let server = try RawServer { request in
            switch request.path {
            case "/a": [Self.to("/b")]
            case "/b": [Self.to("HTTP://\(request.value(of: "Host") ?? "")/c")]
            case "/c": [Self.to("//\(request.value(of: "Host") ?? "")/d")]
            default: [RawServer.ok("ok")]
            }
        }
        let response = try await transport.send(
            .make(server.authority, "/a", fields: Self.fields, options: Self.options)
        )
        #expect(server.received.count == 4)
        #expect(server.received.allSatisfy { $0.value(of: "X-Own") == "the hidden word" })
        #expect(response.redirects.allSatisfy { $0.withheldFields.isEmpty })
    }

    @Test("what stayed behind does not come back at the first origin")
    func thereAndBack() async throws {
        let back = Place()
        let other = try RawServer { _ in [Self.to(back.value)] }
        let first = try RawServer { [other] request in
            request.path == "/a" ? [Self.to("http://\(other.authority)/b")] : [RawServer.ok("ok")]
        }
        back.value = "http://\(first.authority)/c"
        _ = try await transport.send(
            .make(first.authority, "/a", fields: Self.fields, options: Self.options)
        )
        #expect(first.received.count == 2)
        #expect(first.received.last?.value(of: "X-Api-Key") == nil)
    }

    @Test("two locations, of which one is elsewhere, take nothing along")
    func twoLocations() async throws {
        let other = try RawServer(RawServer.ok("ok"))
        let first = try RawServer { [other] request in
            let host = request.value(of: "Host") ?? ""
            return request.path == "/a"
                ? [
                    .send(
                        "HTTP/1.1 302 F\r\nLocation: http://\(other.authority)/b\r\nLocation: http://\(host)/c\r\nContent-Length: 0\r\n\r\n"
                    )
                ] : [RawServer.ok("ok")]
        }
        let folded = try RawServer { [other] _ in
            [
                .send(
                    "HTTP/1.1 302 F\r\nLocation: http://\(other.authority)\r\n /b\r\nContent-Length: 0\r\n\r\n"
                )
            ]
        }
        for server in [first, folded] {
            _ = await transport.error(
                .make(server.authority, "/a", fields: Self.fields, options: Self.options)
            )
        }
        #expect(other.received.allSatisfy { $0.value(of: "X-Api-Key") == nil })
    }

    @Test("a request may say that another origin may have it")
    func trusted() async throws {
        let other = try RawServer(RawServer.ok("ok"))
        let first = try RawServer { [other] _ in [Self.to("http://\(other.authority)/b")] }
        let options = Self.options.with { $0.sendsSecretsToOtherOrigins = true }
        let response = try await transport.send(
            .make(first.authority, "/a", fields: Self.fields, options: options)
        )
        let received = try #require(other.received.first)
        for name in Self.names { #expect(received.value(of: name) == "the hidden word", "\(name)") }
        #expect(response.redirects.first?.withheldFields == [])
    }

    @Test("a body with a known secret goes to its own origin only")
    func secretBody() async throws {
        let other = try RawServer(RawServer.ok("ok"))
        let first = try RawServer { [other] request in
            [Self.to("http://\(other.authority)/b", status: request.path == "/a" ? 307 : 303)]
        }
        let body = PreparedRequest.Body.bytes(Array("{\"password\":\"hidden\"}".utf8))
        let error = try #require(
            await transport.error(
                .make(.post, first.authority, "/a", body: body, options: Self.options)
            )
        )
        #expect(error.reason == .secretInRedirect(to: "http://\(other.authority)"))
        #expect(error.response?.status == 307)
        #expect(other.received.isEmpty)
        // A GET takes none along, and a body without a secret goes on.
        _ = try await transport.send(
            .make(.post, first.authority, "/c", body: body, options: Self.options)
        )
        _ = try await transport.send(
            .make(.post, first.authority, "/a", body: .bytes([65]), options: Self.options)
        )
        #expect(other.received.map(\.method) == ["GET", "POST"])
        #expect(other.received.map(\.body) == [[], [65]])
    }

    @Test(
        "a body with a credential by its member's name goes to its own origin only",
        arguments: [
            ("application/x-www-form-urlencoded", "user=a&password=hunter2"),
            ("application/json", #"{"user": "a", "password": "hunter2"}"#),
            ("application/json", #"[{"auth": {"password": ["hunter2222"]}}]"#),
            ("application/json", #"{"password": 12345678}"#),
            ("text/plain", #" {"password":"hunter2"}"#),
            ("text/plain", "x=tok-12345"), ("text/plain", "sid-77 of a cookie"),
            ("text/plain", "k=query-99"),
            ("application/json", "\u{FEFF}{\"password\":\"hunter2\"}"),
        ]
    )
    func credentialBody(type: String, text: String) async throws {
        let other = try RawServer(RawServer.ok("ok"))
        let first = try RawServer { [other] _ in
            [Self.to("http://\(other.authority)/b", status: 307)]
        }
        var fields: HTTPFields = [.contentType: type, .authorization: "Bearer tok-12345"]
        fields[.cookie] = "a=b; sid=sid-77"
        func error(_ text: String) async -> ApusError.Reason? {
            await transport.error(
                .make(
                    .post,
                    first.authority,
                    "/a?api_key=query-99",
                    fields: fields,
                    body: .bytes(Array(text.utf8))
                )
            )?.reason
        }
        #expect(await error(text) == .secretInRedirect(to: "http://\(other.authority)"))
        #expect(other.received.isEmpty)
        // Three characters are a word of any body, and another member is nobody's secret.
        #expect(await error(#"{"key": "abc", "word": "hunter2"}"#) == nil)
        #expect(other.received.count == 1)
    }

    /// Bodies with the credential hunter2, in which it is found or that cannot be searched.
    static let credentialBodies: [(type: String?, text: String)] = [
        ("application/json", "\u{FEFF}{\"password\":\"hunter2\"}"),
        ("application/json", #"{"a":tru,"password":"hunter2"}"#),
        ("application/json", "// c\n{\"password\":\"hunter2\"}"),
        ("application/json", "{password:'hunter2'}"),
        ("application/json", ")]}'\n{\"password\":\"hunter2\"}"),
        ("application/json", "\"{\\\"password\\\":\\\"hunter2\\\"}\""),
        ("application/json", #"{"payload":"{\"password\":\"hunter2\"}"}"#),
        ("application/json", #"[{"value":"hunter2","name":"password"}]"#),
        ("application/json5", #"{password:"hunter2"}"#), (nil, "{'password': 'hunter2'}"),
        ("application/x-ndjson", "{\"a\":1}\n{\"password\":\"hunter2\"}"),
        ("application/json", "1\n{\"password\":\"hunter2\"}"),
        ("application/x-www-form-urlencoded", "[a]=1&password=hunter2"),
        ("application/x-www-form-urlencoded", "{x}=1&password=hunter2"),
        ("application/x-www-form-urlencoded", "user[password]=hunter2"),
        ("application/x-www-form-urlencoded", "user%5Bpassword%5D=hunter2"),
        ("application/x-www-form-urlencoded", "user.password=hunter2"),
        ("application/x-www-form-urlencoded", "+password=hunter2&a=100%"),
        ("application/x-www-form-urlencoded", "%70assword=hunter2"),
        ("application/x-www-form-urlencoded, image/png", "a=b&password=hunter2"),
        ("text/plain", "password=hunter2"), (nil, "a=1&password=hunter2"),
        ("application/xml", "<login><password>hunter2</password></login>"),
        ("text/xml", #"<a:login password="hunter2"/>"#),
        ("application/soap+xml", "<w:Password Type='x'>hunter2</w:Password>"),
        ("application/xml", "<login><password>hunter2</pass"),
        ("application/yaml", "user:\n  password: hunter2\n"),
        ("text/csv", "user,password\nada,hunter2\n"), ("application/cbor", "hunter2"),
        ("application/json", #"{"next":"/b?page=2&access_token=hunter2"}"#),
        ("application/json", #"["https:\/\/ada:hunter2@h\/"]"#),
        ("application/json", #"{"go":"/b?to=%2Fc%3Ftoken%3Dhunter2"}"#),
        ("application/x-www-form-urlencoded", "go=%2Fb%23id_token%3Dhunter2"),
        (
            "multipart/mixed; boundary=b",
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2\r\n--b--\r\n"
        ),
    ]

    @Test("a body goes on only if it was searched to its end", arguments: credentialBodies)
    func searchedBody(type: String?, text: String) {
        var fields = HTTPFields()
        fields[.contentType] = type
        let body = PreparedRequest.Body.bytes(Array(text.utf8))
        let request = PreparedRequest.make(.post, "h", fields: fields, body: body)
        #expect(request.bodyHoldsSecret)
    }

    @Test(
        "a body without a credential goes on, whatever it is",
        arguments: [
            (
                "application/json",
                #"{"sort_key":"name","country_code":"LIECH","nextPageToken":"abcdef"}"#
            ),
            (
                "application/json",
                #"{"primaryKey":"hunter2","text":"{name}, [x]","max_tokens":4096}"#
            ),
            ("application/json", #"{"parameters":[{"name":"password","in":"query"}]}"#),
            (
                "application/json",
                #"{"next":"/b?page=2&country_code=LIECH#top","mail":"ada@example.com"}"#
            ),
            ("application/x-www-form-urlencoded", "a=1&b=100%&[c]=[d]&e={f}"),
            ("application/x-www-form-urlencoded", #"{"a":"b=c"}"#),
            ("text/plain", "{{name}} has a password, and no value"), ("text/plain", "[INFO] a=b"),
            ("application/xml", "<?xml version='1.0'?><a b='c'>d &amp; e</a>"),
            ("application/yaml", "a: b\nc: [d]\n"), ("text/csv", "a,b\nc,d\n"),
            ("image/png", "{\u{1}"), ("application/zip", "PK"), ("application/json", ""),
        ]
    )
    func harmlessBody(type: String, text: String) {
        for fields: HTTPFields in [
            [.contentType: type], [.contentType: type, .authorization: "Bearer tok-12345"],
        ] {
            let body = PreparedRequest.Body.bytes(Array(text.utf8))
            #expect(!PreparedRequest.make(.post, "h", fields: fields, body: body).bodyHoldsSecret)
        }
    }

    @Test("of two types a server may believe either")
    func twoTypes() {
        let body = PreparedRequest.Body.bytes(Array("a=b&password=hunter2".utf8))
        let form = "application/x-www-form-urlencoded"
        for types in [[form, "image/png"], ["image/png", form]] {
            let fields = HTTPFields(pairs: types.map { ("Content-Type", $0) })
            #expect(PreparedRequest.make(.post, "h", fields: fields, body: body).bodyHoldsSecret)
        }
    }

    @Test("a coded body, and one in another encoding, are no hiding places")
    func codedBody() {
        let text = #"{"password":"hunter2"}"#
        let wide: [UInt8] = [0xFF, 0xFE] + Array(text.utf8).flatMap { [$0, 0] as [UInt8] }
        let bodies: [(type: String?, coding: String?, bytes: [UInt8])] = [
            ("application/json", nil, wide), (nil, nil, wide), ("text/plain", nil, wide),
            ("application/json", "gzip", [31, 139, 8]), ("text/csv", "br", [1, 2, 3]),
        ]
        for (type, coding, bytes) in bodies {
            var fields = HTTPFields()
            fields[.contentType] = type
            fields[.contentEncoding] = coding
            let request = PreparedRequest.make(.post, "h", fields: fields, body: .bytes(bytes))
            #expect(request.bodyHoldsSecret, "\(fields)")
        }
    }

    @Test(
        "what a field or the URL says of a credential is known in the body and in other fields",
        arguments: [
            ("Token token=\"hunter22\", a=b", "h"), ("OAuth a=\"b\", oauth_token=hunter22", "h"),
            ("Digest username=\"ada\", uri=\"/\", response=\"hunter22\"", "h"),
            ("Basic dTpodW50ZXIyMg==", "h"), ("", "ada:hunter22@h"), ("", "ada:h%75nter22@h"),
            ("", "hunter22@h"),
        ]
    )
    func credentialForms(authorization: String, authority: String) {
        var fields: HTTPFields = [.userAgent: "x hunter22", .accept: "/, ada"]
        if !authorization.isEmpty { fields[.authorization] = authorization }
        let body = PreparedRequest.Body.bytes(Array("a hunter22".utf8))
        let request = PreparedRequest.make(.post, authority, fields: fields, body: body)
        #expect(request.bodyHoldsSecret)
        #expect(request.secretFieldNames.contains(.userAgent))
        #expect(!request.secretFieldNames.contains(.accept))
    }

    @Test("more of credentials than can be looked for may stand anywhere")
    func longCredentials() {
        let long = String(repeating: "a=bcdef; ", count: 10_000)
        let path = "/?" + String(repeating: "token=abcdef&", count: 10_000)
        let cookie: HTTPFields = [.cookie: long, .accept: "text/html"]
        let accept: HTTPFields = [.accept: "text/html"]
        for (fields, path) in [(cookie, "/"), (accept, path)] {
            let body = PreparedRequest.Body.bytes(Array("a".utf8))
            let request = PreparedRequest.make(.post, "h", path, fields: fields, body: body)
            #expect(request.secretFieldNames == fields.map(\.name))
            #expect(request.bodyHoldsSecret)
        }
        let request = PreparedRequest.make("h", fields: [.cookie: long])
        #expect(request.secretFieldNames == [.cookie])
        #expect(!request.bodyHoldsSecret)
    }

    @Test("a multipart body with a credential goes to its own origin only")
    func credentialPart() async throws {
        let other = try RawServer(RawServer.ok("ok"))
        let first = try RawServer { [other] _ in
            [Self.to("http://\(other.authority)/b", status: 307)]
        }
        func error(_ name: String) async -> ApusError.Reason? {
            let form = MultipartForm([
                MultipartForm.Part(name, .bytes(Array("hunter2".utf8)))
            ])
            return await transport.error(
                .make(.post, first.authority, "/a", body: .multipart(form))
            )?.reason
        }
        #expect(
            await error("password") == .secretInRedirect(to: "http://\(other.authority)")
        )
        #expect(
            await error("user[new_password]") == .secretInRedirect(to: "http://\(other.authority)")
        )
        #expect(await error("word") == nil)
        #expect(other.received.count == 1)
    }

    @Test(
        "a field with a credential of another field, or of the query, stays behind",
        arguments: [false, true]
    )
    func credentialInField(byCache: Bool) async throws {
        let other = try RawServer(RawServer.ok("ok"))
        let first = try RawServer { [other] _ in [Self.to("http://\(other.authority)/b")] }
        var fields: HTTPFields = [.authorization: "Bearer tok-12345", .accept: "a/b"]
        for (name, value) in [("X-A", "tok-12345"), ("X-B", "has query-99")] {
            if let name = HTTPField.Name(name) { fields[name] = value }
        }
        let request = PreparedRequest.make(first.authority, "/a?api_key=query-99", fields: fields)
        if byCache {
            var follower = RedirectFollower(request)
            var sent = Response.make(request, "", status: 302)
            sent.head.headerFields[.location] = "http://\(other.authority)/b"
            #expect(try follower.follow(sent))
            _ = try await transport.send(follower.next)
        } else {
            _ = try await transport.send(request)
        }
        let received = try #require(other.received.first)
        #expect(received.value(of: "X-A") == nil && received.value(of: "X-B") == nil)
        #expect(received.value(of: "Accept") == "a/b")
    }

    /// An answer to a GET, its redirects followed by libcurl or by us.
    private func error(_ server: RawServer, byCache: Bool) async -> ApusError? {
        guard byCache else { return await transport.error(.make(server.authority, "/a")) }
        let target = TestTarget(
            base: "http://\(server.authority)",
            path: "/a",
            cachePolicy: .http(in: .memory)
        )
        do throws(ApusError) {
            _ = try await Provider<TestTarget>(transport: transport).response(
                for: target,
                from: .cacheIfPossible
            )
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "an answer whose head libcurl reads in another way leads nowhere",
        arguments: [
            "HTTP/1.1  302 F", "HTTP/1.1 302\tF", "HTTP/1.1 302\u{B}F", "HTTP/1.1\t302 F",
            "http/1.1 302 F", "HTTP/1.1 0302 F",
        ]
    )
    func statusLines(line: String) async throws {
        let asked = Mutex(0)
        let other = try RawServer { _ in
            asked.withLock { $0 += 1 }
            return [RawServer.ok("ok")]
        }
        let first = try RawServer { [other] _ in
            [
                .send(
                    "\(line)\r\nLocation: http://\(other.authority)/\r\nContent-Length: 0\r\n\r\n"
                )
            ]
        }
        var request = PreparedRequest.make(first.authority, options: Self.options)
        request.head.headerFields = Self.fields
        let error = await transport.error(request)
        #expect(error != nil)
        #expect(asked.withLock { $0 } == 0)
    }

    @Test(
        "the answer to a redirect is not taken for its trailers",
        arguments: ["http/1.1", "Http/2"]
    )
    func secondHead(version: String) async throws {
        let server = try RawServer { request in
            request.path == "/a"
                ? [Self.to("/b")]
                : [.send("\(version) 200 OK\r\nContent-Length: 4\r\n\r\nevil")]
        }
        #expect(await transport.error(.make(server.authority, "/a")) != nil)
    }

    @Test(
        "a redirect to a scheme that is not followed is an error that names it",
        arguments: [
            ("file:///etc/passwd", "file"), ("FTP://h/", "ftp"),
            ("gopher://127.0.0.1:1/_x", "gopher"),
            ("javascript:alert(1)", "javascript"), ("file:/etc/passwd", "file"),
        ],
        [false, true]
    )
    func schemes(_ place: (location: String, scheme: String), byCache: Bool) async throws {
        let server = try RawServer(Self.to(place.location))
        let error = try #require(await error(server, byCache: byCache))
        #expect(error.reason == .redirectScheme(place.scheme))
        #expect("\(error)".contains("“\(place.scheme)”"))
        #expect(error.response?.status == 302)
        #expect(error.response?.redirects.isEmpty == true)
        #expect(error.request?.url == "http://\(server.authority)/a")
    }

    @Test(
        "a redirect to what is no URL is the server's fault, not the caller's",
        arguments: [
            "//", "http://", "http://[::1", "http://127.0.0.1:99999/", "http://a%20b/",
        ],
        [false, true]
    )
    func noURL(_ place: String, byCache: Bool) async throws {
        let server = try RawServer(Self.to(place))
        let error = try #require(await error(server, byCache: byCache))
        #expect(error.code == 2410, "\(error)")
        #expect(!"\(error)".contains("absolute URL"))
    }

    @Test(
        "two places to go to are an error, and one that is named twice is none",
        arguments: [false, true]
    )
    func doubled(byCache: Bool) async throws {
        func server(_ other: String) throws -> RawServer {
            try RawServer { request in
                request.path == "/a"
                    ? [
                        .send(
                            "HTTP/1.1 302 F\r\nLocation: /b\r\nLocation: \(other)\r\nContent-Length: 0\r\n\r\n"
                        )
                    ] : [RawServer.ok("ok")]
            }
        }
        let twice = try server("/b")
        #expect(await error(twice, byCache: byCache) == nil)
        #expect(twice.received.map(\.path) == ["/a", "/b"])
        let two = try server("/c")
        guard case .protocolViolation = await error(two, byCache: byCache)?.reason else {
            Issue.record("no error")
            return
        }
        #expect(two.received.map(\.path) == ["/a"])
    }

    @Test("a file with a known secret, or too long to look for one, goes to its own origin only")
    func secretFile() async throws {
        let other = try RawServer(RawServer.ok("ok"))
        let first = try RawServer { [other] _ in
            [Self.to("http://\(other.authority)/b", status: 307)]
        }
        let path = try Temporary.folder() + "/body"
        func error(_ text: String, _ options: TransportOptions = Self.options) async throws
            -> ApusError.Reason?
        {
            try Temporary.write(text, to: path)
            return await transport.error(
                .make(.put, first.authority, "/a", body: .file(path: path), options: options)
            )?.reason
        }
        let refused = ApusError.Reason.secretInRedirect(to: "http://\(other.authority)")
        #expect(try await error("it is hidden here") == refused)
        let long = String(repeating: "a", count: (1 << 20) + 1)
        #expect(try await error(long) == refused)
        #expect(other.received.isEmpty)
        #expect(try await error("nothing is here") == nil)
        #expect(try await error(long, TransportOptions()) == nil)
        #expect(other.received.map(\.body.count) == [15, long.utf8.count])
    }

    @Test(
        "a redirect to where nothing is answered is no answer",
        arguments: ["", "HTTP/1.1", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nA: b\r\n"]
    )
    func nothing(sent: String) async throws {
        let server = try RawServer { request in
            guard request.path == "/a" else { return [.send(sent), .close] }
            return [.send("HTTP/1.1 302 F\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n")]
        }
        let failure = await #expect(throws: ApusError.self) {
            try await transport.send(.make(server.authority, "/a", options: Self.options))
        }
        guard case .connectionLost(_, _, _, let phase)? = failure?.reason else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(phase != .inBody)
    }

    @Test("the hop that fails is the one that is blamed")
    func blame() async throws {
        let closed = try ClosedPort()
        defer { closed.letGo() }
        for (location, url) in [
            ("\(closed.base)/x", "\(closed.base)/x"),
            ("http://bad host:99999/", "http://bad host:99999/"),
            ("http://nobody.invalid/x?token=t", "http://nobody.invalid/x?token=••••••"),
        ] {
            let server = try RawServer(Self.to(location, status: 303))
            let error = try #require(await transport.error(.make(.post, server.authority, "/a")))
            #expect(error.request?.url == url)
            #expect(error.response?.request.url == "http://\(server.authority)/a")
            #expect(error.response?.redirects.first?.location == location)
        }
    }
}
