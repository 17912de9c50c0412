import Apus
import Foundation
import Glibc
import HTTPTypes
import SQLite
import TestSupport
import Testing

@testable import Recordings

@Suite("what a damaged history has lost is told, and the rest can be used")
struct HistoryLossTests {
    private let bench = HistoryBench()

    /// What a process that was killed leaves of a history with so many exchanges, each in a commit of its own.
    private func left(_ count: Int) async throws -> HistoryBench {
        let (source, copy) = (HistoryBench(), HistoryBench())
        let history = source.history()
        for number in 0..<count { try await history.keep([.make(.make("/r/\(number)"))]) }
        try PrivateFiles.makeFolder(copy.folder.path + "/apus")
        for suffix in ["-wal", "-count", ""] {
            let bytes = try FileBytes.read(source.path + suffix)
            try PrivateFiles.replace(copy.path + suffix, with: bytes)
        }
        await history.close()
        return copy
    }

    private func change(_ file: String, at place: (Int) -> Int, to bytes: [UInt8]) throws {
        let descriptor = open(file, O_WRONLY)
        defer { close(descriptor) }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        #expect(pwrite(descriptor, bytes, bytes.count, off_t(place(size))) == bytes.count)
    }

    private func notices(
        of bench: HistoryBench,
        _ work: (History) async throws -> Void = { _ in }
    ) async throws -> [History.Notice] {
        let notices = Mutexed<[History.Notice]>([])
        let history = bench.history { notices.value.append($0) }
        _ = try await history.usage()
        try await work(history)
        await history.close()
        return notices.value
    }

    // MARK: what was there

    @Test(
        "a torn or changed log says how many it has lost, and after when, once",
        arguments: ["cut", "flipped", "removed"]
    )
    func log(damage: String) async throws {
        let bench = try await left(20)
        let log = "\(bench.path)-wal"
        switch damage {
        case "cut": truncate(log, off_t(History.size(of: log) / 2))
        case "flipped": try change(log, at: { $0 / 2 }, to: [0xA5, 0x5A, 0xA5, 0x5A])
        default: truncate(log, 0)
        }
        var left = 0
        let told = try await notices(of: bench) { left = try await $0.usage().exchanges }
        #expect(left < 20)
        guard case .lost(let path, let count, _, let isAll) = told.first else {
            Issue.record("nothing was told: \(told)")
            return
        }
        #expect((path, count, isAll) == (bench.path, 20 - left, left == 0))
        #expect(told[0].description.contains("was damaged: \(20 - left) recorded exchange"))
        // It is told once, and what is recorded next is kept.
        let later = try await notices(of: bench) { try await $0.keep([.make(.make("/new"))]) }
        #expect(later.isEmpty)
        #expect(try await notices(of: bench).isEmpty)
    }

    @Test("an emptied file is told; one that was removed, or deleted exchanges, are not")
    func emptied() async throws {
        let bench = try await left(3)
        #expect(try await notices(of: bench) { try await $0.delete([1]) }.isEmpty)
        truncate(bench.path, 0)
        let told = try await notices(of: bench)
        guard case .lost(_, let count, let since, let isAll) = told.first else {
            Issue.record("nothing was told: \(told)")
            return
        }
        #expect((count, isAll, since) == (2, true, bench.time.value))
        for suffix in ["", "-wal", "-shm"] { unlink(bench.path + suffix) }
        #expect(try await notices(of: bench).isEmpty)
    }

