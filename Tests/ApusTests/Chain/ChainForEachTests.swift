import Documents
import HTTPTypes
import Synchronization
import Testing

@testable import Apus

@Suite("Steps for each element of a list")
struct ChainForEachTests {
    private func plan(
        _ mode: Batch.Mode = .all,
        concurrency: Int = 8
    ) throws -> ChainGraph {
        try ChainGraph(
            ChainPlan([
                .make("list", captures: ["ids": "$.ids"]),
                .make(
                    "each",
                    needs: ["list"],
                    uses: ["id"],
                    captures: ["name": "$.name"],
                    forEach: .init("ids", as: "id", concurrency: concurrency, mode: mode)
                ) { "/each/\(try $0.text("id"))?\(try $0.text("index"))" },
                .make("after", needs: ["each"], uses: ["name"]) {
                    "/after/\(try $0.value("name").arrayValue.map(\.stringValue).joined(separator: "-"))"
                },
            ])
        )
    }

    private func server(
        _ count: Int,
        failing: Set<Int> = [],
        delay: @escaping @Sendable (Int) -> Int = { _ in 0 }
    ) -> ScriptedTransport {
        ScriptedTransport { request throws(ApusError) in
            let path = request.head.path ?? ""
            guard path.hasPrefix("/each/"),
                let id = Int(path.dropFirst(6).prefix { $0 != "?" })
            else {
                let ids = (0..<count).map(String.init).joined(separator: ",")
                return .make(request, "{\"ids\": [\(ids)]}")
            }
            for _ in 0..<delay(id) { await Task.yield() }
            return .make(
                request,
                "{\"name\": \"n\(id)\"}",
                status: failing.contains(id) ? 500 : 200
            )
        }
    }

    @Test("captures gather as lists in the order of the elements, however they end")
    func order() async throws {
        let transport = server(12) { (12 - $0) * 10 }
        let summary = await Provider.sending(over: transport).summary(of: try plan())
        #expect(summary.ending == .done)
        let names = (0..<12).map { "n\($0)" }
        #expect(summary.values["name"] == JSON(names.map { JSON($0) }))
        #expect(transport.received.last?.head.path == "/after/\(names.joined(separator: "-"))")
        #expect(summary["each"]?.results.count == 12)
        // The place of an element counts from 1.
        #expect(transport.received.contains { $0.head.path == "/each/0?1" })
    }

    @Test("no more elements are under way than allowed", arguments: [1, 3])
    func bound(limit: Int) async throws {
        let counts = Mutex((now: 0, most: 0))
        let transport = ScriptedTransport { request in
            guard request.head.path?.hasPrefix("/each/") == true else {
                return .make(request, "{\"ids\": [1, 2, 3, 4, 5, 6, 7, 8, 9]}")
            }
            counts.withLock {
                $0.now += 1
                $0.most = max($0.most, $0.now)
            }
            while counts.withLock({ $0.most < limit }) { await Task.yield() }
            counts.withLock { $0.now -= 1 }
            return .make(request, "{\"name\": 1}")
        }
        _ = await Provider.sending(over: transport).summary(of: try plan(concurrency: limit))
        #expect(counts.withLock { $0.most } == limit)
    }

    @Test("an empty list is done at once, with empty lists")
    func empty() async throws {
        let transport = server(0)
        let summary = await Provider.sending(over: transport).summary(of: try plan())
        #expect(summary.ending == .done)
        #expect(summary.values["name"] == JSON([]))
        #expect(transport.received.count == 2)
    }

    @Test("a list with more elements than allowed fails the step, and none is sent")
    func limit() async throws {
        #expect(ChainPlan.ForEach("ids").limit == 10_000)
        for (count, isAllowed) in [(10_000, true), (10_001, false)] {
            let transport = server(count)
            var graph = try plan()
            graph.keepsResponses = false
            let summary = await Provider.sending(over: transport).summary(of: graph)
            #expect((summary.ending == .done) == isAllowed)
            // Besides, no response is kept that nobody wants.
            #expect(summary["each"]?.results.isEmpty == true)
            #expect(transport.received.count == (isAllowed ? count + 2 : 1))
            guard !isAllowed else { continue }
            let failure = ChainFailure.tooManyElements(name: "ids", count: count, limit: 10_000)
            #expect(summary["each"]?.outcome == .failed(failure))
            #expect("\(failure)".contains("`limit` in `forEach` sets another"))
        }
    }

