public import HTTPTypes
import Secrets

/// Sends an API key, in a header field or the query, with every request to the origin (scheme, host and port)
/// of its target's base.
///
/// It replaces a field or parameter of the same name. The name of a query parameter is registered as secret,
/// so that error texts, logs and cache recipes mask its value.
public struct APIKeyPlugin: Plugin {
    /// Where to put the key.
    public enum Place: Sendable, Hashable {
        /// In a header field.
        case header(HTTPField.Name)
        /// In the query, as a parameter of this name.
        case query(String)
    }

    /// Returns the key for a target, or nil for none.
    public typealias Key = @Sendable (any TargetType) async throws -> Secret?

    private let place: Place
    private let key: Key

    /// Calls a closure for each request; an error that it throws ends the exchange.
    public init(in place: Place, key: @escaping Key) {
        self.place = place
        self.key = key
    }

    /// Sends the same key with every request.
    public init(in place: Place, key: Secret) { self.init(in: place) { _ in key } }

    /// Sets the key, unless the request goes to another origin.
    public func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest {
        guard request.isAtOwnOrigin, let key = try await key(context.target) else { return request }
        var request = request
        switch place {
        case .header(let name):
            request.head.headerFields[name] =
                try AccessTokenScheme.custom("").fieldValue(for: key, named: "The API key")
            // A name such as `X-Company` does not show that its value is secret.
            if !SecretFields.contains(name) { request.options.secretTexts.insert(key) }
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
