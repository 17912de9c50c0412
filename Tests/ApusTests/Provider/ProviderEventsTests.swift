import FoundationEssentials
import Synchronization
import Testing

@testable import Apus

/// What happened, in words short enough for a table.
func words(_ event: ExchangeEvent) -> String? {
    switch event {
    case .lookedUp(.hit): "hit"
    case .lookedUp(.miss(_, let reason)): "miss \(word(reason))"
    case .willSend: "send"
    case .progress, .decided: nil
    case .response(let response):
        "\(response.source.cacheHit == nil ? "fresh" : "cached") \(response.text ?? "?")"
    case .serverFailed: "server failed"
    case .storage(.stored): "stored"
    case .storage(.notStored): "not stored"
    case .finished(let summary):
        switch summary.result {
        case .success(let response): response.serverFailure == nil ? "end" : "end with it"
        case .failure(let error): "fail \(word(error.reason))"
        }
    }
}

private func word(_ reason: CacheMissReason) -> String {
    switch reason {
    case .notFound: "not found"
    case .expired: "expired"
    case .notFirstUse: "not first use"
    case .mustAsk: "must ask"
    case .refused: "refused"
    case .policyNone: "policy"
    case .corrupt, .otherForm, .unavailable: "broken"
    }
}

private func word(_ reason: ApusError.Reason) -> String {
    switch reason {
    case .connect: "connect"
    case .cancelled: "cancelled"
    case .cacheMiss: "cache miss"
    case .unacceptableStatus(let status): "status \(status)"
    case .invalidRequest: "request"
    default: "other"
    }
}

@Suite("Every data source, whatever cache and server say")
struct ProviderEventsTests {
    enum Held: CaseIterable {
        case hit, miss, expired
    }

    enum Server: CaseIterable {
        case up, down, cancelled
    }

    static func source(_ name: String) -> DataSource {
        switch name {
        case "cache": .cache
        case "cacheIfPossible": .cacheIfPossible
        case "cacheAndServer": .cacheAndServer
        case "cacheThenRefresh": .cacheThenRefresh
        case "cacheOnFirstUse": .cacheOnFirstUse
        case "custom": .custom(AlwaysAsk())
        default: .server
        }
    }

    private struct AlwaysAsk: DataSourceRule {
        func shouldSendRequest(_ target: any TargetType, cached: Response?) -> Bool { true }
        func shouldUpdateCache(
            _ target: any TargetType,
            cached: Response?,
            fresh: Response
        ) -> Bool { true }
    }