    @Test("what is set aside says how much it had")
    func setAside() async throws {
        let bench = try await left(4)
        #expect(try await notices(of: bench).isEmpty)
        truncate(bench.path, off_t(History.size(of: bench.path) / 2))
        let told = try await notices(of: bench)
        #expect(told.count == 1)
        #expect(
            told.first?.description.contains("it had 4 exchanges, recorded since 2026-") == true
        )
        #expect(try await notices(of: bench).isEmpty)
    }

    // MARK: the first page

    @Test(
        "a damaged header is set aside, whatever of it is wrong",
        arguments: [
            (44, [0, 0, 0, 99]), (60, [0x12, 0, 0, 0]), (60, [0, 0, 0, 0]), (60, [0, 0, 0, 3]),
            (18, [9, 9]), (18, [2, 1]), (16, [2, 0]), (20, [7]), (21, [1]), (56, [0, 0, 0, 2]),
            (68, [1, 2, 3, 4]), (80, [1]), (0, [0x52]),
        ] as [(Int, [UInt8])]
    )
    func header(place: Int, bytes: [UInt8]) async throws {
        let bench = try await left(2)
        // All of it is in the file, and none of it in the log.
        #expect(try await notices(of: bench) { _ = try await $0.compact() }.isEmpty)
        for suffix in ["-checked", "-wal", "-shm"] { unlink(bench.path + suffix) }
        try change(bench.path, at: { _ in place }, to: bytes)
        let told = try await notices(of: bench) { try await $0.keep([.make(.make("/new"))]) }
        guard case .setAside(_, let to, _) = told.first else {
            Issue.record("not set aside: \(told)")
            return
        }
        #expect(History.size(of: to) > 4096)
        let again = bench.history()
        #expect(try await again.paths("") == ["/new"])
        await again.close()
    }

    @Test("a changed statement in the list of tables is damage, and another table is not")
    func tables() async throws {
        let bench = try await left(2)
        #expect(try await notices(of: bench) { _ = try await $0.compact() }.isEmpty)
        let bytes = try FileBytes.read(bench.path)
        let place = try #require(bytes.firstRange(of: "duration REAL".utf8)?.lowerBound)
        try change(bench.path, at: { _ in place }, to: Array("duratiom".utf8))
        let told = try await notices(of: bench)
        #expect(told.count == 1)
        #expect(told.first?.description.contains("its list of tables is damaged") == true)
        try bench.change("CREATE TABLE theirs (id)")
        await #expect(throws: RecordingError.self) { _ = try await notices(of: bench) }
    }

    // MARK: bodies

    @Test("a damaged body costs that body only", arguments: [10_000, 300_000])
    func body(size: Int) async throws {
        let history = bench.history()
        let session = try await history.session(named: "s")
        let bodies = (0..<3).map { [UInt8](repeating: UInt8(ascii: "a") + $0, count: size) }
        try await history.keep(bodies.map { .make(body: $0) }, in: session)
        _ = try await history.usage()
        await history.close()
        let file = size > BodyStore.rowLimit ? digestFile(of: bodies[1]) : bench.path
        let bytes = try FileBytes.read(file)
        let place = try #require(bytes.firstRange(of: [UInt8](repeating: 0x62, count: 1000)))
        try change(file, at: { _ in place.lowerBound + 100 }, to: [0x5A])
        let again = bench.history()
        let exchanges = try await again.all(matching: HistoryFilter())
        #expect(exchanges.count == 3)
        await #expect(throws: RecordingError.self) { try await again.exchange(2) }
        let whole = try #require(try await again.readableExchange(2))
        #expect(whole.damage.count == 1 && whole.unkeptSize == size)
        #expect(whole.damage.first?.hasPrefix("the response's body is damaged") == true)
        var (text, told) = ([UInt8](), [Int64]())
        try await again.exportHAR(
            exchanges,
            of: "s",
            creator: "1",
            to: { text += $0 },
            damaged: { id, _ in told.append(id) }
        )
        #expect(told == [2])
        let entries = try JSONDecoder().decode(HAR.self, from: Data(text)).log.entries
        #expect(entries.map(\.response.content.size) == [size, size, size])
        #expect(entries.map { $0.response.content.text != nil } == [true, false, true])
        let folder = bench.folder.path + "/export"
        try await again.exportSession(session, toFolder: folder)
        #expect(Folders.names(in: folder).count { $0.hasSuffix(".txt") } == 4)
        for name in Folders.names(in: folder) {
            var status = stat()
            #expect(stat("\(folder)/\(name)", &status) == 0 && status.st_mode & 0o077 == 0)
        }
        await again.close()
    }

    private func digestFile(of body: [UInt8]) -> String {
        let digest = ContentDigest.hex(of: body)
        return "\(bench.path)-bodies/\(digest.prefix(2))/\(digest)"
    }

    private struct HAR: Decodable {
        struct Log: Decodable { let entries: [Entry] }
        struct Entry: Decodable { let response: Answer }
        struct Answer: Decodable { let content: Content }
        struct Content: Decodable {
            let size: Int
            let text: String?
        }
        let log: Log
    }

    // MARK: where nothing can be written

    @Test("what waits can be read in a copy, and a session deleted with what waits of it")
    func waiting() async throws {
        let history = bench.history()
        let session = try await history.session(named: "s")
        let other = try await history.session(named: "t")
        let large = [UInt8](repeating: 7, count: 300_000)
        let pool = try history.database()
        // As a commit does, but nobody takes them in after it.
        try await pool.write { db in
            let rows = try (0..<30).map { number in
                let record = ExchangeRecord.make(
                    .make("/\(number)"),
                    body: number == 7 ? large : [1]
                )
                return try history.row(of: .record(record, number % 3 == 0 ? other : session), db)
            }
            try Inbox.add(rows, to: db)
        }
        let end = try #require(try await pool.read(Inbox.last))
        let copy = try history.copy(of: pool, upTo: end)
        let count = "SELECT count(*) FROM exchange"
        #expect(try await copy.read { try Int.fetchOne($0, sql: count) } == 30)
        #expect(try await pool.read { try Int.fetchOne($0, sql: count) } == 0)
        try await history.writing(takingIn: false) { try history.deleteInPlace(session, in: $0) }
        #expect(try await history.sessions().map(\.name) == ["t"])
        #expect(
            try await history.paths("") == stride(from: 27, through: 0, by: -3).map { "/\($0)" }
        )
        // Those that are left keep their numbers.
        #expect(try await history.exchanges().map(\.id).first == 28)
        #expect(try bench.read("SELECT count(*) FROM body WHERE size > 1000") == ["0"])
        await history.close()
        #expect(try await notices(of: bench).isEmpty)
    }

    @Test(
        "on a full disk all can be listed, read and deleted",
        .enabled(if: geteuid() == 0, "only root can make a small disk")
    )
    func fullDisk() async throws {
        let folder = bench.folder.path + "/apus"
        try PrivateFiles.makeFolder(folder)
        guard mount("tmpfs", folder, "tmpfs", 0, "size=3m") == 0 else { return }
        defer { umount2(folder, Int32(MNT_DETACH)) }
        let first = bench.history()
        let session = try await first.session(named: "s")
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 1500)
        while first.failure == nil {
            try? await first.keep((0..<20).map { _ in .make(body: body) }, in: session)
        }
        let recorded = first.recordedCount
        #expect(recorded > 20)
        await first.leave()
        let second = bench.history()
        #expect(try await second.usage().exchanges >= recorded)
        let exchanges = try await second.all(matching: HistoryFilter())
        #expect(exchanges.count >= recorded)
        #expect(try await second.exchange(exchanges[0].id)?.response?.body.count == body.count)
        try await second.delete(session)
        #expect(try await second.usage().exchanges == 0)
        try await second.keep([.make(.make("/new"))])
        #expect(try await second.paths("") == ["/new"])
        await second.close()
    }

    @Test(
        "a history where nothing can be written can be read",
        .enabled(if: geteuid() == 0, "only root can make a disk that is read-only for root")
    )
    func readOnly() async throws {
        let folder = bench.folder.path + "/apus"
        try PrivateFiles.makeFolder(folder)
        guard mount("tmpfs", folder, "tmpfs", 0, "size=9m") == 0 else { return }
        defer { umount2(folder, Int32(MNT_DETACH)) }
        let first = bench.history()
        try await first.keep([.make(.make("/a")), .make(.make("/b"))])
        await first.close(takingIn: false)
        for takesIn in [false, true] {
            if takesIn {
                let other = bench.history()
                #expect(try await other.paths("").count == 2)
                await other.close()
            }
            let flags = UInt(MS_REMOUNT) | UInt(MS_RDONLY)
            #expect(mount("tmpfs", folder, "tmpfs", flags, nil) == 0)
            let history = bench.history()
            #expect(try await history.paths("") == ["/b", "/a"])
            let error = await #expect(throws: RecordingError.self) {
                try await history.keep([.make()])
            }
            #expect(error?.description.hasPrefix("cannot write the history") == true)
            await history.close()
            #expect(mount("tmpfs", folder, "tmpfs", UInt(MS_REMOUNT), nil) == 0)
        }
    }

    // MARK: a log line

    @Test("a path is told without what the rest of the exchange names as a credential")
    func path() async throws {
        let history = bench.history()
        for body in [0, 20_000].map({ String(repeating: " ", count: $0) }) {
            let answer = Array("{\"password\":\"in-the-path\"}\(body)".utf8)
            let record = ExchangeRecord.make(.make("/p/in-the-path?q=in-the-path"), body: answer)
            #expect(await history.recordingPath(of: record) == "/p/••••••?q=••••••")
        }
        await history.close()
    }
}
