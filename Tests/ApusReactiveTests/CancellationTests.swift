import Apus
import ApusReactive
import OpenCombine
import Testing

@Suite("Cancelling a subscription", .timeLimit(.minutes(5)))
struct CancellationTests {
    @Test("cancelling reaches the transfer, and nothing is delivered after it")
    func cancel() async {
        let transport = FakeTransport(.never)
        let provider = Provider<FakeTarget>.make(transport)
        let collector = Collector<Response, ApusError>()
        provider.responsePublisher(for: FakeTarget()).subscribe(collector)
        collector.request(.unlimited)
        for await _ in transport.arrivals { break }
        collector.cancel()
        for await _ in transport.cancellations { break }
        #expect(collector.values.isEmpty)
        #expect(collector.completion == nil)
    }

    @Test("letting a sink go reaches the transfer")
    func letGo() async {
        let transport = FakeTransport(.never)
        let provider = Provider<FakeTarget>.make(transport)
        var sink: AnyCancellable? = provider.eventsPublisher(for: FakeTarget()).sink { _ in }
        for await _ in transport.arrivals { break }
        #expect(sink != nil)
        sink = nil
        for await _ in transport.cancellations { break }
    }

    @Test("letting the subscription itself go reaches the transfer")
    func subscriptionLetGo() async {
        let transport = FakeTransport(.never)
        let provider = Provider<FakeTarget>.make(transport)
        let collector = Collector<Response, ApusError>()
        provider.responsePublisher(for: FakeTarget()).subscribe(collector)
        collector.request(.unlimited)
        for await _ in transport.arrivals { break }
        collector.letGo()
        for await _ in transport.cancellations { break }
        #expect(collector.completion == nil)
    }

    @Test("a subscription that was cancelled before it was used sends nothing")
    func before() async {
        let transport = FakeTransport(.text("first"))
        let provider = Provider<FakeTarget>.make(transport)
        let cancelled = Collector<Response, ApusError>()
        provider.responsePublisher(for: FakeTarget()).subscribe(cancelled)
        cancelled.cancel()
        cancelled.request(.unlimited)
        let other = Collector<Response, ApusError>()
        provider.responsePublisher(for: FakeTarget()).subscribe(other)
        other.request(.unlimited)
        await other.wait { $0.completion != nil }
        #expect(other.values.count == 1)
        #expect(transport.requestCount == 1)
        #expect(cancelled.values.isEmpty)
    }
}
