import Apus
import ApusReactive
import Documents
import FoundationEssentials
import OpenCombine
import Testing

@Suite("Publishers of values", .timeLimit(.minutes(5)))
struct ValuePublisherTests {
    private typealias Values = Collector<Int, ApusError>

    private func values(_ provider: Provider<FakeTarget>, from source: DataSource) async -> Values {
        let collector = Values()
        provider.valuePublisher(for: FakeTarget(), using: .decodable(Int.self), from: source)
            .subscribe(collector)
        collector.request(.unlimited)
        await collector.wait { $0.completion != nil }
        return collector
    }

    @Test("with cacheAndServer both values arrive, and then the end")
    func both() async throws {
        let provider = Provider<FakeTarget>.make(FakeTransport(.text("1"), .text("2")))
        _ = try await provider.response(for: FakeTarget())
        let collector = await values(provider, from: .cacheAndServer)
        #expect(collector.values == [1, 2])
        #expect(collector.completion == .finished)
        #expect(collector.completionCount == 1)
    }

    @Test("the second value waits until it is asked for")
    func demand() async throws {
        let provider = Provider<FakeTarget>.make(FakeTransport(.text("1"), .text("2")))
        _ = try await provider.response(for: FakeTarget())
        let collector = Values()
        provider.valuePublisher(
            for: FakeTarget(),
            using: .decodable(Int.self),
            from: .cacheAndServer
        ).subscribe(collector)
        collector.request(.max(1))
        await collector.wait { !$0.values.isEmpty }
        #expect(collector.values == [1])
        #expect(collector.completion == nil)
        collector.request(.max(1))
        await collector.wait { $0.completion != nil }
        #expect(collector.values == [1, 2])
    }

    @Test("a cached response that cannot be read is a miss, and a call has a policy of its own")
    func unreadableInCache() async throws {
        let transport = FakeTransport(.text("<html>"), .text("2"))
        let provider = Provider<FakeTarget>.make(transport)
        _ = try await provider.response(for: FakeTarget())
        for _ in 1...2 {
            let collector = await values(provider, from: .cacheIfPossible)
            #expect(collector.values == [2])
            #expect(collector.completion == .finished)
        }
        #expect(transport.requestCount == 2)
    }

    @Test("a publisher's own policy keeps its response")
    func caching() async throws {
        let transport = FakeTransport(.text("1"))
        let provider = Provider<FakeTarget>.make(transport)
        let target = FakeTarget(cachePolicy: .none)
        for source in [DataSource.server, .cache] {
            let collector = Values()
            provider.valuePublisher(
                for: target,
                using: .decodable(Int.self),
                from: source,
                caching: .keep(in: .memory)
            ).subscribe(collector)
            collector.request(.unlimited)
            await collector.wait { $0.completion != nil }
            #expect(collector.values == [1])
        }
    }

    @Test("a last response that cannot be read is a failure with the response attached")
    func unreadable() async {
        let collector = await values(.make(FakeTransport(.text("x"))), from: .server)
        #expect(collector.values.isEmpty)
        guard case .failure(let error) = collector.completion else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == 5003)
        #expect(error.response != nil)
    }

    @Test("each subscriber has an exchange of its own, begun by its first demand")
    func cold() async {
        let transport = FakeTransport(.text("1"), .text("2"))
        let publisher = Provider<FakeTarget>.make(transport)
            .valuePublisher(for: FakeTarget(), using: .decodable(Int.self))
        let first = Values()
        let second = Values()
        publisher.subscribe(first)
        publisher.subscribe(second)
        #expect(transport.requestCount == 0)
        for (collector, expected) in [(first, 1), (second, 2)] {
            collector.request(.unlimited)
            await collector.wait { $0.completion != nil }
            #expect(collector.values == [expected])
        }
        #expect(transport.requestCount == 2)
    }

    @Test("cancelling reaches the transfer")
    func cancel() async {
        let transport = FakeTransport(.never)
        let collector = Values()
        Provider<FakeTarget>.make(transport)
            .valuePublisher(for: FakeTarget(), using: .decodable(Int.self)).subscribe(collector)
        collector.request(.unlimited)
        for await _ in transport.arrivals { break }
        collector.cancel()
        for await _ in transport.cancellations { break }
        #expect(collector.values.isEmpty)
        #expect(collector.completion == nil)
    }

    @Test("answers with their values never fail: a failure is a value")
    func mappedResponses() async throws {
        let provider = Provider<FakeTarget>.make(FakeTransport(.text("1"), .refused))
        _ = try await provider.response(for: FakeTarget())
        let collector = Collector<MappedResponse<Int>, Never>()
        provider.mappedResponsePublisher(
            for: FakeTarget(),
            using: .decodable(Int.self),
            from: .cacheAndServer
        ).subscribe(collector)
        collector.request(.unlimited)
        await collector.wait { $0.completion != nil }
        #expect(collector.values.map(\.value) == [1, nil])
        #expect(collector.values.map(\.isFromCache) == [true, false])
        #expect(collector.values.last?.error?.code == 2201)
    }
}

@Suite("Publishers of targets of any kind", .timeLimit(.minutes(5)))
struct AnyTargetPublisherTests {
    private struct Number: TypedTarget {
        typealias Value = Int
        var baseURL: URL { FakeTarget().baseURL }
        var path: String { "number" }
    }

    @Test("a typed target needs no serializer, and goes through each publisher")
    func typed() async throws {
        let transport = FakeTransport(.text("1"), .text("2"), .text("3"), .text("4"), .text("5"))
        let provider = Provider<FakeTarget>.make(transport)
        let numbers = Collector<Int, ApusError>()
        provider.valuePublisher(for: Number()).subscribe(numbers)
        let texts = Collector<String, ApusError>()
        provider.valuePublisher(for: Number(), using: .string).subscribe(texts)
        let responses = Collector<Response, ApusError>()
        provider.responsePublisher(for: Number()).subscribe(responses)
        numbers.request(.unlimited)
        await numbers.wait { $0.completion != nil }
        texts.request(.unlimited)
        await texts.wait { $0.completion != nil }
        responses.request(.unlimited)
        await responses.wait { $0.completion != nil }
        #expect(numbers.values == [1])
        #expect(texts.values == ["2"])
        #expect(responses.values.map(\.status) == [200])
        #expect(transport.requestCount == 3)
    }
}
