import FoundationEssentials
import Glibc
import SQLite
import TestSupport
import Testing

@testable import Apus

struct ValueStoreTests {
    private struct User: Codable, Equatable {
        var name: String
        var tags: [String] = []
        var best: [String: Double] = [:]
    }

    private let folder: CacheFolder
    private let clock = SetClock()

    init() throws { folder = try CacheFolder() }

    private func make(name: String = "") -> ValueStore {
        ValueStore(name: name, directory: folder.path, clock: { [clock] in clock.now })
    }

    private func expectBack<T: Codable & Equatable & Sendable>(
        _ value: T,
        _ container: ValueStore.Container
    ) async throws {
        let store = make()
        try await store.set(value, for: "key", in: container)
        #expect(try await store.value(T.self, for: "key", in: container) == value)
    }

    @Test("values of every kind come back equal", arguments: ValueStore.Container.allCases)
    func kinds(container: ValueStore.Container) async throws {
        try await expectBack(true, container)
        try await expectBack(Int8.min, container)
        try await expectBack(Int.min, container)
        try await expectBack(UInt64.max, container)
        try await expectBack(Float.pi, container)
        try await expectBack(0.1, container)
        try await expectBack("ä\n\"", container)
        try await expectBack([1, 2], container)
        try await expectBack(User(name: "ada", tags: ["x"], best: ["a": 1.5]), container)
        try await expectBack([User(name: "a"), User(name: "b")], container)
        try await expectBack(Optional<Int>.none, container)
    }

    @Test("the containers do not see each other's values, nor lose them with each other")
    func separate() async throws {
        let store = make()
        try await store.set(1, for: "key", in: .memory)
        #expect(try await store.value(Int.self, for: "key", in: .persistent) == nil)
        try await store.set(2, for: "key", in: .persistent)
        #expect(try await store.removeAll(in: .memory) == 1)
        #expect(try await store.value(for: "key", in: .persistent) == 2)
        #expect(try await store.keys(in: .memory).isEmpty)
    }

