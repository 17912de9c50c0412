/// An entry whose head and body are in the form of a serializer, as they were read.
struct SealedEntry: Sendable {
    let facts: EntryFacts
    let head: [UInt8]
    /// Empty if it is in the file.
    let body: [UInt8]
    let life: EntryLife
    let use: EntryUse

    /// The entry as it was stored.
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
            return .corrupt(detail: "its form \(serializer.name) cannot be read: \(error)")
        }
        guard let head, facts.file != nil || body.count == facts.size else {
            return .corrupt(detail: "it is not what the form \(serializer.name) was given")
        }
        let entry = StoredResponse(
            origin: facts.origin,
            answer: Box(head.answer),
            life: life,
            lastAccess: use.lastAccess,
            hits: use.hits
        )
        return .entry(entry, file: facts.reference)
    }
}
