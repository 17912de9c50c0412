import Documents
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

/// The request's fields that `Vary` names, as stored: enough to compare requests, but no credentials.
///
/// Any field may carry a credential. So all fields are stored as digests of their normalized form, except the
/// negotiation fields, and those too if they contain a known secret. The digests' key is random for each
/// entry, so equal credentials have different digests in two entries, and precomputed tables are useless. The
/// key is stored next to the digests, so someone who can read the file can still try short values one by one.
/// A key elsewhere would need the same protection as the file, which only its owner can read.
struct SelectingFields: Sendable, Equatable {
    struct Member: Sendable, Equatable {
        /// The name in lower case.
        let name: String
        /// The normalized value, or its digest.
        let value: String
    }

    let key: [UInt8]
    private(set) var members: [Member]

    init(key: [UInt8], members: [Member]) {
        self.key = key
        self.members = members
    }

    /// No fields, for a response without `Vary`.
    init() { self.init(key: [], members: []) }

    /// The fields of these names that a request has.
    init(_ names: [HTTPField.Name], of request: HTTPFields) {
        let key = withUnsafeBytes(
            of: (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        ) { [UInt8]($0) }
        let names = Set(names.map(\.canonicalName)).sorted()
        self.init(
            key: key,
            members: names.compactMap { name in
                HTTPField.Name(name).flatMap { Self.value(of: $0, in: request, key) }
                    .map { Member(name: name, value: $0) }
            }
        )
    }

    /// Whether a request has the same value in a field as the entry's request, or neither has the field.
    func fits(_ name: HTTPField.Name, of request: HTTPFields) -> Bool {
        let own = members.first { $0.name == name.canonicalName }?.value
        // Comparing absent fields needs no digest.
        guard own != nil || request.contains(name) else { return true }
        let isHidden = own?.hasPrefix(Self.mark) ?? false
        return own == Self.value(of: name, in: request, key, isHidden: isHidden)
    }

    /// Replaces the plain values of these fields with digests.
    mutating func hide(_ names: [HTTPField.Name]) {
        let names = Set(names.map(\.canonicalName))
        members = members.map { member in
            guard names.contains(member.name), Self.plain.contains(member.name),
                !member.value.hasPrefix(Self.mark)
            else { return member }
            return Member(
                name: member.name,
                value: Self.digest(of: member.value, named: member.name, key)
            )
        }
    }

    private static func value(
        of name: HTTPField.Name,
        in request: HTTPFields,
        _ key: [UInt8],
        isHidden: Bool = false
    ) -> String? {
        guard let value = SelectingField(name, in: request).value else { return nil }
        // A field contains no line breaks, so different values stay different.
        let text = value.joined(separator: "\n")
        let name = name.canonicalName
        let isPlain = plain.contains(name) && !isHidden && !text.hasPrefix(mark)
        return isPlain ? text : digest(of: text, named: name, key)
    }

    private static func digest(of text: String, named name: String, _ key: [UInt8]) -> String {
        let code = SHA256.authenticationCode(of: "\(name)\n\(text)", key: key)
        return "\(mark)\(ContentDigest.hex(code).prefix(32))"
    }

    /// The prefix of digests; no plain value begins with it.
    private static let mark = "hmac-sha256-"

    /// Fields with preferences or descriptions of a client, which do not identify a user.
    private static let plain: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "origin", "user-agent",
    ]
}

/// A field's value, normalized for comparing two requests.
///
/// Only differences without meaning are removed (RFC 9111, 4.1): lines are joined, spaces around commas
/// dropped, and the members of preference lists lowercased and sorted, because only their weights rank them.
struct SelectingField: Equatable {
    /// The members; nil if there is no such field.
    let value: [String]?

    init(_ name: HTTPField.Name, in fields: HTTPFields) {
        let lines = fields[values: name]
        if lines.isEmpty {
            value = nil
        } else if Self.preferences.contains(name.canonicalName) {
            value = FieldList(lines).members.map(Self.preference).sorted()
        } else if Self.singletons.contains(name.canonicalName) {
            value = lines
        } else {
            value = FieldList(lines).members.map { String($0) }
        }
    }

    private static let preferences: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language",
    ]

    /// Fields in which a comma is not a separator.
    private static let singletons: Set<String> = [
        "authorization", "cookie", "referer", "user-agent",
    ]

    /// A member without spaces around `;` and without a weight of 1.
    private static func preference(_ member: Substring) -> String {
        guard !member.contains("\"") else { return String(member) }
        let parts = member.split(separator: ";").map { $0.trimmingBlanks.asciiLowercased }
        return parts.filter { !isFullWeight($0) }.joined(separator: ";")
    }

    private static func isFullWeight(_ parameter: String) -> Bool {
        ["q=1", "q=1.", "q=1.0", "q=1.00", "q=1.000"].contains(parameter)
    }
}
