import Documents
import FoundationEssentials
import HTTPTypes
import Secrets
import TestSupport
import Testing

@testable import Apus

/// A response is never given to a request that would have been sent in another way.
struct RequestWayTests {
    private static let host = HTTPField.Name("Host") ?? .referer

    static let policies: [CachePolicy] = [
        .keep(), .keep(key: .base, separatesAccounts: false), .http,
        .http(separatesAccounts: false),
    ]

    private static func provider(_ folder: CacheFolder) -> Provider<TestTarget> {
        Provider(
            transport: CurlTransport(),
            cache: ResponseCache(configuration: .init(directory: folder.path))
        )
    }

    private static func coded() -> RawServer.Step {
        // "hello" by gzip.
        let body: [UInt8] = [
            31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 7, 0, 134, 166, 16, 54, 5, 0,
            0, 0,
        ]
        let head =
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Encoding: gzip\r\n"
            + "Content-Length: \(body.count)\r\n\r\n"
        return .bytes(Array(head.utf8) + body)
    }

    @Test("coded and decoded bodies do not meet", arguments: 0..<4)
    func coding(policy: Int) async throws {
        let server = try RawServer(Self.coded())
        let provider = Self.provider(try CacheFolder())
        var seen: [String] = []
        for _ in 1...2 {
            for (isDecoded, codings) in [(true, nil), (false, nil), (true, "gzip")] {
                var target = TestTarget(
                    base: "http://\(server.authority)",
                    cachePolicy: Self.policies[policy]
                )
                target.options.decodesContent = isDecoded
                target.headerFields[.acceptEncoding] = codings
                let answer = try await provider.response(for: target, from: .cacheIfPossible)
                let bytes = try answer.body.load()
                seen.append("\(bytes.count) \(answer.isCached)")
            }
        }
        let sizes = [5, 25, 25]
        #expect(seen == sizes.map { "\($0) false" } + sizes.map { "\($0) true" })
    }

    @Test("what completes a stored part and comes coded instead is asked for again")
    func codedWhole() async throws {
        let server = try RawServer { request in
            guard request.value(of: "Range") == "bytes=0-1" else { return [Self.coded()] }
            return [
                .send(
                    "HTTP/1.1 206 Partial Content\r\nCache-Control: max-age=600\r\nETag: \"1\"\r\n"
                        + "Content-Range: bytes 0-1/5\r\nContent-Length: 2\r\n\r\nhe"
                )
            ]
        }
        let provider = Self.provider(try CacheFolder())
        var target = TestTarget(base: "http://\(server.authority)", cachePolicy: .http)
        target.headerFields[.range] = "bytes=0-1"
        _ = try await provider.response(for: target, from: .cacheIfPossible)
        target.headerFields[.range] = nil
        for _ in 1...2 {
            let whole = try await provider.response(for: target, from: .cacheIfPossible)
            #expect(whole.text == "hello")
        }
        #expect(server.received.map { $0.value(of: "Range") } == ["bytes=0-1", "bytes=2-", nil])
    }

    @Test("one host's response is not another's at the same address", arguments: 0..<4)
    func hosts(policy: Int) async throws {
        let server = try RawServer { request in
            let host = request.value(of: "Host") ?? ""
            return [RawServer.ok(host, fields: "Cache-Control: max-age=600\r\n")]
        }
        let provider = Self.provider(try CacheFolder())
        var seen: [String?] = []
        for name in ["evil.example", "bank.example", nil, "evil.example"] {
            var target = TestTarget(
                base: "http://\(server.authority)",
                cachePolicy: Self.policies[policy]
            )
            target.headerFields[Self.host] = name
            seen.append(try await provider.response(for: target, from: .cacheIfPossible).text)
        }
        #expect(seen == ["evil.example", "bank.example", server.authority, "evil.example"])
        #expect(server.received.count == 3)
    }

    /// Ways that get to another server, or believe another one.
    static let ways: [@Sendable (inout TransportOptions) -> Void] = [
        { $0.verifiesTLS = false }, { $0.certificateAuthorityFile = "/tmp/ca.pem" },
        { $0.pinnedPublicKeys = ["AAAA"] }, { $0.pinnedPublicKeys = ["BBBB"] },
        { $0.minimumTLSVersion = .tls10 }, { $0.unixSocket = "/run/a" },
        { $0.unixSocket = "/run/b" }, { $0.proxy = "http://p.example" },
        { $0.addressOverrides = [AddressOverride(host: "", address: "127.0.0.1")] },
        { $0.addressOverrides = [AddressOverride(host: "", address: "127.0.0.2")] },
    ]

