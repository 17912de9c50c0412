/// Reads single values; what is not as it should be is logged and nil.
struct NodeReader {
    let log: ProblemLog

    func text(_ node: YAMLNode?, _ what: String) -> String? {
        guard let node else { return nil }
        if case .scalar(let text, _) = node.content, !node.isNull { return text }
        log.add(node.span, "\(what) cannot be \(node.kindName)", expected: "a text")
        return nil
    }

    func template(_ node: YAMLNode?, _ what: String) -> Template? {
        guard let node, let text = text(node, what) else { return nil }
        return Template(text, node.span, log)
    }

    func boolean(_ node: YAMLNode?, _ what: String) -> Bool? {
        word(node, what, ["true": true, "false": false], order: ["true", "false"])
    }

    func integer(_ node: YAMLNode?, _ what: String, in range: ClosedRange<Int>) -> Int? {
        guard let node else { return nil }
        if case .scalar(let text, _) = node.content, let number = Int(text), range.contains(number)
        {
            return number
        }
        log.add(
            node.span,
            "\(what) cannot be \(shown(node))",
            expected: "a whole number from \(range.lowerBound) to \(range.upperBound)"
        )
        return nil
    }

    func word<Result>(
        _ node: YAMLNode?,
        _ what: String,
        _ choices: [String: Result],
        order: [String]
    ) -> Result? {
        guard let node else { return nil }
        if case .scalar(let text, _) = node.content, let choice = choices[text] { return choice }
        var hint: String?
        if case .scalar(let text, _) = node.content {
            hint = Suggestion.hint(for: text, among: order)
        }
        log.add(
            node.span,
            "\(what) cannot be \(shown(node))",
            expected: Fields.list(order),
            hint: hint
        )
        return nil
    }

    func duration(_ node: YAMLNode?, _ what: String) -> Duration? {
        guard let node else { return nil }
        if case .scalar(let text, _) = node.content, let duration = Quantity.duration(text) {
            return duration
        }
        log.add(
            node.span,
            "\(what) cannot be \(shown(node))",
            expected: "a time with its unit: `500 ms`, `10 s`, `5 min`, `2 h`, `1 day`"
        )
        return nil
    }

    /// A duration, or `never`.
    func timeLimit(_ node: YAMLNode?, _ what: String) -> TimeLimit? {
        guard let node else { return nil }
        if case .scalar("never", _) = node.content { return TimeLimit.none }
        if case .scalar(let text, _) = node.content, let duration = Quantity.duration(text) {
            return .after(duration)
        }
        log.add(
            node.span,
            "\(what) cannot be \(shown(node))",
            expected: "a time with its unit (`500 ms`, `10 s`, `5 min`), or `never`"
        )
        return nil
    }

    func size(_ node: YAMLNode?, _ what: String) -> Int? {
        guard let node else { return nil }
        if case .scalar(let text, _) = node.content, let size = Quantity.size(text) { return size }
        log.add(
            node.span,
            "\(what) cannot be \(shown(node))",
            expected: "a size with its unit: `512 B`, `10 kB`, `8 MiB`"
        )
        return nil
    }

    /// The elements of a list.
    func list(_ node: YAMLNode?, _ what: String) -> [YAMLNode]? {
        guard let node else { return nil }
        if case .sequence(let nodes) = node.content { return nodes }
        log.add(node.span, "\(what) cannot be \(node.kindName)", expected: "a list")
        return nil
    }

    /// The entries of a mapping with free names; nothing is an empty mapping.
    func entries(_ node: YAMLNode?, _ what: String) -> [YAMLNode.Entry] {
        guard let node, !node.isNull else { return [] }
        if case .mapping(let entries) = node.content { return entries }
        log.add(node.span, "\(what) cannot be \(node.kindName)", expected: "a mapping")
        return []
    }

    private func shown(_ node: YAMLNode) -> String {
        if case .scalar(let text, _) = node.content, !node.isNull, text.count <= 40 {
            return "`\(text)`"
        }
        return node.kindName
    }
}
