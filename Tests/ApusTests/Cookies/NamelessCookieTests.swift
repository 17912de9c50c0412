import TestSupport
import Testing

@testable import Apus

@Suite("Cookies without a name")
struct NamelessCookieTests {
    @Test(
        "set nothing, and their attributes are no cookies",
        arguments: [
            "=x; Path=/", "; Path=/", "=; Path=/", " =x; Path=/", "=x; Domain=127.0.0.1", "=x",
            "=x; Secure; Path=/; HttpOnly", "=a=b; Max-Age=60", "", ";",
        ]
    )
    func nameless(field: String) async throws {
        let server = try RawServer { _ in
            [
                RawServer.ok(
                    "ok",
                    fields: "Set-Cookie: \(field)\r\nSet-Cookie: a=1\r\n"
                )
            ]
        }
        let jar = CookieJar()
        let options = TransportOptions().with { $0.cookieJar = jar }
        let transport = CurlTransport()
        for _ in 1...2 { _ = try await transport.send(.make(server.authority, options: options)) }
        #expect(jar.cookies.map(\.name) == ["a"])
        #expect(server.received.last?.value(of: "Cookie") == "a=1")
    }

    @Test("a cookie that is called like an attribute stays one")
    func named() async throws {
        let server = try RawServer(
            RawServer.ok("ok", fields: "Set-Cookie: Path=x; Path=/\r\nSet-Cookie: ; Path=/\r\n")
        )
        let jar = CookieJar()
        let options = TransportOptions().with { $0.cookieJar = jar }
        _ = try await CurlTransport().send(.make(server.authority, options: options))
        #expect(jar.cookies.allSatisfy { $0.value.value == "x" })
    }
}
