import HTTPTypes

/// The value of a field in the form in which two requests are compared.
///
/// Only what is known not to change the meaning is evened out (RFC 9111, 4.1):
/// lines are joined, the blanks around commas go, and the members of preference
/// lists are in lower case and in order, as only their weights rank them.
struct SelectingField: Equatable {
    /// Nil if the field is not there.
    let value: [String]?

    init(_ name: HTTPField.Name, in fields: HTTPFields) {
        let lines = fields[values: name]
        if lines.isEmpty {
            value = nil
        } else if Self.preferences.contains(name.canonicalName) {
            value = ListMembers(lines).members.map(Self.preference).sorted()
        } else if Self.singletons.contains(name.canonicalName) {
            value = lines
        } else {
            value = ListMembers(lines).members.map { String($0) }
        }
    }

    private static let preferences: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language",
    ]

    /// Fields in whose values a comma is no separator.
    private static let singletons: Set<String> = [
        "authorization", "cookie", "referer", "user-agent",
    ]

    /// A member without blanks around `;` and without a weight of 1.
    private static func preference(_ member: Substring) -> String {
        guard !member.contains("\"") else { return String(member) }
        let parts = member.split(separator: ";").map { $0.trimmingBlanks.lowercased() }
        return parts.filter { !isFullWeight($0) }.joined(separator: ";")
    }

    private static func isFullWeight(_ parameter: String) -> Bool {
        ["q=1", "q=1.", "q=1.0", "q=1.00", "q=1.000"].contains(parameter)
    }
}
