import Apus
import FoundationEssentials
import SQLite
import TestSupport
import Testing

@testable import Recordings

@Suite("what was recorded and is not in the tables yet")
struct InboxTests {
    private let bench = HistoryBench()

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
        #expect(try bench.counts() == (32, 0))
        let history = bench.history()
        let found = try await history.exchanges(limit: 100)
        #expect(found.map(\.id) == Array((1...32).reversed()))
        #expect(try await history.paths("", limit: 2) == ["/b", "/large"])
        #expect(try await history.exchange(31)?.response?.body == .bytes(large))
        #expect(try await history.paths("a17") == ["/a17"])
        await history.close()
        #expect(try bench.counts() == (0, 32))
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

    @Test("who ends with its process leaves it in the log, and a log that has grown is closed")
    func leaving() async throws {
        let history = bench.history()
        await history.record(.make(.make("/a")))
        await history.leave()
        #expect(bench.files.contains("history.sqlite-wal"))
        // As the next process finds it.
        let other = HistoryBench()
        try PrivateFiles.makeFolder(other.folder.path + "/apus")
        for name in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: bench.path + name, toPath: other.path + name)
        }
        let copy = other.history()
        #expect(try await copy.paths("") == ["/a"])
        for number in 0..<200 {
            await copy.record(.make(.make("/\(number)"), body: [UInt8](repeating: 7, count: 4096)))
        }
        try await copy.flush()
        await copy.leave()
        #expect(!other.files.contains("history.sqlite-wal"))
        #expect(try await other.history().paths("", limit: 1) == ["/199"])
    }

    @Test("closing takes it in, and so does a moment without work", .timeLimit(.minutes(5)))
    func idle() async throws {
        let history = bench.history()
        try await history.keep([.make()])
        while try bench.counts().listed == 0 { await Task.yield() }
        await history.record(.make())
        await history.close()
        #expect(try bench.counts() == (0, 2))
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
        #expect(try bench.counts() == (2, 0))
    }

    @Test(
        "what nobody wrote there is an error for who only reads; else it is set aside, and hides nothing",
        arguments: ["rows = substr(rows, 1, length(rows) - 5)", "first = 1"]
    )
    func damage(change: String) async throws {
        await leave([.make(.make("/a"))])
        #expect(try await bench.history().paths("") == ["/a"])
        await leave([.make(.make("/damaged"))])
        await leave([.make(.make("/b"))])
        try bench.change("UPDATE inbox SET \(change) WHERE first = 2")
        let history = History(reading: bench.path)
        let error = await #expect(throws: RecordingError.self) { try await history.exchanges() }
        #expect(error?.detail.hasSuffix(" on are damaged") == true)
        let notices = Mutexed<[History.Notice]>([])
        let own = bench.history { notices.value.append($0) }
        #expect(try await own.paths("") == ["/b", "/a"])
        guard case .unread(bench.path, let file, 1) = notices.value.first else {
            Issue.record("\(notices.value)")
            return
        }
        #expect(try PrivateFiles.read(file).count > 100)
        #expect(notices.value.count == 1)
        try await own.keep([.make(.make("/c"))])
        #expect(try await own.paths("") == ["/c", "/b", "/a"])
        await own.close()
        #expect(try bench.counts() == (0, 3))
    }

    @Test(
        "many small rows are taken in by few transactions, and what stands before a damaged one, too"
    )
    func manyRows() async throws {
        for number in 0..<60 { await leave([.make(.make("/\(number)"))]) }
        #expect(try bench.counts() == (60, 0))
        let history = bench.history()
        #expect(try await history.exchanges(limit: 1).map(\.id) == [60])
        // A transaction writes each page that it changes, and each of 60 would write 15.
        #expect(History.size(of: bench.path + "-wal") < 200 * 4096)
        await history.close()
        await leave([.make(.make("/before"))])
        await leave([.make(.make("/damaged"))])
        try bench.change(
            "UPDATE inbox SET rows = substr(rows, 1, length(rows) - 5) WHERE first = 62"
        )
        let again = bench.history()
        #expect(try await again.paths("", limit: 1) == ["/before"])
        await again.close(takingIn: false)
    }

    @Test(
        "more than a reader should wait for is taken in while it comes",
        .timeLimit(.minutes(5))
    )
    func surplus() async throws {
        var isUndisturbed = false
        repeat {
            let bench = HistoryBench()
            var limits = History.Limits(exchanges: .max)
            limits.inbox = 200
            let history = bench.history(limits: limits)
            for number in 0..<200 { await history.record(.make(.make("/\(number)"))) }
            try await history.flush()
            let before = try bench.counts()
            await history.record(.make())
            try await history.flush()
            let after = try bench.counts()
            // A pause of the recorder's, in which the index took in what was there, says nothing.
            isUndisturbed = before.listed == 0 && after != (1, 200)
            if isUndisturbed { #expect(after == (0, 201)) }
            await history.close(takingIn: false)
        } while !isUndisturbed
    }
}

extension HistoryBench {
    /// The exchanges that lie in the inbox, and those in the tables.
    fileprivate func counts() throws -> (waiting: Int, listed: Int) {
        try DatabaseQueue(path: path).read { db in
            (
                try Int.fetchOne(db, sql: "SELECT coalesce(sum(count), 0) FROM inbox") ?? -1,
                try Int.fetchOne(db, sql: "SELECT count(*) FROM exchange") ?? -1
            )
        }
    }
}