    @Test("what was got by less trust, or elsewhere, is for who asks so again", arguments: 0..<4)
    func trust(policy: Int) async throws {
        let folder = try CacheFolder()
        let cache = ResponseCache(configuration: .init(directory: folder.path))
        let transport = ScriptedTransport { request in
            var response = Response.make(request, "x", received: Date())
            response.head.headerFields[.cacheControl] = "max-age=600"
            return response
        }
        let provider = Provider<TestTarget>(transport: transport, cache: cache)
        for isCached in [false, true] {
            for way in Self.ways + [{ _ in }] {
                let target = TestTarget(
                    base: "https://api.test",
                    cachePolicy: Self.policies[policy],
                    options: TransportOptions().with(way)
                )
                let answer = try await provider.response(for: target, from: .cacheIfPossible)
                #expect(answer.isCached == isCached)
            }
        }
        #expect(transport.received.count == Self.ways.count + 1)
        await cache.close()
    }

    @Test("the usual way leaves no line, another is named without its secrets")
    func lines() {
        var request = PreparedRequest.cached()
        #expect(!CacheKey(for: request, policy: .keep()).recipe.contains("way-"))
        request.options.verifiesTLS = false
        request.options.proxy = "http://ada:hidden99@p.example"
        let recipe = CacheKey(for: request, policy: .keep()).recipe
        #expect(recipe.contains("\nway-tls unverified"))
        #expect(recipe.contains("\nway-proxy http://") && !recipe.contains("hidden99"))
    }

    @Test("another proxy of the environment is another way, without a word of it in clear")
    func environment() {
        let (proxy, hosts) = ("http_proxy", "no_proxy")
        let environments: [[String: String]] = [
            [proxy: "http://p.example"], [proxy: "http://ada:hidden99@p.example"],
            [proxy: "http://p.example", hosts: "a.example"], ["all_proxy": "http://p.example"],
            [proxy: "", "all_proxy": "http://p.example"], ["HTTPS_PROXY": "http://p.example"],
        ]
        var request = PreparedRequest.cached()
        let ways = environments.map { environment in
            RequestRoute(request, in: ProxyEnvironment { environment[$0] })
        }
        #expect(Set(ways.map { "\($0.parts)" }).count == environments.count)
        #expect(ways.allSatisfy { !"\($0)".contains("example") && !"\($0)".contains("hidden99") })
        // No proxy is the usual way, whatever `no_proxy` says and whatever libcurl does not read.
        for none in [[hosts: "a.example"], [proxy: ""], ["HTTP_PROXY": "http://p.example"]] {
            #expect(RequestRoute(request, in: ProxyEnvironment { none[$0] }).parts.isEmpty)
        }
        // libcurl asks the environment only for what a request leaves open.
        request.options.proxy = "http://q.example"
        let own = environments.map { environment in
            RequestRoute(request, in: ProxyEnvironment { environment[$0] })
        }
        #expect(own[0] == own[1] && own[0] != own[2])
    }

    @Test(
        "a password of any proxy in the environment is known",
        arguments: [
            ("http_proxy", "http://ada:word@p", true), ("ALL_PROXY", "socks5://token@p:1", true),
            ("https_proxy", "ada:word@p", true), ("http_proxy", "http://p:8080", false),
            ("no_proxy", "ada:word@p", false), ("all_proxy", "", false),
        ]
    )
    func proxyCredentials(name: String, value: String, areThere: Bool) {
        #expect(ProxyEnvironment { $0 == name ? value : nil }.hasCredentials == areThere)
    }