    @Test("a response that nobody wants is let go of while the others are under way")
    func letGo() {
        let response = Response.make(PreparedRequest.make("h"), "{}")
        let answer = ChainRequestResult(.done, .success(response))
        #expect(answer.letGo(unless: true).result != nil)
        #expect(answer.letGo(unless: false).result == nil)
        #expect(answer.letGo(unless: false).status == 200)
    }

    @Test("what is no list fails the step")
    func noList() async throws {
        let transport = ScriptedTransport.answering("{\"ids\": 7}")
        let summary = await Provider.sending(over: transport).summary(of: try plan())
        #expect(summary["each"]?.outcome == .failed(.notAList(name: "ids")))
        #expect(summary["after"]?.outcome == .skipped(because: .failed(step: "each")))
    }

    @Test("all: a failed element fails the step, and no more are begun")
    func all() async throws {
        let transport = server(50, failing: [2])
        let summary = await Provider.sending(over: transport).summary(
            of: try plan(.all, concurrency: 1)
        )
        #expect(
            summary["each"]?.outcome
                == .failed(.elements(failed: 1, of: 50, first: .status(500)))
        )
        #expect(transport.received.count == 4)
        #expect(summary["after"]?.outcome == .skipped(because: .failed(step: "each")))
    }

    @Test("all: the failure that ended the others is told, wherever it stands in the list")
    func firstCause() async throws {
        let isAsked = AsyncStream<Void>.makeStream()
        let transport = ScriptedTransport { request throws(ApusError) in
            switch request.head.path {
            case "/each/0?1":
                isAsked.continuation.yield()
                // Ends by the cancellation, with an error of its own.
                let never = AsyncStream<Void> { _ in }
                for await _ in never {}
                throw ApusError(.transport(code: 7, detail: "cut"))
            case "/each/1?2":
                for await _ in isAsked.stream { break }
                return .make(request, "", status: 500)
            default: return .make(request, #"{"ids": [0, 1]}"#)
            }
        }
        let summary = await Provider.sending(over: transport).summary(of: try plan())
        #expect(
            summary["each"]?.outcome == .failed(.elements(failed: 2, of: 2, first: .status(500)))
        )
    }

    @Test("all: a failed element fails the step though the chain is cancelled after it")
    func failureBeforeCancellation() async throws {
        let run = Mutex<Task<ChainSummary, Never>?>(nil)
        let gate = Gate()
        let transport = ScriptedTransport { request in
            guard request.head.path?.hasPrefix("/each/") == true else {
                await gate.pass()
                return .make(request, #"{"ids": [0]}"#)
            }
            run.withLock { $0?.cancel() }
            return .make(request, "", status: 500)
        }
        let graph = try plan()
        let task = Task { await Provider.sending(over: transport).summary(of: graph) }
        run.withLock { $0 = task }
        gate.open()
        let summary = await task.value
        #expect(
            summary["each"]?.outcome == .failed(.elements(failed: 1, of: 1, first: .status(500)))
        )
    }

    @Test("allFinishing: a failed element fails the step after the others were sent")
    func allFinishing() async throws {
        let transport = server(10, failing: [2, 5])
        let summary = await Provider.sending(over: transport).summary(of: try plan(.allFinishing))
        #expect(
            summary["each"]?.outcome
                == .failed(.elements(failed: 2, of: 10, first: .status(500)))
        )
        #expect(transport.received.count == 11)
    }

    @Test("settled: a failed element leaves null, and the step is done")
    func settled() async throws {
        let transport = server(3, failing: [1])
        let summary = await Provider.sending(over: transport).summary(of: try plan(.settled))
        #expect(summary.values["name"] == ["n0", nil, "n2"])
        #expect(summary["after"]?.outcome == .done)
    }

    @Test("resuming sends only the elements that are not done")
    func resuming() async throws {
        let graph = try plan(.allFinishing)
        let first = await Provider.sending(over: server(5, failing: [1, 3])).summary(of: graph)
        let transport = server(5)
        let second = await Provider.sending(over: transport).summary(
            of: graph,
            resuming: first.state
        )
        #expect(second.ending == .done)
        let sent = Set(transport.received.compactMap(\.head.path))
        #expect(sent == ["/each/1?2", "/each/3?4", "/after/n0-n1-n2-n3-n4"])
    }
}
