import FoundationEssentials
import HTTPTypes
import Synchronization
import Testing

@testable import Apus

@Suite("Environments change at run time")
struct EnvironmentTests {
    private static let region = HTTPField.Name.acceptLanguage

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test("the next request sees a change, the one under way does not")
    func change() async throws {
        let store = EnvironmentStore(
            TargetEnvironment("one", baseURL: try url("http://one.test/v1")),
            others: [TargetEnvironment("two", baseURL: try url("http://two.test"))]
        )
        let (waiting, isWaiting) = AsyncStream<Void>.makeStream()
        let (gate, open) = AsyncStream<Void>.makeStream()
        let transport = ScriptedTransport { request throws(ApusError) in
            isWaiting.yield()
            for await _ in gate { break }
            return .make(request, request.url)
        }
        let provider = Provider<EnvironmentTarget<TestTarget>>(transport: transport)
        let target = TestTarget(path: "/users").bound(to: store)
        async let first = provider.response(for: target)
        for await _ in waiting { break }
        #expect(store.use("two"))
        open.finish()
        #expect(try await first.text == "http://one.test/v1/users")
        #expect(try await provider.response(for: target).text == "http://two.test/users")
        #expect(!store.use("three"))
        #expect(store.current.name == "two")
    }

    @Test("fields of both that are more than a request may have are an invalid request")
    func tooManyFields() throws {
        func fields(_ name: HTTPField.Name, _ count: Int) -> HTTPFields {
            HTTPFields(Array(repeating: HTTPField(name: name, value: "a"), count: count))
        }
        for (own, shared) in [(65_534, 1), (1, 65_534), (40_000, 40_000), (6_000, 6_000)] {
            var environment = TargetEnvironment("e", baseURL: try url("http://e"))
            environment.headerFields = fields(.accept, shared)
            let store = EnvironmentStore(environment)
            let target = TestTarget(headerFields: fields(.userAgent, own)).bound(to: store)
            let error = #expect(throws: ApusError.self) { try Endpoint(target) }
            #expect(error?.code == 1007)
        }
    }

    @Test("fields, parameters and the timeout are added, and a target's own win")
    func merge() throws {
        let environment = TargetEnvironment(
            "e",
            headerFields: [Self.region: "de", .userAgent: "env"],
            parameters: ["key": "k", "page": 1],
            timeout: .seconds(20)
        )
        let store = EnvironmentStore(environment)
        func request(_ target: TestTarget) throws -> PreparedRequest {
            try Endpoint(target.bound(to: store)).request
        }
        let own = try request(
            TestTarget(
                task: .parameters([Parameter("page", 2)], encoding: .query),
                headerFields: [.userAgent: "mine"],
                options: TransportOptions(timeout: .seconds(5))
            )
        )
        #expect(own.head.path == "/users/7?key=k&page=2")
        #expect(own.head.headerFields[Self.region] == "de")
        #expect(own.head.headerFields[.userAgent] == "mine")
        #expect(own.options.timeout == .seconds(5))
        let plain = try request(TestTarget())
        #expect(plain.head.path == "/users/7?key=k&page=1")
        #expect(plain.options.timeout == .seconds(20))
        let json = try request(
            TestTarget(method: .post, task: .parameters([Parameter("a", 0)], encoding: .json))
        )
        #expect(json.body == .bytes(Array(#"{"key":"k","page":1,"a":0}"#.utf8)))
        #expect(json.head.path == "/users/7")
        let data = try request(
            TestTarget(
                method: .post,
                task: .composite(body: .data([1]), query: [Parameter("page", 3)])
            )
        )
        #expect(data.head.path == "/users/7?key=k&page=3")
    }

    @Test("its credentials stay behind where a path leads to another origin")
    func credentials() throws {
        let store = EnvironmentStore(
            TargetEnvironment(
                "e",
                baseURL: try url("http://api.test"),
                headerFields: [.authorization: "Bearer s", Self.region: "de"],
                parameters: ["api_key": "s", "page": 1]
            )
        )
        let own = try Endpoint(TestTarget(path: "/a").bound(to: store)).request
        #expect(own.head.headerFields[.authorization] == "Bearer s")
        #expect(own.head.path == "/a?api_key=s&page=1")
        let elsewhere = try Endpoint(TestTarget(path: "http://cdn.test/a").bound(to: store)).request
        #expect(elsewhere.head.headerFields[.authorization] == nil)
        #expect(elsewhere.head.headerFields[Self.region] == "de")
        #expect(elsewhere.head.path == "/a?page=1")
        // Without any base there is no elsewhere.
        store.update { $0.baseURL = nil }
        let quick = QuickTarget(.get, "http://cdn.test/a", environments: store)
        #expect(try Endpoint(quick).request.head.headerFields[.authorization] == "Bearer s")
    }

    @Test("a mocked environment goes to its mock server, or to the targets' samples")
    func mock() async throws {
        let store = EnvironmentStore(
            TargetEnvironment(
                "e",
                baseURL: try url("http://real.test"),
                mockURL: try url("http://mock.test/m"),
                isMocked: true
            )
        )
        let transport = ScriptedTransport { request in .make(request, request.url) }
        let provider = Provider<EnvironmentTarget<TestTarget>>(
            transport: transport,
            stubs: .environments
        )
        let target = TestTarget(path: "/a").bound(to: store)
        #expect(try await provider.response(for: target).text == "http://mock.test/m/a")
        store.update { $0.mockURL = nil }
        #expect(try await provider.response(for: target).source == .stub)
        store.update { $0.isMocked = false }
        #expect(try await provider.response(for: target).text == "http://real.test/a")
        #expect(transport.received.count == 2)
    }

    @Test("many readers and a writer never see half of an environment")
    func concurrency() async throws {
        let store = EnvironmentStore(TargetEnvironment("0", parameters: ["n": "0"]))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    store.update { environment in
                        environment.name = String(number)
                        environment.parameters = ["n": .string(String(number))]
                    }
                }
                group.addTask {
                    let current = store.current
                    #expect(current.parameters == ["n": .string(current.name)])
                }
            }
        }
    }

    @Test("a target in a MultiTarget keeps its environment")
    func multi() throws {
        let store = EnvironmentStore(TargetEnvironment("e", baseURL: try url("http://e.test")))
        let target = MultiTarget(TestTarget(path: "/a").bound(to: store))
        #expect(try Endpoint(target).request.url == "http://e.test/a")
    }
}
