import Yams

/// A value of a YAML file with the place where it is written.
struct YAMLNode: Sendable {
    enum Content: Sendable {
        /// Text; a plain one may be a number, a truth value or nothing.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([Entry])
    }

    /// A key and its value.
    struct Entry: Sendable {
        let key: String
        let keySpan: Span
        let value: YAMLNode
    }

    let content: Content
    let span: Span

    /// What it is, in words.
    var kindName: String {
        switch content {
        case .scalar("", isPlain: true): "nothing"
        case .scalar(let text, isPlain: true) where text == "~" || text == "null": "nothing"
        case .scalar: "a text"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }

    /// Whether nothing is written there.
    var isNull: Bool { kindName == "nothing" }
}

/// Yams' nodes to ours: resolves aliases and merge keys, within bounds.
struct YAMLTreeBuilder {
    private struct Anchored {
        let node: YAMLNode
        let size: Int
        let depth: Int
    }

    private static let maximumDepth = 64
    private static let maximumNodes = 100_000

    private let source: SourceText
    private let log: ProblemLog
    private var anchors: [String: Anchored] = [:]
    private var count = 0
    private var isRefused = false

    init(source: SourceText, log: ProblemLog) {
        self.source = source
        self.log = log
    }

    /// The tree; nil if it breaks a bound.
    ///
    /// Other faults leave parts out and are logged.
    mutating func build(_ root: Node) -> YAMLNode? {
        let node = convert(root, depth: 1)?.node
        return isRefused ? nil : node
    }

    private mutating func convert(_ node: Node, depth: Int) -> Anchored? {
        let span = span(of: node)
        guard admit(1, depth: depth, at: span) else { return nil }
        let result: Anchored? =
            switch node {
            case .scalar(let scalar): convert(scalar, span, depth: depth)
            case .sequence(let sequence): convert(sequence, span, depth: depth)
            case .mapping(let mapping): convert(mapping, span, depth: depth)
            case .alias: nil
            }
        if let result, let name = anchor(of: node) { anchors[name] = result }
        return result
    }

    private mutating func convert(
        _ scalar: Node.Scalar,
        _ span: Span,
        depth: Int
    ) -> Anchored? {
        let text = KeyMask.replacing(YAMLReader.hiddenStar, with: "*", in: scalar.string)
        let isAlias =
            scalar.style == .plain && scalar.string.unicodeScalars.first == YAMLReader.hiddenStar
        if isAlias { return resolveAlias(String(text.dropFirst()), span, depth: depth) }
        guard let isString = isString(scalar.tag, span) else { return nil }
        let node = YAMLNode(
            content: .scalar(text, isPlain: scalar.style == .plain && !isString),
            span: span
        )
        return Anchored(node: node, size: 1, depth: 1)
    }

    private mutating func resolveAlias(_ name: String, _ span: Span, depth: Int) -> Anchored? {
        guard let target = anchors[name] else {
            log.add(
                span,
                "the alias `*\(name)` has no anchor `&\(name)` before it",
                hint: "a text that begins with `*` needs quotes"
            )
            return nil
        }
        return admit(target.size, depth: depth + target.depth - 1, at: span) ? target : nil
    }

    private mutating func convert(
        _ sequence: Node.Sequence,
        _ span: Span,
        depth: Int
    ) -> Anchored? {
        guard isString(sequence.tag, span) != nil else { return nil }
        var elements: [YAMLNode] = []
        var size = 1
        var deepest = 0
        for element in sequence {
            guard let part = convert(element, depth: depth + 1) else { continue }
            elements.append(part.node)
            size += part.size
            deepest = max(deepest, part.depth)
        }
        let node = YAMLNode(content: .sequence(elements), span: span)
        return Anchored(node: node, size: size, depth: deepest + 1)
    }

