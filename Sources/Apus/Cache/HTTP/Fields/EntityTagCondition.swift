import HTTPTypes

/// What an `If-None-Match` field asks (RFC 9110, 13.1.2).
enum EntityTagCondition: Sendable, Equatable {
    /// `*`: that there is no representation at all.
    case anything
    case tags([EntityTag])

    /// Nil if the field is not there.
    init?(_ fields: HTTPFields) {
        let lines = fields[values: .ifNoneMatch]
        guard !lines.isEmpty else { return nil }
        let members = ListMembers(lines).members
        self = members == ["*"] ? .anything : .tags(members.map { EntityTag($0) })
    }

    /// Whether one of the tags is that of the representation.
    func matches(_ tag: EntityTag?) -> Bool {
        switch self {
        case .anything: true
        case .tags(let tags):
            tag.map { tag in tags.contains { $0.isWeaklyEqual(to: tag) } } ?? false
        }
    }
}
