public import HTTPTypes

/// Sets a header field of every request, in place of what the target gave.
public struct HeaderPlugin: Plugin {
    /// The field's value for a target; nil removes the field.
    public typealias Value = @Sendable (any TargetType) async throws -> String?

    private let field: HTTPField.Name
    private let value: Value

    /// Sets a field to a value; nil removes it.
    public init(_ field: HTTPField.Name, _ value: String?) {
        self.init(field) { _ in value }
    }

    /// Sets a field to what a closure says for each target; nil removes it.
    public init(_ field: HTTPField.Name, value: @escaping Value) {
        self.field = field
        self.value = value
    }

    /// Sets the field.
    public func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest {
        var request = request
        request.head.headerFields[field] = try await value(context.target)
        return request
    }
}
