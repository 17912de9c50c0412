import Documents

/// Converts parsed YAML to nodes, within limits; applies string tags and resolves merge keys.
struct YAMLTreeBuilder {
    static let maximumNodes = 500_000
    private static let maximumDepth = 64

    private let source: SourceText
    private let log: ProblemLog
    private var count = 0
    private var isRefused = false

    init(source: SourceText, log: ProblemLog) {
        self.source = source
        self.log = log
    }

    /// The tree; nil if it exceeds a limit.
    ///
    /// Other faults are logged, and the faulty parts left out.
    mutating func build(_ root: YAMLValue) -> YAMLNode? {
        let node = convert(root, depth: 1, within: nil)
        return isRefused ? nil : node
    }

    /// `alias` is the place of the outermost alias around the value; an exceeded limit is reported there.
    private mutating func convert(
        _ value: YAMLValue,
        depth: Int,
        within alias: Span?
    ) -> YAMLNode? {
        let span = span(of: value)
        let alias = alias ?? value.alias.map { self.span(of: $0) }
        guard admit(depth: depth, at: alias ?? span) else { return nil }
        guard let isString = isString(value.tag, span) else { return nil }
        switch value.content {
        case .scalar(let text, let style):
            let isPlain = style == .plain && !isString
            return YAMLNode(content: .scalar(text, isPlain: isPlain), span: span)
        case .sequence(let values):
            var elements: [YAMLNode] = []
            for value in values {
                let element = convert(value, depth: depth + 1, within: alias)
                if let element { elements.append(element) }
            }
            return YAMLNode(content: .sequence(elements), span: span)
        case .mapping(let members):
            let entries = entries(of: members, depth: depth, within: alias)
            return YAMLNode(content: .mapping(entries), span: span)
        case .unknown:
            log.add(Self.unknownAlias(value.alias?.name ?? "", at: alias ?? span))
            return nil
        }
    }

    private mutating func entries(
        of members: [(key: YAMLValue, value: YAMLValue)],
        depth: Int,
        within alias: Span?
    ) -> [YAMLNode.Entry] {
        var entries: [YAMLNode.Entry] = []
        var merged: [YAMLNode.Entry] = []
        var lines: [String: Int] = [:]
        for (keyValue, value) in members {
            guard !isRefused else { break }
            let key = key(keyValue)
            if let key {
                if let first = lines[key.text] {
                    log.add(
                        key.span,
                        "duplicate key `\(key.text)`",
                        hint: "the first one is on line \(first)"
                    )
                    continue
                }
                lines[key.text] = key.span.line
            }
            let node = convert(value, depth: depth + 1, within: alias)
            guard let node, let key else { continue }
            if key.text == "<<" {
                merged += mergedEntries(node)
            } else {
                entries.append(YAMLNode.Entry(key: key.text, keySpan: key.span, value: node))
            }
        }
        guard !merged.isEmpty else { return entries }
        var names = Set(entries.map(\.key))
        for entry in merged where names.insert(entry.key).inserted { entries.append(entry) }
        return entries
    }

    /// A key's text; nil if the value cannot be a key.
    private func key(_ value: YAMLValue) -> (text: String, span: Span)? {
        if let alias = value.alias {
            log.add(self.span(of: alias), "a key must be a string, not an alias")
            return nil
        }
        let span = span(of: value)
        switch value.content {
        case .scalar(let text, let style):
            guard style == .plain, text.isEmpty || text == "~" else { return (text, span) }
            log.add(span, "a key must be a string, not null")
        case .mapping:
            log.add(
                span,
                "a key must be a string, not a mapping",
                hint: "a value that begins with `{{` needs quotes"
            )
        case .sequence: log.add(span, "a key must be a string, not a list")
        case .unknown: break
        }
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

    /// Whether a tag makes the value a string; nil if the tag is unknown, which is logged.
    private func isString(_ tag: String, _ span: Span) -> Bool? {
        switch tag {
        case "", "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq": return false
        case "tag:yaml.org,2002:str": return true
        default:
            log.add(span, "the tag `\(tag)` has no meaning here")
            return nil
        }
    }

    private mutating func admit(depth: Int, at span: Span) -> Bool {
        guard !isRefused else { return false }
        count += 1
        if depth > Self.maximumDepth {
            log.add(span, "nested more than \(Self.maximumDepth) levels deep")
            isRefused = true
        } else if count > Self.maximumNodes {
            log.add(Self.tooManyValues(at: span))
            isRefused = true
        }
        return !isRefused
    }

    static func unknownAlias(_ name: String, at span: Span) -> Problem {
        Problem(
            span,
            "the alias `*\(name)` has no anchor before it",
            hint: "a string that begins with `*` needs quotes"
        )
    }

    static func tooManyValues(at span: Span) -> Problem {
        let hint = "an alias counts each time it is used"
        return Problem(span, "more than 500,000 values", hint: hint)
    }

    private func span(of alias: YAMLValue.Alias) -> Span {
        Span(source, alias.place, length: alias.name.unicodeScalars.count + 1)
    }

    private func span(of value: YAMLValue) -> Span {
        guard case .scalar(let text, let style) = value.content,
            let length = Self.length(ofLine: text)
        else { return Span(source, value.place) }
        return Span(source, value.place, length: length + (style == .quoted ? 2 : 0))
    }

    /// The number of a line's scalars; nil for a text with line ends.
    private static func length(ofLine text: String) -> Int? {
        // Most texts are ASCII, which is looked at byte by byte.
        var isASCII = true
        for byte in text.utf8 {
            if (0x0A...0x0D).contains(byte) { return nil }
            if byte >= 0x80 { isASCII = false }
        }
        if isASCII { return text.utf8.count }
        return text.contains(where: \.isNewline) ? nil : text.unicodeScalars.count
    }
}
