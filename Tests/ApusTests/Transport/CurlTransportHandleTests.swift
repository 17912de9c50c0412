import Apus
import HTTPTypes
import TestSupport
import Testing

@Suite("CurlTransport: handles that serve many requests")
struct CurlTransportHandleTests {
    /// Answers by path; anything else is echoed by its path.
    private static func server() throws -> RawServer {
        try RawServer { request in
            switch request.path {
            case "/redirect":
                [.send("HTTP/1.1 302 F\r\nLocation: /landed\r\nContent-Length: 0\r\n\r\n")]
            case "/see-other":
                [.send("HTTP/1.1 303 S\r\nLocation: /landed\r\nContent-Length: 0\r\n\r\n")]
            case "/to-ada":
                [
                    .send(
                        """
                        HTTP/1.1 302 F\r
                        Location: http://ada:pw@\(request.value(of: "Host") ?? "")/landed\r
                        Content-Length: 0\r\n\r\n
                        """
                    )
                ]
            case "/cookie": [RawServer.ok("cookie", fields: "Set-Cookie: a=1; Path=/\r\n")]
            case "/guarded" where request.value(of: "Authorization") == nil:
                [
                    .send(
                        """
                        HTTP/1.1 401 Who\r
                        WWW-Authenticate: Digest realm="r", nonce="n", qop="auth", algorithm=MD5\r
                        Content-Length: 0\r\n\r\n
                        """
                    )
                ]
            case "/silent": [.hang]
            case "/late":
                [
                    .send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n"),
                    .drip("x", count: 1, milliseconds: 30),
                ]
            case "/broken": [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .close]
            default: [RawServer.ok(request.path)]
            }
        }
    }

    /// Requests that differ in all that an option of libcurl's stands for.
    private static func uses(_ server: RawServer) throws -> [HandleUse] {
        let jar = CookieJar()
        return plainUses(server) + bodyUses(server) + otherUses(server, jar)
            + (try secureUses())
    }

    private static func plainUses(_ server: RawServer) -> [HandleUse] {
        func get(
            _ path: String,
            fields: HTTPFields = [:],
            _ change: (inout TransportOptions) -> Void = { _ in }
        ) -> PreparedRequest {
            .make(server.authority, path, fields: fields, options: TransportOptions().with(change))
        }
        return [
            HandleUse(name: "plain", request: get("/")),
            HandleUse(name: "other path", request: get("/other?a=1")),
            HandleUse(name: "progress", request: get("/"), reportsProgress: true),
            HandleUse(name: "field", request: get("/", fields: [.acceptLanguage: "de"])),
            HandleUse(name: "own agent", request: get("/", fields: [.userAgent: "me"])),
            HandleUse(name: "cookie field", request: get("/", fields: [.cookie: "b=2"])),
            HandleUse(name: "own coding", request: get("/", fields: [.acceptEncoding: "x"])),
            HandleUse(name: "range", request: get("/", fields: [.range: "bytes=0-1"])),
            HandleUse(name: "sets a cookie", request: get("/cookie")),
            HandleUse(name: "redirect", request: get("/redirect")),
            HandleUse(name: "redirect with a user", request: get("/to-ada")),
            HandleUse(name: "no redirect", request: get("/redirect") { $0.maximumRedirects = 0 }),
            HandleUse(name: "late", request: get("/late")),
            HandleUse(
                name: "short of time",
                request: get("/silent") { $0.timeout = .milliseconds(10) }
            ),
            HandleUse(name: "broken", request: get("/broken")),
            HandleUse(name: "trace", request: get("/") { $0.tracesWire = true }),
            HandleUse(name: "undecoded", request: get("/") { $0.decodesContent = false }),
            HandleUse(name: "small limit", request: get("/") { $0.maximumBodySize = 0 }),
            HandleUse(name: "HTTP/1", request: get("/") { $0.requestedVersion = .http1 }),
        ]
    }

    private static func bodyUses(_ server: RawServer) -> [HandleUse] {
        func use(
            _ name: String,
            _ method: HTTPRequest.Method,
            _ body: String? = nil,
            path: String = "/"
        ) -> HandleUse {
            let bytes = body.map { PreparedRequest.Body.bytes(Array($0.utf8)) }
            return HandleUse(
                name: name,
                request: .make(method, server.authority, path, body: bytes ?? .none)
            )
        }
        return [
            use("head", .head), use("post", .post, "posted"), use("empty post", .post),
            use("put", .put, "put"), use("patch", .patch, "patched"), use("delete", .delete),
            use("get with a body", .get, "got"), use("own method", .init("PURGE") ?? .get),
            use("see other", .post, "posted", path: "/see-other"),
        ]
    }

