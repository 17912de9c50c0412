import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Apus

/// A response to one user's credentials is never given to another who shares the cache.
@Suite("Accounts in one cache")
struct AccountTests {
    /// How two users may tell a server who they are.
    enum Way: CaseIterable {
        case authorizationField, ownCookie, keyField, wordField, basic, certificate, netrc, token,
            tokens,
            signature, account

        /// What a provider has for a user.
        func hooks(_ user: String) -> (plugins: [any Plugin], interceptors: [any Interceptor]) {
            switch self {
            case .authorizationField:
                ([HeaderPlugin(.authorization, "Bearer \(user)")], [])
            case .ownCookie: ([HeaderPlugin(.cookie, "sid=\(user)")], [])
            case .keyField: ([APIKeyPlugin(in: .header(Self.keyName), key: Secret(user))], [])
            case .wordField: ([HeaderPlugin(Self.wordName, user)], [])
            case .basic:
                ([CredentialsPlugin(ServerCredentials(.basic, user: user, password: "p"))], [])
            case .certificate, .netrc, .account: ([], [])
            case .token: ([AccessTokenPlugin(token: Secret(user))], [])
            case .tokens:
                (
                    [],
                    [RefreshInterceptor(TokenRefresher { _, _ in AccessToken(Secret(user)) })]
                )
            case .signature:
                (
                    [],
                    [
                        AWSSignatureV4(AWSSigner(region: "r", service: "s")) { _ in
                            AWSCredentials(accessKeyID: user, secretAccessKey: "s")
                        }
                    ]
                )
            }
        }

        func options(_ user: String) -> TransportOptions {
            var options = TransportOptions()
            switch self {
            case .certificate: options.clientCertificate = ClientCertificate(file: user)
            case .netrc:
                options.usesNetrc = true
                options.netrcFile = user
            case .account: options.account = user
            default: break
            }
            return options
        }

        private static let keyName: HTTPField.Name = .init("X-API-Key") ?? .authorization
        private static let wordName: HTTPField.Name = .init("X-Hasura-Admin-Secret") ?? .accept
    }

    /// Counts what it is asked, and lets everything be kept.
    private static func counting() -> ScriptedTransport {
        let count = Counter()
        return ScriptedTransport { request in
            var response = Response.make(request, "\(count.next())", received: Date())
            response.head.headerFields[.cacheControl] = "max-age=600"
            return response
        }
    }

    private static func policies() -> [CachePolicy] {
        let narrow = CachePolicy.keep(in: .memory, key: .full(fields: [.accept]))
        let base = CachePolicy.keep(in: .memory, key: .base)
        let own = CachePolicy.keep(in: .memory, key: .custom("k"))
        return [CachePolicy.keep(), narrow, base, own, .http]
    }

    @Test("two users who share a cache get their own responses", arguments: Way.allCases, 0..<5)
    func twoUsers(way: Way, policy: Int) async throws {
        let folder = try CacheFolder()
        let cache = ResponseCache(configuration: .init(directory: folder.path))
        let transport = Self.counting()
        var target = TestTarget(cachePolicy: Self.policies()[policy])
        var seen: [String] = []
        for user in ["ada", "bob"] {
            let hooks = way.hooks(user)
            let provider = Provider<TestTarget>(
                transport: transport,
                cache: cache,
                plugins: hooks.plugins,
                interceptors: hooks.interceptors
            )
            target.options = way.options(user)
            for _ in 1...2 {
                let answer = try await provider.response(for: target, from: .cacheIfPossible)
                seen.append(answer.text ?? "")
            }
        }
        #expect(seen == ["1", "1", "2", "2"])
        await cache.close()
    }

    @Test("of one user's cookies none tells an account, and all other credentials do")
    func oneUser() async throws {
        let policies = [
            CachePolicy.keep(in: .memory, separatesAccounts: .exceptCookies),
            CachePolicy.http(in: .memory, separatesAccounts: .exceptCookies),
        ]
        for policy in policies {
            let provider = Provider<TestTarget>(transport: Self.counting(), cache: .inMemory)
            var seen: [String] = []
            for fields: HTTPFields in [
                [.cookie: "sid=1"], [.cookie: "sid=2"], [:], [.authorization: "Bearer a"],
                [.authorization: "Bearer a", .cookie: "sid=3"],
            ] {
                let target = TestTarget(headerFields: fields, cachePolicy: policy)
                seen += [
                    try await provider.response(for: target, from: .cacheIfPossible).text ?? ""
                ]
            }
            #expect(seen == ["1", "1", "1", "2", "2"])
        }
    }

