import FoundationEssentials
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

    private static func bytes(of number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

@Suite("a cache's folder that somebody else made")
struct ForeignCacheFolderTests {
    private static let disk = CachePolicy.keep(for: .never, in: .disk)

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
}
