// A row has one column for all its facts: twelve more took SQLite 2.5 of 6.5 µs. Metrics are decoded on
// demand.

import FoundationEssentials
import HTTPTypes

/// The facts of an entry: all of its row except the body, the uses and the columns for searching.
///
/// All facts share a column, because reading a column from SQLite takes as long as decoding several values.
struct EntryRecord: Sendable {
    /// The entry's key and request, and the data of HTTP caching.
    var origin: CopyOnWriteBox<StoredResponse.Origin>
    let status: Int
    let stored: Date
    /// The initial lifetime in seconds; nil for no limit.
    let lifetime: Double?
    /// The size of the decoded body in bytes.
    let size: Int
    /// The digest of the body's file; nil if the body is in the row.
    let file: String?
    /// The name of the serializer that encoded head and body; nil for none.
    let form: String?
    /// Until when the response is fresh by HTTP's rules; nil as in `CacheEntry.freshUntil`.
    var freshUntil: Date?
    /// The checksum of the body's bytes on disk.
    let bodyChecksum: UInt64

    var key: CacheKey { origin.value.key }
    /// The reference to the body's file; nil if the body is in the row.
    var reference: BodyReference? {
        file.map { file in
            BodyReference(
                digest: file,
                count: size,
                isSealed: form != nil,
                checksum: bodyChecksum
            )
        }
    }
}

extension EntryRecord {
    /// Makes the facts of an entry whose parts have been prepared for disk.
    init(_ entry: StoredResponse, _ parts: SealedParts, bodyChecksum: UInt64) {
        origin = entry.origin
        status = entry.head.status.code
        stored = entry.life.stored
        lifetime = entry.life.lifetime
        size = entry.body.count
        file = parts.staged?.digest
        form = parts.form
        freshUntil = entry.freshUntil
        self.bodyChecksum = bodyChecksum
    }

    /// The version of the encoding; no other is read, because the schema's version changes with it.
    private static let version = 2

    /// The facts as bytes, preceded by their checksum and followed by `head`.
    ///
    /// The head is the entry's `ResponseRecord`, or that encoded by a serializer.
    func encoded(before head: [UInt8]) -> [UInt8] {
        var writer = RecordWriter()
        writer.add(Self.version)
        writer.add(origin.value)
        writer.add(status)
        writer.add(stored.timeIntervalSinceReferenceDate)
        writer.add(lifetime)
        writer.add(size)
        writer.add(file)
        writer.add(form)
        writer.add(freshUntil?.timeIntervalSinceReferenceDate)
        writer.add(fixed: bodyChecksum)
        head.withUnsafeBufferPointer { writer.add($0) }
        return writer.sealed
    }

    /// Decodes what `encoded(before:)` made, and returns the head's bytes too; nil for anything else.
    ///
    /// If the key equals `known`, that is reused, unless only the stored one has a recipe.
    static func read(
        _ bytes: UnsafeRawBufferPointer,
        known: CacheKey? = nil
    ) -> (facts: EntryRecord, head: UnsafeRawBufferPointer)? {
        guard var reader = RecordReader(sealed: bytes) else { return nil }
        do throws(RecordReader.Damage) {
            let facts = try EntryRecord(&reader, known)
            let head = try reader.raw()
            return reader.isAtEnd ? (facts, head) : nil
        } catch {
            return nil
        }
    }

    private init(_ reader: inout RecordReader, _ known: CacheKey?) throws(RecordReader.Damage) {
        guard try reader.number() == Self.version else { throw RecordReader.Damage() }
        origin = CopyOnWriteBox(try reader.origin(known))
        status = try reader.number()
        stored = try reader.fixedDate()
        lifetime = try reader.optionalDouble()
        size = try reader.number()
        file = try reader.optionalText()
        form = try reader.optionalText()
        freshUntil = try reader.number() == 0 ? nil : try reader.fixedDate()
        bodyChecksum = try reader.fixed()
        // The file name becomes part of a path.
        guard size >= 0, (100...999).contains(status), lifetime?.isFinite ?? true,
            file.map(DigestFolder.isDigest) ?? true
        else { throw RecordReader.Damage() }
    }
}

