import Apus
import Synchronization
import Testing

@Suite("Callbacks with values", .timeLimit(.minutes(5)))
struct MappedCallbackTests {
    /// What a callback was called with.
    private func calls(
        _ transport: ScriptedTransport,
        filling: Bool = false,
        from source: DataSource = .server,
        count: Int
    ) async throws -> [MappedResponse<Int>] {
        let provider = Provider<TestTarget>(transport: transport, cache: .inMemory)
        if filling { _ = try await provider.response(for: TestTarget()) }
        let (calls, call) = AsyncStream<MappedResponse<Int>>.makeStream()
        let token = provider.request(
            TestTarget(),
            using: .decodable(Int.self),
            from: source
        ) { call.yield($0) }
        var heard: [MappedResponse<Int>] = []
        for await mapped in calls {
            heard.append(mapped)
            if heard.count == count { break }
        }
        while !token.isFinished { await Task.yield() }
        return heard
    }

    @Test("both responses of cacheAndServer call back, each with its value")
    func both() async throws {
        let count = Mutex(0)
        let transport = ScriptedTransport { request throws(ApusError) in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .make(request, "\(number)")
        }
        let heard = try await calls(transport, filling: true, from: .cacheAndServer, count: 2)
        #expect(heard.map(\.value) == [1, 2])
        #expect(heard.map(\.isFromCache) == [true, false])
    }

    @Test("a failure calls back once, and a response that cannot be read keeps the response")
    func failures() async throws {
        let down = try await calls(.down, count: 1)
        #expect(down.first?.error?.code == 2201)
        let unread = try await calls(.answering("x"), count: 1)
        #expect(unread.first?.error?.code == 5003)
        #expect(unread.first?.response?.text == "x")
    }

    @Test("cancelling calls back with that, once")
    func cancelled() async {
        let (waiting, isWaiting) = AsyncStream<Void>.makeStream()
        let provider = Provider<TestTarget>(transport: ScriptedTransport.silent(isWaiting))
        let (calls, call) = AsyncStream<ApusError?>.makeStream()
        let token = provider.request(TestTarget(), using: .decodable(Int.self)) {
            call.yield($0.error)
        }
        for await _ in waiting { break }
        token.cancel()
        token.cancel()
        for await error in calls {
            #expect(error?.reason == .cancelled)
            break
        }
        #expect(token.isCancelled)
    }
}
