import FoundationEssentials
import Glibc
import SQLite
import Testing

@testable import Apus

struct CacheFaultTests {
    private static func write(_ bytes: [UInt8], to path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    @Test(
        "a damaged file is set aside with a notice, and a new one begun",
        arguments: [0, 30, 4096]
    )
    func corruptFile(count: Int) async throws {
        let bench = try CacheBench()
        let path = "\(bench.folder.path)/responses.sqlite"
        try bench.folder.markAsCache()
        try Self.write([UInt8](repeating: 0x5A, count: count), to: path)
        #expect(
            await bench.store("/users") == .stored(.memoryAndDisk, expires: bench.clock.now + 300)
        )
        #expect(
            await bench.another().lookup(bench.key("/users"), policy: .keep(), for: .cached())
                .response != nil
        )
        let asides = bench.folder.files.filter { $0.hasPrefix("responses.sqlite.corrupt-2026") }
        // An empty file is what a database is before its first page.
        #expect(asides.count == (count == 0 ? 0 : 1))
        #expect(bench.notices.all.count == asides.count)
    }

    /// What was set aside, by name.
    private static func asides(_ bench: CacheBench) -> [String] {
        Folders.names(in: bench.folder.path).filter {
            $0.hasPrefix("responses.sqlite.corrupt-") || $0.hasPrefix("responses.sqlite.newer-")
        }
    }

    private static func damage(_ bench: CacheBench) async throws {
        await bench.store("/users")
        await bench.cache.close()
        let path = "\(bench.folder.path)/responses.sqlite"
        try write([UInt8](repeating: 0x5A, count: 4096), to: path)
        await bench.store("/other")
    }

    @Test("of damaged files only the newest is kept, and that for a week")
    func asideLimit() async throws {
        let bench = try CacheBench()
        for _ in 0..<3 {
            try await Self.damage(bench)
            bench.clock.advance(by: 10)
        }
        let aside = try #require(Self.asides(bench).first)
        #expect(Self.asides(bench).count == 1)
        guard case .setAside(_, let newest, _) = bench.notices.all.last else {
            Issue.record("\(bench.notices.all)")
            return
        }
        #expect(newest.hasSuffix(aside))
        await bench.cache.close()
        bench.clock.advance(by: 6 * 86_400)
        await bench.store("/later")
        #expect(Self.asides(bench) == [aside])
        await bench.cache.close()
        bench.clock.advance(by: 86_400)
        await bench.store("/later")
        #expect(Self.asides(bench) == [])
    }

    @Test("whoever removes everything removes what was set aside too, with its bodies")
    func asideCleared() async throws {
        let bench = try CacheBench()
        try await Self.damage(bench)
        let newer = "responses.sqlite.newer-20260508T220000Z"
        try PrivateFiles.touchFile("\(bench.folder.path)/\(newer)")
        try PrivateFiles.makeFolder("\(bench.folder.path)/\(newer)-bodies/ab")
        try PrivateFiles.touchFile("\(bench.folder.path)/\(newer)-bodies/ab/cd")
        #expect(Self.asides(bench).count == 3)
        await bench.cache.removeAll()
        #expect(Self.asides(bench) == [])
        #expect(await bench.lookup("/other").response == nil)
    }

    @Test(
        "whoever removes everything removes bodies without an entry too",
        arguments: [true, false]
    )
    func orphansCleared(hasDatabase: Bool) async throws {
        let bench = try CacheBench()
        let body = ResponseBody.bytes([UInt8](repeating: 1, count: 100 << 10))
        await bench.store("/users", body: body)
        await bench.store("/small")
        try PrivateFiles.makeFolder("\(bench.folder.path)/bodies/ab")
        let names = ["bodies/ab/" + String(repeating: "c", count: 62), "bodies/new-1"]
        for name in names { try PrivateFiles.touchFile("\(bench.folder.path)/\(name)") }
        if !hasDatabase {
            await bench.cache.close()
            for name in bench.folder.files where name.hasPrefix("responses.sqlite") {
                unlink("\(bench.folder.path)/\(name)")
            }
        }
        #expect(try await bench.cache.tryRemoveAll() == (hasDatabase ? 2 : 0))
        #expect(!bench.folder.files.contains { $0.hasPrefix("bodies/") })
    }

    @Test("without room to remove entries all files go, and the next store begins anew")
    func filesRemoved() async throws {
        let bench = try CacheBench(memoryCountLimit: 0)
        let body = ResponseBody.bytes([UInt8](repeating: 1, count: 100 << 10))
        await bench.store("/users", body: body)
        try await bench.cache.disk.removeFiles()
        #expect(
            bench.folder.files.allSatisfy { $0 == "responses.lock" || $0.hasPrefix("lent/") },
            "\(bench.folder.files)"
        )
        #expect(await bench.lookup("/users").missReason == .notFound)
        await bench.store("/users", body: body)
        #expect(await bench.lookup("/users").response?.body == body)
    }

    @Test("a database without room for a write says that the disk is full")
    func fullWords() async throws {
        let store = try CacheBench().cache.disk
        for code in [ResultCode.full, .ioErrorSharedMemorySize] {
            let error = store.apusError(DatabaseError(resultCode: code))
            #expect(error.description.contains("the disk is full"), "\(error)")
        }
    }

    @Test("a file of a newer version is set aside whole and unchanged")
    func newerFile() async throws {
        let bench = try CacheBench()
        let body = ResponseBody.bytes([UInt8](repeating: 1, count: 100 << 10))
        await bench.store("/users", body: body)
        await bench.cache.close()
        let path = "\(bench.folder.path)/responses.sqlite"
        do {
            let queue = try DatabaseQueue(path: path)
            try await queue.write { try $0.execute(sql: "PRAGMA user_version = 99") }
            try queue.close()
        }
        #expect(
            await bench.cache.lookup(
                bench.key("/other"),
                policy: .keep(),
                for: .cached("/other")
            ).missReason == .notFound
        )
        guard case .setAside(path, let aside, .newer(99)) = bench.notices.all.first else {
            Issue.record("\(bench.notices.all)")
            return
        }
        let queue = try DatabaseQueue(path: aside)
        #expect(
            try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM entry") } == 1
        )
        #expect(Folders.names(in: "\(aside)-bodies").count == 1)
        #expect(
            await bench.store("/other") == .stored(.memoryAndDisk, expires: bench.clock.now + 300)
        )
    }

    @Test("damage found while reading is a miss, and the next store works")
    func damageInside() async throws {
        let bench = try CacheBench(memoryCountLimit: 0)
        for number in 0..<200 {
            await bench.store("/\(number)", body: .bytes([UInt8](repeating: 3, count: 3000)))
        }
        await bench.cache.close()
        let path = "\(bench.folder.path)/responses.sqlite"
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        for index in 4096 * 12..<bytes.count { bytes[index] = 0xA5 }
        try Self.write(bytes, to: path)
        var reasons: [CacheMissReason] = []
        for number in 0..<200 {
            if let reason = await bench.lookup("/\(number)").missReason { reasons.append(reason) }
        }
        #expect(!reasons.isEmpty)
        #expect(bench.notices.all.contains { if case .setAside = $0 { true } else { false } })
        let outcome = await bench.store("/0")
        #expect(outcome == .stored(.disk, expires: bench.clock.now + 300), "\(bench.notices.all)")
        #expect(await bench.lookup("/0").response != nil)
    }

    @Test(
        "a body file that is missing or has another size is a miss, and its entry goes",
        arguments: [true, false]
    )
    func corruptBody(isMissing: Bool) async throws {
        let bench = try CacheBench()
        let policy = CachePolicy.keep(in: .disk)
        await bench.store(
            "/big",
            body: .bytes([UInt8](repeating: 1, count: 100 << 10)),
            policy: policy
        )
        let body = try #require(bench.folder.files.first { $0.hasPrefix("bodies/") })
        if isMissing {
            unlink("\(bench.folder.path)/\(body)")
        } else {
            truncate("\(bench.folder.path)/\(body)", 17)
        }
        guard case .corrupt = await bench.lookup("/big", policy).missReason else {
            Issue.record("not corrupt")
            return
        }
        #expect(await bench.lookup("/big", policy).missReason == .notFound)
        #expect(bench.notices.all.count == 1)
        await bench.store(
            "/big",
            body: .bytes([UInt8](repeating: 1, count: 100 << 10)),
            policy: policy
        )
        #expect(await bench.lookup("/big", policy).response != nil)
    }

    @Test(
        "a row that cannot be read is a miss and goes",
        arguments: ["facts = x'0204'", "body = x'00'"]
    )
    func corruptRow(change: String) async throws {
        let bench = try CacheBench()
        let policy = CachePolicy.keep(in: .disk)
        await bench.store("/users", policy: policy)
        await bench.store("/other", policy: policy)
        let queue = try DatabaseQueue(path: "\(bench.folder.path)/responses.sqlite")
        try await queue.write {
            try $0.execute(
                sql: """
                    UPDATE entry SET \(change) WHERE instr(facts, CAST('/users' AS BLOB)) > 0
                    """
            )
        }
        guard case .corrupt = await bench.lookup("/users", policy).missReason else {
            Issue.record("not corrupt")
            return
        }
        #expect(await bench.lookup("/users", policy).missReason == .notFound)
        #expect(await bench.lookup("/other", policy).response != nil)
    }

    @Test("a full disk is an outcome, and what was there can still be read")
    func fullDisk() async throws {
        let bench = try CacheBench(memoryCountLimit: 0, pageLimit: 30)
        let policy = CachePolicy.keep(in: .disk)
        var outcomes: [CacheStoreOutcome] = []
        for number in 0..<20 {
            outcomes.append(
                await bench.store(
                    "/\(number)",
                    body: .bytes([UInt8](repeating: 9, count: 20_000)),
                    policy: policy
                )
            )
        }
        guard case .notStored(.failed(let detail)) = outcomes.last else {
            Issue.record("\(outcomes)")
            return
        }
        #expect(detail.contains("full"))
        #expect(bench.notices.all.contains(.writeFailed(detail: detail)))
        #expect(await bench.lookup("/0", policy).response != nil)
    }

    @Test("a folder that cannot be made leaves the memory at work")
    func unusableFolder() async throws {
        let folder = try CacheFolder()
        try PrivateFiles.touchFile("\(folder.path)/file")
        let cache = ResponseCache(configuration: .init(directory: "\(folder.path)/file/cache"))
        let key = cache.key(for: .cached(), policy: .keep())
        guard
            case .stored(.memory, _) = await cache.store(
                .fromServer(),
                key: key,
                policy: .keep()
            )
        else {
            Issue.record("not in memory")
            return
        }
        #expect(await cache.lookup(key, policy: .keep(), for: .cached()).response != nil)
        let disk = CachePolicy.keep(in: .disk)
        guard case .notStored(.failed) = await cache.store(.fromServer(), key: key, policy: disk)
        else {
            Issue.record("stored")
            return
        }
    }

    @Test("bodies that cannot be written are an outcome")
    func unusableBodies() async throws {
        let bench = try CacheBench()
        try bench.folder.markAsCache()
        try PrivateFiles.touchFile("\(bench.folder.path)/bodies")
        let outcome = await bench.store(
            "/big",
            body: .bytes([UInt8](repeating: 1, count: 100 << 10)),
            policy: .keep(in: .disk)
        )
        guard case .notStored(.failed) = outcome else {
            Issue.record("\(outcome)")
            return
        }
    }

    @Test("only their owner may read the files")
    func modes() async throws {
        let bench = try CacheBench()
        await bench.store("/big", body: .bytes([UInt8](repeating: 1, count: 100 << 10)))
        for file in bench.folder.files {
            var status = stat()
            #expect(stat("\(bench.folder.path)/\(file)", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(file)")
        }
        var status = stat()
        stat("\(bench.folder.path)/bodies", &status)
        #expect(status.st_mode & 0o777 == 0o700)
    }

    @Test("files that nothing refers to are removed, also after a damaged database")
    func orphans() async throws {
        let bench = try CacheBench()
        let digest = String(repeating: "ab", count: 32)
        try bench.folder.markAsCache()
        try PrivateFiles.makeFolder("\(bench.folder.path)/bodies/ab")
        try PrivateFiles.touchFile("\(bench.folder.path)/bodies/ab/\(digest.dropFirst(2))")
        await bench.store("/users")
        await bench.cache.flush()
        #expect(!bench.folder.files.contains { $0.hasPrefix("bodies/ab/") })
    }
}
