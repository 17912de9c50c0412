import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

@Suite("Plugins that change requests and plans")
struct RequestPluginsTests {
    @Test("a header field is set in place of the target's, or removed")
    func header() async throws {
        let transport = ScriptedTransport.answering("x")
        let provider = Provider.make(
            transport,
            plugins: [
                HeaderPlugin(.userAgent, "apus"),
                HeaderPlugin(.accept) { $0.path == "/users/7" ? "text/csv" : nil },
            ]
        )
        let fields: HTTPFields = [.accept: "text/html", .userAgent: "other"]
        for path in ["/users/7", "/x"] {
            _ = try await provider.response(for: TestTarget(path: path, headerFields: fields))
        }
        #expect(transport.received.map { $0.head.headerFields[.accept] } == ["text/csv", nil])
        #expect(
            transport.received.map { $0.head.headerFields[values: .userAgent] } == [
                ["apus"], ["apus"],
            ]
        )
    }

    /// A rule that notes what it is asked about.
    private struct NotingRule: DataSourceRule {
        let log: HookLog

        static func == (a: NotingRule, b: NotingRule) -> Bool { a.log === b.log }

        func shouldSendRequest(_ target: any TargetType, cached: Response?) -> Bool {
            log.add("rule \(type(of: target))")
            return true
        }

        func shouldUpdateCache(
            _ target: any TargetType,
            cached: Response?,
            fresh: Response
        ) -> Bool { true }
    }

    @Test(
        "plugins, stubs and rules see the target itself, not what is around it",
        arguments: [
            MultiTarget(TestTarget()),
            MultiTarget(TestTarget().bound(to: EnvironmentStore(TargetEnvironment("e")))),
            MultiTarget(
                MultiTarget(EnvelopedTarget(inner: TestTarget()))
                    .bound(to: EnvironmentStore(TargetEnvironment("e")))
            ),
        ]
    )
    func unwrapped(target: MultiTarget) async throws {
        let log = HookLog()
        let plugin = TestPlugin(preparing: { request, context in
            log.add("plugin \(type(of: context.target))")
            return request
        })
        let provider = Provider<MultiTarget>(
            transport: ScriptedTransport.answering("x"),
            cache: .inMemory,
            plugins: [plugin],
            stubs: Stubs { target in
                log.add("stub \(type(of: target))")
                return .never
            }
        )
        _ = try await provider.response(for: target, from: .custom(NotingRule(log: log)))
        #expect(log.all == ["plugin TestTarget", "rule TestTarget", "stub TestTarget"])
    }

    @Test("a source that is overridden answers in the caller's source's place")
    func source() async throws {
        let transport = ScriptedTransport.answering("x")
        let cache = ResponseCache.inMemory
        _ = try await Provider.make(.answering("kept"), cache: cache).response(for: TestTarget())
        let offline = CacheOverridePlugin(source: .cache) { $0.path == "/users/7" }
        let provider = Provider.make(transport, cache: cache, plugins: [offline])
        #expect(try await provider.response(for: TestTarget()).text == "kept")
        #expect(try await provider.response(for: TestTarget(path: "/y")).text == "x")
        #expect(transport.received.count == 1)
    }

    @Test("a policy is overridden for one call, or by a plugin for all")
    func policy() async throws {
        let target = TestTarget(cachePolicy: .none)
        let kept = CachePolicy.keep(in: .memory)
        let plain = Provider.make()
        _ = try await plain.response(for: target, caching: kept)
        #expect(try await plain.response(for: target, from: .cache, caching: kept).text == "new")
        let never = Provider.make(plugins: [CacheOverridePlugin(policy: CachePolicy.none)])
        _ = try await never.response(for: TestTarget(), caching: kept)
        #expect(try await never.cachedResponse(for: TestTarget()) == nil)
    }

    @Test("what plugins prepare is what the cache's key is made of")
    func key() async throws {
        let account = HookLog()
        let plugin = HeaderPlugin(.authorization) { _ in account.all.last }
        let transport = ScriptedTransport { request in
            .make(request, request.head.headerFields[.authorization] ?? "nobody")
        }
        let provider = Provider.make(transport, plugins: [plugin])
        account.add("ada")
        _ = try await provider.response(for: TestTarget())
        account.add("bob")
        let bob = try await provider.response(for: TestTarget(), from: .cacheIfPossible)
        #expect(bob.text == "bob")
        account.add("ada")
        #expect(try await provider.response(for: TestTarget(), from: .cache).text == "ada")
    }

    @Test("a plugin's cookies are one field, however many they are")
    func manyCookies() async throws {
        let cookies = Array(repeating: "a=b", count: 70_000).joined(separator: "; ")
        let transport = ScriptedTransport { .make($0, "") }
        let provider = Provider.make(transport, plugins: [HeaderPlugin(.cookie, cookies)])
        _ = try await provider.response(for: TestTarget())
        #expect(transport.received.map { $0.head.headerFields.count } == [1])
        #expect(transport.received.first?.head.headerFields[.cookie] == cookies)
    }

    @Test("parameters are adapted once, for the body and the key alike")
    func adapted() async throws {
        let turns = HookLog()
        let plugin = TestPlugin(adapting: { task in
            guard case .parameters(var parameters, let encoding) = task else { return task }
            turns.add("turn")
            parameters.items.append(Parameter("turn", .integer(turns.all.count)))
            return .parameters(parameters, encoding: encoding)
        })
        let transport = ScriptedTransport { request in .make(request, request.head.path ?? "") }
        let provider = Provider.make(transport, plugins: [plugin])
        let target = TestTarget(task: .parameters([Parameter("a", "b")], encoding: .query))
        #expect(try await provider.response(for: target).text == "/users/7?a=b&turn=1")
        #expect(turns.all.count == 1)
        let other = try await provider.response(for: target, from: .cacheIfPossible)
        #expect(other.text == "/users/7?a=b&turn=2")
    }
}
