import FoundationEssentials
import Glibc
import SQLite
import TestSupport
import Testing

@testable import Apus

/// A rollback journal that SQLite takes for one of a transaction that was cut off.
enum HotJournal {
    /// Writes it beside a database that is closed; SQLite deletes at the end what it names as its
    /// super-journal.
    static func write(beside database: String, naming victim: String) throws {
        let file = try FileBytes.read(database)
        let page = Array(file.prefix(4096))
        let nonce: UInt32 = 7
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        var journal = magic
        for number in [1, nonce, UInt32(file.count / 4096), 512, 4096] {
            journal += bytes(of: number)
        }
        journal += [UInt8](repeating: 0, count: 512 - journal.count)
        var sum = nonce
        for place in stride(from: 4096 - 200, to: 0, by: -200) { sum &+= UInt32(page[place]) }
        journal += bytes(of: 1) + page + bytes(of: sum)
        let name = Array(victim.utf8)
        // The page that holds SQLite's locks, and is never written, marks the name.
        journal += bytes(of: 0x4000_0000 / 4096 + 1) + name + bytes(of: UInt32(name.count))
        journal += bytes(of: name.reduce(0) { $0 &+ UInt32($1) }) + magic
        try Temporary.write(journal, to: database + "-journal")
    }

    static func bytes(of number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

/// An index whose root page has the same child again and again, so that a scan of a few levels of
/// such pages has no end.
enum PageLoop {
    /// Gives the index to a database that is closed; its root page must be a leaf.
    static func write(into database: String, index: String) throws {
        let queue = try DatabaseQueue(path: database)
        let root = try queue.read { db in
            try Int.fetchOne(
                db,
                sql: "SELECT rootpage FROM sqlite_master WHERE name = ?",
                arguments: [index]
            )
        }
        try queue.close()
        var file = try FileBytes.read(database)
        let place = (try #require(root) - 1) * pageSize
        let leaf = Array(file[place..<place + pageSize])
        try #require(leaf[0] == 10)
        let start = Int(leaf[8]) << 8 | Int(leaf[9])
        let cell = Array(leaf[start..<start + 1 + Int(leaf[start])])
        file += leaf
        let child = UInt32(file.count / pageSize)
        file.replaceSubrange(place..<place + pageSize, with: parent(of: child, cell))
        file.replaceSubrange(28..<32, with: HotJournal.bytes(of: child))
        try Temporary.write(file, to: database)
    }

    private static let pageSize = 4096

    private static func parent(of child: UInt32, _ cell: [UInt8]) -> [UInt8] {
        let count = (pageSize - 12) / (cell.count + 6)
        var page = [UInt8](repeating: 0, count: pageSize)
        var end = pageSize
        for number in 0..<count {
            let bytes = HotJournal.bytes(of: child) + cell
            end -= bytes.count
            page.replaceSubrange(end..<end + bytes.count, with: bytes)
            page.replaceSubrange(12 + 2 * number..<14 + 2 * number, with: short(end))
        }
        page[0] = 2
        page.replaceSubrange(3..<5, with: short(count))
        page.replaceSubrange(5..<7, with: short(end))
        page.replaceSubrange(8..<12, with: HotJournal.bytes(of: child))
        return page
    }

    private static func short(_ number: Int) -> [UInt8] {
        Array(HotJournal.bytes(of: UInt32(number)).suffix(2))
    }
}

@Suite("a cache's folder that somebody else made")
struct ForeignCacheFolderTests {
    private static let disk = CachePolicy.keep(for: .forever, in: .disk)
    private static let large = ResponseBody.bytes([UInt8](repeating: 1, count: 100 << 10))

    private static func modes(_ folder: CacheFolder, _ names: [String]) -> [mode_t] {
        names.map { name in
            var status = stat()
            lstat("\(folder.path)/\(name)", &status)
            return status.st_mode
        }
    }

    @Test("a rollback journal beside the database deletes no file of the user's")
    func journal() async throws {
        let (bench, home) = (try CacheBench(), try CacheFolder())
        await bench.store("/a", policy: Self.disk)
        await bench.cache.close()
        let victim = "\(home.path)/diary"
        try Temporary.write("precious", to: victim)
        let database = "\(bench.folder.path)/responses.sqlite"
        try HotJournal.write(beside: database, naming: victim)
        _ = await bench.another().entries()
        #expect(Temporary.text(victim) == "precious")
        #expect(!Temporary.exists(database + "-journal"))
        // What the journal was of may be half of it; the cache goes on without.
        #expect(await bench.lookup("/a", Self.disk).missReason == .notFound)
        await bench.store("/a", policy: Self.disk)
        #expect(await bench.lookup("/a", Self.disk).response != nil)
    }

    @Test("an index whose pages lead to the same ones again is damage, and never read")
    func loop() async throws {
        let bench = try CacheBench()
        await bench.store("/a", policy: Self.disk)
        await bench.cache.close()
        let database = "\(bench.folder.path)/responses.sqlite"
        try PageLoop.write(into: database, index: "entry_by_last_access")
        var configuration = ResponseCache.Configuration(directory: bench.folder.path)
        configuration.isForeign = true
        let cache = ResponseCache(
            configuration: configuration,
            clock: { [bench] in bench.clock.now }
        )
        #expect(await cache.entries().isEmpty)
        let key = bench.key("/a", Self.disk)
        let outcome = await cache.store(.fromServer("/a"), key: key, policy: Self.disk)
        #expect(outcome == .stored(.disk, expires: nil))
        #expect(await cache.entries().count == 1)
        await cache.close()
    }

    @Test("links in the folder lead nowhere: nothing outside of it is removed or written")
    func links() async throws {
        let (bench, home) = (try CacheBench(), try CacheFolder())
        await bench.store("/a", policy: Self.disk)
        await bench.cache.close()
        let names = ["diary", "lock", String(repeating: "c", count: 62)]
        for name in names { try Temporary.write("precious", to: "\(home.path)/\(name)") }
        let own = bench.folder.path
        try PrivateFiles.makeFolder("\(own)/bodies")
        try PrivateFiles.makeFolder("\(own)/lent")
        for name in ["0", UUID().uuidString] { symlink(home.path, "\(own)/lent/\(name)") }
        for number in 0..<256 {
            let name = String(256 + number, radix: 16).dropFirst()
            symlink(home.path, "\(own)/bodies/\(name)")
        }
        let cache = bench.another()
        let response = Response.fromServer("/large", body: Self.large)
        let key = bench.key("/large", Self.disk)
        #expect(
            await cache.store(response, key: key, policy: Self.disk) == .stored(.disk, expires: nil)
        )
        #expect(try await cache.verify().orphans == 0)
        await cache.removeAll()
        await cache.close()
        #expect(Set(Temporary.names(in: home.path)) == Set(names))
        for name in names { #expect(Temporary.text("\(home.path)/\(name)") == "precious") }
    }

    @Test(
        "a link in the place of a body shows no file of the user's",
        arguments: [0, 1 << 20]
    )
    func linkedBody(memoryLimit: Int) async throws {
        let (bench, home) = (try CacheBench(), try CacheFolder())
        await bench.store("/large", body: Self.large, policy: Self.disk)
        await bench.cache.close()
        let name = try #require(bench.folder.files.first { $0.hasPrefix("bodies/") })
        let (body, diary) = ("\(bench.folder.path)/\(name)", "\(home.path)/diary")
        // With the very bytes that the entry had, so that nothing else can tell.
        try #require(rename(body, diary) == 0 && symlink(diary, body) == 0)
        let cache = bench.another()
        let found = await cache.lookup(
            bench.key("/large", Self.disk),
            policy: Self.disk,
            for: .cached("/large", memoryLimit: memoryLimit)
        )
        guard case .corrupt = found.missReason else {
            Issue.record("\(found)")
            return
        }
        #expect(Temporary.exists(diary) && !bench.folder.files.contains(name))
        // What is stored in its place is not the link's.
        await bench.store("/large", body: Self.large, policy: Self.disk)
        #expect(Self.modes(bench.folder, [name]) == [S_IFREG | 0o600])
        await cache.close()
    }

    @Test("a row that is larger than any entry is damage, and is not read to find that")
    func largeRows() async throws {
        let bench = try CacheBench()
        for path in ["/a", "/b", "/c"] { await bench.store(path, policy: Self.disk) }
        await bench.cache.close()
        let queue = try DatabaseQueue(path: "\(bench.folder.path)/responses.sqlite")
        try await queue.write { db in
            for path in ["/a", "/b"] {
                let row = bench.key(path, Self.disk).row
                let facts = try #require(
                    try Data.fetchOne(db, sql: "SELECT facts FROM entry WHERE id = \(row)")
                )
                // All that is read of it in a list is as it was.
                let large = try facts.withUnsafeBytes { bytes in
                    let read = try #require(EntryRecord.read(bytes))
                    let head = [UInt8](read.head) + [UInt8](repeating: 0, count: 5 << 20)
                    return Data(read.facts.encoded(before: head))
                }
                try db.execute(
                    sql: "UPDATE entry SET facts = ? WHERE id = \(row)",
                    arguments: [large]
                )
            }
        }
        try queue.close()
        let cache = bench.another()
        #expect(await cache.entries().map(\.request.url) == ["https://api.example.com/c"])
        let found = await cache.lookup(
            bench.key("/a", Self.disk),
            policy: Self.disk,
            for: .cached("/a")
        )
        #expect(found.missReason == .corrupt(detail: "its row is too large"))
        #expect(try await cache.verify().damaged == 1)
        #expect(try await cache.tryRemoveAll() == 1)
        await cache.close()
    }

    @Test("a folder with another use is refused, and stays as it is")
    func project() async throws {
        let folder = try CacheFolder()
        for name in ["bodies/moons", "lent/2024", "real"] {
            try Shell.run("mkdir -p '\(folder.path)/\(name)'")
        }
        let names = [
            "bodies/earth.json", "bodies/moons/io.json", "lent/2024/books.txt", "real/x",
            "responses.csv", "notes.txt",
        ]
        for name in names {
            try Temporary.write("mine", to: "\(folder.path)/\(name)")
            chmod("\(folder.path)/\(name)", 0o644)
        }
        symlink("../real/x", "\(folder.path)/bodies/link.json")
        symlink("real/x", "\(folder.path)/responses.latest")
        try Shell.run("touch -d '2 hours ago' '\(folder.path)/bodies/earth.json'")
        chmod(folder.path, 0o755)
        let all = folder.files
        let modes = Self.modes(folder, all + ["", "bodies", "lent"])
        let bench = try CacheBench(folder: folder)
        for body in [Self.large, .bytes([1])] {
            guard
                case .notStored(.failed(let detail)) = await bench.store(
                    "/a",
                    body: body,
                    policy: Self.disk
                )
            else {
                Issue.record("stored")
                continue
            }
            #expect(detail.contains("is used for something else"), "\(detail)")
        }
        await bench.cache.removeAll()
        await bench.cache.close()
        await #expect(throws: ApusError(.file(path: folder.path, errno: ENOTEMPTY))) {
            try await bench.cache.open()
        }
        #expect(folder.files == all)
        #expect(Self.modes(folder, all + ["", "bodies", "lent"]) == modes)
    }

    @Test("a folder that all may write to, as /tmp, is refused though it is empty")
    func sticky() async throws {
        let folder = try CacheFolder()
        chmod(folder.path, 0o1777)
        let bench = try CacheBench(folder: folder)
        #expect(await bench.store("/a") == .stored(.memory, expires: bench.clock.now + 300))
        #expect(Self.modes(folder, [""]) == [S_IFDIR | 0o1777])
        #expect(folder.files.isEmpty)
    }

    @Test("a folder that the program of before made is read, whatever else lies in it")
    func existing() async throws {
        let (bench, old) = (try CacheBench(), try CacheFolder())
        await bench.store("/a", policy: Self.disk)
        await bench.cache.close()
        for name in ["responses.lock", "responses.sqlite", "notes.txt"] {
            try Temporary.write("", to: "\(old.path)/\(name)")
            chmod("\(old.path)/\(name)", 0o644)
        }
        chmod(old.path, 0o755)
        let queue = try DatabaseQueue(path: "\(old.path)/responses.sqlite")
        try await queue.writeWithoutTransaction { db in
            try db.execute(
                sql: """
                    PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;
                    \(Self.schemaOfVersion6);
                    INSERT INTO total VALUES (0, 0, 0); PRAGMA user_version = 6;
                    ATTACH '\(bench.folder.path)/responses.sqlite' AS new;
                    INSERT INTO entry SELECT * FROM new.entry;
                    DETACH new;
                    """
            )
        }
        try queue.close()
        let later = try CacheBench(folder: old)
        #expect(await later.lookup("/a", Self.disk).response != nil)
        #expect(later.notices.all == [])
        #expect(Self.modes(old, ["", "notes.txt"]) == [S_IFDIR | 0o700, S_IFREG | 0o644])
    }

    private static let schemaOfVersion6 = """
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY, digest BLOB NOT NULL, facts BLOB NOT NULL, expires REAL,
            last_access REAL NOT NULL, hits INTEGER NOT NULL, cost INTEGER NOT NULL, file TEXT,
            primary_row INTEGER, body BLOB);
        CREATE INDEX entry_by_last_access ON entry (last_access);
        CREATE INDEX entry_by_expires ON entry (expires) WHERE expires IS NOT NULL;
        CREATE INDEX entry_by_primary ON entry (primary_row) WHERE primary_row IS NOT NULL;
        CREATE INDEX entry_by_file ON entry (file) WHERE file IS NOT NULL;
        CREATE TABLE total (size INTEGER NOT NULL, count INTEGER NOT NULL, cleaned REAL NOT NULL);
        CREATE TRIGGER entry_added AFTER INSERT ON entry BEGIN
            UPDATE total SET size = size + NEW.cost, count = count + 1; END;
        CREATE TRIGGER entry_removed AFTER DELETE ON entry BEGIN
            UPDATE total SET size = size - OLD.cost, count = count - 1; END;
        """
}
