import Documents
import Workspaces

extension Value {
    /// A JSON value as a template's value.
    ///
    /// What is nested deeper than any template could use is nothing.
    init(_ json: JSON, levels: Int = 64) {
        switch json.kind {
        case .true: self = .boolean(true)
        case .false: self = .boolean(false)
        case .integer, .decimal: self = .number(json.numberText ?? "0")
        case .string: self = .string(json.string ?? "")
        case .array where levels > 0:
            self = .array(json.elements.map { Value($0, levels: levels - 1) })
        case .object where levels > 0:
            self = .object(json.members.map { Member($0.key, Value($0.value, levels: levels - 1)) })
        case .null, .array, .object, nil: self = .null
        }
    }
}