extension RecordWriter {
    fileprivate mutating func add(_ origin: StoredResponse.Origin) {
        add(origin.key.name)
        add(origin.key.recipe)
        add(origin.request.method)
        add(origin.request.url)
        add(origin.http == nil ? 0 : 1)
        origin.http?.encoded.withUnsafeBufferPointer { add($0) }
    }
}

extension RecordReader {
    fileprivate mutating func origin(
        _ known: CacheKey?
    ) throws(Damage) -> StoredResponse.Origin {
        let key = try key(known)
        let line = ApusError.RequestLine(method: try text(), maskedURL: try text())
        guard try number() == 1 else { return StoredResponse.Origin(key: key, request: line) }
        guard let http = HTTPEntry(try raw()) else { throw Damage() }
        return StoredResponse.Origin(key: key, request: line, http: http)
    }

    private mutating func key(_ known: CacheKey?) throws(Damage) -> CacheKey {
        let name = try name()
        let recipe = try raw()
        if let known, known.name == name, !known.recipe.isEmpty || recipe.isEmpty { return known }
        return CacheKey(name, recipe: String(decoding: recipe, as: UTF8.self))
    }
}

extension HTTPEntry {
    var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.add(primary.text)
        writer.add(account)
        selecting.add(to: &writer)
        writer.add(requestTime)
        writer.add(responseTime)
        writer.add(isInvalidated ? 1 : 0)
        switch content {
        case .whole(let length):
            writer.add(0)
            writer.add(length ?? -1)
        case .part(let range):
            writer.add(1)
            writer.add(range.bytes.lowerBound)
            writer.add(range.bytes.upperBound)
            writer.add(range.total ?? -1)
        }
        return writer.bytes
    }

    /// Decodes what `encoded` made; nil for anything else.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = RecordReader(bytes)
        do throws(RecordReader.Damage) {
            try self.init(&reader)
        } catch {
            return nil
        }
    }

    private init(_ reader: inout RecordReader) throws(RecordReader.Damage) {
        let primary = KeyName(try reader.text())
        let account = try reader.text()
        let selecting = try SelectingFields(&reader)
        let requestTime = try reader.date()
        let responseTime = try reader.date()
        let isInvalidated = try reader.number() == 1
        let content = try Self.content(&reader)
        guard reader.isAtEnd else { throw RecordReader.Damage() }
        self.init(
            primary: primary,
            account: account,
            selecting: selecting,
            content: content,
            requestTime: requestTime,
            responseTime: responseTime,
            isInvalidated: isInvalidated
        )
    }

    private static func content(
        _ reader: inout RecordReader
    ) throws(RecordReader.Damage) -> StoredHead.Content {
        if try reader.number() == 0 {
            let length = try reader.number()
            return .whole(length: length < 0 ? nil : length)
        }
        let start = try reader.number()
        let end = try reader.number()
        let total = try reader.number()
        guard 0 <= start, start < end else { throw RecordReader.Damage() }
        return .part(ContentRange(bytes: start..<end, total: total < 0 ? nil : total))
    }
}

extension SelectingFields {
    fileprivate func add(to writer: inout RecordWriter) {
        key.withUnsafeBufferPointer { writer.add($0) }
        writer.add(members.count)
        for member in members {
            writer.add(member.name)
            writer.add(member.value)
        }
    }

    fileprivate init(_ reader: inout RecordReader) throws(RecordReader.Damage) {
        let key = [UInt8](try reader.raw())
        var members: [Member] = []
        for _ in 0..<(try reader.count()) {
            members.append(Member(name: try reader.text(), value: try reader.text()))
        }
        self.init(key: key, members: members)
    }
}
