import HTTPTypes

/// The request fields that an answer depends on (RFC 9110, 12.5.5).
enum Vary: Sendable, Equatable {
    /// On none.
    case nothing
    /// On more than fields: no request is known to get the same answer.
    case everything
    case fields([HTTPField.Name])

    init(_ fields: HTTPFields) {
        let members = ListMembers(.vary, in: fields).members
        let names = members.compactMap { HTTPField.Name(String($0)) }
        if members.isEmpty {
            self = .nothing
        } else if names.count != members.count || members.contains("*") {
            // A name that is none cannot be compared.
            self = .everything
        } else {
            self = .fields(names)
        }
    }

    /// Whether the request gets what the stored response's request got (RFC 9111, 4.1).
    func matches(_ request: HTTPFields, _ stored: SelectingFields) -> Bool {
        switch self {
        case .nothing: true
        case .everything: false
        case .fields(let names): names.allSatisfy { stored.fits($0, of: request) }
        }
    }

    /// The fields that later requests are compared by.
    func selecting(from request: HTTPFields) -> SelectingFields {
        guard case .fields(let names) = self else { return SelectingFields() }
        return SelectingFields(names, of: request)
    }
}
