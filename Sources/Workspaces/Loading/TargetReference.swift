/// A target that a batch or a step refers to: by name, or written in place.
enum TargetReference {
    case named(String, Span)
    case inline(TargetDefinition)

    /// Reads a reference; `id` names a target that is written in place.
    init?(_ node: YAMLNode, id: String, _ log: ProblemLog) {
        switch node.content {
        case .scalar(let text, _) where !node.isNull && !TargetDecoder.isRequestLine(text):
            self = .named(text, node.span)
        case .sequence:
            log.add(node.span, "a target cannot be a list", expected: "a target's name")
            return nil
        default:
            var name = id
            if case .scalar(let text, _) = node.content { name = text }
            let target = TargetDecoder(log: log).target(node, name: name, id: id, span: node.span)
            guard let target else { return nil }
            self = .inline(target)
        }
    }
}
