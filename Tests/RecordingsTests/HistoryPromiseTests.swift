import Apus
import FoundationEssentials
import Glibc
import HTTPTypes
import SQLite
import TestSupport
import Testing

@testable import Recordings

/// `HistoryBenchmark write`: another process that records, and says what is on disk.
private final class RecordingProcess {
    private let child: pid_t
    private let output: Int32
    private var unread: [UInt8] = []
    private var status: Int32?

    /// Records so many exchanges in a session; `limit` is the size of its largest file, in blocks of 512
    /// bytes.
    init(_ path: String, _ session: String, _ count: Int, limit: Int? = nil) throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = tests.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        // The signal would end it; without it the write fails, as on a full disk.
        let script =
            (limit.map { "trap '' XFSZ; ulimit -f \($0); " } ?? "") + #"exec "$0" write "$@""#
        let arguments = [
            "sh", "-c", script, "\(folder)/HistoryBenchmark", path, session, "\(count)",
        ]
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw PrivateFileError(path: "pipe", errno: errno) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var copies = arguments.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, "/bin/sh", &actions, nil, &copies, environ)
        close(ends[1])
        guard code == 0 else { throw PrivateFileError(path: "/bin/sh", errno: code) }
        (self.child, output) = (child, ends[0])
    }

    deinit {
        if status == nil {
            kill()
            wait()
        }
        close(output)
    }

    /// The next line that it says; nil at its end.
    func line() -> String? {
        while true {
            if let end = unread.firstIndex(of: 0x0A) {
                defer { unread.removeFirst(end + 1) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(output, &bytes, bytes.count)
            guard count > 0 else { return nil }
            unread += bytes[..<count]
        }
    }

    /// All lines to its end.
    func lines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }

    /// Ends it as a loss of power would.
    func kill() { Glibc.kill(child, SIGKILL) }

    func wait() {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        self.status = status
    }
}

@Suite("what a history promises")
struct HistoryPromiseTests {
    private let bench = HistoryBench()

    /// The numbers of a session's exchanges, in their order.
    private func numbers(_ name: String, in bench: HistoryBench? = nil) async throws -> [Int] {
        let history = History(path: (bench ?? self.bench).path)
        var filter = HistoryFilter()
        filter.sessions = [name]
        let found = try await history.exchanges(matching: filter, limit: 1_000_000)
        await history.close()
        return found.reversed().compactMap { $0.request.url.split(separator: "/").last }
            .compactMap { Int($0) }
    }

    @Test("each commit is synced before it is told")
    func syncing() async throws {
        let history = HistoryBench().history()
        // FULL: with NORMAL a commit is synced when the log is taken into the file.
        let level = try await history.writing { pool in
            try pool.writeWithoutTransaction { try Int.fetchOne($0, sql: "PRAGMA synchronous") }
        }
        #expect(level == 2)
        await history.close()
    }

    @Test("whatever is said to be recorded survives kill -9, at any moment")
    func kills() async throws {
        let count = ProcessInfo.processInfo.environment["APUS_KILLS"].flatMap { Int($0) } ?? 200
        var tellingCount = 0
        for round in 0..<count {
            let process = try RecordingProcess(bench.path, "r\(round)", 1_000_000)
            // At a moment of the first hundred milliseconds; whatever it does then. In every other round
            // it has said something by then, however long it takes to start.
            let first = round % 2 == 0 ? process.line().flatMap { Int($0) } ?? 0 : 0
            var pause = timespec(tv_sec: 0, tv_nsec: .random(in: 0..<100_000_000))
            nanosleep(&pause, nil)
            process.kill()
            let acknowledged = process.lines().compactMap { Int($0) }.last ?? first
            process.wait()
            if acknowledged > 0 { tellingCount += 1 }
            let found = try await numbers("r\(round)")
            #expect(found == Array(1...max(1, found.count)).prefix(found.count).map(\.self))
            #expect(found.count >= acknowledged, "round \(round)")
        }
        #expect(tellingCount >= count / 2)
        // Whole, with bodies and secrets' numbers.
        let history = History(path: bench.path)
        for exchange in try await history.exchanges(limit: 300) {
            let whole = try #require(try await history.exchange(exchange.id))
            #expect(whole.response?.body.count == exchange.size)
            let field = whole.request.head.headerFields[.authorization] ?? ""
            #expect(field.wholeMatch(of: /Bearer ••[1-7]/) != nil, "\(field)")
        }
        await history.close()
        let check = try bench.read("PRAGMA integrity_check")
        #expect(check == ["ok"])
    }