    /// What each source is to do; by name, what is held, and how the server is.
    static let table: [(String, Held, Server, [String])] = [
        ("server", .hit, .up, ["send", "fresh new", "stored", "end"]),
        ("server", .miss, .up, ["send", "fresh new", "stored", "end"]),
        ("server", .expired, .up, ["send", "fresh new", "stored", "end"]),
        ("server", .hit, .down, ["send", "fail connect"]),
        ("server", .hit, .cancelled, ["send", "fail cancelled"]),

        ("cache", .hit, .up, ["hit", "cached old", "end"]),
        ("cache", .miss, .up, ["miss not found", "fail cache miss"]),
        ("cache", .expired, .up, ["miss expired", "fail cache miss"]),
        ("cache", .hit, .down, ["hit", "cached old", "end"]),
        ("cache", .miss, .down, ["miss not found", "fail cache miss"]),

        ("cacheIfPossible", .hit, .up, ["hit", "cached old", "end"]),
        ("cacheIfPossible", .miss, .up, ["miss not found", "send", "fresh new", "stored", "end"]),
        ("cacheIfPossible", .expired, .up, ["miss expired", "send", "fresh new", "stored", "end"]),
        ("cacheIfPossible", .hit, .down, ["hit", "cached old", "end"]),
        ("cacheIfPossible", .miss, .down, ["miss not found", "send", "fail connect"]),
        ("cacheIfPossible", .miss, .cancelled, ["miss not found", "send", "fail cancelled"]),

        ("cacheAndServer", .hit, .up, ["hit", "cached old", "send", "fresh new", "stored", "end"]),
        ("cacheAndServer", .miss, .up, ["miss not found", "send", "fresh new", "stored", "end"]),
        ("cacheAndServer", .expired, .up, ["miss expired", "send", "fresh new", "stored", "end"]),
        (
            "cacheAndServer", .hit, .down,
            ["hit", "cached old", "send", "server failed", "end with it"]
        ),
        ("cacheAndServer", .miss, .down, ["miss not found", "send", "fail connect"]),
        ("cacheAndServer", .expired, .down, ["miss expired", "send", "fail connect"]),
        ("cacheAndServer", .hit, .cancelled, ["hit", "cached old", "send", "fail cancelled"]),

        ("cacheThenRefresh", .hit, .up, ["hit", "cached old", "send", "stored", "end"]),
        ("cacheThenRefresh", .miss, .up, ["miss not found", "send", "fresh new", "stored", "end"]),
        (
            "cacheThenRefresh", .expired, .up,
            ["miss expired", "send", "fresh new", "stored", "end"]
        ),
        (
            "cacheThenRefresh", .hit, .down,
            ["hit", "cached old", "send", "server failed", "end with it"]
        ),
        ("cacheThenRefresh", .miss, .down, ["miss not found", "send", "fail connect"]),
        ("cacheThenRefresh", .hit, .cancelled, ["hit", "cached old", "send", "fail cancelled"]),

        (
            "cacheOnFirstUse", .hit, .up,
            ["hit", "cached old", "send", "fresh new", "stored", "end"]
        ),
        ("cacheOnFirstUse", .miss, .up, ["miss not found", "send", "fresh new", "stored", "end"]),
        (
            "cacheOnFirstUse", .hit, .down,
            ["hit", "cached old", "send", "server failed", "end with it"]
        ),
        ("cacheOnFirstUse", .miss, .cancelled, ["miss not found", "send", "fail cancelled"]),

        ("custom", .hit, .up, ["hit", "cached old", "send", "fresh new", "stored", "end"]),
        ("custom", .miss, .up, ["miss not found", "send", "fresh new", "stored", "end"]),
        ("custom", .hit, .down, ["hit", "cached old", "send", "server failed", "end with it"]),
        ("custom", .hit, .cancelled, ["hit", "cached old", "send", "fail cancelled"]),
    ]

    @Test("the events are just these, in this order", arguments: table.indices)
    func matrix(row: Int) async throws {
        let (name, held, server, expected) = Self.table[row]
        let setup = try await Setup(held: held, server: server)
        let source = Self.source(name)
        let reader = Task {
            var seen: [String] = []
            for await event in setup.provider.events(for: setup.target, from: source) {
                if let word = words(event) { seen.append(word) }
            }
            return seen
        }
        if server == .cancelled {
            for await _ in setup.isWaiting { break }
            reader.cancel()
        }
        let seen = await reader.value
        #expect(seen == expected)
    }

    /// A provider whose cache and server are as told.
    private struct Setup {
        let target = TestTarget(cachePolicy: .keep(for: .seconds(60), in: .memory))
        let provider: Provider<TestTarget>
        let isWaiting: AsyncStream<Void>

        init(held: Held, server: Server) async throws {
            let clock = SetClock()
            let cache = ResponseCache(
                // Nothing is stored there.
                configuration: .init(directory: "/nowhere/apus-tests"),
                clock: { clock.now }
            )
            if held != .miss {
                let filler = Provider<TestTarget>(
                    transport: ScriptedTransport.answering("old"),
                    cache: cache
                )
                _ = try await filler.response(for: target)
            }
            if held == .expired { clock.advance(by: 61) }
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            isWaiting = stream
            let transport: ScriptedTransport =
                switch server {
                case .up: .answering("new")
                case .down: .down
                case .cancelled: .silent(continuation)
                }
            provider = Provider(transport: transport, cache: cache)
        }
    }

