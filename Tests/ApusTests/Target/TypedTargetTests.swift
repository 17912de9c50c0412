import Apus
import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@Suite("Typed targets, and targets of many kinds in one provider", .timeLimit(.minutes(5)))
struct TypedTargetTests {
    struct User: Codable, Equatable, Sendable { var name: String }
    struct Problem: Codable, Equatable, Sendable { var title: String }

    /// A target with a case for each endpoint.
    enum Shop: TargetType {
        case names

        var baseURL: URL { TestTarget(base: "http://api.test").baseURL }
        var path: String { "names" }
        var cachePolicy: CachePolicy { .keep(in: .memory) }
    }

    /// A target that knows its value.
    struct ShowUser: TypedTarget {
        typealias Value = User
        let id: Int
        var baseURL: URL { TestTarget(base: "http://api.test").baseURL }
        var path: String { "users/\(id)" }
        var cachePolicy: CachePolicy { .keep(in: .memory) }
    }

    /// One whose value comes by a serializer.
    struct ShowName: TypedTarget {
        let id: Int
        var baseURL: URL { TestTarget(base: "http://api.test").baseURL }
        var path: String { "users/\(id)" }
        var serializer: some ResponseSerializer<String> { .string(at: "name") }
    }

    /// One in an envelope that the provider knows.
    struct WrappedUser: TypedTarget {
        var baseURL: URL { TestTarget(base: "http://api.test").baseURL }
        var path: String { "wrapped" }
        var serializer: some ResponseSerializer<User> { .enveloped(.decodable(User.self)) }
    }

    /// One whose server refuses in a form of its own.
    struct FindUser: TypedTarget {
        typealias Value = User
        typealias Failure = Problem
        let id: Int
        var baseURL: URL { TestTarget(base: "http://api.test").baseURL }
        var path: String { "users/\(id)" }
    }

    private let transport = ScriptedTransport { request in
        switch request.head.path {
        case "/users/7": .make(request, #"{"name":"Ada"}"#)
        case "/wrapped": .make(request, #"{"code":0,"data":{"name":"Bob"}}"#)
        case "/names": .make(request, #"["Ada"]"#)
        default: .make(request, #"{"title":"nobody"}"#, status: 404)
        }
    }

    @Test("one provider sends cases by a dot, and typed targets without a word of their type")
    func both() async throws {
        let provider = Provider<Shop>(
            transport: transport,
            envelope: ResponseEnvelope(code: "code", message: "m", data: "data", success: "0")
        )
        #expect(try await provider.value(for: .names, using: .decodable([String].self)) == ["Ada"])
        #expect(try await provider.value(for: ShowUser(id: 7)) == User(name: "Ada"))
        #expect(try await provider.value(for: ShowName(id: 7)) == "Ada")
        #expect(try await provider.value(for: WrappedUser()) == User(name: "Bob"))
        #expect(await provider.mappedResponse(for: ShowUser(id: 7)).value == User(name: "Ada"))
        #expect(await provider.mappedResponse(for: ShowUser(id: 8)).response?.status == 404)
        let store = EnvironmentStore(TargetEnvironment("e", headerFields: [.acceptLanguage: "de"]))
        #expect(try await provider.value(for: ShowName(id: 7).bound(to: store)) == "Ada")
        #expect(transport.received.last?.head.headerFields[.acceptLanguage] == "de")
    }

    @Test("targets of another kind go as they are through every call, with the same cache")
    func anyKind() async throws {
        let provider = Provider<MultiTarget>(transport: transport)
        let target = ShowUser(id: 7)
        #expect(try await provider.response(for: target).text == #"{"name":"Ada"}"#)
        #expect(try await provider.cachedResponse(for: target) != nil)
        #expect(try await provider.cachedResponse(for: MultiTarget(target)) != nil)
        #expect(try await provider.value(for: Shop.names, using: .string) == #"["Ada"]"#)
        var names: [String] = []
        for try await user in provider.values(for: target, from: .cacheAndServer) {
            names.append(user.name)
        }
        for await mapped in provider.mappedResponses(for: target, from: .cache) {
            names.append(mapped.value?.name ?? "-")
        }
        for try await name in provider.values(for: target, using: .string(at: "name")) {
            names.append(name)
        }
        for await mapped in provider.mappedResponses(for: target, using: .string(at: "name")) {
            names.append(mapped.value ?? "-")
        }
        #expect(names == ["Ada", "Ada", "Ada", "Ada", "Ada"])
        var count = 0
        for await event in provider.events(for: target) {
            if case .response = event { count += 1 }
        }
        #expect(count == 1)
    }

    @Test("a refusal in the form that the target names is thrown as that form")
    func refusal() async throws {
        let provider = Provider<Shop>(transport: transport)
        #expect(try await provider.value(for: FindUser(id: 7)) == User(name: "Ada"))
        do {
            _ = try await provider.value(for: FindUser(id: 8))
            Issue.record("no refusal")
        } catch {
            #expect(error.body == Problem(title: "nobody"))
            #expect(error.response?.status == 404)
        }
    }

    @Test("callbacks get the value, and hooks the target itself")
    func callback() async throws {
        struct Seen: Plugin {
            let log: HookLog
            func willSend(_ request: PreparedRequest, in context: ExchangeContext) async {
                log.add((context.target as? ShowUser).map { "user \($0.id)" } ?? "?")
            }
        }
        let log = HookLog()
        let provider = Provider<Shop>(transport: transport, plugins: [Seen(log: log)])
        let user: User? = await withCheckedContinuation { continuation in
            provider.request(ShowUser(id: 7)) { continuation.resume(returning: $0.value) }
        }
        #expect(user == User(name: "Ada"))
        let text: String? = await withCheckedContinuation { continuation in
            provider.request(ShowUser(id: 7), using: .string) {
                continuation.resume(returning: $0.value)
            }
        }
        #expect(text == #"{"name":"Ada"}"#)
        let status: Int? = await withCheckedContinuation { continuation in
            provider.request(ShowUser(id: 7)) { (result: Result<Response, ApusError>) in
                continuation.resume(returning: try? result.get().status)
            }
        }
        #expect(status == 200)
        #expect(log.all == ["user 7", "user 7", "user 7"])
    }
}
