/// An entry as read from disk, with head and body still encoded by a serializer.
struct SealedEntry: Sendable {
    let facts: EntryRecord
    let head: [UInt8]
    /// Empty if the body is in a file.
    let body: [UInt8]
    let life: EntryLifetime
    let use: PendingUses

    /// Decodes head and body with `serializer`; a fault makes the entry a miss that names its reason.
    func opened(by serializer: any CacheSerializer) -> DiskRow.Found {
        let digest = facts.key.digest
        let head: ResponseRecord?
        let body: [UInt8]
        do {
            body =
                facts.file == nil
                ? try serializer.decode(self.body, CachePart(.body, digest: digest)) : []
            head = try serializer.decode(self.head, CachePart(.head, digest: digest))
                .withUnsafeBytes { ResponseRecord($0, body: body) }
        } catch {
            return .corrupt(detail: "serializer \(serializer.name) cannot decode it: \(error)")
        }
        guard let head, facts.file != nil || body.count == facts.size else {
            return .corrupt(detail: "serializer \(serializer.name) did not return what was stored")
        }
        let entry = StoredResponse(
            origin: facts.origin,
            content: CopyOnWriteBox(head.response),
            life: life,
            lastAccess: use.lastAccess,
            hits: use.hits
        )
        return .entry(entry, file: facts.reference)
    }
}

/// The parts of an entry that are prepared before it is written to disk.
struct SealedParts: Sendable {
    /// The serializer's name; nil if there is no serializer.
    var form: String?
    /// The encoded head; nil to write the entry's own.
    var head: [UInt8]?
    /// The encoded body for the row; nil to write the entry's own, or if the body is in a file.
    var body: [UInt8]?
    /// The body's file; nil if the body goes into the row.
    var staged: BodyFolder.Staged?
}
