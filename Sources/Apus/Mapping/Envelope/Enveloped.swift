/// A value out of an envelope, and what the envelope says of it.
public struct Enveloped<Value> {
    /// What the envelope says.
    public let result: EnvelopeResult
    /// The value; nil if the envelope says that the server refused.
    public let value: Value?

    /// Puts a value and its envelope together.
    public init(result: EnvelopeResult, value: Value?) {
        self.result = result
        self.value = value
    }

    /// Whether the envelope means success.
    public var isSuccess: Bool { result.isSuccess }
    /// The envelope's code as text; nil if there is none.
    public var code: String? { result.code }
    /// The envelope's message; nil if there is none.
    public var message: String? { result.message }
}

extension Enveloped: Sendable where Value: Sendable {}
extension Enveloped: Equatable where Value: Equatable {}
