import FoundationEssentials
import Glibc
import HTTPTypes
import SQLite
import Testing

@testable import Apus

@Suite("rows that nobody wrote")
struct StoredRowFuzzTests {
    private static let policy = CachePolicy.keep(for: .days(1), in: .disk)

    /// Values of every type, at the edges of what each can be.
    private static let values = [
        "NULL", "0", "-1", "9223372036854775807", "-9223372036854775808", "1e308", "-1e308",
        "9e999",
        "-9e999", "'text'", "'../../../etc/passwd'", "x''", "x'00'", "x'FFFFFFFFFFFFFFFFFF'",
        "zeroblob(100000)", "''", "0.5",
    ]
    private static let columns = [
        "digest", "facts", "expires", "last_access", "hits", "cost", "file", "primary_row", "body",
    ]

    /// Stores entries of every kind, one for each of the values.
    private static func fill(_ bench: CacheBench) async {
        await withTaskGroup(of: Void.self) { group in
            for number in values.indices {
                group.addTask {
                    await bench.store("/\(number)", body: body(number), policy: policy)
                }
            }
        }
        await bench.cache.close()
    }

    private static func body(_ number: Int) -> ResponseBody {
        .bytes([UInt8](repeating: UInt8(number), count: number == 5 ? 100_000 : 40))
    }

    /// Does with a cache all that reads its rows.
    private static func readAll(_ bench: CacheBench) async {
        let cache = bench.another()
        for number in values.indices {
            let key = bench.key("/\(number)", policy)
            let found = await cache.lookup(key, policy: policy, for: .cached("/\(number)"))
            if let response = found.response {
                #expect(response.body == body(number))
                _ = response.source.cacheHit?.age
            }
            _ = await cache.disk.variants(of: key)
        }
        for entry in await cache.entries() { _ = entry.age(at: bench.clock.now) }
        _ = await cache.statistics()
        _ = await cache.forecast(for: .cached("/1"), policy: policy)
        _ = await cache.removeExpired()
        _ = await cache.store(.fromServer("/new"), key: bench.key("/new", policy), policy: policy)
        await cache.close()
    }

    private static func change(_ bench: CacheBench, _ statements: [String]) async throws {
        let queue = try DatabaseQueue(path: "\(bench.folder.path)/responses.sqlite")
        try await queue.write { db in
            for statement in statements { try db.execute(sql: statement) }
        }
        try queue.close()
    }

    @Test("no value in any column traps or is served as something else", arguments: Self.columns)
    func strangeValues(column: String) async throws {
        let bench = try CacheBench()
        await Self.fill(bench)
        let rows = Self.values.indices.map { bench.key("/\($0)", Self.policy).row }
        // A column that may not be NULL keeps what it has.
        try await Self.change(
            bench,
            zip(Self.values, rows).map { value, row in
                "UPDATE OR IGNORE entry SET \(column) = \(value) WHERE id = \(row)"
            }
        )
        await Self.readAll(bench)
    }

    @Test("totals that cannot be are counted anew")
    func totals() async throws {
        let bench = try CacheBench()
        for value in ["-1", "9223372036854775807", "1e308", "'text'", "x'00'"] {
            await Self.fill(bench)
            let change = "UPDATE total SET size = \(value), count = \(value), cleaned = \(value)"
            try await Self.change(bench, [change])
            await Self.readAll(bench)
        }
        try await Self.change(bench, ["DELETE FROM total"])
        await bench.store("/0", policy: Self.policy)
        #expect(await bench.cache.statistics().diskCount == bench.cache.entries().count)
    }

    @Test("a database that has anything else in place of its tables is set aside")
    func foreignSchema() async throws {
        let changes = [
            "DROP TABLE total; CREATE VIEW total AS SELECT 0 size, 0 count, 0 cleaned",
            "CREATE TRIGGER own AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
            "CREATE TRIGGER sqliteown AFTER INSERT ON entry BEGIN DELETE FROM entry; END",
            "CREATE TABLE sqlitex (a)", "ALTER TABLE entry ADD COLUMN more",
            "DROP INDEX entry_by_file",
        ]
        for change in changes {
            let bench = try CacheBench()
            await Self.fill(bench)
            try await Self.change(bench, [change])
            await Self.readAll(bench)
            guard case .setAside = bench.notices.all.first else {
                Issue.record("\(change): \(bench.notices.all)")
                continue
            }
        }
    }

