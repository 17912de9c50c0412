import FoundationEssentials
import Glibc
import SQLite
import Synchronization
import Testing

@testable import Apus

@Suite("reading a whole cache to find what is damaged")
struct CacheVerificationTests {
    private static let disk = CachePolicy.keep(for: .forever, in: .disk)
    private static let large = ResponseBody.bytes([UInt8](repeating: 1, count: 100 << 10))

    @Test("a cache without damage is read whole, with reports")
    func whole() async throws {
        let bench = try CacheBench()
        for number in 0..<300 { await bench.store("/\(number)", policy: Self.disk) }
        await bench.store("/large", body: Self.large, policy: Self.disk)
        let reports = Mutex<[CacheVerification]>([])
        let result = try await bench.cache.verify { report in
            reports.withLock { $0.append(report) }
        }
        #expect(result.checked == 301)
        #expect(result.damaged == 0 && result.damagedKeys.isEmpty && result.orphans == 0)
        #expect(result.bytes > 100 << 10)
        #expect(reports.withLock { $0.map(\.checked) } == [256, 301])
        #expect(bench.notices.all.isEmpty)
    }

    @Test("an empty folder has nothing to verify, and gets no file")
    func nothing() async throws {
        let bench = try CacheBench()
        #expect(try await bench.cache.verify() == CacheVerification())
        #expect(try await !bench.cache.open())
        #expect(bench.folder.files.isEmpty)
    }

    @Test("damaged entries and files without an entry go, the others stay")
    func damage() async throws {
        let bench = try CacheBench()
        await bench.store("/whole", policy: Self.disk)
        await bench.store("/row", policy: Self.disk)
        await bench.store("/column", policy: Self.disk)
        await bench.store("/flipped", body: Self.large, policy: Self.disk)
        let body = try #require(bench.folder.files.first { $0.hasPrefix("bodies/") })
        await bench.store(
            "/gone",
            body: .bytes([7] + Array(repeating: 2, count: 100 << 10)),
            policy: Self.disk
        )
        let gone = try #require(
            bench.folder.files.first { $0.hasPrefix("bodies/") && $0 != body }
        )
        try Self.flip("\(bench.folder.path)/\(body)", at: 5000)
        unlink("\(bench.folder.path)/\(gone)")
        let orphan = "bodies/ab/" + String(repeating: "c", count: 62)
        try PrivateFiles.makeFolder("\(bench.folder.path)/bodies/ab")
        try PrivateFiles.touchFile("\(bench.folder.path)/\(orphan)")
        try await Self.change(bench, "facts = x'0204'", "/row")
        try await Self.change(bench, "file = '../../etc/passwd'", "/column")