    @Test("a miss for another account says so, and which accounts there are by what")
    func otherAccount() async throws {
        let provider = Provider<TestTarget>(transport: Self.counting(), cache: .inMemory)
        func decision(_ fields: HTTPFields, _ source: DataSource) async throws -> CacheDecision? {
            let target = TestTarget(headerFields: fields, cachePolicy: .http(in: .memory))
            return try await provider.response(for: target, from: source).decision
        }
        #expect(try await decision([:], .cacheIfPossible)?.rule == .nothingStored)
        let other = try #require(try await decision([.cookie: "a=1"], .cacheIfPossible))
        #expect(other.rule == .otherAccount)
        let text = other.findings.compactMap {
            if case .accounts = $0 { $0.description } else { nil }
        }.first
        #expect(text?.hasPrefix("account ") == true)
        #expect(text?.hasSuffix(" by cookie, stored for no account") == true)
        #expect(other.description.contains("stored for no account"))
        let error = await #expect(throws: ApusError.self) {
            _ = try await decision([.cookie: "a=2"], .cache)
        }
        guard case .cacheMiss(_, .mustAsk(.otherAccount)) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("two users with jars of their own get their own responses", arguments: [false, true])
    func jars(isHTTP: Bool) async throws {
        let folder = try CacheFolder()
        let cache = ResponseCache(configuration: .init(directory: folder.path))
        let count = Counter()
        let server = try RawServer { _ in
            [RawServer.ok("\(count.next())", fields: "Cache-Control: max-age=600\r\n")]
        }
        let (ada, bob) = (CookieJar(), CookieJar())
        var seen: [String] = []
        for jar in [ada, ada, bob, bob, ada] {
            var options = TransportOptions()
            options.cookieJar = jar
            let provider = Provider<TestTarget>(cache: cache)
            let target = TestTarget(
                base: "http://\(server.authority)",
                cachePolicy: isHTTP ? .http : .keep(),
                options: options
            )
            seen.append(try await provider.response(for: target, from: .cacheIfPossible).text ?? "")
            if seen.count == 5 { try ada.removeAll() }
        }
        #expect(seen == ["1", "1", "2", "2", "1"])
        var options = TransportOptions()
        options.cookieJar = ada
        let target = TestTarget(
            base: "http://\(server.authority)",
            cachePolicy: isHTTP ? .http : .keep(),
            options: options
        )
        // Her session is over: whoever comes now is not known to be she.
        let after = try await Provider<TestTarget>(cache: cache)
            .response(for: target, from: .cacheIfPossible)
        #expect(after.text == "3")
        await cache.close()
    }

    @Test("`Vary: Cookie` is about the cookies that a jar adds")
    func varyingCookies() async throws {
        let folder = try CacheFolder()
        let cache = ResponseCache(configuration: .init(directory: folder.path))
        let server = try RawServer { request in
            let cookies = request.value(of: "Cookie") ?? "none"
            return [
                RawServer.ok(cookies, fields: "Cache-Control: max-age=600\r\nVary: Cookie\r\n")
            ]
        }
        let jar = CookieJar()
        var options = TransportOptions()
        options.cookieJar = jar
        let target = TestTarget(
            base: "http://\(server.authority)",
            cachePolicy: .http,
            options: options
        )
        let provider = Provider<TestTarget>(cache: cache)
        var seen: [String?] = []
        for value in ["1", "2", "1"] as [Secret] {
            try jar.set(Cookie("sid", value, domain: "127.0.0.1"))
            try jar.set(Cookie("other", value, domain: "127.0.0.2"))
            for _ in 1...2 {
                let answer = try await provider.response(for: target, from: .cacheIfPossible)
                seen.append(answer.text)
                #expect(answer.request.head.headerFields[.cookie] == nil)
            }
        }
        #expect(seen == ["sid=1", "sid=1", "sid=2", "sid=2", "sid=1", "sid=1"])
        #expect(server.received.count == 2)
        await cache.close()
    }

    @Test("`Vary` is about what an interceptor sent")
    func varyingByInterceptor() async throws {
        let folder = try CacheFolder()
        let cache = ResponseCache(configuration: .init(directory: folder.path))
        let transport = ScriptedTransport { request in
            let language = request.head.headerFields[.acceptLanguage] ?? ""
            var response = Response.make(request, language, received: Date())
            response.head.headerFields = [
                .cacheControl: "max-age=600", .vary: "Accept-Language",
            ]
            return response
        }
        var seen: [String?] = []
        for language in ["de", "fr"] {
            let provider = Provider<TestTarget>(
                transport: transport,
                cache: cache,
                interceptors: [SettingInterceptor(.acceptLanguage, language)]
            )
            let target = TestTarget(cachePolicy: .http)
            seen.append(try await provider.response(for: target, from: .cacheIfPossible).text)
        }
        #expect(seen == ["de", "fr"])
        await cache.close()
    }

