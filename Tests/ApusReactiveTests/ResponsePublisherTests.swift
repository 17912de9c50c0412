import Apus
import ApusReactive
import OpenCombine
import Testing

private typealias Responses = Collector<Response, ApusError>

extension Response {
    fileprivate var text: String {
        guard case .bytes(let bytes) = body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}

@Suite("Publishers of responses", .timeLimit(.minutes(5)))
struct ResponsePublisherTests {
    @Test("with cacheAndServer both responses arrive, the cache's first")
    func both() async throws {
        let provider = Provider<FakeTarget>.make(FakeTransport(.text("old"), .text("new")))
        _ = try await provider.response(for: FakeTarget())
        let collector = Responses()
        provider.responsePublisher(for: FakeTarget(), from: .cacheAndServer).subscribe(collector)
        collector.request(.unlimited)
        await collector.wait { $0.completion != nil }
        #expect(collector.values.map(\.text) == ["old", "new"])
        #expect(collector.completion == .finished)
        #expect(collector.completionCount == 1)
    }

    /// As view models are: what its sinks do belongs to the main actor, and traps elsewhere.
    @MainActor
    private final class Model {
        var texts: [String] = []
        var events = 0
        var isFinished = false
        var subscriptions: Set<AnyCancellable> = []
    }

    @Test("what is subscribed to on the main actor arrives there")
    @MainActor
    func onMain() async throws {
        let provider = Provider<FakeTarget>.make(FakeTransport(.text("old"), .text("new")))
        _ = try await provider.response(for: FakeTarget())
        let model = Model()
        provider.responsePublisher(for: FakeTarget(), from: .cacheAndServer)
            .value(using: .string)
            .sink(
                receiveCompletion: { _ in model.isFinished = true },
                receiveValue: { text in
                    MainActor.assertIsolated()
                    model.texts.append(text)
                }
            )
            .store(in: &model.subscriptions)
        while !model.isFinished { await Task.yield() }
        #expect(model.texts == ["old", "new"])
        model.isFinished = false
        provider.eventsPublisher(for: FakeTarget(), from: .cache)
            .sink(
                receiveCompletion: { _ in model.isFinished = true },
                receiveValue: { _ in model.events += 1 }
            )
            .store(in: &model.subscriptions)
        while !model.isFinished { await Task.yield() }
        #expect(model.events > 1)
    }

    @Test("the second response waits until it is asked for")
    func demand() async throws {
        let transport = FakeTransport(.text("old"), .text("new"))
        let provider = Provider<FakeTarget>.make(transport)
        _ = try await provider.response(for: FakeTarget())
        let collector = Responses()
        provider.responsePublisher(for: FakeTarget(), from: .cacheAndServer).subscribe(collector)
        collector.request(.max(1))
        await collector.wait { !$0.values.isEmpty }
        #expect(collector.values.map(\.text) == ["old"])
        #expect(collector.completion == nil)
        collector.request(.max(1))
        await collector.wait { $0.completion != nil }
        #expect(collector.values.map(\.text) == ["old", "new"])
    }

    @Test("what the subscriber asks for as it receives counts")
    func demandOnReceive() async throws {
        let provider = Provider<FakeTarget>.make(FakeTransport(.text("old"), .text("new")))
        _ = try await provider.response(for: FakeTarget())
        let collector = Responses(more: .max(1))
        provider.responsePublisher(for: FakeTarget(), from: .cacheAndServer).subscribe(collector)
        collector.request(.max(1))
        await collector.wait { $0.completion != nil }
        #expect(collector.values.count == 2)
    }

    @Test("the end arrives without being asked for")
    func endWithoutDemand() async {
        let provider = Provider<FakeTarget>.make(FakeTransport(.text("a")))
        let collector = Responses()
        provider.responsePublisher(for: FakeTarget()).subscribe(collector)
        collector.request(.max(1))
        await collector.wait { $0.completion != nil }
        #expect(collector.values.map(\.text) == ["a"])
        #expect(collector.completion == .finished)
    }

    @Test("nothing is sent before something is asked for, and each subscriber sends its own")
    func lazy() async {
        let transport = FakeTransport(.text("a"), .text("b"))
        let publisher = Provider<FakeTarget>.make(transport).responsePublisher(for: FakeTarget())
        let first = Responses()
        let second = Responses()
        publisher.subscribe(first)
        publisher.subscribe(second)
        #expect(transport.requestCount == 0)
        first.request(.unlimited)
        await first.wait { $0.completion != nil }
        #expect(transport.requestCount == 1)
        second.request(.unlimited)
        await second.wait { $0.completion != nil }
        #expect(transport.requestCount == 2)
        #expect(second.values.map(\.text) == ["b"])
    }

    @Test("a server that is down is a failure")
    func failure() async {
        let provider = Provider<FakeTarget>.make(FakeTransport(.refused))
        let collector = Responses()
        provider.responsePublisher(for: FakeTarget()).subscribe(collector)
        collector.request(.unlimited)
        await collector.wait { $0.completion != nil }
        #expect(collector.values.isEmpty)
        guard case .failure(let error) = collector.completion else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == 2201)
    }

    @Test("a server that is down beside a cached response is none")
    func cachedStands() async throws {
        let provider = Provider<FakeTarget>.make(FakeTransport(.text("old"), .refused))
        _ = try await provider.response(for: FakeTarget())
        let collector = Responses()
        provider.responsePublisher(for: FakeTarget(), from: .cacheAndServer).subscribe(collector)
        collector.request(.unlimited)
        await collector.wait { $0.completion != nil }
        #expect(collector.values.map(\.text) == ["old"])
        #expect(collector.completion == .finished)
    }

    @Test("operators compose with it")
    func operators() async {
        let provider = Provider<FakeTarget>.make(FakeTransport(.text("a")))
        let collector = Collector<String, Never>()
        provider.responsePublisher(for: FakeTarget()).map(\.text).replaceError(with: "failed")
            .subscribe(collector)
        collector.request(.unlimited)
        await collector.wait { $0.completion != nil }
        #expect(collector.values == ["a"])
    }
}
