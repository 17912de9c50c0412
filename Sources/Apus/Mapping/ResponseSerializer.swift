/// Reads a value out of an answer.
///
/// ```swift
/// struct RowCount: ResponseSerializer {
///     func serialize(_ response: Response) throws(ApusError) -> Int {
///         try response.string().split(separator: "\n").count
///     }
/// }
/// let rows = try await provider.value(using: RowCount(), for: .export)
/// ```
///
/// It is called on no particular thread, and never blocks on anything but the body's file.
public protocol ResponseSerializer<Value>: Sendable {
    /// What is read.
    associatedtype Value

    /// The value.
    ///
    /// - Throws: `ApusError`, as a rule with the reason `.mapping` and the response attached.
    func serialize(_ response: Response) throws(ApusError) -> Value
}

extension ResponseSerializer where Value: Sendable {
    /// The same off the calling actor: reading a large body takes time.
    @concurrent package func serializeConcurrently(
        _ response: Response
    ) async throws(ApusError) -> Value {
        try serialize(response)
    }
}