        let result = try await bench.cache.verify()
        #expect(result.checked == 5 && result.damaged == 4 && result.orphans >= 1)
        let damaged = ["/row", "/column", "/flipped", "/gone"].map {
            bench.key($0, Self.disk).digest
        }
        #expect(Set(result.damagedKeys) == Set(damaged))
        #expect(await bench.cache.entries().map(\.request.url) == ["https://api.example.com/whole"])
        #expect(!bench.folder.files.contains { $0.hasPrefix("bodies/") })
        #expect(try await bench.cache.verify().damaged == 0)
    }

    @Test("a body that is not a regular file any more is damage, and not waited for")
    func noFile() async throws {
        for make in [{ mkfifo($0, 0o600) }, { symlink("/dev/zero", $0) }] {
            let bench = try CacheBench()
            await bench.store("/large", body: Self.large, policy: Self.disk)
            let body = try #require(bench.folder.files.first { $0.hasPrefix("bodies/") })
            let path = "\(bench.folder.path)/\(body)"
            #expect(unlink(path) == 0 && make(path) == 0)
            #expect(try await bench.cache.verify().damaged == 1)
        }
    }

    @Test("a body of another size is not read, and reading one that is large can be given up")
    func largeBody() async throws {
        let bench = try CacheBench()
        await bench.store("/large", body: Self.large, policy: Self.disk)
        let name = try #require(bench.folder.files.first { $0.hasPrefix("bodies/") })
        let body = "\(bench.folder.path)/\(name)"
        // Hours of reading, if there were any.
        let size = 4 << 40
        try #require(truncate(body, size) == 0)
        #expect(try await bench.cache.verify().damaged == 1)
        await bench.store("/large", body: Self.large, policy: Self.disk)
        try await Self.setSize(bench, to: size)
        try #require(truncate(body, size) == 0)
        let task = Task.detached { try await bench.cache.verify() }
        while !Self.isOpen(body) { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await bench.cache.entries().count == 1)
    }

    /// Whether this process has a file open.
    private static func isOpen(_ path: String) -> Bool {
        Folders.names(in: "/proc/self/fd").contains { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"))
                == path
        }
    }

    /// Has the only entry say that its body is of another size.
    private static func setSize(_ bench: CacheBench, to size: Int) async throws {
        let queue = try DatabaseQueue(path: "\(bench.folder.path)/responses.sqlite")
        try await queue.write { db in
            let facts = try #require(try Data.fetchOne(db, sql: "SELECT facts FROM entry"))
            let (old, head) = try facts.withUnsafeBytes { bytes in
                let read = try #require(EntryRecord.read(bytes))
                return (read.facts, [UInt8](read.head))
            }
            let new = EntryRecord(
                origin: old.origin,
                status: old.status,
                stored: old.stored,
                lifetime: old.lifetime,
                size: size,
                file: old.file,
                form: old.form,
                bodyChecksum: old.bodyChecksum
            )
            try db.execute(
                sql: "UPDATE entry SET facts = ?",
                arguments: [Data(new.encoded(before: head))]
            )
        }
    }

    @Test("a database that is damaged as a whole is said to be, and is set aside")
    func damagedDatabase() async throws {
        let bench = try CacheBench()
        for number in 0..<200 { await bench.store("/\(number)", policy: Self.disk) }
        await bench.cache.close()
        let path = "\(bench.folder.path)/responses.sqlite"
        var bytes = try FileBytes.read(path)
        for index in 4096 * 12..<bytes.count { bytes[index] = 0xA5 }
        try PrivateFiles.replace(path, with: bytes)
        let fault = await #expect(throws: ApusError.self) { try await bench.cache.verify() }
        let text = try #require(fault?.description)
        #expect(text.contains("responses.sqlite cannot be used: it is damaged"), "\(text)")
        #expect(text.contains("is set aside"), "\(text)")
        #expect(bench.notices.all.contains { if case .setAside = $0 { true } else { false } })
    }

    @Test("a path that is too long is said to be")
    func longPath() {
        let error = ApusError(.file(path: "/long", errno: ENAMETOOLONG))
        #expect(error.description.contains("its name is too long"))
    }

    @Test("a cache that cannot be read is told from none, with its path")
    func unreadable() async throws {
        let folder = try CacheFolder()
        try PrivateFiles.touchFile("\(folder.path)/file")
        let cache = ResponseCache(configuration: .init(directory: "\(folder.path)/file/cache"))
        let path = "\(folder.path)/file/cache/responses.sqlite"
        let expected = ApusError(.file(path: path, errno: ENOTDIR))
        await #expect(throws: expected) { try await cache.open() }
        await #expect(throws: expected) { try await cache.verify() }
        // A list of it is empty, as before: no request may fail for its cache.
        #expect(await cache.entries().isEmpty)
    }

    static func flip(_ path: String, at offset: Int) throws {
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        bytes[offset] ^= 0x10
        try Data(bytes).write(to: URL(filePath: path))
    }

    static func change(_ bench: CacheBench, _ change: String, _ url: String) async throws {
        let queue = try DatabaseQueue(path: "\(bench.folder.path)/responses.sqlite")
        try await queue.write {
            try $0.execute(
                sql: "UPDATE entry SET \(change) WHERE instr(facts, CAST('\(url)' AS BLOB)) > 0"
            )
        }
    }
}
