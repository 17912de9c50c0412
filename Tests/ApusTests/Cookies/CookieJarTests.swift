import Documents
import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Apus

@Suite("Cookie jars")
struct CookieJarTests {
    private static let later = Date(timeIntervalSince1970: 4_000_000_000)

    /// A server that sets what the query says, and tells which cookies came.
    private static func server() throws -> RawServer {
        try RawServer { request in
            let query = request.path.drop { $0 != "?" }.dropFirst()
            let fields = query.split(separator: "&").map { pair -> String in
                let value = QueryEditing.value(of: "set", in: pair) ?? ""
                let place = QueryEditing.value(of: "go", in: pair)
                return place.map { "Location: \($0)\r\n" } ?? "Set-Cookie: \(value)\r\n"
            }
            let status = fields.contains { $0.hasPrefix("Location") } ? "302 Found" : "200 OK"
            let body = request.value(of: "Cookie") ?? "none"
            return [
                .send(
                    "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n"
                        + fields.joined() + "\r\n\(body)"
                )
            ]
        }
    }

    /// Asks a host that is not this machine's; all hosts are the server.
    private static func ask(
        _ server: RawServer,
        _ jar: CookieJar?,
        _ path: String = "/",
        set cookies: [String] = [],
        to place: String? = nil,
        host: String = "www.shop.test",
        scheme: String = "http",
        fields: HTTPFields = [:],
        transport: CurlTransport = CurlTransport(),
        change: (inout TransportOptions) -> Void = { _ in }
    ) async throws -> String? {
        var options = TransportOptions().with {
            $0.cookieJar = jar
            $0.addressOverrides = [
                AddressOverride(host: "", address: "127.0.0.1", toPort: Int(server.port))
            ]
        }
        change(&options)
        let pairs =
            cookies.map { "set=\(PercentEncoding.form($0))" }
            + (place.map { ["go=\(PercentEncoding.form($0))"] } ?? [])
        let target = pairs.isEmpty ? path : "\(path)?\(pairs.joined(separator: "&"))"
        return try await transport.send(
            .make(scheme: scheme, host, target, fields: fields, options: options),
            progress: nil
        ).text
    }

    @Test("a jar of a session is nobody's to caches for what it has no cookies for")
    func accounts() async throws {
        let jar = CookieJar.ofSession()
        func account(_ path: String) -> String {
            let request = PreparedRequest.make(
                "shop.test",
                path,
                options: TransportOptions().with { $0.cookieJar = jar }
            )
            return CachePolicy.keep(for: .seconds(60)).account(of: request)
        }
        #expect(account("/").isEmpty)
        try jar.set(Cookie("a", "1", domain: "shop.test", path: "/users"))
        #expect(account("/").isEmpty)
        #expect(!account("/users").isEmpty)
        try jar.removeAll()
        #expect(account("/users").isEmpty)
    }

    @Test("the jar finds the cookies of an IPv6 address", arguments: ["[::1]", "[::1]:8080"])
    func addressOfIPv6(authority: String) async throws {
        let server = try Self.server()
        let jar = CookieJar.ofSession()
        _ = try await Self.ask(server, jar, set: ["a=1; SameSite=Lax"], host: authority)
        #expect(try await Self.ask(server, jar, host: authority) == "a=1")
        let head = PreparedRequest.make(authority).head
        #expect(jar.cookies(for: head).map(\.name) == ["a"])
        #expect(jar.cookies(for: head).map(\.sameSite) == [.lax])
        #expect(jar.field(for: head, beside: nil) == "a=1")
        #expect(jar.account(for: head) != nil)
    }

