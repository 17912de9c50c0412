import Synchronization

/// Reads the values of the responses of one exchange, for the exchange and for its caller.
///
/// The exchange calls it before it delivers or stores a response: a cached response that cannot be read is a
/// miss, and a fresh one is not stored. The caller then gets the value that was read, so that nothing is read
/// twice.
protocol ResponseReader: Sendable {
    /// Why a response cannot be read; nil if it can; the result is kept for the caller.
    func fault(in response: Response) async -> ApusError?
    /// Whether a response that the caller does not get can be read.
    func canRead(_ response: Response) -> Bool
}

final class ValueReader<Serializer: ResponseSerializer>: ResponseReader
where Serializer.Value: Sendable {
    private let serializer: Serializer
    /// What the exchange has read and the caller has not taken yet.
    private let read = Mutex<[MappedResponse<Serializer.Value>]>([])

    init(_ serializer: Serializer) { self.serializer = serializer }

    func fault(in response: Response) async -> ApusError? {
        let mapped = await serializer.mappedConcurrently(response)
        read.withLock { $0.append(mapped) }
        guard var error = mapped.error else { return nil }
        error.response = error.response ?? response
        return error
    }

    func canRead(_ response: Response) -> Bool {
        (try? serializer.serialize(response)) != nil
    }

    /// A delivered response with its value.
    func mapped(_ response: Response) async -> MappedResponse<Serializer.Value> {
        let known = read.withLock { read -> Result<Serializer.Value, ApusError>? in
            guard let index = read.firstIndex(where: { $0.response?.content === response.content })
            else { return nil }
            defer { read.removeFirst(index + 1) }
            return read[index].result
        }
        guard let known else { return await serializer.mappedConcurrently(response) }
        return MappedResponse(response: response, result: known)
    }
}
