/// A serializer in a closure.
///
/// ```swift
/// let rows = CustomSerializer("rows") { response in try response.string().split(separator: "\n") }
/// ```
public struct CustomSerializer<Value>: ResponseSerializer {
    /// What it is called in errors.
    public let name: String
    private let read: @Sendable (Response) throws -> Value

    /// Makes a serializer out of a closure.
    public init(_ name: String, read: @escaping @Sendable (Response) throws -> Value) {
        self.name = name
        self.read = read
    }

    /// What the closure returns.
    ///
    /// - Throws: an `ApusError` of the closure's as it is, any other error with the reason
    ///   `.mapping`, kind `.custom`.
    public func serialize(_ response: Response) throws(ApusError) -> Value {
        do {
            return try read(response)
        } catch let error as ApusError {
            throw error
        } catch {
            throw response.failure(.init(.custom, detail: "\(name): \(error)"))
        }
    }
}
