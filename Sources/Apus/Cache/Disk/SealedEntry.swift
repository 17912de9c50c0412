/// An entry whose head and body are in the form of a serializer, as they were read.
struct SealedEntry: Sendable {
    /// The serializer's name.
    let form: String
    let key: CacheKey
    let request: ApusError.RequestLine
    let head: [UInt8]
    /// Empty if it is in the file.
    let body: [UInt8]
    let file: BodyReference?
    /// Bytes of the body as it was.
    let size: Int
    let life: EntryLife
    let use: EntryUse
    let http: HTTPEntry?

    /// The entry as it was stored.
    func opened(by serializer: any CacheSerializer) -> DiskRow.Found {
        let digest = key.digest
        let head: ResponseRecord?
        let body: [UInt8]
        do {
            head = try serializer.decode(self.head, CachePart(.head, digest: digest))
                .withUnsafeBytes { ResponseRecord($0) }
            body =
                file == nil
                ? try serializer.decode(self.body, CachePart(.body, digest: digest)) : []
        } catch {
            return .corrupt(detail: "its form \(form) cannot be read: \(error)")
        }
        guard let head, file != nil || body.count == size else {
            return .corrupt(detail: "it is not what the form \(form) was given")
        }
        let entry = StoredResponse(
            key: key,
            request: request,
            answer: Box(head.answer),
            body: .bytes(body),
            life: life,
            lastAccess: use.lastAccess,
            hits: use.hits,
            http: http
        )
        return .entry(entry, file: file)
    }
}
