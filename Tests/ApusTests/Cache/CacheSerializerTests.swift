import FoundationEssentials
import Glibc
import HTTPTypes
import SQLite
import Synchronization
import Testing

@testable import Apus

struct CacheSerializerTests {
    /// Turns every byte by a number, behind a label that says which part it is.
    private struct Turning: CacheSerializer {
        struct Refusal: Error {}

        var turn: UInt8 = 7
        var isBroken = false
        var name: String { "turn-\(turn)" }

        func encode(_ bytes: [UInt8], _ part: CachePart) throws -> [UInt8] {
            if isBroken { throw Refusal() }
            return part.label + bytes.map { $0 &+ turn }
        }

        func decode(_ bytes: [UInt8], _ part: CachePart) throws -> [UInt8] {
            guard !isBroken, bytes.starts(with: part.label) else { throw Refusal() }
            return bytes.dropFirst(part.label.count).map { $0 &- turn }
        }
    }

    /// As `Turning`, by its name; what it gives back is cut.
    private struct Cutting: CacheSerializer {
        let name = "turn-7"

        func encode(_ bytes: [UInt8], _ part: CachePart) -> [UInt8] { bytes }

        func decode(_ bytes: [UInt8], _ part: CachePart) throws -> [UInt8] {
            let whole = try Turning().decode(bytes, part)
            return part.kind == .body ? Array(whole.dropLast()) : whole
        }
    }

    private static let text = "a sentence that nobody else may read "
    private static let policy = CachePolicy.keep(in: .disk)

    private let folder: CacheFolder
    private let notices = Notices()

    init() throws { folder = try CacheFolder() }

    private func cache(_ serializer: (any CacheSerializer)?) -> ResponseCache {
        ResponseCache(
            configuration: .init(directory: folder.path),
            serializer: serializer,
            notice: { [notices] in notices.add($0) }
        )
    }

    private static func body(_ count: Int) -> ResponseBody {
        .bytes(Array(String(repeating: text, count: count).utf8))
    }

    private func store(_ response: Response, in cache: ResponseCache) async -> CacheStoreOutcome {
        let key = cache.key(for: response.request, policy: Self.policy)
        return await cache.store(response, key: key, policy: Self.policy)
    }

    private func lookup(
        _ path: String,
        in cache: ResponseCache,
        memoryLimit: Int = 8 << 20
    ) async -> CacheLookup {
        let request = PreparedRequest.cached(path, memoryLimit: memoryLimit)
        let key = cache.key(for: request, policy: Self.policy)
        return await cache.lookup(key, policy: Self.policy, for: request)
    }

    /// Whether the text stands anywhere in the cache's files.
    private func isOnDisk(_ text: String) throws -> Bool {
        try folder.files.contains { file in
            let path = "\(folder.path)/\(file)"
            // What SQLite has locked is read past it: these are bytes of files.
            let bytes = try FileBytes.read(path)
            return bytes.firstRange(of: text.utf8) != nil
        }
    }

    @Test(
        "a response comes back as it was, and disk has neither body nor fields",
        arguments: [1, 5000]
    )
    func roundTrip(count: Int) async throws {
        let cache = cache(Turning())
        let response = Response.fromServer(body: Self.body(count))
        guard case .stored(.disk, _) = await store(response, in: cache) else {
            Issue.record("not stored")
            return
        }
        await cache.close()
        #expect(try !isOnDisk(Self.text))
        #expect(try !isOnDisk("Fine Indeed"))
        let found = try #require(await lookup("/users", in: self.cache(Turning())).response)
        #expect(found.head == response.head)
        #expect(found.head.headerFields[values: .setCookie] == ["a=1", "b=2"])
        #expect(found.metrics?.phases == response.metrics?.phases)
        #expect(try found.body.load() == response.body.load())
    }

    @Test("without a serializer what is written can be read by anybody")
    func plain() async throws {
        let cache = cache(nil)
        _ = await store(.fromServer(body: Self.body(1)), in: cache)
        await cache.close()
        #expect(try isOnDisk(Self.text))
    }

