import Apus
import HTTPTypes
import Synchronization
import Testing

@Suite("Groups of a batch")
struct BatchGroupTests {
    /// Counts what is under way for each first letter of a path.
    private final class Gauge: Sendable {
        private let counts = Mutex<(now: [String: Int], most: [String: Int])>(([:], [:]))

        func enter(_ key: String) {
            counts.withLock {
                $0.now[key, default: 0] += 1
                $0.most[key] = max($0.most[key, default: 0], $0.now[key, default: 0])
            }
        }

        func leave(_ key: String) { counts.withLock { $0.now[key, default: 0] -= 1 } }
        var most: [String: Int] { counts.withLock { $0.most } }
    }

    private func targets(_ name: String, _ count: Int) -> [TestTarget] {
        (0..<count).map { TestTarget(path: "/\(name)\($0)", cachePolicy: .none) }
    }

    private func provider(_ transport: ScriptedTransport) -> Provider<MultiTarget> {
        Provider(
            transport: transport,
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
    }

    @Test("each group keeps to its own limit, and all together to the batch's")
    func limits() async throws {
        let gauge = Gauge()
        let transport = ScriptedTransport { request in
            let group = String((request.head.path ?? "").dropFirst().prefix(1))
            gauge.enter(group)
            gauge.enter("all")
            for _ in 0..<20 { await Task.yield() }
            gauge.leave(group)
            gauge.leave("all")
            return .make(request, request.head.path ?? "")
        }
        let batch = Batch(
            groups: [
                .init(targets("a", 30), name: "A", concurrency: 1),
                .init(targets("b", 30), name: "B", concurrency: 2),
                .init(targets("c", 30), name: "C"),
            ],
            concurrency: 4
        )
        let results = try await provider(transport).results(of: batch)
        let expected = ["a", "b", "c"].flatMap { name in (0..<30).map { "/\(name)\($0)" } }
        #expect(results.map { try? $0.get().text } == expected)
        #expect(gauge.most["a"] == 1)
        #expect(gauge.most["b"].map { $0 <= 2 } == true)
        #expect(gauge.most["all"].map { $0 <= 4 } == true)
        #expect(batch.groups.map(\.name) == ["A", "B", "C"])
    }

    @Test("a group's own source is used, the others have the batch's")
    func sources() async throws {
        let batch = Batch(
            groups: [
                .init(targets("a", 1), from: .cache), .init(targets("b", 1)), .init([]),
            ],
            from: .server
        )
        let transport = ScriptedTransport.answering("x")
        let results = try await provider(transport).results(of: batch)
        #expect(results.map { $0.failureCode } == [4001, nil])
        #expect(transport.received.map(\.head.path) == ["/b0"])
    }

    @Test("targets of many kinds stand in one batch")
    func kinds() async throws {
        struct Other: TargetType {
            let baseURL = TestTarget().baseURL
            let path = "/other"
        }
        let batch = Batch([TestTarget(path: "/test"), Other(), MultiTarget(Other())])
        let transport = ScriptedTransport { .make($0, $0.head.path ?? "") }
        let results = try await provider(transport).results(of: batch)
        #expect(results.map { try? $0.get().text } == ["/test", "/other", "/other"])
    }
}

extension Result where Success == Response, Failure == ApusError {
    /// The number of the error; nil for a response.
    var failureCode: Int? {
        if case .failure(let error) = self { error.code } else { nil }
    }
}
