/// A value whose texts may have `{{ name }}` in them.
indirect enum TemplateValue: Sendable {
    struct Member: Sendable {
        let name: String
        let value: TemplateValue
    }

    /// A number, a truth value or nothing.
    case constant(Value)
    case text(Template)
    case array([TemplateValue])
    case object([Member])

    /// The variables that it names.
    var names: [String] {
        switch self {
        case .constant: []
        case .text(let template): template.names
        case .array(let elements): elements.flatMap(\.names)
        case .object(let members): members.flatMap(\.value.names)
        }
    }

    init(_ node: YAMLNode, _ log: ProblemLog) {
        switch node.content {
        case .scalar(let text, let isPlain):
            let value = isPlain ? Value(plain: text) : .string(text)
            if case .string = value {
                self = .text(Template(text, node.span, log))
            } else {
                self = .constant(value)
            }
        case .sequence(let nodes): self = .array(nodes.map { TemplateValue($0, log) })
        case .mapping(let entries):
            self = .object(
                entries.map { Member(name: $0.key, value: TemplateValue($0.value, log)) }
            )
        }
    }
}