    @Test("credentials of an interceptor that does not say whose leave nothing", arguments: 0..<5)
    func unknownAccount(policy: Int) async throws {
        let folder = try CacheFolder()
        let cache = ResponseCache(configuration: .init(directory: folder.path))
        var outcomes: [CacheStoreOutcome] = []
        for user in ["ada", "bob"] {
            let provider = Provider<TestTarget>(
                transport: Self.counting(),
                cache: cache,
                interceptors: [SettingInterceptor(.authorization, "Bearer \(user)")]
            )
            let target = TestTarget(cachePolicy: Self.policies()[policy])
            for await event in provider.events(for: target, from: .cacheIfPossible) {
                if case .storage(let outcome) = event { outcomes.append(outcome) }
            }
        }
        #expect(
            outcomes == [.notStored(.unknownAccount), .notStored(.unknownAccount)]
        )
        await cache.close()
    }

    @Test("a known secret tells accounts apart wherever it stands", arguments: 0..<5)
    func knownSecrets(policy: Int) async throws {
        let folder = try CacheFolder()
        let cache = ResponseCache(configuration: .init(directory: folder.path))
        let server = try RawServer { request in
            let who = request.value(of: "X-Company-Key") ?? request.path
            let text = "\(who) \(String(decoding: request.body, as: UTF8.self))"
            return [RawServer.ok(text, fields: "Cache-Control: private, max-age=600\r\n")]
        }
        let provider = Provider<TestTarget>(transport: CurlTransport(), cache: cache)
        for place in 0..<4 {
            var seen: [String?] = []
            for user in ["aliceSecret123", "bobSecret45678", "aliceSecret123"] {
                var target = TestTarget(
                    base: "http://\(server.authority)",
                    path: place == 1 ? "/1?k=\(user)" : "/\(place)",
                    cachePolicy: Self.policies()[policy]
                )
                target.options.secretTexts = [Secret(user)]
                if place == 0, let name = HTTPField.Name("X-Company-Key") {
                    target.headerFields[name] = user
                }
                if place == 2 {
                    target.method = .post
                    target.task = .data(Array(user.utf8))
                }
                if place == 3 { target.headerFields[.referer] = "https://a.example/\(user)" }
                let answer = try await provider.response(for: target, from: .cacheIfPossible)
                seen.append(place == 3 ? (answer.isCached ? "cached" : user) : answer.text)
            }
            #expect(seen[0]?.contains("alice") == true && seen[1]?.contains("bob") == true)
            #expect(seen[2] == (place == 3 ? "cached" : seen[0]))
        }
        await cache.close()
    }

    @Test(
        "a known secret counts in fields that do not by their name, and in what a key ignores",
        arguments: 0..<5
    )
    func exemptedSecrets(policy: Int) async throws {
        let folder = try CacheFolder()
        let cache = ResponseCache(configuration: .init(directory: folder.path))
        let provider = Provider<TestTarget>(transport: Self.counting(), cache: cache)
        let names = [
            "X-CSRF-Token", "X-Signature", "Proxy-Authorization", "Cache-Control", "Pragma",
            "If-None-Match", "If-Match", "Range",
        ]
        let ignoring: [CachePolicy] = [
            .keep(key: .full(ignoring: ["k"])), .keep(key: .full(ignoring: ["k"], fields: [])),
            .keep(key: .base), .keep(key: .custom("k")), .http(ignoring: ["k"]),
        ]
        func isCached(_ place: Int, _ user: String, isKnown: Bool = true) async throws -> Bool {
            var target = TestTarget(path: "/\(place)", cachePolicy: Self.policies()[policy])
            if isKnown { target.options.secretTexts = [Secret(user)] }
            if place < names.count {
                target.headerFields[try #require(HTTPField.Name(names[place]))] = "x \(user)"
            } else {
                target.path += "?k=\(user)"
                target.cachePolicy = ignoring[policy]
            }
            return try await provider.response(for: target, from: .cacheIfPossible).isCached
        }
        for place in 0...names.count {
            #expect(try await !isCached(place, "aliceSecret123"))
            #expect(try await !isCached(place, "bobSecret45678"), "\(place)")
            // What asks for a copy or a part is answered by the rules, or not from a cache at all.
            guard policy < 4 || !(3..<names.count).contains(place) else { continue }
            #expect(try await isCached(place, "aliceSecret123"))
        }
        // Of which nothing is known is another each time.
        #expect(try await !isCached(0, "first-of-all", isKnown: false))
        #expect(try await isCached(0, "second-of-all", isKnown: false))
        await cache.close()
    }

    @Test("a POST's response is not kept for GET if what was posted holds a secret")
    func postedSecret() async throws {
        let folder = try CacheFolder()
        let cache = ResponseCache(configuration: .init(directory: folder.path))
        let server = try RawServer { request in
            let fields = "Cache-Control: max-age=600\r\nContent-Location: /me\r\n"
            return [RawServer.ok(request.method, fields: fields)]
        }
        let provider = Provider<TestTarget>(transport: CurlTransport(), cache: cache)
        for (secret, method) in [("aliceSecret123", "GET"), ("otherSecret99", "POST")] {
            var target = TestTarget(
                base: "http://\(server.authority)",
                path: "/me",
                method: .post,
                task: .data(Array("aliceSecret123".utf8)),
                cachePolicy: .http
            )
            target.options.secretTexts = [Secret(secret)]
            _ = try await provider.response(for: target)
            let plain = TestTarget(
                base: "http://\(server.authority)",
                path: "/me",
                cachePolicy: .http
            )
            let answer = try await provider.response(for: plain, from: .cacheIfPossible)
            #expect(answer.text == method)
        }
        await cache.close()
    }

    @Test("what an interceptor sends in another way leaves nothing", arguments: 0..<5)
    func unknownWay(policy: Int) async throws {
        let folder = try CacheFolder()
        let cache = ResponseCache(configuration: .init(directory: folder.path))
        let provider = Provider<TestTarget>(
            transport: Self.counting(),
            cache: cache,
            interceptors: [SettingInterceptor(.acceptEncoding, "gzip")]
        )
        let target = TestTarget(cachePolicy: Self.policies()[policy])
        var outcomes: [CacheStoreOutcome] = []
        for await event in provider.events(for: target, from: .cacheIfPossible) {
            if case .storage(let outcome) = event { outcomes.append(outcome) }
        }
        #expect(outcomes == [.notStored(.unknownWay)])
        await cache.close()
    }

    @Test("a refresh leaves the account as it is; another token from outside begins one")
    func refreshed() async throws {
        let tokens = Counter()
        let refresher = TokenRefresher(account: "ada") { _, _ in
            AccessToken(Secret("t\(tokens.next())"))
        }
        #expect(refresher.account == "ada")
        let transport = ScriptedTransport { request in
            let isNew = request.head.headerFields[.authorization] == "Bearer t2"
            return .make(request, "ok", status: isNew ? 200 : 401, received: Date())
        }
        let folder = try CacheFolder()
        let cache = ResponseCache(configuration: .init(directory: folder.path))
        let provider = Provider<TestTarget>(
            transport: transport,
            cache: cache,
            interceptors: [RefreshInterceptor(refresher)]
        )
        let target = TestTarget()
        #expect(try await provider.response(for: target, from: .cacheIfPossible).status == 200)
        #expect(refresher.account == "ada")
        #expect(try await provider.response(for: target, from: .cacheIfPossible).isCached)
        refresher.token = AccessToken("t2")
        #expect(refresher.account == "ada", "the same token")
        refresher.token = AccessToken("bob's")
        #expect(refresher.account != "ada")
        await cache.close()
    }

    @Test("responses that are the same for everybody can be shared")
    func shared() {
        let policy = CachePolicy.keep(key: .full(fields: [.accept]), separatesAccounts: false)
        let requests = ["ada", "bob"].map { user in
            PreparedRequest.make("h", fields: [.authorization: "Bearer \(user)"])
        }
        #expect(Set(requests.map { CacheKey(for: $0, policy: policy) }).count == 1)
    }

    @Test("a jar's account is kept in its file")
    func jarFile() async throws {
        let folder = try CacheFolder()
        let path = "\(folder.path)/jar"
        let jar = CookieJar(file: path, savesSessionCookies: true)
        #expect(jar.account == path)
        try jar.removeAll()
        try await jar.save()
        #expect(jar.account != path)
        #expect(CookieJar(file: path).account == jar.account)
    }
}

/// Sets a field, and says nothing of it.
private struct SettingInterceptor: Interceptor {
    private let field: HTTPField.Name
    private let value: String

    init(_ field: HTTPField.Name, _ value: String) {
        self.field = field
        self.value = value
    }

    func intercept(
        _ request: PreparedRequest,
        in context: ExchangeContext,
        next: NextCall
    ) async throws -> Response {
        var request = request
        request.head.headerFields[field] = value
        return try await next(request)
    }
}

/// Counts from 1.
private final class Counter: Sendable {
    private let last = Mutex(0)

    func next() -> Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
