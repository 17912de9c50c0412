import FoundationEssentials

/// An entry as bytes for a shared store: when it expires, its facts and head, and its body.
///
/// They are those of the disk's rows, so that a response is the same wherever it comes from. Measurements are
/// left out, because they are about another machine's connection.
enum SharedRecord {
    private static let version = 1

    /// The bytes of an entry, encoded by the cache's serializer if there is one.
    ///
    /// - Throws: the serializer's error, or that of a body in a file that cannot be read.
    static func encoded(
        _ entry: StoredResponse,
        by serializer: (any CacheSerializer)?
    ) throws -> [UInt8] {
        let response = ResponseParts(
            head: entry.head,
            body: .bytes([]),
            received: entry.received,
            metrics: nil
        )
        var parts = SealedParts()
        var head = ResponseRecord(response).encoded
        var body = try entry.body.load()
        if let serializer {
            let digest = entry.key.digest
            parts.form = serializer.name
            head = try serializer.encode(head, CachePart(.head, digest: digest))
            body = try serializer.encode(body, CachePart(.body, digest: digest))
        }
        var writer = RecordWriter(capacity: body.count + 1024)
        writer.add(version)
        writer.add(entry.life.expires?.timeIntervalSinceReferenceDate)
        let facts = EntryRecord(entry, parts, bodyChecksum: Checksum.of(body)).encoded(before: head)
        facts.withUnsafeBufferPointer { writer.add($0) }
        body.withUnsafeBufferPointer { writer.add($0) }
        return writer.bytes
    }

    /// Decodes what `encoded(_:by:)` made; nil for anything else, and for another serializer's.
    static func entry(_ bytes: [UInt8], by serializer: (any CacheSerializer)?) -> StoredResponse? {
        bytes.withUnsafeBytes { bytes in
            var reader = RecordReader(bytes)
            // What is not a record is a miss.
            return try? entry(&reader, serializer)
        }
    }

    private static func entry(
        _ reader: inout RecordReader,
        _ serializer: (any CacheSerializer)?
    ) throws(RecordReader.Damage) -> StoredResponse? {
        guard try reader.number() == version else { return nil }
        let expires = try reader.number() == 0 ? nil : try reader.fixedDate()
        guard let (facts, head) = EntryRecord.read(try reader.raw()) else { return nil }
        let body = try reader.raw()
        guard reader.isAtEnd, facts.file == nil, facts.form == serializer?.name,
            Checksum.of(body) == facts.bodyChecksum
        else { return nil }
        let sealed = SealedEntry(
            facts: facts,
            head: [UInt8](head),
            body: [UInt8](body),
            life: EntryLifetime(stored: facts.stored, lifetime: facts.lifetime, expires: expires),
            use: PendingUses(lastAccess: facts.stored)
        )
        if let serializer {
            guard case .entry(let entry, file: nil) = sealed.opened(by: serializer) else {
                return nil
            }
            return entry
        }
        return sealed.opened()
    }
}

extension SealedEntry {
    /// The entry of parts that no serializer encoded; nil if they are damaged.
    fileprivate func opened() -> StoredResponse? {
        guard body.count == facts.size,
            let record = head.withUnsafeBytes({ ResponseRecord($0, body: body) })
        else { return nil }
        return StoredResponse(
            origin: facts.origin,
            content: CopyOnWriteBox(record.response),
            life: life,
            lastAccess: use.lastAccess,
            hits: use.hits
        )
    }
}
