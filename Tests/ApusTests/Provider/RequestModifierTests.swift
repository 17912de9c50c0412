import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

@Suite("Requests changed for one call")
struct RequestModifierTests {
    private let transport = ScriptedTransport { request in
        .make(request, request.head.headerFields[.accept] ?? "")
    }

    @Test("the caller's change is the last, is seen by all that follow, and counts once")
    func last() async throws {
        let log = HookLog()
        let plugin = TestPlugin(
            preparing: { request, _ in
                var request = request
                request.head.headerFields[.accept] = "plugin"
                return request
            },
            sending: { request, _ in
                log.add("willSend " + (request.head.headerFields[.accept] ?? ""))
            }
        )
        let interceptor = TestInterceptor { request, context, next in
            log.add("intercept " + (request.head.headerFields[.accept] ?? ""))
            log.add("context " + (context.request?.head.headerFields[.accept] ?? ""))
            return try await next(request)
        }
        let provider = Provider.make(transport, plugins: [plugin], interceptors: [interceptor])
        let changed =
            try await provider
            .modifying { $0.head.headerFields[.accept]? += ", call" }
            .response(for: TestTarget(headerFields: [.accept: "target"]))
        #expect(changed.text == "plugin, call")
        #expect(
            log.all == ["intercept plugin, call", "context plugin, call", "willSend plugin, call"]
        )
        #expect(try await provider.response(for: TestTarget()).text == "plugin")
    }

    @Test("it counts without hooks and caches, too, for every form of call, and changes add up")
    func plain() async throws {
        let provider = Provider<TestTarget>(transport: transport, cache: .inMemory)
            .modifying { $0.head.headerFields[.accept] = "one" }
            .modifying { $0.head.headerFields[.accept]? += ", two" }
        let target = TestTarget(cachePolicy: .none)
        #expect(try await provider.response(for: target).text == "one, two")
        #expect(try await provider.value(for: target, using: .string) == "one, two")
        #expect(try await provider.ending(of: target).summary?.result.get().text == "one, two")
        let text = await withCheckedContinuation { continuation in
            provider.request(target) { continuation.resume(returning: (try? $0.get())?.text) }
        }
        #expect(text == "one, two")
    }

    @Test("a changed request has a key of its own")
    func key() async throws {
        let provider = Provider.make(transport)
        let changed = provider.modifying { $0.head.headerFields[.accept] = "image/webp" }
        let target = TestTarget()
        #expect(try await provider.response(for: target, from: .cacheIfPossible).text == "")
        #expect(
            try await changed.response(for: target, from: .cacheIfPossible).text == "image/webp"
        )
        #expect(try await provider.response(for: target, from: .cache).text == "")
        #expect(try await changed.response(for: target, from: .cache).text == "image/webp")
        #expect(try await changed.cachedResponse(for: target)?.text == "image/webp")
        #expect(transport.received.count == 2)
    }

    @Test("what it throws ends the exchange, and nothing is sent")
    func throwing() async {
        struct Odd: Error {}
        let cases: [(any Error, ApusError.Reason)] = [
            (Odd(), .hookFailed(plugin: "modifying", detail: "Odd()")),
            (Veto("not now"), .vetoed(reason: "not now")),
            (ApusError(.cancelled), .cancelled),
        ]
        for (error, reason) in cases {
            for plugins in [[], [TestPlugin()]] {
                let provider = Provider.make(transport, plugins: plugins)
                    .modifying { _ in throw error }
                let thrown = await #expect(throws: ApusError.self) {
                    try await provider.response(for: TestTarget())
                }
                #expect(thrown?.reason == reason)
            }
        }
        #expect(transport.received.isEmpty)
    }

    @Test("each attempt that is prepared anew is changed, and no child is")
    func attempts() async throws {
        let plugin = TestPlugin(
            preparing: { request, context in
                if context.parent == nil, context.attempt == 1 {
                    _ = try await context.send(TestTarget(path: "/child"))
                }
                return request
            },
            processing: { result, context in
                context.parent == nil && context.attempt == 1
                    ? .retry(after: .zero) : .result(result)
            }
        )
        _ = try await Provider.make(transport, plugins: [plugin])
            .modifying { $0.head.headerFields[.accept] = "call" }
            .response(for: TestTarget())
        #expect(transport.received.map(\.head.path) == ["/child", "/users/7", "/users/7"])
        #expect(
            transport.received.map { $0.head.headerFields[.accept] } == [nil, "call", "call"]
        )
    }
}

@Suite("Header fields of a provider")
struct ProviderFieldsTests {
    private let transport = ScriptedTransport.answering("x")

    private func provider(
        _ fields: HTTPFields,
        plugins: [any Plugin] = []
    ) -> Provider<MultiTarget> {
        Provider(
            transport: transport,
            cache: .inMemory,
            headerFields: fields,
            plugins: plugins
        )
    }

    private func sent(_ name: HTTPField.Name) -> [[String]] {
        transport.received.map { $0.head.headerFields[values: name] }
    }

    @Test("every request has them, and a target, its environment and a plugin say otherwise")
    func order() async throws {
        let provider = provider([.accept: "provider", .userAgent: "app"])
        let environment = EnvironmentStore(
            TargetEnvironment("e", headerFields: [.accept: "environment"])
        )
        let own = TestTarget(headerFields: [.accept: "target"], cachePolicy: .none)
        for target: any TargetType in [
            TestTarget(cachePolicy: .none), own, TestTarget().bound(to: environment),
            own.bound(to: environment),
        ] {
            _ = try await provider.response(for: MultiTarget(target))
        }
        #expect(sent(.accept) == [["provider"], ["target"], ["environment"], ["target"]])
        #expect(sent(.userAgent) == Array(repeating: ["app"], count: 4))
    }

