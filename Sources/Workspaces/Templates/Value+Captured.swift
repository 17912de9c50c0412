import Documents

extension Value {
    /// A captured value; nil for one that is missing, or nested deeper than any
    /// template could use.
    init?(_ json: JSON, levels: Int = 64) {
        guard levels > 0 else { return nil }
        switch json.kind {
        case nil: return nil
        case .null: self = .null
        case .false: self = .boolean(false)
        case .true: self = .boolean(true)
        case .integer, .decimal: self = .number(json.numberText ?? "0")
        case .string: self = .string(json.string ?? "")
        case .array:
            self = .array(json.elements.compactMap { Value($0, levels: levels - 1) })
        case .object:
            self = .object(
                json.members.compactMap { member in
                    Value(member.value, levels: levels - 1).map { Member(member.key, $0) }
                }
            )
        }
    }
}
