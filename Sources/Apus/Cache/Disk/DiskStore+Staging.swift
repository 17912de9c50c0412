import Dispatch

extension DiskStore {
    func staged(_ entry: StoredResponse) async -> Result<EntryParts, Fault> {
        guard isStagingNeeded(entry) else { return .success(EntryParts()) }
        return await withCheckedContinuation { continuation in
            stage(entry) { continuation.resume(returning: $0) }
        }
    }

    /// Writes a large body to its file; all on one thread, in the order of the calls.
    func stage(
        _ entry: StoredResponse,
        _ then: @escaping @Sendable (Result<EntryParts, Fault>) -> Void
    ) {
        stager.async { [self] in
            do {
                then(.success(try parts(of: entry)))
            } catch {
                let detail = Self.detail(error)
                notice(.writeFailed(detail: detail))
                then(.failure(Fault(detail: detail)))
            }
        }
    }

    /// Whether there is something to do for an entry before its transaction.
    func isStagingNeeded(_ entry: StoredResponse) -> Bool {
        serializer != nil || entry.body.count > Self.largestRowBody
    }

    private func parts(of entry: StoredResponse) throws -> EntryParts {
        var parts = EntryParts()
        var body = entry.body
        if let serializer {
            let digest = entry.key.digest
            parts.form = serializer.name
            parts.head = try serializer.encode(
                ResponseRecord(entry.storableAnswer).encoded,
                CachePart(.head, digest: digest)
            )
            let bytes = try serializer.encode(
                try entry.body.load(),
                CachePart(.body, digest: digest)
            )
            parts.body = bytes
            body = .bytes(bytes)
        }
        guard body.count > Self.largestRowBody else { return parts }
        parts.staged = try bodies.stage(body, as: try lending.nextName())
        parts.body = nil
        return parts
    }

    /// A body that is larger is not written with a serializer, which needs all of it in memory.
    static let largestSealedBody = 64 << 20

    /// A body of more bytes gets a file of its own.
    static let largestRowBody = 64 << 10
}
