import Documents
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

@Suite("Failures as responses in the API's envelope")
struct FallbackResponsePluginTests {
    private static let envelope = ResponseEnvelope(
        code: "error>used>code",
        message: "error>text",
        data: "data",
        success: "0"
    )

    private func answer(
        _ plugin: FallbackResponsePlugin,
        _ transport: ScriptedTransport,
        _ target: TestTarget = TestTarget()
    ) async throws -> Response {
        try await Provider.make(transport, plugins: [plugin]).response(for: target)
    }

    @Test("a failure becomes a response that its own envelope can read, also at nested paths")
    func failure() async throws {
        let answer = try await answer(FallbackResponsePlugin(envelope: Self.envelope), .down)
        #expect(answer.status == 700)
        let read = try Self.envelope.read(answer)
        #expect(read.code == "700")
        #expect(read.message?.isEmpty == false)
        #expect(!read.isSuccess)
        guard case .synthetic(let original) = answer.source, case .connect = original.reason else {
            Issue.record("\(answer.source)")
            return
        }
        #expect(answer.request.head.path == "/users/7")
    }

    @Test("an error status keeps its status, and the original body is there")
    func status() async throws {
        let answer = try await answer(
            FallbackResponsePlugin(envelope: Self.envelope),
            .answering("the server's own words", status: 404)
        )
        #expect(answer.status == 404)
        #expect(try Self.envelope.read(answer).code == "700")
        #expect(try Self.envelope.read(answer).message == "404")
        guard case .synthetic(let original) = answer.source else {
            Issue.record("\(answer.source)")
            return
        }
        #expect(original.response?.text == "the server's own words")
    }

    @Test("each kind is replaced only if asked")
    func options() async throws {
        let failures = FallbackResponsePlugin(envelope: Self.envelope, replacesErrorStatuses: false)
        #expect(try await answer(failures, .answering("x", status: 404)).source == .server)
        let statuses = FallbackResponsePlugin(envelope: Self.envelope, replacesFailures: false)
        await #expect(throws: ApusError.self) { try await answer(statuses, .down) }
    }

    @Test("a success passes, and without an envelope nothing is replaced")
    func untouched() async throws {
        let plugin = FallbackResponsePlugin(envelope: Self.envelope)
        #expect(try await answer(plugin, .answering("fine")).text == "fine")
        await #expect(throws: ApusError.self) { try await answer(FallbackResponsePlugin(), .down) }
    }

    @Test("the envelope is that of the target's environment, too")
    func environment() async throws {
        let provider = Provider<EnvironmentTarget<TestTarget>>(
            transport: ScriptedTransport.down,
            cache: .inMemory,
            plugins: [FallbackResponsePlugin()]
        )
        let store = EnvironmentStore(TargetEnvironment("e", envelope: Self.envelope))
        let answer = try await provider.response(for: TestTarget().bound(to: store))
        #expect(try Self.envelope.read(answer).code == "700")
    }

    @Test("the envelope is the provider's if the target has none")
    func providersEnvelope() async throws {
        let provider = Provider<TestTarget>(
            transport: ScriptedTransport.down,
            cache: .inMemory,
            plugins: [FallbackResponsePlugin()],
            envelope: Self.envelope
        )
        let answer = try await provider.response(for: TestTarget())
        #expect(try Self.envelope.read(answer).code == "700")
    }

    @Test("a target that cannot be built has a response too")
    func invalid() async throws {
        let target = TestTarget(base: "ftp://h", path: "/x")
        let plugin = FallbackResponsePlugin(envelope: Self.envelope)
        let answer = try await answer(plugin, .answering("x"), target)
        #expect(answer.status == 700)
        #expect(answer.request.head.path == "/x")
    }

    @Test("what is synthetic is not kept, and a cached response stands before it")
    func cache() async throws {
        let plugin = FallbackResponsePlugin(envelope: Self.envelope)
        let cache = ResponseCache.inMemory
        let broken = Provider.make(.answering("ill", status: 500), cache: cache, plugins: [plugin])
        _ = try await broken.response(for: TestTarget())
        #expect(try await broken.cachedResponse(for: TestTarget()) == nil)
        _ = try await Provider.make(.answering("old"), cache: cache).response(for: TestTarget())
        let down = Provider.make(.down, cache: cache, plugins: [plugin])
        let answer = try await down.response(for: TestTarget(), from: .cacheAndServer)
        #expect(answer.text == "old")
    }

    @Test("a cancelled exchange stays cancelled")
    func cancelled() async {
        let (isWaiting, continuation) = AsyncStream<Void>.makeStream()
        let provider = Provider.make(
            .silent(continuation),
            plugins: [FallbackResponsePlugin(envelope: Self.envelope)]
        )
        let run = Task { await provider.ending(of: TestTarget()).summary }
        for await _ in isWaiting { break }
        run.cancel()
        let summary = await run.value
        let error = #expect(throws: ApusError.self) { try summary?.result.get() }
        #expect(error?.reason == .cancelled)
    }
}
