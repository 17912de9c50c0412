import HTTPTypes

/// The `Vary` of a response: the request fields that it depends on (RFC 9110, 12.5.5).
enum Vary: Sendable, Equatable {
    /// No fields.
    case nothing
    /// `*`: more than fields, so no request is known to get the same response.
    case everything
    case fields([HTTPField.Name])

    /// More names count as `*`, because each lookup compares each name for each stored response.
    static let nameLimit = 64

    init(_ fields: HTTPFields) {
        let members = FieldList(fields[values: .vary], limit: Self.nameLimit + 1).members
        let names = members.compactMap { HTTPField.Name(String($0)) }
        if members.isEmpty {
            self = .nothing
        } else if names.count != members.count || names.count > Self.nameLimit
            || members.contains("*")
        {
            // An invalid name cannot be compared.
            self = .everything
        } else {
            self = .fields(names)
        }
    }

    /// Whether a request selects the stored response (RFC 9111, 4.1).
    func matches(_ request: HTTPFields, _ stored: SelectingFields) -> Bool {
        switch self {
        case .nothing: true
        case .everything: false
        case .fields(let names): names.allSatisfy { stored.fits($0, of: request) }
        }
    }

    /// The request's fields that later requests are compared with.
    func selecting(from request: HTTPFields) -> SelectingFields {
        guard case .fields(let names) = self else { return SelectingFields() }
        return SelectingFields(names, of: request)
    }
}