    private mutating func convert(
        _ mapping: Node.Mapping,
        _ span: Span,
        depth: Int
    ) -> Anchored? {
        guard isString(mapping.tag, span) != nil else { return nil }
        var entries: [YAMLNode.Entry] = []
        var merged: [YAMLNode.Entry] = []
        var size = 1
        var deepest = 0
        for (keyNode, valueNode) in mapping {
            let key = key(keyNode)
            guard let part = convert(valueNode, depth: depth + 1), let key else { continue }
            size += part.size
            deepest = max(deepest, part.depth)
            if key.text == "<<" {
                merged += mergedEntries(part.node)
            } else {
                entries.append(
                    YAMLNode.Entry(key: key.text, keySpan: key.span, value: part.node)
                )
            }
        }
        var names = Set(entries.map(\.key))
        for entry in merged where names.insert(entry.key).inserted { entries.append(entry) }
        let node = YAMLNode(content: .mapping(entries), span: span)
        return Anchored(node: node, size: size, depth: deepest + 1)
    }

    /// A key's text; nil if it cannot be one, or is masked as a repeated one.
    private func key(_ node: Node) -> (text: String, span: Span)? {
        guard case .scalar(let scalar) = node else {
            let isTemplate = if case .mapping = node { true } else { false }
            log.add(
                span(of: node),
                "a key must be a text, not \(kindName(node))",
                hint: isTemplate ? "a value that begins with `{{` needs quotes" : nil
            )
            return nil
        }
        if let first = scalar.string.unicodeScalars.first {
            if YAMLReader.maskedKeys.contains(first) { return nil }
            if scalar.style != .plain || first != YAMLReader.hiddenStar, scalar.string != "~" {
                let text = KeyMask.replacing(YAMLReader.hiddenStar, with: "*", in: scalar.string)
                return (text, span(of: node))
            }
        }
        let what = scalar.string.isEmpty || scalar.string == "~" ? "nothing" : "an alias"
        log.add(span(of: node), "a key must be a text, not \(what)")
        return nil
    }

    private func mergedEntries(_ node: YAMLNode) -> [YAMLNode.Entry] {
        switch node.content {
        case .mapping(let entries): return entries
        case .sequence(let nodes) where nodes.allSatisfy({ $0.kindName == "a mapping" }):
            return nodes.flatMap(mergedEntries)
        default:
            log.add(
                node.span,
                "`<<` cannot merge \(node.kindName)",
                expected: "an alias of a mapping, or a list of them"
            )
            return []
        }
    }

    /// Whether a tag makes the value a text; nil if it is a tag we do not know.
    private func isString(_ tag: Tag, _ span: Span) -> Bool? {
        switch tag.rawValue {
        case "", "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq": return false
        case "tag:yaml.org,2002:str": return true
        default:
            log.add(span, "the tag `\(tag.rawValue)` has no meaning here")
            return nil
        }
    }

    private mutating func admit(_ more: Int, depth: Int, at span: Span) -> Bool {
        guard !isRefused else { return false }
        count += more
        if depth > Self.maximumDepth {
            log.add(span, "nested more than \(Self.maximumDepth) levels deep")
            isRefused = true
        } else if count > Self.maximumNodes {
            log.add(
                span,
                "more than 100,000 values",
                hint: "aliases count as often as they are used"
            )
            isRefused = true
        }
        return !isRefused
    }

    private func kindName(_ node: Node) -> String {
        switch node {
        case .mapping: "a mapping"
        case .sequence: "a list"
        default: "this"
        }
    }

    private func anchor(of node: Node) -> String? {
        switch node {
        case .scalar(let scalar): scalar.anchor?.rawValue
        case .sequence(let sequence): sequence.anchor?.rawValue
        case .mapping(let mapping): mapping.anchor?.rawValue
        case .alias: nil
        }
    }

    private func span(of node: Node) -> Span {
        var length = 1
        if case .scalar(let scalar) = node, !scalar.string.contains(where: \.isNewline) {
            let isQuoted = scalar.style == .singleQuoted || scalar.style == .doubleQuoted
            length = scalar.string.unicodeScalars.count + (isQuoted ? 2 : 0)
        }
        return Span(
            source,
            line: node.mark?.line ?? 0,
            column: node.mark?.column ?? 0,
            length: length
        )
    }
}
