import Apus
import FoundationEssentials
import Glibc
import HTTPTypes
import SQLite
import TestSupport
import Testing

@testable import Recordings

/// A folder that somebody else made, and that lies where the user's history does.
@Suite("a foreign history reaches nothing outside of itself")
struct ForeignHistoryTests {
    private let bench = HistoryBench()
    private let large = [UInt8](repeating: 7, count: 300_000)

    private var bodies: String { "\(bench.path)-bodies" }

    /// A history with a large body, closed; the path of its file.
    private func historyWithLargeBody() async throws -> String {
        let own = bench.history()
        try await own.keep([.make(body: large)])
        await own.close()
        let digest = ContentDigest.hex(of: large)
        return "\(bodies)/\(digest.prefix(2))/\(digest)"
    }

    // MARK: links

    @Test("compacting removes no file behind a link, and none that is no body")
    func compactingLinks() async throws {
        let victim = TemporaryFolder("ab")
        let name = String(repeating: "ab", count: 32)
        for path in ["top.txt", "ab/thesis.txt", "ab/\(name)"] {
            try victim.write("x".utf8, to: path)
        }
        let own = bench.history()
        try await own.keep([.make()])
        symlink(victim.path, bodies)
        _ = try await own.compact()
        #expect(Folders.names(in: "\(victim.path)/ab").count == 2)
        // One level below.
        unlink(bodies)
        try PrivateFiles.makeFolder("\(bodies)/cd")
        symlink("\(victim.path)/ab", "\(bodies)/ab")
        for path in ["cd/\(name)", "cd/notes.txt", "notes.txt"] {
            try PrivateFiles.replace("\(bodies)/\(path)", with: [1])
        }
        // What is a body's, or was to be, goes.
        let unused = "cd/cd\(name.dropFirst(2))"
        for path in [unused, "\(unused).new-12-34"] {
            try PrivateFiles.replace("\(bodies)/\(path)", with: [1])
        }
        _ = try await own.compact()
        #expect(Folders.names(in: "\(victim.path)/ab").count == 2)
        #expect(Folders.names(in: bodies).sorted() == ["ab", "cd", "notes.txt"])
        #expect(Folders.names(in: "\(bodies)/cd").sorted() == [name, "notes.txt"])
        await own.close()
    }

    @Test("no body is written or removed through a linked folder", arguments: [false, true])
    func writingLinks(isPart: Bool) async throws {
        let file = try await historyWithLargeBody()
        let folder = isPart ? HistoryFile.folder(of: file) : bodies
        rename(folder, "\(bench.folder.path)/elsewhere")
        symlink("\(bench.folder.path)/elsewhere", folder)
        let elsewhere = { Self.files(below: bench.folder.path + "/elsewhere") }
        let before = elsewhere()
        #expect(!before.isEmpty)
        let again = bench.history()
        try await again.delete([1])
        #expect(elsewhere() == before)
        await #expect(throws: RecordingError.self) { try await again.keep([.make(body: large)]) }
        #expect(elsewhere() == before)
        await again.close()
    }

    private static func files(below folder: String) -> [String] {
        Folders.names(in: folder).sorted().flatMap { name in
            [name] + files(below: "\(folder)/\(name)")
        }
    }