    private static func otherUses(_ server: RawServer, _ jar: CookieJar) -> [HandleUse] {
        func use(
            _ name: String,
            _ authority: String? = nil,
            _ path: String = "/",
            _ change: (inout TransportOptions) -> Void
        ) -> HandleUse {
            let options = TransportOptions().with(change)
            return HandleUse(
                name: name,
                request: .make(authority ?? server.authority, path, options: options)
            )
        }
        let here = AddressOverride(
            host: "far.invalid",
            port: 80,
            address: "127.0.0.1",
            toPort: Int(server.port)
        )
        return [
            use("basic") { $0.credentials = .init(.basic, user: "u", password: "p") },
            use("digest", nil, "/guarded") {
                $0.credentials = .init(.digest, user: "u", password: "p")
            },
            use("no credentials", nil, "/guarded") { _ in },
            use("user in the URL", "u:p@\(server.authority)") { _ in },
            use("jar", nil, "/cookie") { $0.cookieJar = jar },
            use("proxy", "far.invalid") { $0.proxy = "http://\(server.authority)" },
            use("proxy's credentials", "far.invalid") {
                $0.proxy = "http://\(server.authority)"
                $0.proxyCredentials = .init(.basic, user: "u", password: "p")
            },
            use("override", "far.invalid") { $0.addressOverrides = [here] },
            use("no such interface") { $0.interface = "no-such-interface-0" },
            use("no such socket") { $0.unixSocket = "/nowhere" },
            use("address family") { $0.addressFamily = .ipv4 },
        ]
    }

    private static func secureUses() throws -> [HandleUse] {
        let nginx = try Nginx.shared()
        func use(
            _ name: String,
            _ scheme: String,
            _ authority: String,
            _ change: (inout TransportOptions) -> Void
        ) -> HandleUse {
            let options = TransportOptions().with(change)
            return HandleUse(
                name: name,
                request: .make(scheme: scheme, authority, "/1k.json", options: options)
            )
        }
        return [
            use("HTTP/2", "http", nginx.http2) { $0.requestedVersion = .http2 },
            use("unknown authority", "https", nginx.tls) { _ in },
            use("unverified", "https", nginx.tls) { $0.verifiesTLS = false },
            use("own authority", "https", nginx.tls) {
                $0.certificateAuthorityFile = nginx.authorityFile
            },
            use("other authority", "https", nginx.tls) {
                $0.certificateAuthorityFile = nginx.otherAuthorityFile
            },
        ]
    }

    // libcurl 7.88 added the line to a header of the response before, which was freed, and ended the process.
    @Test("a response that begins with a folded line is an error at most, also after another")
    func foldedFirstLine() async throws {
        let server = try RawServer { request in
            guard request.path == "/folded" else {
                let value = String(repeating: "x", count: 2000)
                return [RawServer.ok("ok", fields: "X-Long: \(value)\r\n")]
            }
            return [.send("HTTP/1.1 200 OK\r\n folded: 1\r\nContent-Length: 0\r\n\r\n")]
        }
        let transport = CurlTransport()
        for _ in 0..<100 {
            let response = try await transport.send(.make(server.authority))
            #expect(response.bodyText == "ok")
            // Newer ones take it for a field.
            guard let error = await transport.error(.make(server.authority, "/folded")) else {
                continue
            }
            #expect(error.reason == .protocolViolation(detail: "a header line without a name"))
        }
    }

    // Requests of a kind keep the options of their handle: an option too many would show here.
    @Test("a request after any other is what it is on a handle of its own")
    func pairs() async throws {
        let server = try Self.server()
        let uses = try Self.uses(server)
        var expected: [HandleUse.Outcome] = []
        for use in uses {
            // A jar's cookies are sent from its second use on.
            _ = await use.outcome(on: CurlTransport(), at: server)
            expected.append(await use.outcome(on: CurlTransport(), at: server))
        }
        let transport = CurlTransport()
        var last = "nothing"
        for first in uses.indices {
            for second in uses.indices.prefix(through: first) {
                // So that each comes once after each, and after itself.
                for index in [first, second] {
                    let outcome = await uses[index].outcome(on: transport, at: server)
                    #expect(outcome == expected[index], "“\(uses[index].name)” after “\(last)”")
                    last = uses[index].name
                }
            }
        }
    }
}