    @Test("a large response comes as a file where memory may not have it")
    func largeResponse() async throws {
        let cache = cache(Turning())
        let body = Self.body(5000)
        _ = await store(.fromServer(body: body), in: cache)
        let found = try #require(await lookup("/users", in: cache, memoryLimit: 1000).response)
        guard case .file = found.body else {
            Issue.record("in memory")
            return
        }
        #expect(try found.body.load() == body.load())
    }

    @Test(
        "an entry of another serializer is a miss that names it, until it is fetched anew",
        arguments: [(7, nil), (nil, 7), (7, 8)] as [(UInt8?, UInt8?)]
    )
    func otherSerializer(written: UInt8?, read: UInt8?) async throws {
        func serializer(_ turn: UInt8?) -> Turning? { turn.map { Turning(turn: $0) } }
        let first = cache(serializer(written))
        _ = await store(.fromServer(body: Self.body(1)), in: first)
        await first.close()
        let second = cache(serializer(read))
        let miss = await lookup("/users", in: second).missReason
        #expect(miss == .otherForm(serializer(written)?.name))
        _ = await store(.fromServer(body: Self.body(2)), in: second)
        #expect(try await lookup("/users", in: second).response?.body.load() == Self.body(2).load())
        #expect(notices.all.isEmpty)
    }

    @Test(
        "what a serializer cannot read, or reads as something else, is damaged and goes",
        arguments: [1, 5000],
        [true, false]
    )
    func damage(count: Int, isRefused: Bool) async throws {
        let first = cache(Turning())
        _ = await store(.fromServer(body: Self.body(count)), in: first)
        await first.close()
        let second = cache(isRefused ? Turning(isBroken: true) : Cutting())
        guard case .corrupt = await lookup("/users", in: second).missReason else {
            Issue.record("not corrupt")
            return
        }
        #expect(await lookup("/users", in: second).missReason == .notFound)
    }

    @Test("the bytes of one entry do not pass for another's")
    func exchanged() async throws {
        let cache = cache(Turning())
        for path in ["/a", "/b"] {
            _ = await store(.fromServer(path, body: Self.body(1)), in: cache)
        }
        await cache.close()
        try exchangeBodies()
        guard case .corrupt = await lookup("/a", in: self.cache(Turning())).missReason else {
            Issue.record("not corrupt")
            return
        }
    }

    private func exchangeBodies() throws {
        let queue = try DatabaseQueue(path: "\(folder.path)/responses.sqlite")
        try queue.write { db in
            let rows = try Row.fetchAll(db, sql: "SELECT id, body FROM entry")
            for (row, other) in zip(rows, rows.reversed()) {
                try db.execute(
                    sql: "UPDATE entry SET body = ? WHERE id = ?",
                    arguments: [
                        other.decode(Data.self, forColumn: "body"),
                        row.decode(Int64.self, forColumn: "id"),
                    ]
                )
            }
        }
        try queue.close()
    }

    @Test("what cannot be written in the form is not stored, and says why")
    func unwritable() async {
        let outcome = await store(
            .fromServer(body: Self.body(1)),
            in: cache(Turning(isBroken: true))
        )
        guard case .notStored(.failed(let detail)) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(detail.contains("Refusal"))
        #expect(notices.all == [.writeFailed(detail: detail)])
    }

    @Test("an HTTP cache reads, validates and replaces its responses through it")
    func http() async throws {
        let served = Mutex(0)
        let origin = ScriptedTransport { request throws(ApusError) in
            let number = served.withLock { served in
                defer { served += 1 }
                return served
            }
            var response = Response.make(request, "response \(number)")
            if request.head.headerFields[.ifNoneMatch] != nil {
                response.head.status = 304
                response.body = .bytes([])
            }
            response.head.headerFields[.eTag] = "\"1\""
            response.head.headerFields[.cacheControl] = "max-age=0"
            return response
        }
        let target = TestTarget(path: "/http", cachePolicy: .http(in: .disk))
        for round in 0..<3 {
            let cache = cache(Turning())
            let provider = Provider<TestTarget>(transport: origin, cache: cache)
            let response = try await provider.response(for: target, from: .cacheIfPossible)
            #expect(response.text == "response 0", "round \(round)")
            #expect(response.status == 200)
            await cache.close()
        }
        #expect(served.withLock { $0 } == 3)
        #expect(notices.all.isEmpty)
    }
}