    @Test(
        "a body's file that is none is not read",
        arguments: ["a link", "a link to a device", "a pipe", "other bytes", "more bytes"]
    )
    func notTheBody(kind: String) async throws {
        let file = try await historyWithLargeBody()
        unlink(file)
        switch kind {
        case "a link":
            symlink(try bench.folder.write(large, to: "secret"), file)
        case "a link to a device": symlink("/dev/zero", file)
        case "a pipe": mkfifo(file, 0o600)
        case "other bytes":
            try PrivateFiles.replace(file, with: [UInt8](repeating: 8, count: large.count))
        default: try PrivateFiles.replace(file, with: large + [7])
        }
        for history in [bench.history(), History(reading: bench.path)] {
            let error = await #expect(throws: RecordingError.self) {
                try await history.exchange(1)
            }
            #expect(error?.description.contains("has changed since it was recorded") == true)
            _ = try await history.paths("hello")
            await history.close()
        }
    }

    @Test(
        "a key that is no file of ours is not read",
        arguments: ["a link", "a device", "a pipe", "a large file"]
    )
    func notTheKey(kind: String) async throws {
        let own = bench.history()
        let session = try await own.session(named: "s")
        let key = "\(bench.path)-key"
        let other = try bench.folder.write([UInt8](repeating: 1, count: 32), to: "mine.txt")
        chmod(other, 0o644)
        switch kind {
        case "a link": symlink(other, key)
        case "a device": symlink("/dev/zero", key)
        case "a pipe": mkfifo(key, 0o600)
        default: try PrivateFiles.replace(key, with: large)
        }
        let error = await #expect(throws: RecordingError.self) {
            try await own.keep(
                [.make(.make(fields: [.authorization: "Bearer a-secret"]))],
                in: session
            )
        }
        #expect(
            error?.description.contains("\(key) is a link")
                == ["a link", "a device"].contains(kind)
        )
        var status = stat()
        #expect(stat(other, &status) == 0 && status.st_mode & 0o777 == 0o644)
        await own.close()
    }

    // MARK: numbers

    private static let highest = "9223372036854775807"
    private static let lowest = "(-9223372036854775807 - 1)"

    @Test(
        "no number in a stranger's file stops the program",
        arguments: [
            "total SET count", "total SET size", "total SET last", "body SET size", "body SET uses",
            "exchange SET size", "exchange SET attempts", "exchange SET duration",
            "exchange SET place", "run SET size", "run SET total", "inbox SET first",
            "session SET id", "run SET id", "mask SET number", "part SET number", "state SET last",
        ]
    )
    func numbers(column: String) async throws {
        for value in [Self.highest, Self.lowest, "\(Self.highest) - 1", "9e99", "-9e99"] {
            let bench = HistoryBench()
            let own = bench.history()
            let session = try await own.session(named: "s")
            let run = try await own.beginRun(.chain, named: "r", total: 2, in: session)
            let fields: HTTPFields = [.authorization: "Bearer a-secret"]
            let record = ExchangeRecord.make(
                .make(fields: fields),
                body: large,
                origin: ExchangeOrigin(run: run)
            )
            try await own.keep([record, record], in: session)
            try await own.keep([.make(), .make()])
            _ = try await own.paths("hello")
            await own.close(takingIn: !column.hasPrefix("inbox"))
            let isIndex = ["part SET number", "state SET last"].contains(column)
            // Not every column takes every value, and two rows cannot have one number.
            try? bench.change(
                "UPDATE OR IGNORE \(column) = \(value)",
                in: isIndex ? "-search" : ""
            )
            let history = bench.history(limits: History.Limits(exchanges: 1, bytes: 1))
            let writing = try? await history.session(named: "t")
            if let writing { try? await history.keep([record], in: writing) }
            _ = try? await history.paths("hello")
            _ = try? await history.runs()
            for id in Int64(1)...4 {
                if let whole = try? await history.exchange(id) {
                    _ = ExportedFacts.facts(of: whole, run: nil)
                }
            }
            _ = try? await history.delete([1, 3])
            for session in (try? await history.sessions()) ?? [] {
                try? await history.delete(session.id)
            }
            _ = try? await history.compact()
            try? await history.keep([record], in: try? await history.session(named: "u"))
            #expect(history.failure == nil, "\(column) = \(value)")
            await history.close()
        }
    }

    @Test("an event at no time is told all the same", arguments: [Int64.max, .min])
    func eventTimes(offset: Int64) async throws {
        let own = bench.history()
        try await own.keep([.make()])
        await own.close()
        let facts =
            #"{"variables":{},"events":[{"name":"x","offset":[\#(offset),0],"detail":"d"}]}"#
        try bench.change("UPDATE detail SET facts = CAST('\(facts)' AS BLOB)")
        let history = History(reading: bench.path)
        let whole = try #require(try await history.exchange(1))
        let events = ExportedFacts.facts(of: whole, run: nil).filter { $0.name == "event" }
        #expect(events.map(\.value) == [offset > 0 ? "1000000000000.000 x d" : "0.000 x d"])
        await history.close()
    }

    @Test("the sizes of a run's bodies never become more than a number")
    func runSizes() async throws {
        let own = bench.history()
        let run = try await own.beginRun(.chain, named: "r")
        try await own.keep([.make()])
        await own.close()
        try bench.change("UPDATE run SET size = \(Self.highest) - 10")
        let again = bench.history()
        try await again.keep([.make(body: large, origin: ExchangeOrigin(run: run))])
        #expect(try await again.runs().map(\.size) == [ClampedColumn.sumLimit])
        await again.close()
        #expect(try bench.read("SELECT typeof(size) FROM run") == ["integer"])
    }

    // MARK: pages

    /// A closed history of many pages, in which `exchanges(limit: 1)` reads few.
    private func fill() async throws {
        let own = bench.history()
        try await own.keep(
            (0..<300).map { .make(body: Array("\($0)\(String(repeating: "x", count: 3000))".utf8)) }
        )
        await own.close()
    }

    private func damage() throws {
        let descriptor = open(bench.path, O_WRONLY)
        defer { close(descriptor) }
        let place = lseek(descriptor, 0, SEEK_END) / 16384 * 3 * 4096
        let junk = [UInt8](repeating: 0xA5, count: 4096)
        #expect(pwrite(descriptor, junk, junk.count, place) == junk.count)
    }

    @Test("all pages of a file that came from elsewhere are looked at, those of one's own once")
    func pages() async throws {
        try await fill()
        let note = "\(bench.path)-checked"
        let known = try PrivateFiles.readFile(note, upTo: 128)
        for isForeign in [false, true] {
            if isForeign {
                // A copy has what the file says and all that lies beside it, but is another file.
                try PrivateFiles.replace(bench.path, with: try FileBytes.read(bench.path))
            } else {
                try damage()
            }
            let notices = Mutexed<[History.Notice]>([])
            let history = bench.history { notices.value.append($0) }
            _ = try await history.exchanges(limit: 1)
            await history.close(takingIn: false)
            #expect(notices.value.isEmpty == !isForeign)
        }
        #expect(try PrivateFiles.readFile(note, upTo: 128) != known)
    }

    @Test(
        "an index that is none of ours is made again",
        arguments: [
            "CREATE TRIGGER t AFTER UPDATE ON state BEGIN DELETE FROM part; END",
            """
            CREATE TABLE s AS SELECT * FROM state; DROP TABLE state;
            CREATE VIEW state AS SELECT * FROM s
            """,
            "DROP TABLE part_0; CREATE TABLE part_0 (text)",
            "CREATE TABLE 'part_0_more' (id)", "UPDATE state SET last = \(highest)",
            "INSERT INTO part VALUES (\(highest), 0, 0)",
        ]
    )
    func index(change: String) async throws {
        let own = bench.history()
        try await own.keep([.make(.make("/first"))])
        #expect(try await own.paths("first") == ["/first"])
        await own.close()
        let search = "\(bench.path)-search"
        func inode() -> UInt64 {
            var status = stat()
            return stat(search, &status) == 0 ? UInt64(status.st_ino) : 0
        }
        let tables = "SELECT type || ' ' || name FROM sqlite_schema ORDER BY 1"
        let known = (inode(), try bench.read(tables, in: "-search"))
        let again = bench.history()
        #expect(try await again.paths("first") == ["/first"])
        await again.close()
        #expect(inode() == known.0)
        // The number of the file that goes may be given to the one that comes.
        let held = open(search, O_RDONLY)
        defer { close(held) }
        try bench.change(change, in: "-search")
        let last = bench.history()
        try await last.keep([.make(.make("/second"))])
        #expect(try await last.paths("second") == ["/second"])
        #expect(try await last.paths("first") == ["/first"])
        await last.close()
        #expect(inode() != known.0)
        #expect(try bench.read(tables, in: "-search") == known.1)
    }

    // MARK: setting aside

    @Test("of those that find a file damaged at once one sets it aside")
    func together() async throws {
        for _ in 0..<10 {
            let bench = HistoryBench()
            try PrivateFiles.replace(bench.path, with: Array("no database, but long".utf8))
            let notices = Mutexed<[History.Notice]>([])
            let histories = (0..<4).map { _ in bench.history { notices.value.append($0) } }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for history in histories {
                    group.addTask { try await history.keep([.make()]) }
                }
                try await group.waitForAll()
            }
            #expect(try await histories[0].exchanges().count == 4)
            for history in histories { await history.close() }
            #expect(notices.value.count == 1)
            #expect(bench.files.count { $0.contains(".damaged-") } == 1)
        }
    }

    @Test("who has the file open while another one finds it damaged goes on in the new one")
    func underAnother() async throws {
        try await fill()
        let first = bench.history()
        // All of it is in the file, and none of it in the log.
        _ = try await first.compact()
        try damage()
        unlink("\(bench.path)-checked")
        let notices = Mutexed<[History.Notice]>([])
        let second = bench.history { notices.value.append($0) }
        try await second.keep([.make(.make("/second"))])
        #expect(notices.value.count == 1)
        try await first.keep([.make(.make("/first"))])
        #expect(first.failure == nil)
        for history in [first, second] {
            #expect(Set(try await history.paths("")) == ["/first", "/second"])
        }
        await first.close()
        try await second.keep([.make(.make("/third"))])
        await second.close()
        let again = bench.history { notices.value.append($0) }
        #expect(try await again.paths("").count == 3)
        await again.close()
        #expect(notices.value.count == 1)
        let copies = bench.files.filter { $0.contains(".damaged-") && !$0.hasSuffix("-wal") }
        #expect(copies.count == 1)
    }

    @Test("what is set aside in the same second stands beside the other")
    func twice() async throws {
        for text in ["no database, the first", "no database, the second"] {
            for suffix in ["-wal", "-shm"] { unlink(bench.path + suffix) }
            try PrivateFiles.replace(bench.path, with: Array(text.utf8))
            let history = bench.history()
            try await history.keep([.make()])
            await history.close()
        }
        #expect(bench.files.count { $0.contains(".damaged-") } == 2)
    }

    @Test(
        "what a newer program made, or another one, stays as it is",
        arguments: ["newer", "another", "another with a journal"]
    )
    func otherFiles(kind: String) async throws {
        try PrivateFiles.makeFolder(bench.folder.path + "/apus")
        if kind == "newer" {
            let own = bench.history()
            try await own.keep([.make()])
            await own.close()
            try bench.change("PRAGMA user_version = 2")
        } else {
            try bench.change("CREATE TABLE theirs (id)")
        }
        let journal = "\(bench.path)-journal"
        let hasJournal = kind.hasSuffix("journal")
        if hasJournal { try PrivateFiles.replace(journal, with: [1, 2, 3]) }
        let bytes = try FileBytes.read(bench.path)
        let notices = Mutexed<[History.Notice]>([])
        let history = bench.history { notices.value.append($0) }
        let error = await #expect(throws: RecordingError.self) { try await history.keep([.make()]) }
        let reason = kind == "newer" ? "a newer apus made it" : "it is not a history"
        #expect(error?.description.contains(reason) == true)
        #expect(notices.value.allSatisfy { if case .stopped = $0 { true } else { false } })
        await history.close()
        #expect(try FileBytes.read(bench.path) == bytes)
        #expect(!bench.files.contains { $0.contains(".damaged-") })
        if hasJournal { #expect(try FileBytes.read(journal) == [1, 2, 3]) }
    }
}
