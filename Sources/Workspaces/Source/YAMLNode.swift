import Documents

/// A value of a YAML file, and its place there.
struct YAMLNode: Sendable {
    enum Content: Sendable {
        /// A scalar; a plain one may be a number, a Boolean or null.
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

    /// The kind of value, in words for people.
    var kindName: String {
        switch content {
        case .scalar("", isPlain: true): "null"
        case .scalar(let text, isPlain: true) where text == "~" || text == "null": "null"
        case .scalar: "a string"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }

    /// Whether the value is empty, or an unquoted `~` or `null`.
    var isNull: Bool { kindName == "null" }
}

extension YAMLNode {
    /// A value that is in no text; the span is where its faults are reported.
    init(_ value: Value, _ span: Span) {
        self.span = span
        content =
            switch value {
            case .string(let text): .scalar(text, isPlain: false)
            case .number(let text): .scalar(text, isPlain: true)
            case .boolean(let flag): .scalar(flag ? "true" : "false", isPlain: true)
            case .null: .scalar("null", isPlain: true)
            case .array(let elements): .sequence(elements.map { YAMLNode($0, span) })
            case .object(let members):
                .mapping(
                    members.map { member in
                        Entry(
                            key: member.name,
                            keySpan: span,
                            value: YAMLNode(member.value, span)
                        )
                    }
                )
            }
    }
}

extension Span {
    init(_ source: SourceText, _ place: YAMLPlace, length: Int = 1) {
        self.init(source, line: place.line, column: place.column, length: length)
    }
}