    @Test("cacheOnFirstUse reads the cache once only")
    func secondUse() async throws {
        let setup = try await Setup(held: .hit, server: .up)
        var seen: [[String]] = []
        for _ in 1...2 {
            var events: [String] = []
            for await event in setup.provider.events(for: setup.target, from: .cacheOnFirstUse) {
                if let word = words(event) { events.append(word) }
            }
            seen.append(events)
        }
        #expect(seen[0].first == "hit")
        #expect(seen[1] == ["miss not first use", "send", "fresh new", "stored", "end"])
    }

    @Test("a rule that wants no request ends with the cached response, and a miss is an error")
    func ruleSaysNo() async throws {
        struct Never: DataSourceRule {
            func shouldSendRequest(_ target: any TargetType, cached: Response?) -> Bool { false }
            func shouldUpdateCache(
                _ target: any TargetType,
                cached: Response?,
                fresh: Response
            ) -> Bool { true }
        }
        let full = try await Setup(held: .hit, server: .down)
        let answer = try await full.provider.response(for: full.target, from: .custom(Never()))
        #expect(answer.text == "old")
        let empty = try await Setup(held: .miss, server: .up)
        await #expect(throws: ApusError.self) {
            try await empty.provider.response(for: empty.target, from: .custom(Never()))
        }
    }

    @Test("a rule may keep the cached response though the server gave another")
    func ruleKeepsCached() async throws {
        struct Keep: DataSourceRule {
            func shouldSendRequest(_ target: any TargetType, cached: Response?) -> Bool { true }
            func shouldUpdateCache(
                _ target: any TargetType,
                cached: Response?,
                fresh: Response
            ) -> Bool { cached?.text != "old" }
        }
        let setup = try await Setup(held: .hit, server: .up)
        let fresh = try await setup.provider.response(for: setup.target, from: .custom(Keep()))
        #expect(fresh.text == "new")
        let held = try await setup.provider.response(for: setup.target, from: .cache)
        #expect(held.text == "old")
    }

    @Test("a status that validation refuses is an error with the response attached")
    func validation() async throws {
        let provider = Provider<TestTarget>(
            transport: ScriptedTransport.answering("gone", status: 410),
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
        let error = await #expect(throws: ApusError.self) {
            try await provider.response(for: TestTarget(validation: .successCodes))
        }
        #expect(error?.reason == .unacceptableStatus(410))
        #expect(error?.response?.text == "gone")
        #expect(try await provider.response(for: TestTarget()).status == 410)
    }

    @Test("cacheThenRefresh responses from the cache while the server is still silent")
    func refreshIsUnseen() async throws {
        let setup = try await Setup(held: .hit, server: .cancelled)
        let answer = try await setup.provider.response(
            for: setup.target,
            from: .cacheThenRefresh
        )
        #expect(answer.text == "old")
        // The refresh had begun, and belongs to the provider.
        for await _ in setup.isWaiting { break }
    }

    @Test("a reader that goes away cancels the exchange")
    func droppedReader() async throws {
        let (ended, end) = AsyncStream<Bool>.makeStream()
        let transport = ScriptedTransport { request throws(ApusError) in
            let never = AsyncStream<Void> { _ in }
            for await _ in never {}
            end.yield(Task.isCancelled)
            throw ApusError(.cancelled)
        }
        let provider = Provider<TestTarget>(
            transport: transport,
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
        do {
            var iterator = provider.events(for: TestTarget()).makeAsyncIterator()
            _ = await iterator.next()
        }
        for await isCancelled in ended {
            #expect(isCancelled)
            break
        }
    }

    @Test("a target that cannot be built fails with nothing sent")
    func invalidTarget() async {
        let transport = ScriptedTransport.answering("x")
        let provider = Provider<TestTarget>(
            transport: transport,
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
        await #expect(throws: ApusError.self) {
            try await provider.response(for: TestTarget(base: "ftp://h"))
        }
        #expect(transport.received.isEmpty)
    }
}