    @Test(
        "two processes write while a third reads, and it never sees less than before",
        .timeLimit(.minutes(5))
    )
    func twoWriters() async throws {
        let writers = try ["a", "b"].map { try RecordingProcess(bench.path, $0, 1500) }
        let history = History(path: bench.path)
        var (seen, known) = (0, 0)
        while seen < 3000 {
            seen = try await history.usage().exchanges
            #expect(seen >= known)
            known = seen
        }
        for writer in writers {
            #expect(writer.lines().last == "1500")
            writer.wait()
        }
        let ids = try await history.exchanges(limit: 4000).map(\.id)
        #expect(ids == Array((1...3000).reversed()))
        await history.close()
        for name in ["a", "b"] { #expect(try await numbers(name) == Array(1...1500)) }
    }

    @Test(
        "ten processes that open, write and close a history all the time lose nothing, whichever is killed",
        .timeLimit(.minutes(5))
    )
    func manyWriters() async throws {
        // Each time they find no history, and all of them begin one.
        for _ in 0..<3 {
            let bench = HistoryBench()
            var told: [String: Int] = [:]
            for wave in 0..<3 {
                let writers = try (1...10).map { number in
                    let name = "w\(wave)-\(number)"
                    return (name, try RecordingProcess(bench.path, name, 15 * number))
                }
                let (killed, victim) = writers[9 - wave]
                let first = victim.line()
                victim.kill()
                for (name, writer) in writers {
                    let lines = writer.lines() + (name == killed ? [first ?? ""] : [])
                    writer.wait()
                    // A notice, or a word that something was not recorded.
                    #expect(lines.allSatisfy { Int($0) != nil }, "\(name): \(lines)")
                    told[name] = lines.compactMap { Int($0) }.max() ?? 0
                    if name != killed { #expect(told[name].map { $0 % 15 } == 0) }
                }
            }
            for (name, count) in told {
                let found = try await numbers(name, in: bench)
                #expect(found == Array(1...max(1, found.count)).prefix(found.count).map(\.self))
                #expect(found.count >= count, "\(name)")
            }
            #expect(try bench.read("PRAGMA integrity_check") == ["ok"])
            #expect(!bench.files.contains { $0.contains("damaged") || $0.contains("unread") })
        }
    }

    @Test("a process keeps its locks on a file that it opens for the first time, or again")
    func locks() async throws {
        let bench = HistoryBench()
        let history = bench.history()
        try await history.keep([.make(.make("/new"))])
        #expect(DatabaseLocks.areHeld(on: bench.path))
        // They are gone now, because the test has looked.
        await history.close()
        try await history.keep([.make(.make("/again"))])
        let other = bench.history()
        #expect(try await other.usage().exchanges == 2)
        await other.close()
        #expect(DatabaseLocks.areHeld(on: bench.path))
        await history.close()
        #expect(!DatabaseLocks.areHeld(on: bench.path))
    }

    @Test("closing waits for a process that writes, and not for one that only holds the file")
    func closingWhileBusy() async throws {
        for writes in [true, false] {
            let bench = HistoryBench()
            let first = bench.history()
            try await first.keep([.make(.make("/first"))])
            await first.close()
            let other = try DatabaseQueue(path: bench.path)
            let history = bench.history { notice in
                guard writes, case .delayed = notice else { return }
                _ = try? other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
            }
            try await history.keep([.make(.make("/before"))])
            try await other.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN IMMEDIATE; UPDATE total SET size = size + 1")
            }
            await history.record(.make(.make("/during")))
            await history.close()
            #expect(history.failure?.isBusy == (writes ? nil : true))
            #expect(history.lostCount == (writes ? 0 : 1))
            try other.close()
        }
    }

    @Test("a full disk ends the recording with a word, and what was said to be recorded is there")
    func fullDisk() async throws {
        let process = try RecordingProcess(bench.path, "full", 1_000_000, limit: 8000)
        let lines = process.lines()
        process.wait()
        let acknowledged = lines.compactMap { Int($0) }.last ?? 0
        #expect(acknowledged > 0)
        #expect(lines.filter { $0.hasPrefix("notice: Recording has stopped: ") }.count == 1)
        #expect(
            lines.contains { $0.hasPrefix("stopped: cannot write the history \(bench.path): ") }
        )
        // It went on, and counted what it could not record.
        let lost = lines.last.flatMap { $0.hasPrefix("lost: ") ? Int($0.dropFirst(6)) : nil }
        #expect(lost.map { $0 > 0 } == true, "\(lines.last ?? "")")
        #expect(try await numbers("full").count >= acknowledged)
    }