    @Test("a body's own type wins over theirs, and what a target says over both")
    func bodyTypes() async throws {
        let provider = provider([.contentType: "text/plain", .accept: "text/plain"])
        let environment = EnvironmentStore(
            TargetEnvironment("e", headerFields: [.contentType: "text/html"])
        )
        let tasks: [RequestTask] = [
            .json(["a": 1]), .parameters([Parameter("a", 1)], encoding: .form), .data([1]),
            .graphQL(GraphQLQuery("{ me }")), .multipart([.text("a", "b")]),
        ]
        for task in tasks {
            _ = try await provider.response(
                for: MultiTarget(TestTarget(method: .post, task: task))
            )
        }
        let types = sent(.contentType).flatMap { $0 }
        #expect(
            types.prefix(4) == [
                "application/json", "application/x-www-form-urlencoded; charset=utf-8",
                "text/plain", "application/json",
            ]
        )
        #expect(types.last?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(sent(.accept)[3].first?.hasPrefix("application/graphql-response+json") == true)
        let own = TestTarget(
            method: .post,
            task: .json(["a": 1]),
            headerFields: [.contentType: "application/vnd.api+json"]
        )
        for target in [own, TestTarget(method: .post, task: .data([1]))] {
            _ = try await provider.response(for: MultiTarget(target.bound(to: environment)))
        }
        #expect(sent(.contentType).suffix(2) == [["application/vnd.api+json"], ["text/html"]])
    }

    @Test("plugins see them and may change them, and children have them")
    func hooks() async throws {
        let plugin = TestPlugin(preparing: { request, context in
            if context.parent == nil { _ = try await context.send(TestTarget(path: "/child")) }
            return request
        })
        let provider = provider(
            [.accept: "provider", .userAgent: "app"],
            plugins: [plugin, HeaderPlugin(.userAgent, nil)]
        )
        _ = try await provider.response(for: MultiTarget(TestTarget()))
        #expect(sent(.accept) == [["provider"], ["provider"]])
        #expect(sent(.userAgent) == [[], []])
    }

    @Test("they count for the key where the field does, and a response is found again")
    func key() async throws {
        let provider = provider([.acceptLanguage: "de"])
        let german = MultiTarget(TestTarget())
        let french = MultiTarget(TestTarget(headerFields: [.acceptLanguage: "fr"]))
        for target in [german, french, german, french] {
            _ = try await provider.response(for: target, from: .cacheIfPossible)
            #expect(try await provider.cachedResponse(for: target) != nil)
        }
        #expect(sent(.acceptLanguage) == [["de"], ["fr"]])
    }

    @Test("more than a request may have are an invalid request")
    func tooMany() async {
        let fields = HTTPFields(
            Array(repeating: HTTPField(name: .accept, value: "a"), count: 10_001)
        )
        let error = await #expect(throws: ApusError.self) {
            try await provider(fields).response(for: MultiTarget(TestTarget()))
        }
        #expect(error?.code == 1007)
    }

    @Test(
        "the languages of the environment become a field's value",
        arguments: [
            (["LANG": "de_AT.UTF-8"], "de-AT, de;q=0.9"),
            (["LANG": "de_DE.UTF-8@euro", "LC_ALL": ""], "de-DE, de;q=0.9"),
            (["LANG": "de_DE", "LC_ALL": "fr_CH.UTF-8"], "fr-CH, fr;q=0.9"),
            (["LANG": "de_DE", "LC_MESSAGES": "en_GB"], "en-GB, en;q=0.9"),
            (["LANG": "en"], "en"),
            (["LANG": "es_419"], "es-419, es;q=0.9"),
            (
                ["LANG": "de_DE.UTF-8", "LANGUAGE": "de_AT:de:en_GB:en"],
                "de-AT, de;q=0.9, en-GB;q=0.8, en;q=0.7"
            ),
            (
                ["LANG": "de_DE", "LANGUAGE": "fr:it:es:pt:nl:sv:da:fi:no"],
                "fr, it;q=0.9, es;q=0.8, pt;q=0.7, nl;q=0.6, sv;q=0.5"
            ),
            (["LANG": "C.UTF-8", "LANGUAGE": "de"], nil), (["LC_ALL": "POSIX"], nil),
            (["LANG": "C", "LC_ALL": "C"], nil), (["LANG": ""], nil), ([:], nil),
            (["LANG": "x\r\nHost: evil"], nil), (["LANG": "de_DE\r\nX: 1"], nil),
        ] as [([String: String], String?)]
    )
    func languages(environment: [String: String], value: String?) {
        #expect(HTTPFields.acceptLanguage(in: environment) == value)
    }

    @Test("a provider says them by default, and no more")
    func standard() {
        let own = HTTPFields.acceptLanguage(in: ProcessInfo.processInfo.environment)
        let provider = Provider<TestTarget>(transport: transport)
        #expect(provider.headerFields.map(\.value) == [own].compactMap { $0 })
        #expect(provider.headerFields[.acceptLanguage] == own)
    }
}