    @Test("a file with other values in it is a fault, never a trap")
    func damage() async throws {
        let store = make()
        try await store.set(1, for: "key", in: .persistent)
        let files = Folders.names(in: folder.path).filter { $0.hasSuffix(".sqlite") }
        let queue = try DatabaseQueue(path: "\(folder.path)/\(try #require(files.first))")
        try await queue.write { try $0.execute(sql: "UPDATE value SET expires = 'never'") }
        try queue.close()
        await #expect(throws: ValueStoreError.self) {
            try await make().value(Int.self, for: "key", in: .persistent)
        }
    }

    @Test("a file that somebody else made deletes no file, and no trigger of it runs")
    func foreign() async throws {
        let (database, victim) = ("\(folder.path)/values.sqlite", "\(folder.path)/diary")
        try await make().set(1, for: "key", in: .persistent)
        try Temporary.write("precious", to: victim)
        try HotJournal.write(beside: database, naming: victim)
        #expect(try await make().value(Int.self, for: "key", in: .persistent) == 1)
        #expect(Temporary.text(victim) == "precious")
        let queue = try DatabaseQueue(path: database)
        try await queue.write { db in
            try db.execute(
                sql: "CREATE TRIGGER own AFTER INSERT ON value BEGIN DELETE FROM value; END"
            )
        }
        try queue.close()
        await #expect(throws: ValueStoreError.self) {
            try await make().set(2, for: "key", in: .persistent)
        }
    }

    @Test("what is persistent is there for another store of its name, and for no other")
    func persistence() async throws {
        try await make().set("kept", for: "key", in: .persistent)
        #expect(try await make().value(String.self, for: "key", in: .persistent) == "kept")
        #expect(
            try await make(name: "other").value(String.self, for: "key", in: .persistent) == nil
        )
        #expect(try await make().value(String.self, for: "key", in: .memory) == nil)
    }

    @Test("a value goes by name, all go at once, and the count is told")
    func removal() async throws {
        for container in ValueStore.Container.allCases {
            let store = make()
            for key in ["b", "a"] { try await store.set(1, for: key, in: container) }
            #expect(try await store.keys(in: container) == ["a", "b"])
            #expect(try await store.remove("a", in: container))
            #expect(try await !store.remove("a", in: container))
            #expect(try await store.removeAll(in: container) == 1)
        }
    }

    @Test("a value's time ends", arguments: ValueStore.Container.allCases)
    func expiry(container: ValueStore.Container) async throws {
        let store = make()
        try await store.set(1, for: "key", in: container, expiry: .seconds(10))
        clock.advance(by: 9)
        #expect(try await store.value(Int.self, for: "key", in: container) == 1)
        clock.advance(by: 1)
        #expect(try await store.value(Int.self, for: "key", in: container) == nil)
        #expect(try await store.keys(in: container).isEmpty)
        try await store.set(2, for: "key", in: container, expiry: .expired)
        #expect(try await store.value(Int.self, for: "key", in: container) == nil)
    }

    @Test("what has ended leaves memory when it is asked for, or as others come")
    func leaving() async throws {
        let store = make()
        try await store.set(0, for: "key", expiry: .seconds(10))
        clock.advance(by: 10)
        #expect(try await store.value(Int.self, for: "key") == nil)
        #expect(store.memory.count == 0)
        for number in 1...1000 {
            try await store.set(number, for: "\(number)", expiry: .seconds(10))
            clock.advance(by: 1)
        }
        #expect(store.memory.count <= 64)
        #expect(try await store.value(Int.self, for: "1000") == 1000)
    }

    @Test("what cannot be written or read as asked is told, and the last value stands")
    func faults() async throws {
        let store = make()
        try await store.set("text", for: "key")
        await #expect(throws: ValueStoreError.self) { try await store.set(Double.nan, for: "key") }
        #expect(try await store.value(String.self, for: "key") == "text")
        await #expect(throws: ValueStoreError.self) { try await store.value(Int.self, for: "key") }
    }

    @Test("a folder that cannot be made is an error and not a value that was kept")
    func unusableFolder() async throws {
        try PrivateFiles.touchFile("\(folder.path)/file")
        let store = ValueStore(directory: "\(folder.path)/file/values")
        await #expect(throws: ValueStoreError.self) {
            try await store.set(1, for: "key", in: .persistent)
        }
        try await store.set(1, for: "key", in: .memory)
    }

    @Test("a file that is no database is an error")
    func corrupt() async throws {
        try Data([UInt8](repeating: 7, count: 8192))
            .write(to: URL(filePath: "\(folder.path)/values.sqlite"))
        await #expect(throws: ValueStoreError.self) {
            try await make().value(Int.self, for: "key", in: .persistent)
        }
    }

    @Test("a value keeps itself, and its type finds it")
    func sugar() async throws {
        let store = make()
        try await User(name: "ada").cached(as: "user", in: .persistent, of: store)
        #expect(
            try await User.cached(as: "user", in: .persistent, of: store) == User(name: "ada")
        )
        try await [1, 2].cached(as: "list", of: store)
        #expect(try await [Int].cached(as: "list", of: store) == [1, 2])
    }

    @Test("only their owner may read the values")
    func modes() async throws {
        try await make().set(1, for: "key", in: .persistent)
        for file in folder.files {
            var status = stat()
            #expect(stat("\(folder.path)/\(file)", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(file)")
        }
    }

    @Test("another store in the same process leaves the locks that the first has on the file")
    func locks() async throws {
        let stores = [make(), make()]
        for store in stores { try await store.set(1, for: "key", in: .persistent) }
        let names = folder.files.filter { $0.hasSuffix(".sqlite") }
        #expect(names.count == 1)
        for name in names { #expect(DatabaseLocks.areHeld(on: "\(folder.path)/\(name)")) }
        withExtendedLifetime(stores) {}
    }
}