    @Test("while another process holds the file, what is recorded waits, and is told once")
    func busy() async throws {
        let notices = Mutexed<[History.Notice]>([])
        let history = bench.history { notices.value.append($0) }
        try await history.keep([.make(.make("/before"))])
        let other = try DatabaseQueue(path: bench.path)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        await history.record(.make(.make("/during")))
        let error = await #expect(throws: RecordingError.self) { try await history.flush() }
        #expect(error?.isBusy == true && history.failure == nil)
        await history.record(.make(.make("/later")))
        #expect(notices.value.count == 1 && history.recordedCount == 1)
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        try await history.flush()
        #expect((history.recordedCount, history.lostCount) == (3, 0))
        #expect(try await history.paths("") == ["/later", "/during", "/before"])
        await history.close()
    }

    @Test("what is lost while another process holds the file is told by the next flush, once")
    func lostWhileBusy() async throws {
        let history = bench.history(limits: .init(bodySize: 1000))
        try await history.keep([.make(.make("/before"))])
        let other = try DatabaseQueue(path: bench.path)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        await history.record(.make(.make("/waits")))
        await #expect(throws: RecordingError.self) { try await history.flush() }
        let large = [UInt8](repeating: 1, count: 40 << 20)
        for _ in 0..<3 { await history.record(.make(.make("/large"), body: large)) }
        #expect(history.lostCount == 1)
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        let error = await #expect(throws: RecordingError.self) { try await history.flush() }
        #expect(error?.detail.hasSuffix("; 1 exchange was lost") == true)
        #expect(history.failure == nil)
        try await history.flush()
        #expect(try await history.paths("") == ["/large", "/large", "/waits", "/before"])
        await history.close()
    }

    @Test("a file that was cut off is set aside at opening, one that is torn at the next")
    func torn() async throws {
        for cut in [true, false] {
            let bench = HistoryBench()
            let history = bench.history()
            try await history.keep((0..<500).map { .make(.make("/\($0)")) })
            await history.close()
            let size = try Data(contentsOf: URL(filePath: bench.path)).count
            let descriptor = open(bench.path, O_WRONLY)
            if cut {
                ftruncate(descriptor, off_t(size / 2))
            } else {
                let junk = [UInt8](repeating: 0xA5, count: 4096)
                for page in 20..<size / 4096 { pwrite(descriptor, junk, 4096, off_t(page * 4096)) }
            }
            close(descriptor)
            let notices = Mutexed<[History.Notice]>([])
            for _ in 0..<2 {
                let again = bench.history { notices.value.append($0) }
                // Reading comes upon it, and says so.
                _ = try? await again.exchanges(limit: 1000)
                await again.record(.make(.make("/new")))
                await again.close()
            }
            let set = notices.value.filter { if case .setAside = $0 { true } else { false } }
            #expect(set.count == 1, "\(notices.value)")
            let last = bench.history()
            #expect(try await last.paths("").first == "/new")
            await last.close()
        }
    }
}
