import FoundationEssentials

/// How a token stands in the `Authorization` field.
public enum AccessTokenScheme: Sendable, Hashable {
    /// `Basic`; the token is `user:password`, and is sent in base64 (RFC 7617).
    case basic
    /// `Bearer` (RFC 6750).
    case bearer
    /// A scheme of one's own; empty for the bare token.
    case custom(String)

    /// The field's value.
    ///
    /// - Throws: `.authorization(.unusable)` if it cannot stand in a header field.
    package func fieldValue(for token: Secret) throws(ApusError) -> String {
        let value = text(for: token.value)
        // HTTPField would put spaces in place of what may not be there.
        guard !token.value.isEmpty,
            value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { throw ApusError(.unusable(what: "The access token")) }
        return value
    }

    private func text(for token: String) -> String {
        switch self {
        case .basic: "Basic \(Data(token.utf8).base64EncodedString())"
        case .bearer: "Bearer \(token)"
        case .custom(let scheme): scheme.isEmpty ? token : "\(scheme) \(token)"
        }
    }
}