    @Test("a cookie that was set is sent back, and by no other jar")
    func setAndSent() async throws {
        let server = try Self.server()
        let jar = CookieJar()
        let other = CookieJar()
        let transport = CurlTransport()
        #expect(
            try await Self.ask(server, jar, set: ["a=1", "b=x y"], transport: transport) == "none"
        )
        #expect(try await Self.ask(server, jar, transport: transport) == "b=x y; a=1")
        #expect(try await Self.ask(server, other, transport: transport) == "none")
        #expect(try await Self.ask(server, nil, transport: transport) == "none")
        // A handle that had a jar has not emptied it when it was used again.
        #expect(try await Self.ask(server, jar, transport: transport) == "b=x y; a=1")
        #expect(jar != other)
        #expect(other.cookies.isEmpty)
    }

    @Test("a cookie with an age beyond all clocks can be taken over into another jar")
    func endlessAge() async throws {
        let server = try RawServer(
            RawServer.ok("", fields: "Set-Cookie: a=1; Max-Age=9223372036854775807\r\n")
        )
        let jar = CookieJar()
        let options = TransportOptions().with { $0.cookieJar = jar }
        _ = try await CurlTransport().send(.make(server.authority, options: options))
        let cookie = try #require(jar.cookies.first)
        let other = CookieJar()
        try other.set(cookie)
        #expect(other.cookies.map(\.name) == ["a"])
    }

    @Test("a cookie that is set again has its last value")
    func overwritten() async throws {
        let server = try Self.server()
        let jar = CookieJar()
        _ = try await Self.ask(server, jar, set: ["a=1"])
        _ = try await Self.ask(server, jar, set: ["a=2"])
        #expect(try await Self.ask(server, jar) == "a=2")
        #expect(jar.cookies.map(\.value) == ["2"])
    }

    struct Rule: Sendable {
        var cookie: String
        var setAt = "/"
        var setBy = "www.shop.test"
        var host = "www.shop.test"
        var path = "/"
        var isSent: Bool
    }

    static let rules = [
        Rule(cookie: "a=1", isSent: true),
        // RFC 6265, 5.1.3: domains.
        Rule(cookie: "a=1", host: "shop.test", isSent: false),
        Rule(cookie: "a=1", host: "x.www.shop.test", isSent: false),
        Rule(cookie: "a=1; Domain=shop.test", host: "shop.test", isSent: true),
        Rule(cookie: "a=1; Domain=.shop.test", host: "api.shop.test", isSent: true),
        Rule(cookie: "a=1; Domain=shop.test", host: "eshop.test", isSent: false),
        Rule(cookie: "a=1; Domain=other.test", host: "other.test", isSent: false),
        Rule(cookie: "a=1; Domain=other.test", isSent: false),
        Rule(cookie: "a=1; Domain=x.www.shop.test", isSent: false),
        Rule(cookie: "a=1; domain=SHOP.test", host: "api.shop.test", isSent: true),
        // A public suffix is no domain (5.3, step 5).
        Rule(cookie: "a=1; Domain=test", isSent: false),
        Rule(
            cookie: "a=1; Domain=co.uk",
            setBy: "www.shop.co.uk",
            host: "other.co.uk",
            isSent: false
        ),
        Rule(
            cookie: "a=1; Domain=shop.co.uk",
            setBy: "www.shop.co.uk",
            host: "api.shop.co.uk",
            isSent: true
        ),
        // 5.1.4: paths.
        Rule(cookie: "a=1; Path=/in", path: "/in", isSent: true),
        Rule(cookie: "a=1; Path=/in", path: "/in/side", isSent: true),
        Rule(cookie: "a=1; Path=/in/", path: "/in/side", isSent: true),
        Rule(cookie: "a=1; Path=/in", path: "/inside", isSent: false),
        Rule(cookie: "a=1; Path=/in", path: "/", isSent: false),
        Rule(cookie: "a=1", setAt: "/in/page", path: "/in/other", isSent: true),
        Rule(cookie: "a=1", setAt: "/in/page", path: "/", isSent: false),
        Rule(cookie: "a=1; Path=strange", setAt: "/in/page", path: "/in/x", isSent: true),
        // 5.2.1, 5.2.2: ends.
        Rule(cookie: "a=1; Max-Age=1000", isSent: true),
        Rule(cookie: "a=1; Max-Age=0", isSent: false),
        Rule(cookie: "a=1; Max-Age=-1", isSent: false),
        Rule(cookie: "a=1; Expires=Sun, 06 Nov 2094 08:49:37 GMT", isSent: true),
        Rule(cookie: "a=1; Expires=Sun, 06 Nov 1994 08:49:37 GMT", isSent: false),
        Rule(
            cookie: "a=1; Max-Age=1000; Expires=Sun, 06 Nov 1994 08:49:37 GMT",
            isSent: true
        ),
        // 5.4: no TLS, no secure cookie; it cannot even be set.
        Rule(cookie: "a=1; Secure", isSent: false),
        Rule(cookie: "__Secure-a=1", isSent: false),
        Rule(cookie: "__Host-a=1; Path=/", isSent: false),
        Rule(cookie: "a=1; HttpOnly", isSent: true),
        Rule(cookie: "a=1; SameSite=Strict", isSent: true),
    ]

    @Test("domain, path, end and Secure decide", arguments: rules.indices)
    func matching(index: Int) async throws {
        let rule = Self.rules[index]
        let server = try Self.server()
        let jar = CookieJar()
        _ = try await Self.ask(server, jar, rule.setAt, set: [rule.cookie], host: rule.setBy)
        let sent = try await Self.ask(server, jar, rule.path, host: rule.host)
        #expect((sent != "none") == rule.isSent, "\(rule.cookie): \(sent ?? "")")
    }

    @Test("a server cannot fill a jar without end, nor push out the cookies of others")
    func limit() async throws {
        let server = try Self.server()
        let jar = CookieJar()
        try jar.set(Cookie("mine", "1", domain: "other.test"))
        let transport = CurlTransport()
        for round in 0..<80 {
            let cookies = (0..<50).map { "c\(round)x\($0)=1; SameSite=Lax" }
            _ = try await Self.ask(server, jar, set: cookies, transport: transport)
        }
        #expect((2000...3500).contains(jar.cookies.count))
        #expect(jar.state.withLock { $0.sameSites.count } <= 3500)
        #expect(jar.cookies.contains { $0.name == "mine" })
    }

    @Test("what a server says of another host's cookie is not noted")
    func foreignNote() async throws {
        let server = try Self.server()
        let jar = CookieJar()
        try jar.set(Cookie("a", "1", domain: "other.test", isHostOnly: false, sameSite: .strict))
        _ = try await Self.ask(server, jar, set: ["a=2; Domain=other.test; SameSite=None"])
        #expect(jar.cookies.map(\.sameSite) == [.strict])
    }

    @Test("a secure cookie goes over TLS only")
    func secure() async throws {
        let nginx = try Nginx.shared()
        let server = try Self.server()
        let jar = CookieJar()
        try jar.set(Cookie("s", "1", domain: "localhost", isSecure: true))
        try jar.set(Cookie("t", "1", domain: "www.shop.test", isSecure: true))
        let options = TransportOptions(
            certificateAuthorityFile: nginx.authorityFile,
            tracesWire: true
        ).with { $0.cookieJar = jar }
        let response = try await CurlTransport().send(
            .make(scheme: "https", nginx.tls, "/1k.json", options: options),
            progress: nil
        )
        let lines = response.metrics?.trace.map(\.text) ?? []
        #expect(lines.contains { $0.lowercased().hasPrefix("cookie:") })
        #expect(!lines.contains { $0.contains("s=1") })
        #expect(try await Self.ask(server, jar) == "none")
    }

    @Test("a cookie that a redirect sets counts, on the way and after")
    func redirects() async throws {
        let server = try Self.server()
        let jar = CookieJar()
        let sent = try await Self.ask(server, jar, set: ["a=1; SameSite=Lax"], to: "/next")
        #expect(sent == "a=1")
        #expect(jar.cookies.map(\.sameSite) == [.lax])
        // To another host it does not go.
        let elsewhere = try await Self.ask(server, jar, to: "http://other.test/")
        #expect(elsewhere == "none")
    }

    @Test("the target's own cookies go beside the jar's, in one field, to its host only")
    func ownCookies() async throws {
        let server = try Self.server()
        let jar = CookieJar()
        _ = try await Self.ask(server, jar, set: ["a=1"])
        #expect(try await Self.ask(server, jar, fields: [.cookie: "own=2"]) == "a=1; own=2")
        #expect(
            server.received.last?.fields.filter { $0.lowercased().hasPrefix("cookie:") }.count == 1
        )
        let elsewhere = try await Self.ask(
            server,
            jar,
            to: "http://other.test/",
            fields: [.cookie: "own=2"]
        )
        #expect(elsewhere == "none")
    }

    @Test("cookies can be switched off for a request")
    func switchedOff() async throws {
        let server = try Self.server()
        let jar = CookieJar()
        _ = try await Self.ask(server, jar, set: ["a=1"])
        let sent = try await Self.ask(server, jar, set: ["b=1"]) { $0.sendsCookies = false }
        #expect(sent == "none")
        #expect(jar.cookies.map(\.name) == ["a"])
    }

    @Test("a jar lists all that is known of a cookie")
    func listed() async throws {
        let server = try Self.server()
        let jar = CookieJar()
        _ = try await Self.ask(
            server,
            jar,
            "/in/page",
            set: [
                "z=1; Path=/; HttpOnly; SameSite=None",
                "a=p=q; Domain=shop.test; SameSite=strict; Expires=Sun, 06 Nov 2094 08:49:37 GMT",
            ]
        )
        #expect(
            jar.cookies == [
                Cookie(
                    "a",
                    "p=q",
                    domain: "shop.test",
                    path: "/in",
                    isHostOnly: false,
                    expires: Date(timeIntervalSince1970: 3_939_871_777),
                    sameSite: .strict
                ),
                Cookie(
                    "z",
                    "1",
                    domain: "www.shop.test",
                    isHTTPOnly: true,
                    sameSite: Cookie.SameSite.none
                ),
            ]
        )
        #expect(!"\(jar.cookies)".contains("p=q"))
    }

    @Test("cookies are added, changed and removed by hand")
    func edited() async throws {
        let server = try Self.server()
        let jar = CookieJar()
        try jar.set(Cookie("a", "1", domain: "www.shop.test"))
        try jar.set(Cookie("b", "1", domain: "shop.test", isHostOnly: false, expires: Self.later))
        #expect(try await Self.ask(server, jar) == "a=1; b=1")
        #expect(try await Self.ask(server, jar, host: "x.shop.test") == "b=1")
        try jar.set(Cookie("a", "2", domain: "WWW.shop.test"))
        #expect(jar[Cookie.ID(name: "a", domain: "www.shop.test")]?.value == "2")
        try jar.remove(Cookie.ID(name: "b", domain: ".shop.test"))
        try jar.remove(Cookie.ID(name: "never", domain: "shop.test"))
        #expect(jar.cookies.map(\.name) == ["a"])
        #expect(try await Self.ask(server, jar) == "a=2")
        try jar.set(Cookie("c", "1", domain: "shop.test", expires: Self.later))
        try jar.endSession()
        #expect(jar.cookies.map(\.name) == ["c"])
        try jar.removeAll()
        #expect(jar.cookies.isEmpty)
        #expect(try await Self.ask(server, jar) == "none")
    }

    @Test("a cookie may end in any year that a file names, and what is written is read again")
    func farEnd() throws {
        for end in ["9223372036854775807", "-9223372036854775808", "1e3", "0"] {
            let line = CookieLine(text: "a.test\tFALSE\t/\tFALSE\t\(end)\tb\tc")
            guard let cookie = line.cookie else {
                #expect(end == "1e3")
                continue
            }
            let again = try #require(CookieLine(cookie)).cookie
            #expect(again?.id == cookie.id && again?.value == cookie.value)
            #expect(again?.isSessionCookie == cookie.isSessionCookie)
            try CookieJar().set(cookie)
        }
        #expect(Cookie.ID(name: "a", domain: "..A.test").domain == "a.test")
        #expect(Cookie.ID(name: "a", domain: "a", path: "/d//").path == "/d//")
    }

    @Test("a jar that nobody has any more is let go of, with libcurl's own")
    func release() throws {
        weak var cookies: CurlCookies?
        do {
            let jar = CookieJar()
            try jar.set(Cookie("a", "1", domain: "www.shop.test"))
            cookies = try jar.share()
            #expect(cookies != nil)
        }
        #expect(cookies == nil)
    }

    @Test(
        "what cannot be a cookie is refused",
        arguments: [
            Cookie("", "1", domain: "a.test"), Cookie("a b", "1", domain: "a.test"),
            Cookie("a", "1;2", domain: "a.test"), Cookie("a", "1\n2", domain: "a.test"),
            Cookie("a", "1\t2", domain: "a.test"), Cookie("a", "1", domain: ""),
            Cookie("a", "1", domain: "#a.test"),
            Cookie("a", "1", domain: "a.test", path: "x"),
            Cookie("__Secure-a", "1", domain: "a.test"),
            Cookie("__Host-a", "1", domain: "a.test", path: "/x", isSecure: true),
        ]
    )
    func refused(cookie: Cookie) {
        let jar = CookieJar()
        let error = #expect(throws: ApusError.self) { try jar.set(cookie) }
        #expect(error?.code == 1004)
        #expect(jar.cookies.isEmpty)
    }

    @Test("a saved jar is another's beginning, without cookies of the session")
    func persistent() async throws {
        let server = try Self.server()
        let file = Temporary.folder() + "/new/staging.cookies"
        let jar = CookieJar(file: file)
        #expect(!jar.hasChanges)
        _ = try await Self.ask(
            server,
            jar,
            set: ["s=1", "p=2; Max-Age=1000; HttpOnly; SameSite=Lax; Domain=shop.test"]
        )
        #expect(jar.hasChanges)
        try await jar.save()
        #expect(!jar.hasChanges)
        #expect(try FileMode.of(file) == 0o600)
        let next = CookieJar(file: file)
        #expect(next.cookies == jar.cookies.filter { !$0.isSessionCookie })
        #expect(try await Self.ask(server, next) == "p=2")
        let all = CookieJar(file: file, savesSessionCookies: true)
        try all.set(Cookie("s", "3", domain: "www.shop.test"))
        try await all.save()
        #expect(CookieJar(file: file).cookies.map(\.name).sorted() == ["p", "s"])
    }

    @Test("the file is one that curl reads and writes")
    func curlsFile() async throws {
        let server = try Self.server()
        let folder = Temporary.folder()
        let jar = CookieJar(file: folder + "/jar")
        try jar.set(Cookie("p", "2", domain: "127.0.0.1", expires: Self.later, isHTTPOnly: true))
        try await jar.save()
        try Shell.run(
            """
            curl -sf -b '\(folder)/jar' -c '\(folder)/curl' \
              'http://\(server.authority)/?set=c%3D3%3B+Max-Age%3D1000' >'\(folder)/out'
            """
        )
        let out = String(decoding: try FileBytes.read(folder + "/out"), as: UTF8.self)
        #expect(out == "p=2")
        let names = CookieJar(file: folder + "/curl").cookies.map(\.name)
        #expect(names.sorted() == ["c", "p"])
    }

    @Test("a file that cannot be read is an error, and is not overwritten")
    func unreadable() async throws {
        let folder = Temporary.folder()
        let jar = CookieJar(file: folder)
        #expect(jar.cookies.isEmpty)
        #expect(throws: ApusError.self) { try jar.check() }
        await #expect(throws: ApusError.self) { try await jar.save() }
        let server = try Self.server()
        let error = await #expect(throws: ApusError.self) { try await Self.ask(server, jar) }
        #expect(error?.code == 2501)
    }

    @Test("fifty transfers at a time share a jar, also those of two transports")
    func concurrent() async throws {
        let server = try Self.server()
        let jar = CookieJar()
        let transports = [CurlTransport(), CurlTransport()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    _ = try await Self.ask(
                        server,
                        jar,
                        set: ["c\(number)=\(number)"],
                        transport: transports[number % 2]
                    )
                }
            }
            group.addTask { while jar.cookies.count < 50 { await Task.yield() } }
            try await group.waitForAll()
        }
        let sent = try await Self.ask(server, jar)?.split(separator: "; ").map(String.init)
        #expect(Set(sent ?? []) == Set((0..<50).map { "c\($0)=\($0)" }))
    }

    @Test("the plugin gives the jar, and saves it when it has changed")
    func plugin() async throws {
        let server = try Self.server()
        let file = Temporary.folder() + "/jar"
        let provider = Provider<TestTarget>(
            cache: .inMemory,
            plugins: [CookiesPlugin(CookieJar(file: file))]
        )
        let base = "http://\(server.authority)"
        _ = try await provider.response(for: TestTarget(base: base, path: "/"))
        #expect(!Temporary.exists(file))
        let query = "/?set=\(PercentEncoding.form("p=1; Max-Age=1000"))"
        _ = try await provider.response(for: TestTarget(base: base, path: query))
        #expect(CookieJar(file: file).cookies.map(\.name) == ["p"])
        let answer = try await provider.response(for: TestTarget(base: base, path: "/"))
        #expect(answer.text == "p=1")
    }

    @Test("each environment has its jar")
    func environments() throws {
        let folder = Temporary.folder()
        let jars = CookieJars(folder: folder)
        #expect(jars.jar(for: "staging") === jars.jar(for: "staging"))
        #expect(jars.jar(for: "staging") != jars.jar(for: "production"))
        #expect(jars.jar(for: "../a b").file == "\(folder)/%2E.%2Fa%20b.cookies")
        #expect(CookieJars().jar(for: "a").file == nil)
    }

    @Test("an environment's jar is that of its targets, unless they have their own")
    func targetEnvironment() async throws {
        let jar = CookieJar()
        let store = EnvironmentStore(TargetEnvironment("a", cookieJar: jar))
        let endpoint = try Endpoint(TestTarget().bound(to: store))
        #expect(endpoint.request.options.cookieJar == jar)
        var target = TestTarget()
        let own = CookieJar()
        target.options.cookieJar = own
        #expect(try Endpoint(target.bound(to: store)).request.options.cookieJar == own)
    }

    @Test("a file of cookies is closed to others when it is read, and one of another user refused")
    func closesFile() async throws {
        let file = Temporary.folder() + "/cookies"
        let line = "www.shop.test\tFALSE\t/\tFALSE\t4000000000\ta\t"
        // U+2028 ends a line for Swift, not for libcurl; Windows' ends are none of a value.
        try Temporary.write("\(line)x\u{2028}y\r\n", to: file)
        chmod(file, 0o644)
        #expect(CookieJar(file: file).cookies.map(\.value.value) == ["x\u{2028}y"])
        #expect(try FileMode.of(file) == 0o600)
        // Only root can give a file away.
        guard geteuid() == 0, chown(file, 12_345, 12_345) == 0 else { return }
        let foreign = CookieJar(file: file)
        #expect(foreign.cookies.isEmpty)
        let error = #expect(throws: ApusError.self) { try foreign.check() }
        #expect(error?.reason == .file(path: file, errno: EPERM))
    }

    @Test("a cookie's field is taken apart where a server means it, whatever accents follow")
    func accents() throws {
        let line = "a=\u{301}1;\u{301}x; Path=/p;\u{301}; SameSite=Lax"
        let field = try #require(SetCookieField(line, from: "http://u\u{301}@h/"))
        #expect(field.id.name == "a")
        #expect(field.id.path == "/p")
        #expect(field.sameSite == .lax)
        let cookie = CookieLine(text: "h\tFALSE\t/\tFALSE\t0\ta\t\u{301}b").cookie
        #expect(cookie?.name == "a")
        #expect(cookie?.value.value == "\u{301}b")
    }
}
