import Apus
import ApusReactive
import OpenCombine
import Testing

@Suite("Publishers of progress", .timeLimit(.minutes(5)))
struct ProgressPublisherTests {
    private func states(
        _ transport: FakeTransport,
        from source: DataSource = .server,
        filling: Bool = false
    ) async throws -> Collector<ExchangeProgress, ApusError> {
        let provider = Provider<FakeTarget>.make(transport)
        if filling { _ = try await provider.response(for: FakeTarget()) }
        let collector = Collector<ExchangeProgress, ApusError>()
        provider.progressPublisher(for: FakeTarget(), from: source).subscribe(collector)
        collector.request(.unlimited)
        await collector.wait { $0.completion != nil }
        return collector
    }

    @Test("a value for the progress and one for the response, each with the last of the other")
    func accumulated() async throws {
        let states = try await states(FakeTransport(.text("abcd")))
        #expect(states.completion == .finished)
        let last = try #require(states.values.last)
        #expect(last.hasNewResponse)
        #expect(last.response?.status == 200)
        #expect(last.transfer.bytesReceived == 4)
        #expect(last.fractionReceived == 1)
        #expect(states.values.dropLast().allSatisfy { !$0.hasNewResponse && $0.response == nil })
    }

    @Test("the transfer behind a cached response keeps that answer beside its progress")
    func behindCache() async throws {
        let transport = FakeTransport(.text("old"), .text("fresh"))
        let states = try await states(transport, from: .cacheAndServer, filling: true)
        #expect(states.values.filter(\.hasNewResponse).count == 2)
        let between = states.values.dropFirst().first
        #expect(between?.response != nil)
        #expect(states.values.last?.transfer.bytesReceived == 5)
    }

    @Test("without a response it fails")
    func failure() async throws {
        let states = try await states(FakeTransport(.refused))
        guard case .failure(let error) = states.completion else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == 2201)
    }

    @Test("the operators part answers from progress")
    func operators() async throws {
        let transport = FakeTransport(.text("abcd"), .text("ef"))
        let provider = Provider<FakeTarget>.make(transport)
        let answers = Collector<Int, ApusError>()
        provider.progressPublisher(for: FakeTarget()).filterCompleted().map(\.status)
            .subscribe(answers)
        answers.request(.unlimited)
        await answers.wait { $0.completion != nil }
        #expect(answers.values == [200])
        let progress = Collector<TransferProgress, ApusError>()
        provider.progressPublisher(for: FakeTarget()).filterProgress().subscribe(progress)
        progress.request(.unlimited)
        await progress.wait { $0.completion != nil }
        #expect(progress.values.map(\.bytesReceived) == [2])
    }

    @Test("a fraction is known only with the length")
    func fraction() {
        var state = ExchangeProgress(transfer: TransferProgress(bytesReceived: 5))
        #expect(state.fractionReceived == nil)
        state.transfer.bytesToReceive = 20
        #expect(state.fractionReceived == 0.25)
        state.transfer.bytesToReceive = 0
        #expect(state.fractionReceived == nil)
    }
}
