import Apus
import OpenCombine
import Synchronization
import Testing

@testable import ApusReactive

/// Numbers from 1, and how many were read.
private final class CountedNumbers: AsyncSequence, Sendable {
    typealias Failure = Never
    let end: Int
    private let count = Mutex(0)
    let reads: AsyncStream<Int>
    private let read: AsyncStream<Int>.Continuation

    init(upTo end: Int) {
        self.end = end
        (reads, read) = AsyncStream.makeStream()
    }

    var readCount: Int { count.withLock { $0 } }

    struct Iterator: AsyncIteratorProtocol {
        let numbers: CountedNumbers
        mutating func next() async -> Int? { numbers.next() }
    }

    func makeAsyncIterator() -> Iterator { Iterator(numbers: self) }

    private func next() -> Int? {
        let number = count.withLock { count in
            count += 1
            return count
        }
        read.yield(number)
        return number <= end ? number : nil
    }
}

@Suite("Publishers of events", .timeLimit(.minutes(5)))
struct EventPublisherTests {
    @Test("at most one value is read ahead of what was asked for")
    func backPressure() async {
        let numbers = CountedNumbers(upTo: 5)
        let collector = Collector<Int, Never>()
        EventPublisher(numbers).subscribe(collector)
        collector.request(.max(2))
        for await read in numbers.reads where read == 3 { break }
        #expect(collector.values == [1, 2])
        collector.request(.max(1))
        for await read in numbers.reads where read == 4 { break }
        #expect(collector.values == [1, 2, 3])
        #expect(numbers.readCount == 4)
        collector.request(.unlimited)
        await collector.wait { $0.completion != nil }
        #expect(collector.values == [1, 2, 3, 4, 5])
        #expect(collector.completionCount == 1)
    }

    @Test("the last event of an exchange is its end")
    func exchange() async {
        let provider = Provider<FakeTarget>.make(FakeTransport(.text("a")))
        let collector = Collector<ExchangeEvent, Never>()
        provider.eventsPublisher(for: FakeTarget()).subscribe(collector)
        collector.request(.unlimited)
        await collector.wait { $0.completion != nil }
        guard case .finished(let summary) = collector.values.last else {
            Issue.record("the last event is \(String(describing: collector.values.last))")
            return
        }
        #expect(summary.responseCount == 1)
    }

    @Test("a batch and a chain publish their events to the end")
    func batchAndChain() async {
        let provider = Provider<FakeTarget>.make(FakeTransport(.text("a"), .text("b"), .text("c")))
        let batch = Collector<BatchEvent, Never>()
        provider.eventsPublisher(for: Batch([FakeTarget(path: "/1"), FakeTarget(path: "/2")]))
            .subscribe(batch)
        batch.request(.unlimited)
        await batch.wait { $0.completion != nil }
        guard case .finished(let summary) = batch.values.last else {
            Issue.record("the batch has no end")
            return
        }
        #expect(summary.progress.succeeded == 2)
        let chain = Collector<ChainEvent, Never>()
        provider.eventsPublisher(for: Chain(startingWith: FakeTarget()) { _ in nil })
            .subscribe(chain)
        chain.request(.unlimited)
        await chain.wait { $0.completion != nil }
        guard case .finished(let end) = chain.values.last else {
            Issue.record("the chain has no end")
            return
        }
        #expect(end.steps.count == 1)
    }
}
