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

extension Span {
    init(_ source: SourceText, _ place: YAMLPlace, length: Int = 1) {
        self.init(source, line: place.line, column: place.column, length: length)
    }
}
