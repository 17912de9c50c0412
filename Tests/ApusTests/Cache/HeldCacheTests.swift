import FoundationEssentials
import Glibc
import SQLite
import Testing

@testable import Apus

/// What another program does with the cache's files, while it is stopped or at work.
struct HeldCacheTests {
    private static let disk = CachePolicy.keep(in: .disk)

    @Test("a lock that is never given is waited for once, with one notice, and not for a minute")
    func heldLock() async throws {
        let bench = try CacheBench(patience: .milliseconds(20))
        let path = "\(bench.folder.path)/responses.lock"
        var holder: FolderLock? = try FolderLock(waitingFor: path)
        #expect(await bench.store("/users") == .stored(.memory, expires: bench.clock.now + 300))
        guard case .notStored(.failed(let detail)) = await bench.store("/disk", policy: Self.disk)
        else {
            Issue.record("stored")
            return
        }
        #expect(detail == "another program is using \(path)")
        #expect(bench.notices.all == [.held(path: path)])
        withExtendedLifetime(holder) {}
        holder = nil
        bench.clock.advance(by: 59)
        guard case .notStored = await bench.store("/early", policy: Self.disk) else {
            Issue.record("tried again within the minute")
            return
        }
        bench.clock.advance(by: 1)
        let outcome = await bench.store("/late", policy: Self.disk)
        #expect(outcome == .stored(.disk, expires: bench.clock.now + 300))
        #expect(await bench.lookup("/late", Self.disk).response != nil)
        #expect(bench.notices.all.count == 1)
    }

    @Test("a database that another program has for itself is said to be held, not to be damaged")
    func heldDatabase() async throws {
        let bench = try CacheBench(patience: .milliseconds(20))
        await bench.store("/users", policy: Self.disk)
        await bench.cache.close()
        let path = "\(bench.folder.path)/responses.sqlite"
        try await Self.holding(path, lettingRead: false) {
            let fault = await #expect(throws: ApusError.self) { try await bench.cache.open() }
            #expect(fault?.reason == .file(path: path, errno: EBUSY))
            #expect(fault?.description.contains("another program is using it") == true)
            #expect(bench.notices.all == [.held(path: path)])
            await #expect(throws: ApusError.self) { try await bench.cache.verify() }
            let miss = await bench.lookup("/users", Self.disk).missReason
            #expect(miss == .unavailable(detail: "another program is using \(path)"))
            // Neither was a further try: they would have told of it.
            #expect(bench.notices.all.count == 1)
        }
        bench.clock.advance(by: 60)
        #expect(await bench.lookup("/users", Self.disk).response != nil)
    }

    @Test("writes that find the open database held fail together, and reads go on")
    func heldWhileOpen() async throws {
        let bench = try CacheBench(memoryCountLimit: 0, patience: .milliseconds(20))
        await bench.store("/users", policy: Self.disk)
        let path = "\(bench.folder.path)/responses.sqlite"
        try await Self.holding(path) {
            guard case .notStored(.failed) = await bench.store("/other", policy: Self.disk) else {
                Issue.record("stored")
                return
            }
            #expect(bench.notices.all == [.held(path: path)])
            #expect(await bench.lookup("/users", Self.disk).response != nil)
        }
        let outcome = await bench.store("/other", policy: Self.disk)
        #expect(outcome == .stored(.disk, expires: bench.clock.now + 300))
    }

    @Test("of many uses that find the open database held only the first transaction waits for it")
    func heldUses() async throws {
        let bench = try CacheBench(patience: .milliseconds(20))
        await bench.store("/users", policy: Self.disk)
        let path = "\(bench.folder.path)/responses.sqlite"
        try await Self.holding(path) {
            let use = PendingUses(hits: 1, lastAccess: bench.clock.now)
            for number in 0...2 * DiskStore.usesAtOnce {
                bench.cache.disk.note(use, of: KeyName("\(number)"))
            }
            await bench.cache.flush()
            #expect(bench.notices.all == [.held(path: path)])
        }
    }

    @Test("who must know is told that nothing was removed, and that damage is still there")
    func heldWhileRemoving() async throws {
        let bench = try CacheBench(patience: .milliseconds(20))
        for path in ["/whole", "/damaged"] { await bench.store(path, policy: Self.disk) }
        try await CacheVerificationTests.change(bench, "body = x'00'", "/damaged")
        let path = "\(bench.folder.path)/responses.sqlite"
        let held = ApusError(.file(path: path, errno: EBUSY))
        try await Self.holding(path) {
            await #expect(throws: held) { try await bench.cache.tryRemoveAll() }
            await #expect(throws: held) { try await bench.cache.tryRemoveExpired() }
            let key = bench.key("/whole", Self.disk)
            await #expect(throws: held) { try await bench.cache.tryRemove(key) }
            let found = try await bench.cache.verify()
            #expect(found.damaged == 1 && found.notRemoved == 1)
            #expect(found.damagedKeys == [bench.key("/damaged", Self.disk).digest])
        }
        #expect(await bench.cache.entries().count == 2)
        let found = try await bench.cache.verify()
        #expect(found.damaged == 1 && found.notRemoved == 0)
        #expect(try await bench.cache.tryRemoveAll() == 1)
    }

    /// Does something while a connection of another program has begun to write, and keeps others even from
    /// reading unless it is `lettingRead`.
    private static func holding(
        _ path: String,
        lettingRead: Bool = true,
        _ body: () async throws -> Void
    ) async throws {
        let queue = try DatabaseQueue(path: path)
        try await queue.writeWithoutTransaction { db in
            if !lettingRead { try db.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
            try db.execute(sql: "BEGIN EXCLUSIVE")
        }
        do {
            try await body()
        } catch {
            Issue.record(error)
        }
        try await queue.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
        try queue.close()
    }
}
