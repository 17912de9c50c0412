import Documents
public import HTTPTypes

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
                try AccessTokenScheme.custom("").fieldValue(for: key)
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

/// Changes to the query of a request's target; everything else stays as it is.
enum QueryEditing {
    /// Removes the parameters of this name and appends a new one.
    static func setting(_ name: String, to value: String, in target: String) -> String {
        let bare = removing(name, from: target)
        let joint = bare.unicodeScalars.contains("?") ? "&" : "?"
        return
            "\(bare)\(joint)\(PercentEncoding.component(name))=\(PercentEncoding.component(value))"
    }

    /// Removes the parameters of a name.
    static func removing(_ name: String, from target: String) -> String {
        guard let mark = target.unicodeScalars.firstIndex(of: "?") else { return target }
        // Compares decoded names, as a server does. An escaped form of the name must not survive.
        let kept = target.unicodeScalars[mark...].dropFirst().split(separator: "&")
            .filter { PercentEncoding.decodedForm(String($0.prefix { $0 != "=" })) != name }
            .map { String($0) }
        return kept.isEmpty
            ? String(target[..<mark]) : "\(target[..<mark])?\(kept.joined(separator: "&"))"
    }

    /// The value of a parameter in a query or a form, decoded; nil if there is none.
    static func value(of name: String, in text: some StringProtocol) -> String? {
        for pair in Substring(text).unicodeScalars.split(separator: "&") {
            let found = pair.prefix { $0 != "=" }
            guard PercentEncoding.decodedForm(String(found)) == name else { continue }
            return PercentEncoding.decodedForm(String(pair[found.endIndex...].dropFirst()))
        }
        return nil
    }
}
