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
        "Proxy-Authorization", "X-Own", "X-Bearer", "X-Token-Value", "Referer",
    ]
    private static var fields: HTTPFields {
        var fields = HTTPFields()
        for name in names {
            if let name = HTTPField.Name(name) { fields[name] = "the hidden word" }
        }
        fields[.accept] = "text/plain"
        fields[.userAgent] = "plain"
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
        #expect(received.value(of: "Accept") == "text/plain")
        #expect(received.value(of: "User-Agent") == "plain")
        #expect(first.received.first?.value(of: "X-Api-Key") == "the hidden word")
        let hop = try #require(response.redirects.first)
        #expect(Set(hop.withheldFields) == Set(Self.names))
    }

    private static let bodyFields: HTTPFields = {
        var fields: HTTPFields = [
            .contentLength: "300", .contentType: "text/plain", .contentEncoding: "gzip",
            .expect: "100-continue",
        ]
        for name in ["Trailer", "Content-Digest", "Prefer"] {
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
        #expect(hopped.value(of: "Prefer") == "x")
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
        let options = Self.options.with { $0.trustsRedirects = true }
        let response = try await transport.send(
            .make(first.authority, "/a", fields: Self.fields, options: options)
        )
        let received = try #require(other.received.first)
        for name in Self.names { #expect(received.value(of: name) == "the hidden word", "\(name)") }
        #expect(response.redirects.first?.withheldFields == [])
    }

    @Test(
        "a body goes to its own origin only, whatever it is",
        arguments: [false, true],
        ["bytes", "file", "form"]
    )
    func body(byCache: Bool, kind: String) async throws {
        let other = try RawServer(RawServer.ok("ok"))
        let first = try RawServer { [other] request in
            switch request.path {
            case "/a": [Self.to("http://\(other.authority)/b", status: 307)]
            case "/c": [Self.to("http://\(other.authority)/b", status: 303)]
            case "/d": [Self.to("/e", status: 308)]
            default: [RawServer.ok("ok")]
            }
        }
        let path = Temporary.folder() + "/body"
        try Temporary.write("word", to: path)
        let word = Array("word".utf8)
        let body: PreparedRequest.Body =
            switch kind {
            case "bytes": .bytes(word)
            case "file": .file(path: path)
            default: .multipart(MultipartForm([MultipartForm.Part("name", .bytes(word))]))
            }
        func send(_ path: String, _ options: TransportOptions = .init()) async throws(ApusError) {
            let request = PreparedRequest.make(
                .post,
                first.authority,
                path,
                body: body,
                options: options
            )
            guard byCache else {
                _ = try await transport.send(request)
                return
            }
            var follower = RedirectFollower(request)
            repeat {} while try await follower.follow(transport.send(follower.next.asHop))
        }
        let error = await #expect(throws: ApusError.self) { try await send("/a") }
        #expect(error?.code == 1304)
        #expect("\(error, default: "")".contains(other.authority))
        #expect(error?.response?.status == 307)
        #expect(other.received.isEmpty)
        // A GET takes none along; an origin that is trusted, and one's own, have it.
        try await send("/c")
        try await send("/d")
        try await send("/a", TransportOptions().with { $0.trustsRedirects = true })
        #expect(other.received.map(\.method) == ["GET", "POST"])
        #expect(other.received.map(\.body.isEmpty) == [true, false])
        #expect(first.received.last { $0.path == "/e" }?.body.isEmpty == false)
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

    @Test(
        "a field with a credential of another field, or of the query, stays behind",
        arguments: [false, true]
    )
    func credentialInField(byCache: Bool) async throws {
        let other = try RawServer(RawServer.ok("ok"))
        let first = try RawServer { [other] _ in [Self.to("http://\(other.authority)/b")] }
        var fields: HTTPFields = [.authorization: "Bearer tok-12345", .accept: "a/b"]
        fields[.userAgent] = "tok-12345"
        fields[.acceptLanguage] = "has query-99"
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
        #expect(received.value(of: "User-Agent")?.contains("tok") != true)
        #expect(received.value(of: "Accept-Language") == nil)
        #expect(received.value(of: "Accept") == "a/b")
    }

    /// A response to a GET, its redirects followed by libcurl or by us.
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
        "a response whose head libcurl reads in another way leads nowhere",
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
        "the response to a redirect is not taken for its trailers",
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

    @Test(
        "a redirect to where nothing is answered is no response",
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
