import HTTPTypes
import Testing

@testable import Apus

@Suite("A batch at a rate")
struct BatchRateTests {
    private static var provider: Provider<MultiTarget> {
        Provider(
            transport: ScriptedTransport.answering("x"),
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
    }

    @Test(
        "a rate is read as it is written",
        arguments: [
            ("50/s for 30 s", 1500), ("600/min for 1 min", 600), ("0.5/s for 10 s", 5),
            ("10 / s  for 1 min", 600),
        ]
    )
    func reading(text: String, count: Int) {
        #expect(BatchRate(text)?.count == count)
    }

    @Test(
        "what is no rate is none",
        arguments: [
            "50", "50/s", "0/s for 1 s", "-1/s for 1 s", "x/s for 1 s", "1/d for 1 s", "1/s for",
            "9999999/s for 1 h",
        ]
    )
    func refusing(text: String) {
        #expect(BatchRate(text) == nil)
    }

    @Test(
        "a rate is shown in the unit that makes it 1 or more, rounded",
        arguments: [
            ("50/s for 1 s", "50/s"), ("1.5/s for 2 s", "1.5/s"), ("60/min for 1 min", "1/s"),
            ("0.5/s for 2 s", "30/min"), ("1/min for 1 h", "1/min"), ("60/h for 1 h", "1/min"),
            ("11/h for 1 h", "11/h"), ("1/h for 5 h", "1/h"), ("0.58/h for 5 h", "0.6/h"),
            ("0.01/h for 5 h", "below 0.1/h"),
        ]
    )
    func showing(text: String, shown: String) {
        #expect(BatchRate(text)?.text == shown)
    }

    @Test("each turn has its time; those that went by unused are missed, and none is made good")
    func turns() {
        var turns = RateTurns(BatchRate(perSecond: 10, for: .seconds(1)))
        #expect(turns.next(at: .zero) == .init(place: 0, time: .zero))
        #expect(turns.next(at: .milliseconds(5)) == .init(place: 1, time: .milliseconds(100)))
        // It has come, and the next has not: it is still in time.
        #expect(turns.next(at: .milliseconds(250)) == .init(place: 2, time: .milliseconds(200)))
        #expect(turns.missed == 0)
        #expect(turns.next(at: .milliseconds(750)) == .init(place: 7, time: .milliseconds(700)))
        #expect(turns.missed == 4)
        #expect(turns.next(at: .seconds(3)) == nil)
        #expect(turns.missed == 6)
        #expect(turns.next(at: .seconds(4)) == nil)
        #expect(turns.missed == 6)
    }

    @Test("targets are sent in turn, again and again, and every one ends or was missed")
    func cycles() async {
        let provider = Self.provider
        let targets = ["a", "b", "c"].map { TestTarget(path: "/\($0)", cachePolicy: .none) }
        let batch = Batch(targets, concurrency: 4).at(
            BatchRate(perSecond: 500, for: .milliseconds(40))
        )
        #expect(batch.count == 20)
        var places: Set<Int> = []
        var paths: Set<String> = []
        var end: BatchSummary?
        for await event in provider.events(for: batch) {
            if case .ended(let index, let summary, _) = event {
                places.insert(index)
                if case .success(let response) = summary.result {
                    paths.insert(response.request.head.path ?? "")
                    #expect(response.request.head.path == targets[index % 3].path)
                }
            }
            if case .finished(let summary) = event { end = summary }
        }
        #expect(places.count + (end?.missed ?? 0) == 20)
        #expect(paths.isSubset(of: ["/a", "/b", "/c"]))
        #expect(end?.failure == nil)
    }

    @Test("only some places are sent, as fast as they may")
    func only() async {
        let provider = Self.provider
        let batch = Batch(["a", "b", "c"].map { TestTarget(path: "/\($0)", cachePolicy: .none) })
            .at(BatchRate(perSecond: 1, for: .seconds(600))).sending { $0 == 1 || $0 == 599 }
        var places: [Int] = []
        for await event in provider.events(for: batch) {
            if case .ended(let index, _, _) = event { places.append(index) }
        }
        #expect(places.sorted() == [1, 599])
    }
}
