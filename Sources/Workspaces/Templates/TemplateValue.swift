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
