import Apus
import Synchronization
import Testing

@Suite("Sequences of values", .timeLimit(.minutes(5)))
struct MappedValuesTests {
    /// A server that gives these responses in turn, and is down after them.
    private func provider(_ answers: String...) throws -> Provider<TestTarget> {
        let rest = Mutex(answers)
        let transport = ScriptedTransport { request throws(ApusError) in
            guard let text = rest.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
                throw ApusError(.connect(host: "api.test", port: 80, detail: "refused"))
            }
            return .make(request, text)
        }
        let configuration = ResponseCache.Configuration(directory: Temporary.folder())
        return Provider(transport: transport, cache: ResponseCache(configuration: configuration))
    }

    private func values(
        _ provider: Provider<TestTarget>,
        from source: DataSource
    ) async -> ([Int], ApusError?) {
        var values: [Int] = []
        do throws(ApusError) {
            for try await value in provider.values(
                for: TestTarget(),
                using: .decodable(Int.self),
                from: source
            ) {
                values.append(value)
            }
            return (values, nil)
        } catch {
            return (values, error)
        }
    }

    @Test("with cacheAndServer both values arrive, the cache's first, and then the end")
    func both() async throws {
        let provider = try provider("1", "2")
        _ = try await provider.response(for: TestTarget())
        let (values, error) = await values(provider, from: .cacheAndServer)
        #expect(values == [1, 2])
        #expect(error == nil)
    }

    @Test("a hit with cacheIfPossible is one value and the end, a miss too")
    func one() async throws {
        let provider = try provider("1", "2")
        #expect(await values(provider, from: .cacheIfPossible).0 == [1])
        #expect(await values(provider, from: .cacheIfPossible).0 == [1])
    }

    @Test("a rule that asks for nothing ends with what the cache has, or with a miss")
    func custom() async throws {
        struct Never: DataSourceRule {
            func shouldSendRequest(_ target: any TargetType, cached: Response?) -> Bool { false }
            func shouldUpdateCache(
                _ target: any TargetType,
                cached: Response?,
                fresh: Response
            ) -> Bool { false }
        }
        let provider = try provider("1")
        let missed = await values(provider, from: .custom(Never()))
        #expect(missed.0.isEmpty)
        #expect(missed.1?.code == 4001)
        _ = try await provider.response(for: TestTarget())
        let hit = await values(provider, from: .custom(Never()))
        #expect(hit.0 == [1])
        #expect(hit.1 == nil)
    }

    @Test("a server that is down beside a cached value is no error")
    func cachedStands() async throws {
        let provider = try provider("1")
        _ = try await provider.response(for: TestTarget())
        let (values, error) = await values(provider, from: .cacheAndServer)
        #expect(values == [1])
        #expect(error == nil)
    }

    @Test("a cached response that cannot be read does not stand in the server's way")
    func cachedIsNoUse() async throws {
        let provider = try provider("old", "2")
        _ = try await provider.response(for: TestTarget())
        let (values, error) = await values(provider, from: .cacheAndServer)
        #expect(values == [2])
        #expect(error == nil)
    }

    @Test("a last response that cannot be read is thrown after the values before it")
    func lastIsNoUse() async throws {
        let provider = try provider("1", "new")
        _ = try await provider.response(for: TestTarget())
        let (values, error) = await values(provider, from: .cacheAndServer)
        #expect(values == [1])
        #expect(error?.code == 5003)
    }

    @Test("answers with their values: failures are elements, and tell where each came from")
    func mappedResponses() async throws {
        let provider = try provider("1", "2")
        _ = try await provider.response(for: TestTarget())
        func all() async -> [MappedResponse<Int>] {
            var all: [MappedResponse<Int>] = []
            for await mapped in provider.mappedResponses(
                for: TestTarget(),
                using: .decodable(Int.self),
                from: .cacheAndServer
            ) {
                all.append(mapped)
            }
            return all
        }
        let first = await all()
        #expect(first.map(\.value) == [1, 2])
        #expect(first.map(\.isFromCache) == [true, false])
        let second = await all()
        #expect(second.map(\.value) == [2, nil])
        #expect(second.last?.error?.code == 2201)
    }

    @Test("each reader has an exchange of its own, and nothing is sent before it reads")
    func lazy() async throws {
        let transport = ScriptedTransport.answering("1")
        let provider = Provider<TestTarget>(transport: transport)
        let target = TestTarget(cachePolicy: .none)
        let sequence = provider.values(for: target, using: .decodable(Int.self))
        #expect(transport.received.isEmpty)
        for _ in 1...2 { for try await _ in sequence {} }
        #expect(transport.received.count == 2)
    }

    @Test("cancelling the reader ends the exchange and the sequence")
    func cancelled() async throws {
        let (waiting, isWaiting) = AsyncStream<Void>.makeStream()
        let provider = Provider<TestTarget>(transport: ScriptedTransport.silent(isWaiting))
        let reader = Task { await self.values(provider, from: .server) }
        for await _ in waiting { break }
        reader.cancel()
        let (read, error) = await reader.value
        #expect(read.isEmpty)
        #expect(error?.reason == .cancelled)
    }
}
