import Apus
import FoundationEssentials
import GRDB
import Recordings
import TestSupport
import Testing

@Suite("what was recorded and is not in the tables yet")
struct InboxTests {
    private let bench = HistoryBench()

    /// The exchanges that lie in the inbox, and those in the tables.
    private func counts() throws -> (waiting: Int, listed: Int) {
        try DatabaseQueue(path: bench.path).read { db in
            (
                try Int.fetchOne(db, sql: "SELECT coalesce(sum(count), 0) FROM inbox") ?? -1,
                try Int.fetchOne(db, sql: "SELECT count(*) FROM exchange") ?? -1
            )
        }
    }

    private func leave(_ records: [ExchangeRecord]) async {
        let history = bench.history()
        for record in records { await history.record(record) }
        await history.close(takingIn: false)
    }

    @Test("it lies there until somebody reads, who finds all of it under its numbers")
    func reading() async throws {
        await leave((0..<30).map { .make(.make("/a\($0)")) })
        let large = [UInt8](repeating: 1, count: 100_000)
        await leave([.make(.make("/large"), body: large), .failed("/b", .cancelled)])
        #expect(try counts() == (32, 0))
        let history = bench.history()
        let found = try await history.exchanges(limit: 100)
        #expect(found.map(\.id) == Array((1...32).reversed()))
        #expect(try await history.paths("", limit: 2) == ["/b", "/large"])
        #expect(try await history.exchange(31)?.response?.body == .bytes(large))
        #expect(try await history.paths("a17") == ["/a17"])
        await history.close()
        #expect(try counts() == (0, 32))
    }

    @Test("who changes something finds it, too, and a run in it is not lost")
    func changing() async throws {
        let history = bench.history()
        let session = try await history.session(named: "s")
        let run = try await history.beginRun(.batch, named: "Load", in: session)
        try await history.keep([.make(origin: .init(run: run)), .make(), .make()], in: session)
        try await history.end(run)
        await history.close(takingIn: false)
        let again = bench.history()
        #expect(try await again.delete([3]) == 1)
        #expect(try await again.note("x", on: 2))
        #expect(try await again.runs().map(\.count) == [1])
        #expect(try await again.sessions().map(\.count) == [2])
        await again.close()
    }

    @Test("closing takes it in, and so does a moment without work")
    func idle() async throws {
        let history = bench.history()
        try await history.keep([.make()])
        while try counts().listed == 0 { await Task.yield() }
        await history.record(.make())
        await history.close()
        #expect(try counts() == (0, 2))
    }

    @Test("who must not write reads it in a copy, and the file stays as it is")
    func foreign() async throws {
        await leave([.make(.make("/a")), .make(.make("/b"))])
        let file = URL(filePath: bench.path)
        let before = try Data(contentsOf: file)
        let history = History(reading: bench.path)
        #expect(try await history.exchanges().map(\.id) == [2, 1])
        #expect(try await history.exchange(1)?.response?.status == 200)
        await history.close()
        #expect(try Data(contentsOf: file) == before)
        #expect(try counts() == (2, 0))
    }

    @Test("what nobody wrote there is an error, and no trap")
    func damage() async throws {
        await leave([.make(.make("/a"))])
        try bench.change("UPDATE inbox SET rows = substr(rows, 1, length(rows) - 5)")
        let history = History(reading: bench.path)
        let error = await #expect(throws: RecordingError.self) { try await history.exchanges() }
        #expect(error?.detail == "what waits from exchange 1 on is damaged")
        let notices = Mutexed<[History.Notice]>([])
        let own = bench.history { notices.value.append($0) }
        #expect(try await own.exchanges().isEmpty)
        guard case .delayed(let delay) = notices.value.first else {
            Issue.record("\(notices.value)")
            return
        }
        #expect(delay.detail == error?.detail)
        await own.close()
    }

    @Test("more than a reader should wait for is taken in while it comes")
    func surplus() async throws {
        let history = bench.history(limits: .init(exchanges: .max))
        for number in 0..<30_000 {
            await history.record(.make(.make("/\(number)")))
            if number % 10_000 == 9_999 { try await history.flush() }
        }
        #expect(try counts().listed > 0)
        await history.close(takingIn: false)
        let last = try await bench.history().exchanges(limit: 1)
        #expect(last.map(\.id) == [30_000])
    }
}
