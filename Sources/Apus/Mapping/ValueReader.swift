import Synchronization

/// Reads the values of the answers of one exchange, for the exchange and for its caller.
///
/// The exchange asks before it delivers or stores an answer: a cached one that cannot be read is a
/// miss, and a fresh one is not stored. The caller then gets what was read, so that nothing is read
/// twice.
protocol AnswerReader: Sendable {
    /// Why an answer cannot be read; nil if it can, and is the caller's then.
    func fault(in response: Response) async -> ApusError?
    /// Whether an answer can be read, of which the caller does not hear.
    func canRead(_ response: Response) -> Bool
}

/// Reads with a serializer.
final class ValueReader<Serializer: ResponseSerializer>: AnswerReader
where Serializer.Value: Sendable {
    private let serializer: Serializer
    /// What the exchange has read and the caller has not got yet.
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

    /// An answer that was delivered, with its value.
    func mapped(_ response: Response) async -> MappedResponse<Serializer.Value> {
        let known = read.withLock { read -> Result<Serializer.Value, ApusError>? in
            guard let index = read.firstIndex(where: { $0.response?.answer === response.answer })
            else { return nil }
            defer { read.removeFirst(index + 1) }
            return read[index].result
        }
        guard let known else { return await serializer.mappedConcurrently(response) }
        return MappedResponse(response: response, result: known)
    }
}