    @Test("a dot segment is sent as it is, and kept as it is sent", arguments: [0, 2])
    func dots(policy: Int) async throws {
        let server = try RawServer { request in
            [RawServer.ok(request.path, fields: "Cache-Control: max-age=600\r\n")]
        }
        let provider = Self.provider(try CacheFolder())
        let paths = ["/eve/../b", "/b", "/%2e%2e/c", "/../c", "/c", "/./b"]
        for _ in 1...2 {
            for path in paths {
                let target = TestTarget(
                    base: "http://\(server.authority)",
                    path: path,
                    cachePolicy: Self.policies[policy]
                )
                let answer = try await provider.response(for: target, from: .cacheIfPossible)
                #expect(answer.text == path)
            }
        }
        #expect(server.received.map(\.path) == paths)
        let target = TestTarget(
            base: "http://\(server.authority)",
            path: "/eve/../b",
            method: .put,
            cachePolicy: Self.policies[policy]
        )
        guard policy == 2 else { return }
        _ = try await provider.response(for: target)
        for (path, isCached) in [("/eve/../b", false), ("/b", true)] {
            let target = TestTarget(
                base: "http://\(server.authority)",
                path: path,
                cachePolicy: .http
            )
            let answer = try await provider.response(for: target, from: .cacheIfPossible)
            #expect(answer.isCached == isCached)
        }
    }

    @Test("a GET with content is neither answered from an HTTP cache nor kept in it")
    func content() async throws {
        let server = try RawServer { request in
            let body = String(decoding: request.body, as: UTF8.self)
            return [RawServer.ok("for \(body)", fields: "Cache-Control: max-age=600\r\n")]
        }
        let provider = Self.provider(try CacheFolder())
        var target = TestTarget(base: "http://\(server.authority)", cachePolicy: .http)
        var seen: [String?] = []
        var outcomes: [CacheStoreOutcome] = []
        var rules: Set<CacheRule> = []
        for body in ["", "a", "b", "a", ""] {
            target.task = body.isEmpty ? .plain : .data(Array(body.utf8))
            for await event in provider.events(for: target, from: .cacheIfPossible) {
                switch event {
                case .response(let response): seen.append(response.text)
                case .storage(let outcome): outcomes.append(outcome)
                case .decided(let decision): rules.insert(decision.rule)
                default: break
                }
            }
        }
        #expect(seen == ["for ", "for a", "for b", "for a", "for "])
        #expect(server.received.count == 4)
        #expect(outcomes.filter { $0 == .notStored(.http(.requestHasContent)) }.count == 3)
        #expect(rules.contains(.requestHasContent))
        target.task = .data([0x61])
        for source in [DataSource.cache, .cacheAndServer] {
            let answer = try? await provider.response(for: target, from: source)
            #expect(answer?.isCached != true)
        }
    }

    @Test("what negotiates and holds a secret is kept as a digest", arguments: [true, false])
    func negotiation(isOnDisk: Bool) async throws {
        let secret = "zqsecretua77Xy"
        let names: [HTTPField.Name] = [.userAgent, .origin, .accept, .acceptLanguage]
        let fields =
            "Cache-Control: max-age=600\r\nVary: User-Agent, Origin, Accept, Accept-Language\r\n"
        let server = try RawServer { _ in [RawServer.ok("x", fields: fields)] }
        for name in names {
            let folder = try CacheFolder()
            let cache = ResponseCache(configuration: .init(directory: folder.path))
            let provider = Provider<TestTarget>(transport: CurlTransport(), cache: cache)
            var target = TestTarget(
                base: "http://\(server.authority)",
                cachePolicy: .http(in: isOnDisk ? .disk : .memory)
            )
            for (text, isCached) in [(secret, false), (secret, true), ("\(secret)Z", false)] {
                target.headerFields[name] = "application/vnd.\(text)+json"
                target.options.secretTexts = [Secret(secret), Secret(text)]
                let answer = try await provider.response(for: target, from: .cacheIfPossible)
                #expect(answer.isCached == isCached, "\(name)")
            }
            let recipes = await cache.entries().map { $0.key.recipe.lowercased() }
            #expect(recipes.count == 2)
            #expect(recipes.allSatisfy { !$0.contains(secret.lowercased()) })
            await cache.close()
            for file in folder.files {
                let bytes = try Data(contentsOf: URL(filePath: "\(folder.path)/\(file)"))
                let text = String(decoding: bytes, as: UTF8.self).lowercased()
                #expect(!text.contains(secret.lowercased()), "\(file)")
            }
        }
    }
}
