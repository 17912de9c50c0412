public import HTTPTypes

/// Sends an API key with every request, in a header field or in the query.
///
/// It takes the place of a field or parameter of its name. In the query, its name
/// is made known as a secret: error texts, logs and cache recipes show a mask.
public struct APIKeyPlugin: Plugin {
    /// Where the key stands.
    public enum Place: Sendable, Hashable {
        /// In a header field.
        case header(HTTPField.Name)
        /// In the query, as a parameter of this name.
        case query(String)
    }

    /// The key for a target; nil for none.
    public typealias Key = @Sendable (any TargetType) async throws -> Secret?

    private let place: Place
    private let key: Key

    /// Asks a closure for each request; what it throws ends the exchange.
    public init(in place: Place, key: @escaping Key) {
        self.place = place
        self.key = key
    }

    /// Always the same key.
    public init(in place: Place, key: Secret) { self.init(in: place) { _ in key } }

    /// Sets the key.
    public func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest {
        guard let key = try await key(context.target) else { return request }
        var request = request
        switch place {
        case .header(let name):
            request.head.headerFields[name] =
                try AccessTokenScheme.custom("").fieldValue(for: key)
        case .query(let name):
            request.head.path = QueryEditing.setting(
                name,
                to: key.value,
                in: request.head.path ?? "/"
            )
            request.options.secretParameters.insert(name)
        }
        return request
    }
}