    @Test("bytes of the file that are others never trap, and no other body is served")
    func file() async throws {
        var random = SeededNumbers(state: 14)
        let bench = try CacheBench()
        await Self.fill(bench)
        let path = "\(bench.folder.path)/responses.sqlite"
        let original = [UInt8](try Data(contentsOf: URL(filePath: path)))
        for _ in 0..<20 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...20, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
                    in: 0...255,
                    using: &random
                )
            }
            for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
            try Data(bytes).write(to: URL(filePath: path))
            await Self.readAll(bench)
            _ = try? await bench.another().verify()
        }
    }

    @Test("records with bytes that are others, and the right checksum, never trap")
    func records() throws {
        var random = SeededNumbers(state: 15)
        for record in try Self.entries() {
            for _ in 0..<4_000 {
                var bytes = record
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    Self.mutate(&bytes, &random)
                }
                var sealed = RecordWriter()
                sealed.add(fixed: Checksum.of(bytes))
                var known = KnownHead()
                (sealed.bytes + bytes).withUnsafeBytes { bytes in
                    guard let (facts, head) = EntryRecord.read(bytes) else { return }
                    let record = ResponseRecord(head, body: [], known: &known)
                    Self.use(facts, record)
                }
            }
        }
    }

    /// Entries of a policy of its own and of HTTP's, as facts without their checksums.
    private static func entries() throws -> [[UInt8]] {
        let now = Date(timeIntervalSinceReferenceDate: 800_000_000)
        let life = EntryLifetime(stored: now, lifetime: 60, expires: now + 60)
        let fields = HTTPFields(pairs: [("X-Own", "1"), ("Accept", "a")])
        return [
            StoredHead.Content.whole(length: 5), .part(ContentRange(bytes: 3..<9, total: 10)), nil,
        ].map { content in
            let key = CacheKey(digest: "a-1", recipe: "recipe")
            let http = content.map { content in
                HTTPEntry(
                    primary: key.name,
                    account: "somebody",
                    selecting: SelectingFields(fields.map(\.name), of: fields),
                    content: content,
                    requestTime: now,
                    responseTime: now,
                    isInvalidated: false
                )
            }
            let entry = StoredResponse(.fromServer(), key: key, life: life, http: http)
            let record = ResponseRecord(entry.storableResponse).encoded
            let facts = EntryRecord(entry, SealedParts(), bodyChecksum: 7).encoded(before: record)
            return Array(facts.dropFirst(8))
        }
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededNumbers) {
        guard !bytes.isEmpty else { return bytes.append(0) }
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[index] = .random(in: 0...255, using: &random)
        case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: bytes.removeSubrange(index..<min(bytes.count, index + 3))
        case 3: bytes.insert(0xFF, at: index)
        default:
            // A number as large as they come.
            bytes.replaceSubrange(
                index...index,
                with: [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]
            )
        }
    }

    /// What is done with an entry that was read.
    private static func use(_ facts: EntryRecord, _ record: ResponseRecord?) {
        let now = Date(timeIntervalSinceReferenceDate: 800_000_000)
        _ = facts.reference
        _ = facts.key.digest
        let life = EntryLifetime(
            stored: facts.stored,
            lifetime: facts.lifetime,
            expires: facts.stored
        )
        let policy = CachePolicy.keep(extending: .cacheTime, maximumLifetime: .seconds(60))
        _ = life.end(afterUseAt: now, policy)
        guard let record else { return }
        if let metrics = record.metrics {
            _ = metrics.phases.total + metrics.phases.redirects
            _ = metrics.hashValue
        }
        guard let http = facts.origin.value.http else { return }
        let head = http.storedHead(facts.key, record.head)
        _ = head.freshUntil(HTTPCacheRules())
        let plan = HTTPCacheRules().reuse(of: [head], for: .make(), at: now)
        _ = plan.decision.description
    }
}
