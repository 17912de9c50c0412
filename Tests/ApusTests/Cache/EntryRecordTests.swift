import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

@Suite("what the row of an entry has beside its body")
struct EntryFactsTests {
    private static let key = CacheKey(
        KeyName(digestOf: Array("GET /users".utf8)),
        recipe: "GET /users"
    )

    private func entry(_ key: CacheKey = key, lifetime: Double? = 60) -> StoredResponse {
        let stored = Date(timeIntervalSinceReferenceDate: 799_999_999.1234567)
        return StoredResponse(
            .fromServer("/users", body: .bytes([1, 2, 3])),
            key: key,
            life: EntryLifetime(stored: stored, lifetime: lifetime, expires: nil)
        )
    }

    @Test("facts come back equal, and the head behind them")
    func roundTrip() throws {
        let text = CacheKey(digest: "a name of one's own", recipe: "")
        for (key, lifetime) in [(Self.key, 60), (text, nil)] as [(CacheKey, Double?)] {
            let entry = entry(key, lifetime: lifetime)
            var parts = SealedParts()
            parts.form = key == text ? "sealed" : nil
            let bytes = EntryRecord(entry, parts, bodyChecksum: 7).encoded(before: [7, 8])
            try bytes.withUnsafeBytes { bytes in
                let (facts, head) = try #require(EntryRecord.read(bytes))
                #expect(facts.key == key)
                #expect(facts.key.recipe == key.recipe)
                #expect(facts.origin.value.request == entry.request)
                #expect(facts.status == 200)
                #expect(facts.stored == entry.life.stored)
                #expect(facts.lifetime == lifetime)
                #expect(facts.size == 3)
                #expect(facts.form == parts.form)
                #expect(facts.file == nil)
                #expect(facts.bodyChecksum == 7)
                #expect(Array(head) == [7, 8])
            }
        }
    }

    @Test("the key that was asked for brings its recipe, and no other key's")
    func knownKey() {
        let bytes = EntryRecord(entry(), SealedParts(), bodyChecksum: 7).encoded(before: [])
        let sameWithRecipe = CacheKey(Self.key.name, recipe: "as it was asked")
        let sameWithout = CacheKey(Self.key.name, recipe: "")
        let other = CacheKey(digest: "other", recipe: "other")
        func read(_ known: CacheKey) -> CacheKey? {
            bytes.withUnsafeBytes { EntryRecord.read($0, known: known)?.facts.key }
        }
        #expect(read(sameWithRecipe)?.recipe == "as it was asked")
        #expect(read(sameWithout)?.recipe == "GET /users")
        #expect(read(other) == Self.key)
    }

    @Test("facts that are cut anywhere are none, and damaged ones never trap")
    func damage() {
        let bytes = EntryRecord(entry(), SealedParts(), bodyChecksum: 7).encoded(before: [1, 2, 3])
        for count in 0..<bytes.count {
            #expect(bytes[..<count].withUnsafeBytes { EntryRecord.read($0) } == nil)
        }
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << UInt8(bit)
                #expect(damaged.withUnsafeBytes { EntryRecord.read($0) } == nil)
            }
        }
        // Who tampers gives it its checksum.
        var random = SeededNumbers(state: 5)
        for _ in 0..<5_000 {
            var damaged = Array(bytes.dropFirst(8))
            damaged[Int.random(in: 0..<damaged.count, using: &random)] = .random(
                in: 0...255,
                using: &random
            )
            var sealed = RecordWriter()
            sealed.add(fixed: Checksum.of(damaged))
            let all = sealed.bytes + damaged
            let facts = all.withUnsafeBytes { EntryRecord.read($0)?.facts }
            #expect(facts.map { $0.size >= 0 && $0.stored >= .distantPast } != false)
        }
    }
}
