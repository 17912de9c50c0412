import Apus
import HTTPTypes
import TestSupport
import Testing

@Suite("CurlTransport: requests")
struct CurlTransportRequestTests {
    private let transport = CurlTransport()

    private func sent(_ request: (String) -> PreparedRequest) async throws -> RawServer.Received {
        let server = try RawServer(RawServer.ok("ok"))
        _ = try await transport.send(request(server.authority))
        return try #require(server.received.first)
    }

    @Test("a plain GET says who asks, and no more than it must")
    func plain() async throws {
        let request = try await sent { .make($0, "/a/../b?x=%20y") }
        #expect(request.line == "GET /a/../b?x=%20y HTTP/1.1")
        // The name of this program of tests, whatever it is called.
        #expect(request.value(of: "User-Agent") == RunningProgram.userAgent)
        #expect(RunningProgram.userAgent.wholeMatch(of: /\S+ apus\/0\.1\.0/) != nil)
        #expect(request.value(of: "Accept-Encoding")?.contains("br") == true)
        #expect(request.value(of: "Content-Length") == nil)
        #expect(request.body.isEmpty)
    }

    @Test(
        "what is added can be known beforehand",
        arguments: [
            ("GET", nil, [:], false), ("POST", "x", [:], false), ("POST", nil, [:], false),
            ("PUT", nil, [:], false), ("PATCH", "x", [:], false), ("DELETE", nil, [:], false),
            ("DELETE", "x", [:], false), ("HEAD", nil, [:], false),
            ("POST", "x", [.transferEncoding: "chunked"], false),
            ("GET", nil, [.userAgent: "me", .accept: "a/b", .acceptEncoding: "gzip"], false),
            ("POST", "x", [.contentType: "a/b"], true), ("GET", nil, [:], true),
        ] as [(String, String?, HTTPFields, Bool)]
    )
    func added(method: String, body: String?, given: HTTPFields, onlyGiven: Bool) async throws {
        let server = try RawServer(RawServer.ok("ok"))
        let transport = CurlTransport(.init(sendsOnlyGivenFields: onlyGiven))
        var request = PreparedRequest.make("ada@\(server.authority)", fields: given)
        request.head.method = try #require(HTTPRequest.Method(method))
        if let body { request.body = .bytes(Array(body.utf8)) }
        let added = transport.addedFields(to: request)
        _ = try? await transport.send(request)
        var told = (Array(given) + Array(added)).map { "\($0.name.canonicalName): \($0.value)" }
        // The user in the URL; credentials are not told.
        told.append("authorization: Basic YWRhOg==")
        let sent = try #require(server.received.first).fields.map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return line[..<colon].lowercased() + line[colon...]
        }
        #expect(sent.sorted() == told.sorted())
    }

    @Test("the user's fields take the place of ours, an empty one is sent empty")
    func fields() async throws {
        let empty = try #require(HTTPField.Name("X-Empty"))
        let host = try #require(HTTPField.Name("Host"))
        let request = try await sent {
            .make(
                $0,
                fields: [
                    .userAgent: "me", .accept: "text/x", host: "other.example",
                    empty: "",
                ]
            )
        }
        #expect(request.value(of: "User-Agent") == "me")
        #expect(request.value(of: "Accept") == "text/x")
        #expect(request.value(of: "Host") == "other.example")
        #expect(request.value(of: "X-Empty") == "")
        #expect(request.fields.filter { $0.lowercased().hasPrefix("host:") }.count == 1)
    }

    @Test("as many fields as a request may have go out in their order")
    func manyFields() async throws {
        let fields = HTTPFields((0..<10_000).map { HTTPField(name: .accept, value: "\($0)") })
        let request = try await sent { .make($0, fields: fields) }
        let values = request.fields.filter { $0.hasPrefix("Accept: ") }
        #expect(values == fields.map { "Accept: \($0.value)" })
    }

    @Test(
        "more fields than a request may have, or longer ones, are an invalid request",
        arguments: [(10_001, 1), (65_534, 0), (1, 1 << 20), (9_000, 200)]
    )
    func tooManyFields(count: Int, length: Int) async throws {
        let field = HTTPField(name: .accept, value: String(repeating: "a", count: length))
        let fields = HTTPFields(Array(repeating: field, count: count))
        let server = try RawServer(RawServer.ok("ok"))
        let error = await transport.error(.make(server.authority, fields: fields))
        #expect(error?.code == 1007)
        #expect(error?.message.description.contains("header fields") == true)
        #expect(server.received.isEmpty)
    }

    @Test(
        "bytes are sent as they are, by any method",
        arguments: ["POST", "PUT", "PATCH", "DELETE", "GET", "REPORT"]
    )
    func bytes(_ name: String) async throws {
        let method = try #require(HTTPRequest.Method(name))
        let request = try await sent {
            .make(method, $0, body: .bytes(Array("a=1\0\u{e9}".utf8)))
        }
        #expect(request.method == name)
        #expect(request.body == Array("a=1\0\u{e9}".utf8))
        #expect(request.value(of: "Content-Length") == "6")
        #expect(request.value(of: "Content-Type") == nil)
        #expect(request.value(of: "Expect") == nil)
    }

    @Test("a method without a body says so where one is expected")
    func emptyBodies() async throws {
        for (method, length) in [
            (HTTPRequest.Method.post, "0"), (.put, "0"), (.patch, "0"), (.delete, nil),
        ] as [(HTTPRequest.Method, String?)] {
            let request = try await sent { .make(method, $0) }
            #expect(request.method == method.rawValue)
            #expect(request.value(of: "Content-Length") == length)
        }
    }

    @Test("a file is streamed with its length, and progress has the total")
    func file() async throws {
        let path = Temporary.folder() + "/body"
        let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try Temporary.write(bytes, to: path)
        let server = try RawServer(RawServer.ok("ok"))
        let told = Told()
        let response = try await transport.send(
            .make(
                .post,
                server.authority,
                fields: [.contentType: "a/b"],
                body: .file(path: path)
            ),
            progress: { told.add($0) }
        )
        let request = try #require(server.received.first)
        #expect(request.body == bytes)
        #expect(request.value(of: "Content-Type") == "a/b")
        #expect(request.value(of: "Expect") == "100-continue")
        #expect(response.metrics?.bytesSent == bytes.count)
        #expect(told.all.last?.bytesSent == bytes.count)
        #expect(told.all.last?.bytesToSend == bytes.count)
    }

    @Test("a file that is not there is an error, and nothing is sent")
    func missingFile() async throws {
        let server = try RawServer(RawServer.ok("ok"))
        let error = await transport.error(
            .make(.put, server.authority, body: .file(path: "/nowhere/at-all"))
        )
        #expect(error?.reason == .file(path: "/nowhere/at-all", errno: 2))
        #expect(server.received.isEmpty)
    }

    @Test("redirects are followed, each hop noted, the phases are the last hop's")
    func redirects() async throws {
        let server = try RawServer { request in
            switch request.path {
            case "/a": [.send("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n")]
            case "/b":
                [
                    .drip(" ", count: 0, milliseconds: 0),
                    .send("HTTP/1.1 307 T\r\nLocation: c?d\r\nContent-Length: 3\r\n\r\nbye"),
                ]
            default: [RawServer.ok("end")]
            }
        }
        let response = try await transport.send(.make(server.authority, "/a"))
        let metrics = try #require(response.metrics)
        #expect(response.bodyText == "end")
        #expect(metrics.redirects.map(\.status) == [302, 307])
        #expect(metrics.redirects.map(\.location) == ["/b", "c?d"])
        #expect(metrics.effectiveURL == "http://\(server.authority)/c?d")
        #expect(metrics.phases.redirects > .zero)
        #expect(metrics.phases.redirects + metrics.phases.preTransfer <= metrics.phases.total)
        let shown = try await transport.send(
            .make(server.authority, "/a", options: TransportOptions(maximumRedirects: 0))
        )
        #expect(shown.status == 302)
        #expect(shown.metrics?.redirects == [])
    }

    @Test(
        "the method after a redirect is as RFC 9110 has it",
        arguments: [
            ("POST", 301, "GET"), ("POST", 302, "GET"), ("POST", 303, "GET"),
            ("POST", 307, "POST"), ("POST", 308, "POST"), ("PUT", 302, "PUT"),
            ("PUT", 303, "GET"), ("PATCH", 307, "PATCH"), ("PATCH", 301, "PATCH"),
            ("DELETE", 303, "GET"), ("HEAD", 303, "HEAD"),
        ]
    )
    func redirectMethod(_ method: String, _ status: Int, _ next: String) async throws {
        let server = try RawServer { request in
            request.path == "/a"
                ? [.send("HTTP/1.1 \(status) X\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n")]
                : [.send("HTTP/1.1 204 N\r\n\r\n")]
        }
        let hasBody = ["POST", "PUT", "PATCH"].contains(method)
        _ = try await transport.send(
            .make(
                try #require(HTTPRequest.Method(method)),
                server.authority,
                "/a",
                body: hasBody ? .bytes(Array("body".utf8)) : .none
            )
        )
        let second = try #require(server.received.last)
        #expect(server.received.count == 2)
        #expect(second.method == next)
        #expect(second.body == (hasBody && next != "GET" ? Array("body".utf8) : []))
    }

    @Test("credentials do not go to another host")
    func credentials() async throws {
        let other = try RawServer(RawServer.ok("ok"))
        let server = try RawServer { [port = other.port] _ in
            [
                .send(
                    "HTTP/1.1 302 F\r\nLocation: http://localhost:\(port)/\r\n"
                        + "Content-Length: 0\r\n\r\n"
                )
            ]
        }
        _ = try await transport.send(
            .make(server.authority, fields: [.authorization: "Bearer x", .cookie: "a=b"])
        )
        let request = try #require(other.received.first)
        #expect(server.received.first?.value(of: "Authorization") == "Bearer x")
        #expect(request.value(of: "Authorization") == nil)
        #expect(request.value(of: "Cookie") == nil)
    }

    @Test("a redirect from http to https shows the certificates of the end")
    func redirectToTLS() async throws {
        let nginx = try Nginx.shared()
        let options = TransportOptions(certificateAuthorityFile: nginx.authorityFile)
        let response = try await transport.send(.make(nginx.plain, "/to-tls", options: options))
        #expect(response.status == 200)
        #expect(response.metrics?.negotiatedVersion == "2")
        #expect(response.metrics?.certificates.count == 2)
    }

    @Test("a handle that is used again keeps nothing of the request before")
    func recycling() async throws {
        let server = try RawServer(RawServer.ok("ok", fields: "Set-Cookie: sid=1; Path=/\r\n"))
        _ = try await transport.send(
            .make(
                .post,
                server.authority,
                fields: [.accept: "a/b", .authorization: "x"],
                body: .bytes([1, 2, 3])
            )
        )
        _ = try await transport.send(.make(server.authority))
        let second = try #require(server.received.last)
        #expect(second.method == "GET")
        #expect(second.body.isEmpty)
        #expect(second.value(of: "Accept") == "*/*")
        #expect(second.value(of: "Authorization") == nil)
        #expect(second.value(of: "Cookie") == nil)
    }

    @Test("a request through an HTTP proxy names the whole URL")
    func proxy() async throws {
        let server = try RawServer(RawServer.ok("by proxy"))
        let response = try await transport.send(
            .make(
                "far.invalid",
                "/x",
                options: TransportOptions(proxy: "http://\(server.authority)")
            )
        )
        #expect(response.bodyText == "by proxy")
        #expect(server.received.first?.line == "GET http://far.invalid/x HTTP/1.1")
    }
}
